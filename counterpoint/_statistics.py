"""Intervals that several rooms need: the one place for each."""

import math

from scipy.special import ndtri

__all__ = ["wilson_interval"]


def wilson_interval(wrong: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return limits of a rate, by the score interval.

    Parameters
    ----------
    wrong, n : int
        Events (wrong answers, say) among independent trials.
    confidence : float, default=0.95
        Share of such intervals that hold the true rate, about.

    Returns
    -------
    low, high : float
        NaN without trials.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
       Journal of the American Statistical Association 22, 1927.

    Examples
    --------
    >>> low, high = wilson_interval(5, 100)
    >>> round(low, 4), round(high, 4)
    (0.0215, 0.1118)
    """
    if n == 0:
        return float("nan"), float("nan")
    share, z = wrong / n, float(ndtri((1 + confidence) / 2))
    middle = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    whole = 1 + z**2 / n
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)
