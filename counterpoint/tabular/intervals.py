"""Intervals around estimates of numbers, and how often they hold the truth.

A model with intervals of its own (``predict_interval``) gives these. For any other the distance of
its answers to the truth on training rows that it was not fitted on, in five parts, has a quantile:
new rows of the same kind are within it about as often (split conformal prediction; the models of
the parts learn from fewer rows, so the intervals are rather too wide than too narrow).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict

from counterpoint._conformal import conformal_limit
from counterpoint._interrupts import whole
from counterpoint._statistics import wilson_interval
from counterpoint.tabular.words import percent

COVERAGE = 0.9
_FOLDS = 5
_MOST_KEPT = 5000


def unseen_residuals(model: Any, X: Any, y: NDArray, random_state: int) -> NDArray | None:
    """Return distances to the truth on rows that a pipeline like this was not fitted on, sorted.

    None for a model that has intervals of its own. Of more than 5000 some evenly spaced are kept.
    """
    if hasattr(model[-1], "predict_interval"):
        return None
    parts = KFold(min(_FOLDS, len(y)), shuffle=True, random_state=random_state)
    with whole():
        answers = cross_val_predict(clone(model), X, y, cv=parts)
    distances = np.sort(np.abs(answers - y))
    kept = np.linspace(0, len(distances) - 1, min(len(distances), _MOST_KEPT)).round().astype(int)
    return distances[kept]


def interval_of(
    model: Any, X: Any, residuals: NDArray | None, coverage: float = COVERAGE
) -> tuple[NDArray, NDArray] | None:
    """Return the ends of intervals (n_samples,) that hold the truth so often; None if unknown.

    Infinite where there were too few rows to say so much.
    """
    if residuals is None:
        steps = getattr(model, "steps", [("", model)])
        if not hasattr(steps[-1][1], "predict_interval"):
            return None
        for _, step in steps[:-1]:
            X = step.transform(X)
        return steps[-1][1].predict_interval(X, coverage=coverage)
    middle = np.asarray(model.predict(X), dtype=float)
    reach = conformal_limit(residuals, coverage)
    return middle - reach, middle + reach


def too_narrow(told: dict[str, Any] | None) -> list[str]:
    """Say, loudly, if intervals held the truth less often than chance explains."""
    if told is None or told["high"] >= told["asked"]:
        return []
    return [
        f"INTERVALS ARE TOO NARROW: meant to hold the truth on {percent(told['asked'])} of rows, "
        f"they hold it on {percent(told['held'])} of the test rows."
    ]


def describe_intervals(
    ends: tuple[NDArray, NDArray] | None, y: NDArray, coverage: float = COVERAGE
) -> dict[str, Any] | None:
    """Say how often intervals held the truth, with limits, and how wide they are."""
    if ends is None:
        return None
    low, high = ends
    inside = (low <= y) & (y <= high)
    limits = wilson_interval(int(inside.sum()), len(y))
    width = high - low
    finite = np.isfinite(width)
    return {
        "asked": coverage,
        "held": float(inside.mean()),
        "low": limits[0],
        "high": limits[1],
        "n": len(y),
        "below": int((y < low).sum()),
        "above": int((y > high).sum()),
        "width": float(np.median(width)) if finite.all() else None,
        "narrowest": float(width[finite].min()) if finite.any() else None,
        "widest": float(width[finite].max()) if finite.any() else None,
    }
