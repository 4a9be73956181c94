"""A table, a target, a method: the fitted model with an honest account of it."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from counterpoint._interrupts import whole
from counterpoint._validation import check_number
from counterpoint.auto.metric import class_metric, number_metric
from counterpoint.tabular.advice import advise
from counterpoint.tabular.assessment import Assessment, assess
from counterpoint.tabular.deciding import DECIDED_BY, decide, read_costs
from counterpoint.tabular.intervals import unseen_residuals
from counterpoint.tabular.methods import find_method, know_method, make_method
from counterpoint.tabular.number_assessment import NumberAssessment, assess_numbers
from counterpoint.tabular.plain import plain, plain_rows
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.splits import BY_LOT, Held, Rows, promised_by_lot
from counterpoint.tabular.table_model import TableModel, row_hashes
from counterpoint.tabular.targets import Task, is_regression, prepare
from counterpoint.tabular.weighing import check_class_weight, weigh_classes
from counterpoint.tabular.words import figure, is_loud, percent

# Threads within one learner pay on tables with more cells only; on a busy machine they wait for
# each other so long that a fit of a second takes a minute.
_FEW_CELLS = 500_000
# What shows how much a way to hold out rows matters.
_QUICK = "gradient-boosting"


@dataclass(frozen=True, kw_only=True)
class Fit(TableModel):
    """A model fitted on a table, and what is known of it; made by :func:`fit`.

    Attributes
    ----------
    source : str
        The file of the table; empty for a frame.
    left_out : dict of str to str
        Columns not used, and why.
    assessment : Assessment or NumberAssessment
        How good the model is on the test rows, and what its members add.
    leaderboard : DataFrame or None
        For ``auto``: all members tried, by cross-fitting on the training rows.
    seconds : float
        Time the fit took.
    test_size : float
        As asked for.
    split : str
        How the test rows were held out, in words.
    stop_reason : str or None
        For ``auto``: why no more members were tried.
    """

    source: str
    left_out: dict[str, str]
    assessment: Assessment | NumberAssessment
    leaderboard: pd.DataFrame | None
    seconds: float
    test_size: float
    split: str = BY_LOT
    stop_reason: str | None = None

    def summary(self, *, tree: bool = True) -> dict[str, Any]:
        """Return what :meth:`Assessment.summary` does, and under "fit" how it was made."""
        summary = self.assessment.summary(tree=tree)
        notes = [*self.notes, *summary["notes"]]
        # Loud ones are read before any number: of a column that knows too much, all are too good.
        summary["warnings"] = list(dict.fromkeys([*filter(is_loud, notes), *summary["warnings"]]))
        summary["notes"] = [n for n in notes if n not in summary["warnings"]]
        summary["title"] = self.title(self.source)
        facts = self.facts(self.source).items()
        summary["facts"] = [{"name": name, "value": value} for name, value in facts]
        summary["fit"] = plain(
            {
                "source": self.source,
                "method": self.method,
                "target": self.target,
                "target_unit": self.target_unit,
                "columns": [asdict(column) for column in self.columns],
                "left_out": self.left_out,
                "n_train": len(self.trained),
                "test_size": self.test_size,
                "split": self.split,
                "random_state": self.random_state,
                "seconds": self.seconds,
                "stop_reason": self.stop_reason,
                "leaderboard": plain_rows(self.leaderboard),
            }
        )
        summary["advice"] = advise(summary)
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
    task: str | None = None,
    metric: Any = None,
    class_weight: str | None = None,
    cost: Any = None,
    positive: str | None = None,
    group: str | None = None,
    time: str | None = None,
) -> Fit:
    """Fit a method on one part of a table, and try it on the other.

    Parameters
    ----------
    table : DataFrame, TableFile or path
        Numbers, categories and gaps, and the target; a path is read by
        :func:`~counterpoint.tabular.read_table`.
    target : str
        The column of labels or of numbers to estimate.
    method : str, default="auto"
        A key of :data:`~counterpoint.tabular.METHODS`; for numbers of
        :data:`~counterpoint.tabular.NUMBER_METHODS`.
    time_limit : float or None, default=None
        Seconds; only ``auto`` can be bounded.
    test_size : float, default=0.25
        Share of the rows held out, drawn by class where there are classes.
    random_state : int, default=0
        Seeds the split and the learner.
    n_jobs : int or None, default=None
        For methods that can use it.
    progress : bool or None, default=None
        Draw a progress bar, where the method has one; None: on a terminal.
    task : {"classification", "regression"} or None, default=None
        Whether to tell classes apart or to estimate numbers. None finds out: words and few
        different numbers are classes, numbers with fractions are numbers; whole numbers that may
        be either are asked about.
    metric : str or None, default=None
        What the answers are made for. For classes "balanced-error", "g-mean" or "f1" set the
        threshold on training rows that were not fitted on, which the model keeps; ``auto`` takes
        any metric of :class:`~counterpoint.auto.OverproduceSelectClassifier`, for numbers of
        :class:`~counterpoint.auto.OverproduceSelectRegressor`.
    class_weight : {"balanced"} or None, default=None
        Let every class count the same in learning.
    cost : mapping, DataFrame or array-like, default=None
        What mistakes cost: {"fn": 10, "fp": 1} for two classes, or a table with a row for each
        truth and a column for each answer. Sets the threshold, as a metric does.
    positive : str or None, default=None
        The class that "fn" and "fp" are about; None: the rarer one.
    group : str or None, default=None
        A column that names whom or what a row is about, a customer say: all rows of one are either
        learnt from or tested on. It is not learnt from.
    time : str or None, default=None
        A column of dates or numbers that rows are ordered by: the latest are tested on.

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
    know_method(method)  # before the work
    check_number(test_size, "test_size", low=0, high=1, open_low=True, open_high=True)
    if time_limit is not None:
        check_number(time_limit, "time_limit", low=0, open_low=True)
    file = as_table(table, target=target)
    held = Held.of(file.frame, target, group=group, time=time)
    X, y, columns, left_out, notes = prepare(
        held.frame, target, task, wishes=held.wishes(file.wishes), forms=file.forms
    )
    found: Task = "regression" if is_regression(y) else "classification"
    find_method(method, found)
    notes = [*file.notes, *notes]
    left_out |= held.left_out
    rows = Rows(y, test_size, random_state, groups=held.groups, times=held.times)
    X_train, X_test = X.iloc[rows.train], X.iloc[rows.test]
    y_train, y_test = y[rows.train], y[rows.test]
    if time_limit is not None and method != "auto":
        notes.append(f"the time limit bounds 'auto' only; {method!r} takes the time it takes.")
    aim = _aim(y, found, method, metric, class_weight, cost, positive)
    model = make_method(
        method, random_state=random_state, time_limit=time_limit, n_jobs=n_jobs, progress=progress,
        task=found,
    )  # fmt: skip
    told: dict[str, Any] = {}
    if method == "auto":
        model[-1].set_params(**rows.fold_options(), **({} if aim is None else {"metric": aim}))
        told = {f"{model.steps[-1][0]}__{name}": v for name, v in rows.fit_options().items()}
    began = monotonic()
    with warnings_as_notes(notes), few_threads(X):
        with whole():
            weights = weigh_classes(model, class_weight, y_train, method)
            model.fit(X_train, y_train, **weights, **told)
        if aim is not None and method != "auto":
            model = decide(
                model, X_train, y_train, aim, random_state=random_state, n_jobs=n_jobs,
                fit_options=weights,
            )  # fmt: skip
        seconds = monotonic() - began
        residuals = None
        options: dict[str, Any] = {
            "X_train": X_train, "y_train": y_train, "random_state": random_state, "max_rows": None,
            "columns": columns,
        }  # fmt: skip
        assessment: Assessment | NumberAssessment
        if found == "regression":
            residuals = unseen_residuals(model, X_train, y_train, random_state)
            assessment = assess_numbers(model, X_test, y_test, residuals=residuals, **options)
        else:
            assessment = assess(model, X_test, y_test, **options)
        notes += _promised(held, X, y, rows, found, random_state)
    notes += assessment.warnings()
    return Fit(
        model=model,
        method=method,
        target=target,
        source=Path(file.name).name,
        columns=columns,
        left_out=left_out,
        classes=[] if found == "regression" else [str(label) for label in np.unique(y)],
        X_train=X_train,
        y_train=y_train,
        X_test=X_test,
        y_test=y_test,
        trained=row_hashes(X_train, y_train),
        score=assessment.score,
        baselines=assessment.baselines,
        assessment=assessment,
        leaderboard=getattr(model[-1], "leaderboard_", None),
        stop_reason=None if method != "auto" else model[-1].stop_reason_,
        missing=list(file.missing),
        notes=notes,
        seconds=seconds,
        test_size=test_size,
        split=held.words,
        random_state=random_state,
        task=found,
        residuals=residuals,
        target_form=file.forms.get(target, "") if found == "regression" else "",
    )


def _aim(
    y: np.ndarray,
    task: Task,
    method: str,
    metric: Any,
    class_weight: str | None,
    cost: Any,
    positive: str | None,
) -> Any:
    """Return what answers are made for: a metric, a matrix of costs, or None for the usual."""
    check_class_weight(class_weight)
    if metric is not None and cost is not None:
        raise ValueError("metric= and cost= say two things: give one of them.")
    if positive is not None and cost is None:
        raise ValueError("positive= says what cost= is about: give both or neither.")
    if task == "regression":
        if cost is not None or class_weight is not None:
            raise ValueError("cost= and class_weight= are for classes, and this target is numbers.")
        if metric is not None:
            number_metric(metric)
            if method != "auto":
                raise ValueError(
                    f"metric={metric!r}: {method!r} is made for squared error; only 'auto' can be "
                    "made for another measure of numbers."
                )
        return metric
    classes, counts = np.unique(y, return_counts=True)
    if cost is not None:
        return read_costs(
            cost, classes.tolist(), dict(zip(classes.tolist(), counts, strict=True)), positive
        )
    if metric is None:
        return None
    class_metric(metric, classes)
    if method != "auto" and metric not in DECIDED_BY:
        raise ValueError(
            f"metric={metric!r}: {method!r} can be given a threshold for "
            f"{', '.join(map(repr, DECIDED_BY))}; only 'auto' is made for other metrics."
        )
    return metric


def _promised(
    held: Held, X: pd.DataFrame, y: np.ndarray, rows: Rows, task: Task, random_state: int
) -> list[str]:
    """Say what rows held out by lot would have promised, where they were not."""
    if held.words == BY_LOT:
        return held.warnings(y)
    make = partial(
        make_method, _QUICK, random_state=random_state, time_limit=None, n_jobs=None,
        progress=False, task=task,
    )  # fmt: skip
    here, by_lot = map(
        figure if task == "regression" else percent,
        promised_by_lot(make, X, y, rows, random_state),
    )
    off = "is {} off (RMSE)" if task == "regression" else "errs on {}"
    return [
        f"rows to test on are {held.words}: {_QUICK} {off.format(here)} there; with rows drawn by "
        f"lot it would have promised {by_lot}."
    ]


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
