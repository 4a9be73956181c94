"""Has an ensemble collapsed to one constant answer."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.exceptions import CollapseWarning
from counterpoint.networks.samples import Samples

# Outputs that vary less than this share of the targets' standard deviation are one constant.
_CONSTANT = 1e-3
# Targets 0 and 1 that vary less than this are one class, for all that weights say.
_ONE_CLASS = 0.01


def warn_collapse(model: Any, rows: Samples, stacklevel: int) -> None:
    """Warn if a fitted ensemble of networks has collapsed on its training samples."""
    if not has_collapsed(model.networks_.outputs(rows.X).mean(axis=0), rows):
        return
    warnings.warn(
        "The ensemble gives the same answer to every training sample. Networks may have "
        f"saturated: lower the learning rate (now {model.learning_rate:g}), the strength (now "
        f"{model.strength_:.3g}) or alpha (now {model.alpha:g}), scale inputs, or train longer.",
        CollapseWarning,
        stacklevel=stacklevel + 1,
    )


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
