"""Methods side by side on several tables: a comparison of each, and ranks over all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from counterpoint._interrupts import keep_partial
from counterpoint.selection import RankComparison, compare_ranks
from counterpoint.tabular.comparison import Comparison, compare
from counterpoint.tabular.plain import plain


@dataclass(frozen=True, kw_only=True)
class Rankings:
    """Methods on several tables; made by :func:`compare_tables`.

    Attributes
    ----------
    comparisons : list of Comparison
        One a table.
    errors : DataFrame
        Mean error of the methods (columns) that were tried on every table (rows).
    ranks : RankComparison or None
        Of the methods over the tables; None with fewer than two of either.
    interrupted : bool
        Whether Ctrl-C came before the last table was done.
    notes : list of str
    """

    comparisons: list[Comparison]
    errors: pd.DataFrame
    ranks: RankComparison | None
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def task(self) -> str:
        """What the tables are about; "mixed" where some have classes and some a number."""
        tasks = {one.task for one in self.comparisons}
        return tasks.pop() if len(tasks) == 1 else "mixed"

    def verdict(self) -> str:
        """Say in words which method ranks first, and how sure that is."""
        if self.ranks is None:
            return "There are too few tables or methods in common to rank them."
        means = self.ranks.mean_ranks
        first = means.index[0]
        lead = f"{first} has the best mean rank, {means.iloc[0]:.2f} of {len(means)}"
        near = means.index[1:][means.iloc[1:] < means.iloc[0] + self.ranks.critical_difference]
        if len(near) == len(means) - 1:
            return f"{lead}; over {self.ranks.n_sets} tables no method can be told apart from it."
        if len(near) == 0:
            return f"{lead}, and every other one is behind beyond chance."
        return f"{lead}; {', '.join(near[:5])} cannot be told apart from it."

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        ranks = None
        if self.ranks is not None:
            ranks = {
                "mean_ranks": self.ranks.mean_ranks.to_dict(),
                "p_value": self.ranks.p_value,
                "critical_difference": self.ranks.critical_difference,
                "groups": self.ranks.groups(),
                "n_sets": self.ranks.n_sets,
            }
        return plain(
            {
                "task": self.task,
                "verdict": self.verdict(),
                "tables": [one.summary() for one in self.comparisons],
                "errors": {str(name): self.errors[name].to_dict() for name in self.errors.columns},
                "ranks": ranks,
                "interrupted": self.interrupted,
                "notes": self.notes,
            }
        )


def compare_tables(
    tables: Sequence[Any],
    targets: str | Sequence[str],
    methods: Sequence[str] | None = None,
    *,
    on_table: Callable[[Comparison], None] | None = None,
    **options: Any,
) -> Rankings:
    """Compare methods on each of several tables, and rank them over all.

    Ctrl-C ends the work and keeps the tables that are done.

    Parameters
    ----------
    tables : sequence of DataFrame, TableFile or path
    targets : str or sequence of str
        The column to predict: one for all tables, or one each.
    methods : sequence of str or None, default=None
        As for :func:`~counterpoint.tabular.compare`.
    on_table : callable, default=None
        Called with each comparison that is done.
    **options
        As for :func:`~counterpoint.tabular.compare`.

    Returns
    -------
    Rankings

    Examples
    --------
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular.rankings import compare_tables
    >>> tables = [load(name).X.assign(y=load(name).y) for name in ("iris", "wine")]
    >>> found = compare_tables(tables, "y", ["majority", "naive-bayes"], n_splits=2)
    >>> found.ranks.mean_ranks.to_dict()
    {'naive-bayes': 1.0, 'majority': 2.0}
    """
    wanted = [targets] * len(tables) if isinstance(targets, str) else list(targets)
    if len(wanted) != len(tables) or not tables:
        raise ValueError(
            f"{len(wanted)} targets for {len(tables)} tables: give one for all, or one each."
        )
    done: list[Comparison] = []
    interrupted = False
    try:
        for table, target in zip(tables, wanted, strict=True):
            one = compare(table, target, methods, **options)
            interrupted = one.interrupted
            if interrupted:
                break
            done.append(one)
            if on_table is not None:
                on_table(one)
    except KeyboardInterrupt:
        keep_partial()
        interrupted = True
    if not done:
        raise KeyboardInterrupt
    errors = _errors(done)
    few = len(errors) < 2 or errors.shape[1] < 2
    notes = [f"{one.source or one.target}: {note}" for one in done for note in one.notes]
    return Rankings(
        comparisons=done,
        errors=errors,
        ranks=None if few else compare_ranks(errors),
        interrupted=interrupted,
        notes=notes,
    )


def _errors(done: list[Comparison]) -> pd.DataFrame:
    names = [one.source or f"table {k + 1}" for k, one in enumerate(done)]
    names = [f"{name} ({k + 1})" if names.count(name) > 1 else name for k, name in enumerate(names)]
    rows = [
        one.table.set_index("method")["rmse" if one.task == "regression" else "error"]
        for one in done
    ]
    return pd.DataFrame(rows, index=names).dropna(axis=1)
