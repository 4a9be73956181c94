"""Weights by class: a member may know one class better than another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_choice
from counterpoint.combiners.combiner import Combiner, normalise
from counterpoint.combiners.simplex import least_quadratic


class ClassWeightedMeanCombiner(Combiner):
    """Average probabilities with weights of their own for every class.

    The support for class k is the sum over members of ``w[t, k] * P[t, k]``: different weightings
    for the support of different classes, where some members tell some classes apart better [1]_.
    With the same weights for all classes it is a weighted mean.

    Parameters
    ----------
    by : {"least-squares", "precision"}, default="least-squares"
        "least-squares" minimises, class by class, the squared error of the support as an estimate
        of 1 for the class and 0 for the others. "precision" is the share right among the samples a
        member calls by the class, as if one sample more were half right.

    Attributes
    ----------
    class_weights_ : ndarray of shape (n_members, n_classes)
        Not negative; those of a class add up to 1.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 2.5.1.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import ClassWeightedMeanCombiner
    >>> first, second = [[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.0, 1.0]]
    >>> rule = ClassWeightedMeanCombiner("precision")
    >>> rule.fit(MemberOutputs(proba=[first, second], y=[0, 1])).class_weights_.tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    needs_proba = True
    needs_truth = True

    def __init__(self, by: str = "least-squares") -> None:
        self.by = by

    def _learn(self, outputs):
        check_choice(self.by, "by", ("least-squares", "precision"))
        weigh = self._precise if self.by == "precision" else self._least_squares
        columns = [normalise(weigh(outputs, k)) for k in range(outputs.n_classes)]
        self.class_weights_ = np.stack(columns, axis=1)

    def _least_squares(self, outputs, k):
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else weight
        gap = (outputs.proba[:, :, k] - (outputs.y == k)) * np.sqrt(weight / weight.sum())
        return least_quadratic(gap @ gap.T)

    def _precise(self, outputs, k):
        weight = outputs.sample_weight
        said = outputs.votes == k
        said = said if weight is None else said * weight
        right = (said * (outputs.y == k)).sum(axis=1)
        return (right + 0.5) / (said.sum(axis=1) + 1.0)

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the sum, each class with its own weights."""
        self.check(outputs)
        self.check_n_members(outputs, len(self.class_weights_))
        return np.einsum("tik,tk->ik", outputs.proba, self.class_weights_)

    def shares(self, outputs: MemberOutputs) -> NDArray:
        """Return how much each member counts: the mean of its weights over classes."""
        return self.class_weights_.mean(axis=1)

    def keep(self, members: Any, outputs: MemberOutputs) -> "Combiner":
        """Return the rule for some of the members; their weights keep their proportions."""
        rule = clone(self)
        kept = self.class_weights_[members]
        rule.class_weights_ = np.stack([normalise(column) for column in kept.T], axis=1)
        return rule
