"""Intervals that several rooms need: the one place for each."""

import math

from scipy.special import ndtri


def wilson_interval(wrong: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
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
