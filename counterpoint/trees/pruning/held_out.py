"""Errors on rows held out, as a criterion that judges a node alone."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.pruning.criteria import LocalCriterion


class HeldOutCriterion(LocalCriterion):
    """Errors of rows held out, when the others label the leaf.

    Values have two columns a class: first the weights of the rows that label, then of those that
    judge. A leaf that none of the first reach is labelled by the others.
    """

    def leaf_cost(self, value: NDArray) -> NDArray:
        """Errors of leaves."""
        known, held = np.hsplit(value, 2)
        empty = ~known.any(axis=1, keepdims=True)
        label = np.where(empty, held, known).argmax(axis=1)
        return held.sum(axis=1) - held[np.arange(len(held)), label]
