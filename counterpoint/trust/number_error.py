"""The error of regressors on rows without labels: squared error by the members' variance."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from counterpoint.trust.drift import detect_shift
from counterpoint.trust.error_parts import (
    FEWEST,
    TRIALS,
    ErrorEstimate,
    changed,
    limits,
    redrawn,
    root_mean_square,
)
from counterpoint.trust.inputs import (
    check_same,
    disagreement,
    ensemble_number,
    need_predictions,
    row_weight,
)


def number_error(reference, new, X_reference, X_new, confidence, n_draws, rng):
    """Estimate the mean squared error by the members' variance, on a line learnt on reference."""
    need_predictions(reference, "reference", truth=True)
    need_predictions(new, "new")
    check_same(reference, new)
    if reference.n_members < 2:
        raise ValueError("reference= has 1 member: the spread of members needs 2 at least.")
    shift = detect_shift(reference, new, X_reference=X_reference, X_new=X_new)
    differs = changed(shift)
    square = (ensemble_number(reference) - reference.y) ** 2
    before, after = disagreement(reference) ** 2, disagreement(new) ** 2
    w, v = row_weight(reference), row_weight(new)
    point = _by_spread(before, square, w, after, v)
    drawn = [
        _by_spread(before, square, redrawn(w, rng), after, redrawn(v, rng)) for _ in range(n_draws)
    ]
    trials = _try_numbers(before, square, w, rng)
    miss = np.array([root_mean_square(trials["missed"])])
    low, high = limits(np.array([point]), np.array(drawn)[:, None], miss, confidence, np.inf)
    varied = len(square) > 3 and np.ptp(before) > 0 and np.ptp(square) > 0
    told = spearmanr(before, square) if varied else None
    tied = told is not None and told.statistic > 0 and told.pvalue < 0.05
    says = (
        f"spread and squared error have rank correlation {told.statistic:.2f}"
        if told is not None
        else "the spread does not vary: there is nothing to learn from"
    ) + (f"; {differs}" if differs else "")
    frame = pd.DataFrame(
        {
            "estimate": [point],
            "low": low,
            "high": high,
            "weight": [1.0],
            "assumption": ["squared error is a line in the members' variance, here and there"],
            "passes": [bool(tied)],
            "holds": [bool(tied and not differs)],
            "says": [says],
        },
        index=pd.Index(["spread"], name="method"),
    )
    return ErrorEstimate(
        error=point, low=float(low[0]), high=float(high[0]),
        reference_error=float(np.average(square, weights=w)), methods=frame, per_class=None,
        shift=shift, trials=trials, n_reference=reference.n_samples, n_new=new.n_samples,
        notes=[f"{differs}: no assumption is known to hold there."] if differs else [],
    )  # fmt: skip


def _by_spread(before, square, w, after, v):
    """Fit ``square = floor + slope * variance``, neither below 0; return the mean on new rows."""
    total = w.sum()
    x, y = w @ before / total, w @ square / total
    across = w @ (before - x) ** 2 / total
    slope = (w @ ((before - x) * (square - y)) / total) / across if across > 0 else 0.0
    slope = max(slope, 0.0)
    floor = y - slope * x
    if floor < 0:
        floor, slope = 0.0, y / x if x > 0 else 0.0
    return float(floor + slope * (v @ after) / v.sum())


def _try_numbers(before: NDArray, square: NDArray, w: NDArray, rng) -> pd.DataFrame:
    rows = []
    n = len(before)
    if n >= FEWEST:
        for trial in range(TRIALS):
            order = rng.permutation(n)
            known, other = order[: n // 2], order[n // 2 :]
            kind = ("none", "hard rows", "easy rows")[trial % 3]
            rank = np.argsort(np.argsort(before[other])) / max(len(other) - 1, 1)
            strength = rng.uniform(0.5, 2.0) * (0, 1, -1)[trial % 3]
            weight = w[other] * np.exp(strength * (rank - 0.5))
            true = float(weight @ square[other] / weight.sum())
            guess = _by_spread(before[known], square[known], w[known], before[other], weight)
            rows.append({"trial": trial, "tilt": kind, "method": "spread", "true": true,
                         "missed": guess - true})  # fmt: skip
    return pd.DataFrame(rows, columns=["trial", "tilt", "method", "true", "missed"])
