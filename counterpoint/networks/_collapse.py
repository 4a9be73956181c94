"""Has an ensemble collapsed to one constant answer."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.networks._samples import Samples

# Outputs that vary less than this share of the targets' standard deviation are one constant.
_CONSTANT = 1e-3
# Targets 0 and 1 that vary less than this are one class, for all that weights say.
_ONE_CLASS = 0.01


def has_collapsed(mean: NDArray, rows: Samples) -> bool:
    """Whether mean outputs are one constant, or say one class and are worse than a constant."""
    weight = rows.weight
    best, spread = _weighted_std(rows.targets, weight)
    # One class with nearly all the weight: then one answer is the right answer.
    if spread == 0 or (rows.codes is not None and spread < _ONE_CLASS):
        return False
    if _weighted_std(mean, weight)[1] < _CONSTANT * spread:
        return True
    if rows.codes is None or (mean.argmax(axis=1) != mean[0].argmax()).any():
        return False
    own = np.average(((mean - rows.targets) ** 2).sum(axis=1), weights=weight)
    constant = np.average(((best - rows.targets) ** 2).sum(axis=1), weights=weight)
    return bool(own > 1.05 * constant)


def _weighted_std(values, weight):
    """Return the mean of each column, and the largest of their standard deviations."""
    mean = np.average(values, axis=0, weights=weight)
    return mean, np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight)).max()
