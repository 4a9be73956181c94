"""Members' probabilities mended before they are combined: temperature scaling."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import clone

from counterpoint._outputs import MemberOutputs
from counterpoint.combiners.combiner import Combiner
from counterpoint.combiners.fixed import MeanCombiner

# Powers that a member's probabilities may be raised to, as logarithms, and what moving away from
# 0 costs: little, but enough for a member without information to stay as it is.
_POWERS, _HOLD = (-2.5, 3.0), 1e-3
# Below this a probability is no longer taken at its word: a logarithm must stay finite.
_DOUBT = 1e-4


class TemperedCombiner(Combiner):
    """Raise each member's probabilities to a power that makes them fit the truth, then combine.

    Forests and neighbours are too careful or too sure, and boosting by votes knows no
    probabilities; one number a member mends most of that and leaves its decisions as they are
    (temperature scaling [1]_).

    Parameters
    ----------
    combiner : Combiner, default=None
        What combines the tempered probabilities. None is the mean.

    Attributes
    ----------
    powers_ : ndarray of shape (n_members,)
        Above 1 makes a member surer.
    combiner_ : Combiner
        Fitted.
    estimator_weights_ : ndarray of shape (n_members,)
        Of ``combiner_``.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural
       networks", ICML 2017.

    Examples
    --------
    A member that is right three times in four, and says so less than clearly:

    >>> import numpy as np
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import TemperedCombiner
    >>> outputs = MemberOutputs(proba=[[[0.4, 0.6]] * 400], y=[1, 1, 1, 0] * 100)
    >>> TemperedCombiner().fit(outputs).predict_proba(outputs)[0].round(2).tolist()
    [0.25, 0.75]
    """

    needs_proba = True
    needs_truth = True

    def __init__(self, combiner: Any = None) -> None:
        self.combiner = combiner

    def _learn(self, outputs):
        self.powers_ = tempers(outputs)
        if not (self.combiner is None or isinstance(self.combiner, Combiner)):
            raise TypeError(f"combiner={self.combiner!r}: give a rule such as MeanCombiner().")
        rule = MeanCombiner() if self.combiner is None else clone(self.combiner)
        self.combiner_ = rule.fit(self.temper(outputs))

    def temper(self, outputs: MemberOutputs) -> MemberOutputs:
        """Return the outputs with each member's probabilities raised to its power, as shares."""
        self.check_n_members(outputs, len(self.powers_))
        return temper(outputs, self.powers_)

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return what the rule makes of the tempered outputs."""
        self.check(outputs)
        return self.combiner_.combine(self.temper(outputs))

    @property
    def estimator_weights_(self) -> NDArray:
        """Weights of the members in the rule."""
        return self.combiner_.estimator_weights_

    def shares(self, outputs: MemberOutputs) -> NDArray:
        """Return how much each member counts in the rule."""
        return self.combiner_.shares(outputs)

    def keep(self, members: Any, outputs: MemberOutputs) -> "Combiner":
        """Return the rule for some of the members; their powers stay."""
        rule = TemperedCombiner(self.combiner)
        rule.powers_ = self.powers_[members]
        rule.combiner_ = self.combiner_.keep(members, self.temper(outputs))
        return rule

    def silence(self, member: int, outputs: MemberOutputs, whole: NDArray | None = None) -> NDArray:
        """Return what the rule makes of the others."""
        return self.combiner_.silence(member, self.temper(outputs))


def tempers(outputs: MemberOutputs):
    """Return for each member the power that makes its probabilities fit the truth best."""
    powers = np.ones(outputs.n_members)
    rows, weight = np.arange(outputs.n_samples), outputs.sample_weight
    for m, own in enumerate(outputs.proba):
        logs = np.log(np.clip(own, _DOUBT, 1.0))

        def cost(step, logs=logs):
            scaled = logs * np.exp(step)
            total = np.log(np.exp(scaled).sum(axis=1))
            return np.average(total - scaled[rows, outputs.y], weights=weight) + _HOLD * step**2

        powers[m] = np.exp(minimize_scalar(cost, bounds=_POWERS, method="bounded").x)
    return powers


def temper(outputs: MemberOutputs, powers) -> MemberOutputs:
    """Return the outputs with probabilities raised to powers (n_members,), as shares."""
    raised = np.clip(outputs.proba, _DOUBT, 1.0) ** powers[:, None, None]
    return outputs.with_proba(raised / raised.sum(axis=2, keepdims=True))
