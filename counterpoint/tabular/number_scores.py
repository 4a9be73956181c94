"""How an estimate of numbers did on rows it had not seen, alone and against another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DRAWS = 1000
_AT_ONCE = 2_000_000  # counts of drawn rows held at a time
LIMITS = (0.025, 0.975)
"""Quantiles of the draws that are the limits told."""


@dataclass(frozen=True)
class NumberScore:
    """How an estimate of numbers did on rows it had not seen.

    Attributes
    ----------
    rmse : float
        Root of the mean squared error, in units of the target.
    low, high : float
        95 % interval of it: percentiles of 1000 draws of the rows with return.
    mae, mae_low, mae_high : float
        Mean absolute error, and its interval.
    r2, r2_low, r2_high : float
        Share of the variance explained: 1 is perfect, 0 no better than the mean of these rows.
    bias : float
        Mean of answer less truth.
    n : int
        Rows it was tried on.
    """

    rmse: float
    low: float
    high: float
    mae: float
    mae_low: float
    mae_high: float
    r2: float
    r2_low: float
    r2_high: float
    bias: float
    n: int


def draw_counts(n: int, seed: int = 0) -> NDArray:
    """Return how often each of n rows is drawn in each of the draws, (n_draws, n)."""
    rng = np.random.default_rng(seed)
    draws = max(200, min(_DRAWS, _AT_ONCE // max(n, 1)))
    return rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(np.float64)


def score_numbers(answers: NDArray, y: NDArray, counts: NDArray | None = None) -> NumberScore:
    """Score answers (n_samples,) against the truth; ``counts`` from :func:`draw_counts`."""
    n = len(y)
    counts = draw_counts(n) if counts is None else counts
    gap = answers - y
    # Drawn sums of rows: each measure is made of means.
    middle = y - y.mean()  # large values far from zero would cost digits
    squares, sizes, first, second = (
        counts @ values / n for values in (gap**2, np.abs(gap), middle, middle**2)
    )
    spread = second - first**2
    r2 = 1 - np.divide(squares, spread, out=np.full(len(squares), np.nan), where=spread > 0)
    whole = float(np.mean(middle**2))
    mse = float(np.mean(gap**2))
    return NumberScore(
        np.sqrt(mse).item(), *_limits(np.sqrt(squares)),
        np.abs(gap).mean().item(), *_limits(sizes),
        1 - mse / whole if whole > 0 else float("nan"), *_limits(r2),
        gap.mean().item(), n,
    )  # fmt: skip


def compare_rmse(
    answers: NDArray, others: NDArray, y: NDArray, counts: NDArray | None = None
) -> tuple[float, float, float]:
    """Return by how much the RMSE of other answers is above that of these, with 95 % limits.

    Both are drawn on the same rows, so what is hard for both does not count.
    """
    counts = draw_counts(len(y)) if counts is None else counts
    own, other = (answers - y) ** 2, (others - y) ** 2
    drawn = np.sqrt(counts @ other / len(y)) - np.sqrt(counts @ own / len(y))
    return float(np.sqrt(other.mean()) - np.sqrt(own.mean())), *_limits(drawn)


def _limits(drawn: NDArray) -> tuple[float, float]:
    if np.isnan(drawn).all():
        return float("nan"), float("nan")
    low, high = np.nanquantile(drawn, LIMITS)
    return float(low), float(high)
