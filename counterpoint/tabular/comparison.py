"""Methods side by side on one table."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._progress import track
from counterpoint._validation import check_count
from counterpoint._versions import versions
from counterpoint.tabular.describing import SCHEMA
from counterpoint.tabular.methods import COMPARED, find_method, know_method
from counterpoint.tabular.number_methods import NUMBERS_COMPARED
from counterpoint.tabular.plain import plain, plain_rows
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.targets import Task, is_regression, prepare
from counterpoint.tabular.training import few_threads, warnings_as_notes
from counterpoint.tabular.trials import (
    Tried,
    errors_of,
    make_folds,
    method_table,
    pairs_of,
    try_once,
)
from counterpoint.tabular.words import figure, percent


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Methods side by side; made by :func:`compare`.

    Attributes
    ----------
    source, target : str
        The file of the table, empty for a frame, and the column predicted.
    table : DataFrame
        A row per method, the best first: "method", "error", "low", "high" (95 % interval),
        "log_loss", "seconds" (to fit once), "answer_seconds" (for the rows of one fold), "bytes"
        (of the fitted model, as Python would keep it), "folds".
    errors : DataFrame
        Error, or RMSE, on each fold, a column per method.
    pairs : DataFrame
        The best method against each other one, on the same folds: "method", "behind" (how much
        higher its error is), "low", "high" (95 % interval) and "apart" (whether it is above 0).
    requested : list of str
        The methods to compare.
    n_rows, n_classes : int
        There are no classes for numbers: 0.
    task : {"classification", "regression"}
    notes : list of str
        Methods that failed, and why; warnings.
    interrupted : bool
        Whether Ctrl-C came before the last method was done.
    """

    source: str
    target: str
    table: pd.DataFrame
    errors: pd.DataFrame
    pairs: pd.DataFrame
    requested: list[str]
    n_rows: int
    n_classes: int
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    task: str = "classification"

    def verdict(self) -> str:
        """Say in words which method to take, and how sure that is."""
        best = self.table.iloc[0]
        if len(self.table) == 1:
            return f"{best['method']} {self._told(best)}."
        level = self.pairs[~self.pairs["apart"]]["method"].tolist()
        if self.task == "regression":
            lead = f"{best['method']} is least off, {figure(best['rmse'])} (RMSE)"
        else:
            lead = f"{best['method']} errs least, {percent(best['error'])}"
        if not level:
            return f"{lead}, and every other method is behind beyond chance."
        times = self.table.set_index("method")["seconds"]
        least = ("majority", "mean", "median")
        quick = [n for n in level if n not in least and times[n] < times[best["method"]] / 2]
        cheaper = (
            f" Of these {min(quick, key=lambda n: times[n])} is the quickest to fit."
            if quick
            else ""
        )
        names = ", ".join(level[:4]) + (f" and {len(level) - 4} more" if len(level) > 4 else "")
        return f"{lead}; {names} cannot be told apart from it on these folds.{cheaper}"

    def _told(self, row: pd.Series) -> str:
        if self.task == "regression":
            return f"is {figure(row['rmse'])} off (RMSE)"
        return f"errs {percent(row['error'])}"

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return plain(
            {
                "schema": SCHEMA,
                **{name: getattr(self, name) for name in _PLAIN},
                "methods": plain_rows(self.table),
                "pairs": plain_rows(self.pairs),
                "verdict": self.verdict(),
                "versions": versions(),
                "errors": self.errors.to_dict(orient="list"),
            }
        )


_PLAIN = ("task", "source", "target", "n_rows", "n_classes", "requested", "interrupted", "notes")


def compare(
    table: pd.DataFrame | TableFile | str | PathLike[str],
    target: str,
    methods: Sequence[str] | None = None,
    *,
    n_splits: int = 5,
    n_repeats: int = 1,
    time_limit: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    on_result: Callable[[str], None] | None = None,
    task: str | None = None,
) -> Comparison:
    """Try methods on the same folds of a table.

    Ctrl-C ends the work and keeps the methods that are done.

    Parameters
    ----------
    table, target
        As for :func:`~counterpoint.tabular.fit`.
    methods : sequence of str or None, default=None
        Keys of :data:`~counterpoint.tabular.METHODS`, or of
        :data:`~counterpoint.tabular.NUMBER_METHODS` for numbers. None: ten of them.
    n_splits, n_repeats : int, default=5, 1
        Folds of cross-validation, by class, and how often to draw them anew.
    time_limit : float or None, default=None
        Seconds for one fit of ``auto``.
    random_state : int, default=0
        Seeds folds and learners.
    n_jobs : int or None, default=None
        For methods that can use it.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    on_result : callable, default=None
        Called with the name of each method that is done.
    task : {"classification", "regression"} or None, default=None
        As for :func:`~counterpoint.tabular.fit`.

    Returns
    -------
    Comparison

    Notes
    -----
    The interval is the wider of two: that of the corrected resampled t test [1]_, since folds
    share training rows, which a plain standard error would ignore; and Wilson's for as many rows
    as there are, since folds drawn by class are more alike than new rows will be. Against the best
    method each other one is judged by its differences on the same folds, with the first of these
    intervals; that the best was chosen by the same folds makes it look a little better than it is.
    For numbers the interval is the first of the two.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> data = load("iris")
    >>> table = data.X.assign(kind=data.y)
    >>> tabular.compare(table, "kind", ["majority", "naive-bayes"]).table["method"].tolist()
    ['naive-bayes', 'majority']
    """
    _check_compared(methods, n_splits, n_repeats)
    file = as_table(table, target=target)
    X, y, _, _, notes = prepare(file.frame, target, task, wishes=file.wishes, forms=file.forms)
    found: Task = "regression" if is_regression(y) else "classification"
    if methods is None:
        methods = NUMBERS_COMPARED if found == "regression" else COMPARED
    for name in methods:
        find_method(name, found)
    notes = [*file.notes, *notes]
    folds = make_folds(X, y, n_splits, n_repeats, random_state)
    jobs = [(name, k) for name in methods for k in range(len(folds))]
    scores: dict[str, list[Tried]] = {name: [] for name in methods}
    failed: set[str] = set()
    interrupted = False
    bar = track(jobs, total=len(jobs), description="Comparing", show=progress, name=_job_name)
    try:
        with closing(bar), warnings_as_notes(notes), few_threads(X):
            for name, k in bar:
                if name in failed:
                    continue
                train, test = folds[k]
                try:
                    scores[name].append(
                        try_once(
                            name, X, y, train, test, time_limit=time_limit, n_jobs=n_jobs,
                            random_state=random_state + k, task=found,
                        )
                    )  # fmt: skip
                except (ValueError, ArithmeticError) as why:
                    failed.add(name)
                    notes.append(f"{name} failed: {' '.join(str(why).split())[:300]}")
                if on_result is not None and len(scores[name]) == len(folds):
                    on_result(name)
    except KeyboardInterrupt:
        interrupted = True
    done = {name: results for name, results in scores.items() if len(results) == len(folds)}
    if interrupted and not done:
        raise KeyboardInterrupt
    if not done:
        raise ValueError("No method could be fitted. " + " ".join(notes))
    ratio = 1 / (n_splits - 1)
    numbers = found == "regression"
    table_, errors = method_table(done, ratio, len(y), numbers=numbers), errors_of(done)
    return Comparison(
        source=Path(file.name).name,
        target=target,
        table=table_,
        errors=errors,
        pairs=pairs_of(errors, table_["method"].tolist(), ratio),
        requested=list(methods),
        n_rows=len(y),
        n_classes=0 if found == "regression" else len(np.unique(y)),
        task=found,
        notes=notes,
        interrupted=interrupted,
    )


def _job_name(job: tuple[str, int]) -> str:
    return f"{job[0]} on fold {job[1] + 1}"


def _check_compared(methods: Sequence[str] | None, n_splits: int, n_repeats: int) -> None:
    if methods is not None and (isinstance(methods, str) or not methods):
        raise ValueError(f"methods={methods!r}: give a list of at least one name.")
    for name in methods or ():
        know_method(name)
        if list(methods or ()).count(name) > 1:
            raise ValueError(f"methods= names {name!r} twice: once is enough.")
    check_count(n_splits, "n_splits", low=2)
    check_count(n_repeats, "n_repeats")
