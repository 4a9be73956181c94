"""Methods compared over many data sets by their ranks: Friedman's test, Nemenyi's difference."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import f, rankdata, studentized_range

from counterpoint._arrays import as_floats, check_axes
from counterpoint._validation import check_flag


@dataclass(frozen=True, kw_only=True)
class RankComparison:
    """What ranks over data sets say about methods.

    Attributes
    ----------
    mean_ranks : Series
        By method, the best first; 1 is the best there can be.
    n_sets : int
        Number of data sets.
    statistic : float
        Friedman's statistic in the form of Iman and Davenport; NaN where every set ranks all
        methods the same way, or all as equals.
    p_value : float
        Of the hypothesis that all methods are equally good; 0 where all sets agree fully, NaN
        where all methods are equal everywhere.
    alpha : float
        Level of the critical difference.
    critical_difference : float
        Mean ranks that are at least so far apart differ at this level (Nemenyi).
    """

    mean_ranks: pd.Series
    n_sets: int
    statistic: float
    p_value: float
    alpha: float
    critical_difference: float

    def groups(self) -> list[list[str]]:
        """Return the largest groups of methods that the test cannot tell apart, best first.

        Groups may overlap; methods that differ from all others are in none.
        """
        ranks, names = self.mean_ranks.to_numpy(), list(self.mean_ranks.index)
        groups: list[tuple[int, int]] = []
        for start in range(len(ranks)):
            end = int(np.searchsorted(ranks, ranks[start] + self.critical_difference, side="left"))
            if end - start > 1 and (not groups or end > groups[-1][1]):
                groups.append((start, end))
        return [names[start:end] for start, end in groups]


def compare_ranks(
    table: pd.DataFrame, *, lower_is_better: bool = True, alpha: float = 0.05
) -> RankComparison:
    """Rank methods on each data set, and test whether their mean ranks differ.

    Methods that are equal on a set share the mean of their ranks. Follows [1]_, sections 3.2.2
    and 3.2.4.

    Parameters
    ----------
    table : DataFrame of shape (n_sets, n_methods)
        A score for each method on each data set, such as an error; columns are the methods.
    lower_is_better : bool, default=True
        Whether small scores are good.
    alpha : float, default=0.05
        Level of the critical difference.

    Returns
    -------
    RankComparison

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7,
       2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.selection import compare_ranks
    >>> errors = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.3], "c": [0.3, 0.4, 0.5]})
    >>> compare_ranks(errors).mean_ranks.round(2).to_dict()
    {'a': 1.17, 'b': 1.83, 'c': 3.0}
    """
    if not isinstance(table, pd.DataFrame | dict):
        table = as_floats(table, "table", ("n_sets", "n_methods"))
        check_axes(table, "table", ("n_sets", "n_methods"))
    table = pd.DataFrame(table)
    n, k = table.shape
    if n < 2 or k < 2:
        raise ValueError(
            f"The table has {n} data sets (rows) and {k} methods (columns): give at least two of "
            "each."
        )
    scores = table.to_numpy(dtype=float)
    if np.isnan(scores).any():
        row, column = np.argwhere(np.isnan(scores))[0]
        raise ValueError(
            f"Method {table.columns[column]!r} has no score on {table.index[row]!r}: leave out the "
            "set or the method."
        )
    check_flag(lower_is_better, "lower_is_better")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r}: give a level such as 0.05.")
    ranks = rankdata(scores if lower_is_better else -scores, axis=1)
    mean = ranks.mean(axis=0)
    statistic, p_value = _friedman(ranks)
    reach = float(studentized_range.isf(alpha, k, np.inf)) / np.sqrt(2.0)
    return RankComparison(
        mean_ranks=pd.Series(mean, index=table.columns.astype(str)).sort_values(kind="stable"),
        n_sets=n,
        statistic=statistic,
        p_value=p_value,
        alpha=alpha,
        critical_difference=float(reach * np.sqrt(k * (k + 1) / (6.0 * n))),
    )


def _friedman(ranks):
    """Return Iman and Davenport's F, equals taken into account, and its p value."""
    n, k = ranks.shape
    between = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    # Without equals this is n k (k + 1) / 12: the square of Friedman's chi becomes the usual one.
    spread = ((ranks - (k + 1) / 2) ** 2).sum() / (k - 1)
    if spread == 0:
        return np.nan, np.nan
    chi = between / spread * n
    rest = n * (k - 1) - chi
    if rest <= 1e-9 * n * (k - 1):
        return np.nan, 0.0
    statistic = (n - 1) * chi / rest
    return float(statistic), float(f.sf(statistic, k - 1, (k - 1) * (n - 1)))
