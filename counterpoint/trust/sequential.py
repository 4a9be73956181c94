"""Alarms over time: many tests in a row, and no more false alarms than agreed on.

A test at level 0.05 on every batch gives a false alarm every twenty batches. Two guards share the
level instead. The first spends it: batch t is tested at ``level / (t (t + 1))``, so that all levels
together add up to it, however the tests depend on each other. The second bets: each p value becomes
an e value, whose product is a fair game under the null; by Ville's inequality it ever exceeds
``1 / level`` with that chance at most [1]_, and slow changes add up in it. The bets are of means
given the past, so that it holds for p values that are valid given the batches before.

References
----------
.. [1] V. Vovk and R. Wang, "E-values: calibration, combination and applications", Annals of
   Statistics 49, 2021, section 2 for the calibrator.
"""

from dataclasses import dataclass

import numpy as np

from counterpoint._validation import check_number


@dataclass
class AlarmState:
    """What must be remembered from batch to batch: how many there were, and the bet so far."""

    n_batches: int = 0
    log_wealth: float = 0.0
    alarmed: bool = False


@dataclass(frozen=True)
class Verdict:
    """What one batch came to: ``reason`` is "" or says which guard was touched."""

    p: float
    threshold: float
    log_wealth: float
    alarm: bool
    reason: str


class SequentialAlarm:
    """Turns a p value a batch into alarms of which false ones are rare for ever.

    Parameters
    ----------
    level : float, default=0.05
        Chance that there is ever a false alarm; half of it for each guard.
    state : AlarmState, default=None
        To go on from; None starts.

    Examples
    --------
    >>> from counterpoint.trust import SequentialAlarm
    >>> alarm = SequentialAlarm(0.05)
    >>> [alarm.update(p).alarm for p in (0.6, 0.3, 0.9)]
    [False, False, False]
    >>> alarm.update(1e-5).reason
    'this batch alone'
    """

    def __init__(self, level: float = 0.05, state: AlarmState | None = None) -> None:
        self.level = check_number(level, "level", low=0, high=1, open_low=True, open_high=True)
        self.state = AlarmState() if state is None else state

    def update(self, p: float) -> Verdict:
        """Take the p value of the next batch; NaN, where there was nothing to test, is passed."""
        state, half = self.state, self.level / 2
        if not np.isfinite(p):
            return Verdict(float("nan"), float("nan"), state.log_wealth, False, "")
        check_number(p, "p", low=0, high=1)
        state.n_batches += 1
        t = state.n_batches
        threshold = half / (t * (t + 1))
        state.log_wealth += log_bet(p)
        reason = ""
        if p <= threshold:
            reason = "this batch alone"
        elif state.log_wealth >= -np.log(half):
            reason = "batches together"
        state.alarmed |= bool(reason)
        return Verdict(float(p), threshold, state.log_wealth, bool(reason), reason)


def log_bet(p: float) -> float:
    """Return the log of the e value of a p value, ``(1 - p + p log p) / (p (log p)^2)``.

    That is the mean of ``k p^(k - 1)`` over k from 0 to 1: its mean is 1 for an even p value.
    """
    p = max(float(p), 1e-300)
    if p > 1 - 1e-4:  # where numerator and denominator vanish: the limit is 1/2
        return float(np.log(0.5))
    return float(np.log1p(p * (np.log(p) - 1)) - np.log(p) - 2 * np.log(-np.log(p)))
