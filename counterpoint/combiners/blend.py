"""Several rules at once."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_list
from counterpoint.combiners.combiner import Combiner, check_combiner


class BlendCombiner(Combiner):
    """Average what several rules say: no choice among them, so no luck in choosing.

    Parameters
    ----------
    combiners : list of Combiner
        The rules.

    Attributes
    ----------
    combiners_ : list of Combiner
        Fitted.
    estimator_weights_ : ndarray of shape (n_members,)
        Mean over the rules.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import BlendCombiner, MaxCombiner, MeanCombiner
    >>> outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.6, 0.4]]])
    >>> blend = BlendCombiner([MeanCombiner(), MaxCombiner()]).fit(outputs)
    >>> blend.combine(outputs).round(3).tolist()
    [[0.5, 0.7]]
    """

    def __init__(self, combiners: list[Any]) -> None:
        self.combiners = combiners

    @property
    def needs_proba(self) -> bool:  # type: ignore[override]
        """Whether any rule reads probabilities."""
        return any(rule.needs_proba for rule in self.combiners)

    @property
    def takes_numbers(self) -> bool:  # type: ignore[override]
        """Whether all rules take numbers of regressors."""
        return all(rule.takes_numbers for rule in self.combiners)

    @property
    def needs_truth(self) -> bool:  # type: ignore[override]
        """Whether any rule looks at the truth."""
        return any(rule.needs_truth for rule in self.combiners)

    def fit(self, outputs: MemberOutputs) -> Self:
        """Fit each rule."""
        if not check_list(self.combiners, "combiners", "combiners"):
            raise ValueError("combiners is empty: give at least one.")
        for rule in self.combiners:
            check_combiner(rule)
        self.check(outputs)
        return self._of([clone(rule).fit(outputs) for rule in self.combiners], outputs)

    def _of(self, rules, outputs):
        self.combiners_ = rules
        self.estimator_weights_ = np.mean([rule.shares(outputs) for rule in rules], axis=0)
        return self

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the mean of what the rules say."""
        rules = getattr(self, "combiners_", self.combiners)  # fixed ones need no fit
        return np.mean([rule.combine(outputs) for rule in rules], axis=0)

    def keep(self, members: Any, outputs: MemberOutputs) -> "Combiner":
        """Return the rules for some of the members."""
        rules = [rule.keep(members, outputs) for rule in self.combiners_]
        return BlendCombiner(self.combiners)._of(rules, outputs.take(members))

    def silence(self, member: int, outputs: MemberOutputs, whole: NDArray | None = None) -> NDArray:
        """Return the mean of what the rules say without the member."""
        return np.mean([rule.silence(member, outputs) for rule in self.combiners_], axis=0)
