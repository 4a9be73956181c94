"""Where a booster for classes is to stop: where it tells them apart best, however sure it is.

The log-loss of rows held out has two parts: how well the classes are told apart, its refinement,
and how far probabilities are from shares, its calibration. Boosting grows too sure of itself before
it has learnt all it can, so that their sum is least too soon. The refinement is estimated by the
log-loss at the temperature that suits the rows held out best; boosting goes on while that falls,
and the temperature is kept for the probabilities: E. Berta, D. Holzmüller, M. I. Jordan and
F. Bach, "Rethinking early stopping: refine, then calibrate", 2025, section 4.
"""

import numpy as np

from counterpoint._kernels.temperature import tempered
from counterpoint.boosting.calibration import HOLD

# Newton steps at most, how far each goes, what they must bring, and where the logarithm ends.
_STEPS, _FURTHEST, _ENOUGH, _HIGHEST = 5, 0.5, 1e-6, 5.0


def best_temperature(sums, y, cases, start=0.0):
    """Return the logarithm of the temperature that suits rows best, and their log-loss at it.

    It is not below 0: scores that are not sure enough want more rounds, not a lower temperature.

    Parameters
    ----------
    sums : ndarray of shape (n_samples, n_classes)
        Their softmax are the probabilities.
    y : ndarray of shape (n_samples,)
        Class codes.
    cases : ndarray of shape (n_samples,)
        What each row counts. A few rows say little: a temperature other than 1 costs
        ``HOLD * log(temperature) ** 2`` log-losses of one case, which the loss includes.
    start : float
        Where to look first, a logarithm.
    """
    total, at = cases.sum(), start
    for _ in range(_STEPS):
        temperature = np.exp(at)
        log_p, ahead, spread = tempered(sums, y, cases, temperature)
        cost = (HOLD * at**2 - log_p) / total
        slope = (2.0 * HOLD * at - ahead / temperature) / total
        # Of the convex part alone where the whole bends down.
        curve = (2.0 * HOLD + spread / temperature**2 + max(ahead / temperature, 0.0)) / total
        step = np.clip(at - slope / curve, 0.0, _HIGHEST) - at
        if abs(slope * step) < _ENOUGH:  # twice what it brings: no need to look
            return float(at + step), float(cost + 0.5 * slope * step)
        at += np.clip(step, -_FURTHEST, _FURTHEST)
    return float(at), float(cost)


class Refinement:
    """A watcher of rows held out that also notes their log-loss at the best temperature."""

    column = "held_refinement"

    def __init__(self, watcher, cases):
        self.watcher, self.cases, self._at = watcher, cases, 0.0

    def __call__(self, model, alpha):
        """Count a member in; note loss and temperature."""
        row, loss = self.watcher(model, alpha), self.watcher.loss
        sums = loss.sums(loss.scores(self.watcher.total))
        self._at, found = best_temperature(sums, self.watcher.y, self.cases, self._at)
        return row | {self.column: found, "held_temperature": float(np.exp(self._at))}
