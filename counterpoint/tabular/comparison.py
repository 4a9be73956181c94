"""Methods side by side on one table."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import RepeatedStratifiedKFold

from counterpoint._interrupts import whole
from counterpoint._progress import track
from counterpoint._statistics import wilson_interval
from counterpoint._validation import check_count
from counterpoint.tabular.columns import prepare_table
from counterpoint.tabular.methods import COMPARED, find_method, make_method
from counterpoint.tabular.plain import plain, plain_rows
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.scores import Score, score_on
from counterpoint.tabular.training import few_threads, warnings_as_notes


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Methods side by side; made by :func:`compare`.

    Attributes
    ----------
    source, target : str
        The file of the table, empty for a frame, and the column predicted.
    table : DataFrame
        A row per method, the best first: "method", "error", "low", "high" (95 % interval),
        "log_loss", "seconds" (to fit once), "folds".
    errors : DataFrame
        Error on each fold, a column per method.
    requested : list of str
        The methods to compare.
    n_rows, n_classes : int
    notes : list of str
        Methods that failed, and why; warnings.
    interrupted : bool
        Whether Ctrl-C came before the last method was done.
    """

    source: str
    target: str
    table: pd.DataFrame
    errors: pd.DataFrame
    requested: list[str]
    n_rows: int
    n_classes: int
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return plain(
            {
                **{name: getattr(self, name) for name in _PLAIN},
                "methods": plain_rows(self.table),
                "errors": self.errors.to_dict(orient="list"),
            }
        )


_PLAIN = ("source", "target", "n_rows", "n_classes", "requested", "interrupted", "notes")


def compare(
    table: pd.DataFrame | TableFile | str | PathLike[str],
    target: str,
    methods: Sequence[str] = COMPARED,
    *,
    n_splits: int = 5,
    n_repeats: int = 1,
    time_limit: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    on_result: Callable[[str], None] | None = None,
) -> Comparison:
    """Try methods on the same folds of a table.

    Ctrl-C ends the work and keeps the methods that are done.

    Parameters
    ----------
    table, target
        As for :func:`~counterpoint.tabular.fit`.
    methods : sequence of str
        Keys of :data:`~counterpoint.tabular.METHODS`.
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

    Returns
    -------
    Comparison

    Notes
    -----
    The interval is the wider of two: that of the corrected resampled t test [1]_, since folds
    share training rows, which a plain standard error would ignore; and Wilson's for as many rows
    as there are, since folds drawn by class are more alike than new rows will be.

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
    X, y, _, _, notes = prepare_table(file.frame, target)
    notes = [*file.notes, *notes]
    counts = pd.Series(y).value_counts()
    if counts.iloc[-1] < n_splits:
        raise ValueError(
            f"Class {counts.index[-1]!r} has {counts.iloc[-1]} rows, too few for n_splits="
            f"{n_splits} folds: choose fewer, at least 2, or leave such rows out."
        )
    splitter = RepeatedStratifiedKFold(
        n_splits=n_splits, n_repeats=n_repeats, random_state=random_state
    )
    folds = list(splitter.split(X, y))
    jobs = [(name, k) for name in methods for k in range(len(folds))]
    scores: dict[str, list[tuple[Score, float]]] = {name: [] for name in methods}
    failed: set[str] = set()
    interrupted = False
    bar = track(jobs, total=len(jobs), description="Comparing", show=progress)
    try:
        with closing(bar), warnings_as_notes(notes), few_threads(X):
            for name, k in bar:
                if name in failed:
                    continue
                train, test = folds[k]
                try:
                    scores[name].append(
                        _try_once(
                            name, X, y, train, test, time_limit=time_limit, n_jobs=n_jobs,
                            random_state=random_state + k,
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
    return Comparison(
        source=Path(file.name).name,
        target=target,
        table=_table(done, 1 / (n_splits - 1), len(y)),
        errors=pd.DataFrame(
            {name: [s.error for s, _ in results] for name, results in done.items()}
        ),
        requested=list(methods),
        n_rows=len(y),
        n_classes=len(counts),
        notes=notes,
        interrupted=interrupted,
    )


def _try_once(
    name: str, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray, **options: Any
) -> tuple[Score, float]:
    model = make_method(name, progress=False, **options)
    began = time.monotonic()
    with whole():
        model.fit(X.iloc[train], y[train])
    seconds = time.monotonic() - began
    return score_on(model, X.iloc[test], y[test]), seconds


def _table(
    done: dict[str, list[tuple[Score, float]]], test_to_train: float, n_rows: int
) -> pd.DataFrame:
    rows = []
    for name, results in done.items():
        errors = np.array([score.error for score, _ in results])
        k = len(errors)
        # Nadeau and Bengio: folds share training rows, so 1/k alone is too little.
        width = np.sqrt((1 / k + test_to_train) * errors.var(ddof=1))
        half = stats.t.ppf(0.975, k - 1) * width
        # Folds drawn by class can be more alike than new rows would be: the majority class errs
        # the same on all of them.
        pooled = wilson_interval(round(errors.mean() * n_rows), n_rows)
        rows.append(
            {
                "method": name,
                "error": errors.mean(),
                "low": max(0.0, min(errors.mean() - half, pooled[0])),
                "high": min(1.0, max(errors.mean() + half, pooled[1])),
                "log_loss": float(np.mean([score.log_loss for score, _ in results])),
                "seconds": float(np.mean([seconds for _, seconds in results])),
                "folds": k,
            }
        )
    frame = pd.DataFrame(rows)
    return frame.sort_values(["error", "log_loss"], kind="stable", ignore_index=True)


def _check_compared(methods: Sequence[str], n_splits: int, n_repeats: int) -> None:
    if isinstance(methods, str) or not methods:
        raise ValueError(f"methods={methods!r}: give a list of at least one name.")
    for name in methods:
        find_method(name)
        if list(methods).count(name) > 1:
            raise ValueError(f"methods= names {name!r} twice: once is enough.")
    check_count(n_splits, "n_splits", low=2)
    check_count(n_repeats, "n_repeats")
