"""Two methods on the same repeats, and how they differ."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats


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
        95 % interval of the mean difference, by Student's t.
    p : float
        Two-sided p of Wilcoxon's signed-rank test; 1 if all differences are zero.
    effect : float
        Mean difference in units of its standard deviation (Cohen's d of pairs).
    """

    n: int
    difference: float
    interval: tuple[float, float]
    p: float
    effect: float

    @property
    def below(self) -> bool:
        """Whether the first is lower, by an interval that does not reach 0."""
        return bool(self.interval[1] < 0)

    @property
    def above(self) -> bool:
        """Whether the first is higher, by an interval that does not reach 0."""
        return bool(self.interval[0] > 0)


def paired(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> Paired:
    """Compare two methods that ran on the same repeats.

    Repeats that share data are not independent, so the p value is a guide and not a proof.
    Pairs with a NaN are left out. What cannot be said of fewer than two pairs is NaN.

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
    half = stats.t.ppf(0.975, n - 1) * spread / math.sqrt(n)
    p = 1.0 if not gap.any() else float(stats.wilcoxon(gap).pvalue)
    effect = mean / spread if spread > 0 else math.nan
    return Paired(n, mean, (mean - half, mean + half), p, effect)


def compare(
    frame: pd.DataFrame,
    by: str | Sequence[str],
    first: Hashable,
    second: Hashable,
    value: str,
    *,
    unit: str | Sequence[str] = "repeat",
) -> Paired:
    """Compare two settings over the units they share; other rows of a unit are averaged.

    Examples
    --------
    >>> rows = pd.DataFrame({"repeat": [0, 0, 1, 1], "method": list("abab"), "e": [1, 2, 3, 5]})
    >>> compare(rows, "method", "a", "b", "e").difference
    np.float64(-1.5)
    """
    keys, units = ([names] if isinstance(names, str) else list(names) for names in (by, unit))
    means = frame.groupby([*units, *keys])[value].mean().unstack(keys)
    if first not in means.columns or second not in means.columns:
        return paired([], [])
    return paired_by_index(means[first], means[second])


def paired_by_index(first: pd.Series, second: pd.Series) -> Paired:
    """Compare two methods on what both have, by index: repeats, or folds of repeats."""
    first, second = first.align(second, join="inner")
    return paired(first.to_numpy(), second.to_numpy())


def paired_by_set(frame: pd.DataFrame, names: Sequence[str], first: str, second: str) -> str:
    """Say by how much two methods differ in error on each data set, paired over folds."""
    words = []
    for name in names:
        rows = frame[frame["data"] == name]
        gap = compare(rows, "method", first, second, "error", unit=["repeat", "fold_"])
        words.append(f"{name} {gap.difference:+.4f} (d = {gap.effect:.2f})")
    return ", ".join(words)
