"""Several rules at once."""

import numpy as np
from sklearn.base import clone

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

    def __init__(self, combiners):
        self.combiners = combiners

    @property
    def needs_proba(self):  # type: ignore[override]
        """Whether any rule reads probabilities."""
        return any(rule.needs_proba for rule in self.combiners)

    @property
    def takes_numbers(self):  # type: ignore[override]
        """Whether all rules take numbers of regressors."""
        return all(rule.takes_numbers for rule in self.combiners)

    @property
    def needs_truth(self):  # type: ignore[override]
        """Whether any rule looks at the truth."""
        return any(rule.needs_truth for rule in self.combiners)

    def fit(self, outputs):
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

    def combine(self, outputs):
        """Return the mean of what the rules say."""
        rules = getattr(self, "combiners_", self.combiners)  # fixed ones need no fit
        return np.mean([rule.combine(outputs) for rule in rules], axis=0)

    def keep(self, members, outputs):
        """Return the rules for some of the members."""
        rules = [rule.keep(members, outputs) for rule in self.combiners_]
        return BlendCombiner(self.combiners)._of(rules, outputs.take(members))

    def silence(self, member, outputs, whole=None):
        """Return the mean of what the rules say without the member."""
        return np.mean([rule.silence(member, outputs) for rule in self.combiners_], axis=0)
