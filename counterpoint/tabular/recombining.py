"""What is the same where members are combined in one way after another: who is asked, and where."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

OWN = "own"
"""The rule of the ensemble itself, where it is known."""


class Recombining:
    """Members' answers on rows nobody was trained on; a subclass combines and judges them.

    Parameters
    ----------
    outputs : MemberOutputs or MemberPredictions
        With the truth.
    """

    def __init__(self, outputs: Any) -> None:
        outputs.need_truth()
        self.outputs = outputs

    def _weights(self, given: Any) -> NDArray:
        """Return what each member counts, whatever way it was said."""
        n = self.outputs.n_members
        if given is None:
            return np.ones(n, dtype=int)
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in self.outputs.names]
            if unknown:
                raise ValueError(f"weights: there is no member {unknown[0]!r}.")
            given = [given.get(name, 0) for name in self.outputs.names]
        say = np.asarray(given)
        if say.shape != (n,) or not np.any(say):
            raise ValueError(f"weights: give {n} numbers, one for each member, not all 0.")
        return say

    def _only(self, members: Any) -> NDArray:
        """Return 1 for these members and 0 for the others; None: all."""
        at = np.arange(self.outputs.n_members)
        if members is None:
            return np.ones(len(at), dtype=int)
        return np.isin(at, np.asarray(members, dtype=int)).astype(int)

    @cached_property
    def _drawn(self) -> NDArray:
        """All rows in an order by lot, the same every time."""
        return np.random.default_rng(0).permutation(self.outputs.n_samples)
