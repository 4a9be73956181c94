"""Two methods on the same repeats, how they differ, and what that decides."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from counterpoint._statistics import resampled_interval
from counterpoint.claims.confidence import confidence, looking
from counterpoint.claims.parts import Part

# Test rows over training rows of a fold: repeats of a cross-validation share training rows.
TEN_FOLDS = 1 / 9


@dataclass(frozen=True)
class Paired:
    """Two methods on the same repeats.

    Attributes
    ----------
    n : int
        Pairs.
    difference : float
        Mean of first less second.
    interval : tuple of float
        95 % interval of the mean difference, by Student's t; wider where repeats share training
        rows (see :func:`paired`), and at a look at an unfinished run
        (:mod:`counterpoint.claims.looks`).
    p : float
        Two-sided p of the same test; 1 if all differences are zero.
    effect : float
        Mean difference in units of its standard deviation (Cohen's d of pairs).
    spread : float, default=nan
        Standard deviation of the differences.
    overlap : float, default=0
        Test rows over training rows, of repeats that share these.
    """

    n: int
    difference: float
    interval: tuple[float, float]
    p: float
    effect: float
    spread: float = math.nan
    overlap: float = 0.0

    def below(self, least: float = 0.0) -> Part:
        """Return whether the first is lower: open unless the interval says so.

        Holds if the whole interval is below 0. Does not hold if all of it is above ``-least``: a
        gain of that size, the smallest that would count, can be excluded. Else it is open.
        """
        low, high = self.interval
        if high < 0:
            return True
        return False if low >= -least else None

    def above(self, least: float = 0.0) -> Part:
        """Return whether the first is higher; as :meth:`below`, the other way round."""
        low, high = self.interval
        if low > 0:
            return True
        return False if high <= least else None

    def lower_by(self, amount: float) -> Part:
        """Return whether the first is lower by that much or more; open if astride of it."""
        low, high = self.interval
        return True if high <= -amount else False if low > -amount else None

    def higher_by(self, amount: float) -> Part:
        """Return whether the first is higher by more than that; open if astride of it."""
        low, high = self.interval
        return True if low > amount else False if high <= amount else None

    def level(self, by: float) -> Part:
        """Return whether the two differ by no more than ``by``: open if the interval sticks out.

        Holds if the whole interval is within ``by`` of 0, does not if all of it is beyond.
        """
        low, high = self.interval
        if -by <= low and high <= by:
            return True
        return False if low > by or high < -by else None

    def times(self, factor: float) -> "Paired":
        """Return the same comparison in other units: shares of an error, say."""
        low, high = self.interval
        return replace(
            self,
            difference=factor * self.difference,
            interval=(factor * low, factor * high),
            spread=factor * self.spread,
        )

    @property
    def words(self) -> str:
        """The difference with its interval and the size of the effect."""
        low, high = self.interval
        if math.isnan(low):
            return f"{self.difference:+.3g} (n = {self.n}: no interval)"
        return f"{self.difference:+.3g} ({low:+.3g} to {high:+.3g}, d = {self.effect:.2f})"


def paired(
    first: Sequence[float] | np.ndarray,
    second: Sequence[float] | np.ndarray,
    *,
    overlap: float = 0.0,
) -> Paired:
    """Compare two methods that ran on the same repeats.

    Repeats that draw their rows from one table are not independent. With ``overlap``, the number
    of test rows over that of training rows, the variance of the mean is ``(1 / n + overlap) s^2``
    instead of ``s^2 / n`` (Nadeau and Bengio, 2003, Machine Learning 52, equation 9); 0 is for
    rows drawn anew. Pairs with a NaN are left out. What cannot be said of fewer than two pairs is
    NaN.

    Examples
    --------
    >>> paired([0.1, 0.2, 0.15, 0.12], [0.2, 0.3, 0.2, 0.25]).difference.round(4)
    np.float64(-0.095)
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"Pairs are needed, but the shapes are {a.shape} and {b.shape}.")
    gap = a - b
    gap = gap[~np.isnan(gap)]
    n = len(gap)
    if n == 0:
        return Paired(0, math.nan, (math.nan, math.nan), math.nan, math.nan)
    mean = gap.mean()
    if n == 1:
        return Paired(1, mean, (math.nan, math.nan), math.nan, math.nan)
    spread = gap.std(ddof=1)
    error = spread * math.sqrt(1 / n + overlap)
    p = float(2 * stats.t.sf(abs(mean) / error, n - 1)) if error > 0 else float(mean == 0)
    effect = mean / spread if spread > 0 else math.nan
    return Paired(n, mean, _limits(gap, spread, overlap), p, effect, spread, overlap)


def _limits(gap: np.ndarray, spread: float, overlap: float) -> tuple[float, float]:
    if not looking():
        return resampled_interval(gap, overlap)
    # A few pairs may all be the same by chance: that is no certainty yet.
    return resampled_interval(gap, overlap, confidence()) if spread > 0 else (math.nan, math.nan)


def compare(
    frame: pd.DataFrame,
    by: str | Sequence[str],
    first: Hashable,
    second: Hashable,
    value: str,
    *,
    unit: str | Sequence[str] = "repeat",
    overlap: float = 0.0,
) -> Paired:
    """Compare two settings over the units they share; other rows of a unit are averaged.

    Examples
    --------
    >>> rows = pd.DataFrame({"repeat": [0, 0, 1, 1], "method": list("abab"), "e": [1, 2, 3, 5]})
    >>> compare(rows, "method", "a", "b", "e").difference
    np.float64(-1.5)
    """
    if frame.empty:  # a set that was not run
        return paired([], [])
    keys, units = ([names] if isinstance(names, str) else list(names) for names in (by, unit))
    means = frame.groupby([*units, *keys])[value].mean().unstack(keys)
    if first not in means.columns or second not in means.columns:
        return paired([], [])
    return paired_by_index(means[first], means[second], overlap=overlap)


def paired_by_index(first: pd.Series, second: pd.Series, *, overlap: float = 0.0) -> Paired:
    """Compare two methods on what both have, by index: repeats, or folds of repeats."""
    first, second = first.align(second, join="inner")
    return paired(first.to_numpy(), second.to_numpy(), overlap=overlap)


def unpaired(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> Paired:
    """Compare two groups that have nothing in common, by Welch's interval; NaN is left out.

    Examples
    --------
    >>> unpaired([0.1, 0.2, 0.15], [0.4, 0.5]).below()
    True
    """
    a, b = (np.asarray(part, dtype=float) for part in (first, second))
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    n = len(a) + len(b)
    if min(len(a), len(b)) < 2:
        gap = a.mean() - b.mean() if len(a) and len(b) else math.nan
        return Paired(n, gap, (math.nan, math.nan), math.nan, math.nan)
    gap = float(a.mean() - b.mean())
    pooled = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    if pooled == 0:
        limits = (math.nan, math.nan) if looking() else (gap, gap)
        return Paired(n, gap, limits, float(gap == 0), math.nan)
    test = stats.ttest_ind(a, b, equal_var=False)
    if confidence() == 1:  # scipy gives two infinities of one sign
        return Paired(n, gap, (-math.inf, math.inf), float(test.pvalue), gap / pooled)
    low, high = test.confidence_interval(confidence())
    return Paired(n, gap, (float(low), float(high)), float(test.pvalue), gap / pooled)


def by_set(
    frame: pd.DataFrame,
    names: Sequence[str],
    first: Hashable,
    second: Hashable,
    value: str = "error",
) -> dict[str, Paired]:
    """Compare two methods on each data set, paired over the folds of a ten-fold cross-validation.

    A set that was not run has no pairs, and so no interval.
    """
    return {
        name: compare(
            frame[frame["data"] == name],
            "method",
            first,
            second,
            value,
            unit=["repeat", "fold_"],
            overlap=TEN_FOLDS,
        )
        for name in names
    }


def in_words(gaps: dict[str, Paired]) -> str:
    """Say by how much two methods differ on each data set."""
    return "; ".join(f"{name} {gap.words}" for name, gap in gaps.items())
