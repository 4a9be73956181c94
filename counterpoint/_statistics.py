"""Intervals that several rooms need: the one place for each."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit


def wilson_interval(wrong: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return limits of a rate by the score interval of Wilson (1927); NaN without trials.

    ``wrong`` events among ``n`` independent trials; about ``confidence`` of such intervals hold
    the true rate.
    """
    if n == 0:
        return float("nan"), float("nan")
    share, z = wrong / n, float(ndtri((1 + confidence) / 2))
    middle = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    whole = 1 + z**2 / n
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)


def resampled_interval(
    values: ArrayLike, test_to_train: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Return limits of the mean of values from folds, by the corrected resampled t test.

    Folds share training rows, so that their values vary too little: the variance of the mean is
    taken as (1/k + n_test/n_train) times that of the k values (Nadeau and Bengio 2003). NaN for a
    single value.

    Examples
    --------
    >>> low, high = resampled_interval([0.1, 0.2, 0.3], 0.5)
    >>> round(low, 3), round(high, 3)
    (-0.193, 0.593)
    """
    numbers = np.asarray(values, dtype=float)
    k = len(numbers)
    if k < 2:
        return float("nan"), float("nan")
    width = math.sqrt((1 / k + test_to_train) * float(numbers.var(ddof=1)))
    half = float(stdtrit(k - 1, (1 + confidence) / 2)) * width
    return float(numbers.mean()) - half, float(numbers.mean()) + half
