"""A table, a target, a method: the fitted model with an honest account of it."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from counterpoint._interrupts import whole
from counterpoint._validation import check_number
from counterpoint.tabular.assessment import Assessment, assess
from counterpoint.tabular.baselines import BASELINES
from counterpoint.tabular.columns import prepare_table, some
from counterpoint.tabular.methods import find_method, make_method
from counterpoint.tabular.plain import plain, plain_rows
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.table_model import TableModel, row_hashes

# Threads within one learner pay on tables with more cells only; on a busy machine they wait for
# each other so long that a fit of a second takes a minute.
_FEW_CELLS = 500_000


@dataclass(frozen=True, kw_only=True)
class Fit(TableModel):
    """A model fitted on a table, and what is known of it; made by :func:`fit`.

    Attributes
    ----------
    source : str
        The file of the table; empty for a frame.
    left_out : dict of str to str
        Columns not used, and why.
    assessment : Assessment
        How good the model is on the test rows, and what its members add.
    leaderboard : DataFrame or None
        For ``auto``: all members tried, by cross-fitting on the training rows.
    seconds : float
        Time the fit took.
    test_size : float
        As asked for.
    """

    source: str
    left_out: dict[str, str]
    assessment: Assessment
    leaderboard: pd.DataFrame | None
    seconds: float
    test_size: float

    def summary(self, *, tree: bool = True) -> dict[str, Any]:
        """Return what :meth:`Assessment.summary` does, and under "fit" how it was made."""
        summary = self.assessment.summary(tree=tree)
        summary["notes"] = [*self.notes, *summary["notes"]]
        summary["title"] = self.title(self.source)
        facts = self.facts(self.source).items()
        summary["facts"] = [{"name": name, "value": value} for name, value in facts]
        summary["fit"] = plain(
            {
                "source": self.source,
                "method": self.method,
                "target": self.target,
                "columns": [asdict(column) for column in self.columns],
                "left_out": self.left_out,
                "n_train": len(self.trained),
                "test_size": self.test_size,
                "random_state": self.random_state,
                "seconds": self.seconds,
                "leaderboard": plain_rows(self.leaderboard),
            }
        )
        return summary


def fit(
    table: pd.DataFrame | TableFile | str | PathLike[str],
    target: str,
    method: str = "auto",
    *,
    time_limit: float | None = None,
    test_size: float = 0.25,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Fit:
    """Fit a method on one part of a table, and try it on the other.

    Parameters
    ----------
    table : DataFrame, TableFile or path
        Numbers, categories and gaps, and the target; a path is read by
        :func:`~counterpoint.tabular.read_table`.
    target : str
        The column of labels.
    method : str, default="auto"
        A key of :data:`~counterpoint.tabular.METHODS`.
    time_limit : float or None, default=None
        Seconds; only ``auto`` can be bounded.
    test_size : float, default=0.25
        Share of the rows held out, drawn by class.
    random_state : int, default=0
        Seeds the split and the learner.
    n_jobs : int or None, default=None
        For methods that can use it.
    progress : bool or None, default=None
        Draw a progress bar, where the method has one; None: on a terminal.

    Returns
    -------
    Fit

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> data = load("labor")
    >>> table = data.X.assign(outcome=data.y)
    >>> fitted = tabular.fit(table, "outcome", "bagging", random_state=0)
    >>> fitted.score.n, fitted.assessment.outputs.n_members, fitted.classes
    (15, 50, ['bad', 'good'])
    """
    find_method(method)  # before the work
    check_number(test_size, "test_size", low=0, high=1, open_low=True, open_high=True)
    if time_limit is not None:
        check_number(time_limit, "time_limit", low=0, open_low=True)
    file = as_table(table, target=target)
    X, y, columns, left_out, notes = prepare_table(file.frame, target)
    notes = [*file.notes, *notes]
    X_train, X_test, y_train, y_test = _split(X, y, test_size, random_state)
    if time_limit is not None and method != "auto":
        notes.append(f"the time limit bounds 'auto' only; {method!r} takes the time it takes.")
    model = make_method(
        method, random_state=random_state, time_limit=time_limit, n_jobs=n_jobs, progress=progress
    )
    began = time.monotonic()
    with warnings_as_notes(notes), few_threads(X):
        with whole():
            model.fit(X_train, y_train)
        seconds = time.monotonic() - began
        assessment = assess(
            model, X_test, y_test, X_train=X_train, y_train=y_train, random_state=random_state,
            max_rows=None,
        )  # fmt: skip
    if method not in BASELINES.values():
        notes += not_better(assessment)
    return Fit(
        model=model,
        method=method,
        target=target,
        source=Path(file.name).name,
        columns=columns,
        left_out=left_out,
        classes=[str(label) for label in np.unique(y)],
        X_train=X_train,
        y_train=y_train,
        X_test=X_test,
        y_test=y_test,
        trained=row_hashes(X_train, y_train),
        score=assessment.score,
        baselines=assessment.baselines,
        assessment=assessment,
        leaderboard=getattr(model.named_steps["model"], "leaderboard_", None),
        missing=list(file.missing),
        notes=notes,
        seconds=seconds,
        test_size=test_size,
        random_state=random_state,
    )


def not_better(assessment: Assessment) -> list[str]:
    """Say if a simple model is as good on the test rows, so that nobody has to compare tables."""
    own = assessment.score.error
    simple = [name for name, score in assessment.baselines.items() if score.error <= own]
    if not simple:
        return []
    best = min(simple, key=lambda name: assessment.baselines[name].error)
    return [
        f"NOT BETTER THAN {best.upper()} on the test rows: {own:.1%} of them wrong, "
        f"{assessment.baselines[best].error:.1%} by the simple model."
    ]


def _split(
    X: pd.DataFrame, y: np.ndarray, test_size: float, random_state: int
) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray, np.ndarray]:
    n_classes = len(np.unique(y))
    if min(round(test_size * len(y)), round((1 - test_size) * len(y))) < n_classes:
        raise ValueError(
            f"{len(y)} rows are too few to hold out test_size={test_size:g} of them with "
            f"{n_classes} classes: each part needs a row per class. Give more rows or another "
            "share."
        )
    parts = train_test_split(X, y, test_size=test_size, random_state=random_state, stratify=y)
    absent = np.setdiff1d(parts[3], parts[2])
    if len(absent):
        raise ValueError(
            f"With test_size={test_size:g} no row of class {some(absent.tolist())} is left to "
            "learn from: hold out less."
        )
    return tuple(parts)


@contextmanager
def few_threads(X: pd.DataFrame) -> Iterator[None]:
    """Keep learners from using threads on a table too small for them."""
    with threadpool_limits(1 if X.size < _FEW_CELLS else None, user_api="openmp"):
        yield


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Collect warnings as notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for warning in caught:
                text = " ".join(str(warning.message).split())
                if issubclass(warning.category, ConvergenceWarning):
                    text = "a learner did not converge; its result may be improved by more rounds."
                elif not issubclass(warning.category, UserWarning):
                    continue  # deprecations and the like are no news to a user
                if text not in notes:
                    notes.append(text)
