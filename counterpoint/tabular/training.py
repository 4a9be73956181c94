"""A table, a target, a method: the fitted model with an honest account of it."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from counterpoint._outputs import MemberOutputs
from counterpoint.diversity import Worth, profile, worth
from counterpoint.exceptions import MemberError, RedundancyWarning
from counterpoint.tabular.columns import (
    Column,
    align_columns,
    check_target,
    find_column,
    plan_columns,
    some,
    text_labels,
)
from counterpoint.tabular.methods import find_method, make_method

__all__ = [
    "FittedTable",
    "Score",
    "fit_table",
    "member_worth",
    "prepare_table",
]

_BASELINES = {"majority": "majority class", "tree": "single tree"}
# Members are asked about so many test rows at most: 300 trees and a million rows fill a memory.
_MOST_MEASURED = 5000
# Threads within one learner pay on tables with more cells only; on a busy machine they wait for
# each other so long that a fit of a second takes a minute.
_FEW_CELLS = 500_000


@dataclass(frozen=True)
class Score:
    """How a model did on rows it had not seen.

    Attributes
    ----------
    error : float
        Share of wrong answers.
    low, high : float
        95 % interval of it.
    log_loss : float
        Mean -log of the probability given to the truth; NaN without probabilities.
    n : int
        Rows it was tried on.
    """

    error: float
    low: float
    high: float
    log_loss: float
    n: int


@dataclass(frozen=True, kw_only=True)
class FittedTable:
    """A model fitted on a table, and what is known of it; made by :func:`fit_table`.

    Attributes
    ----------
    model : Pipeline
        Encoder and classifier, fitted on the training rows only: the score is its own.
    method, target : str
        As asked for.
    columns : list of Column
        What it learnt from.
    left_out : dict of str to str
        Columns not used, and why.
    classes : list of str
        The labels.
    X_train, X_test : DataFrame
    y_train, y_test : ndarray of str
        The two parts of the table.
    score : Score
        On the test rows, with Wilson's interval.
    baselines : dict of str to Score
        Of the "majority class" and a "single tree".
    outputs : MemberOutputs or None
        What the members said about the test rows (5000 at most); None for a single model.
    profile : DataFrame or None
        Measures of diversity; see :func:`counterpoint.diversity.profile`.
    worth : Worth or None
        What the members' disagreement is worth.
    members : DataFrame or None
        What each member is worth on the test rows; see :func:`member_worth`.
    leaderboard : DataFrame or None
        For ``auto``: all members tried, by cross-fitting on the training rows.
    notes : list of str
        What a reader should know: rows or columns left out, warnings of the learner.
    seconds : float
        Time the fit took.
    test_size : float
    random_state : int
        As asked for.
    """

    model: Pipeline
    method: str
    target: str
    columns: list[Column]
    left_out: dict[str, str]
    classes: list[str]
    X_train: pd.DataFrame
    y_train: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    score: Score
    baselines: dict[str, Score]
    outputs: MemberOutputs | None
    profile: pd.DataFrame | None
    worth: Worth | None
    members: pd.DataFrame | None
    leaderboard: pd.DataFrame | None
    notes: list[str]
    seconds: float
    test_size: float
    random_state: int


def prepare_table(
    frame: pd.DataFrame, target: str
) -> tuple[pd.DataFrame, np.ndarray, list[Column], dict[str, str], list[str]]:
    """Take a table apart into columns to learn from and labels.

    Parameters
    ----------
    frame : DataFrame
    target : str
        The column of labels. Rows without one are left out.

    Returns
    -------
    X : DataFrame
    y : ndarray of str
    columns : list of Column
    left_out : dict of str to str
        Columns not used, and why.
    notes : list of str
        The same, and the rows left out, in words.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"A {type(frame).__name__} was given, expected a pandas DataFrame.")
    double = frame.columns[frame.columns.duplicated()]
    if len(double):
        raise ValueError(f"There are two columns called {double[0]!r}: rename one of them.")
    frame = frame.rename(columns=str)
    find_column(target, list(frame.columns), what="target column", option="target=")
    if frame.empty:
        raise ValueError("The table has no rows.")
    notes = []
    labels = text_labels(frame[target])
    known = labels.notna().to_numpy()
    if not known.all():
        frame, labels = frame[known], labels[known]
        gone = int((~known).sum())
        notes.append(f"{gone} row{'s' * (gone > 1)} without a {target!r} left out.")
    check_target(frame[target], labels, target)
    columns, left_out = plan_columns(frame, target)
    notes += [f"column {name!r} left out: {why}." for name, why in left_out.items()]
    X, _, _ = align_columns(frame, columns)
    return X.reset_index(drop=True), labels.to_numpy(dtype=str), columns, left_out, notes


def fit_table(
    frame: pd.DataFrame,
    target: str,
    method: str = "auto",
    *,
    time_limit: float | None = None,
    test_size: float = 0.25,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> FittedTable:
    """Fit a method on one part of a table, and try it on the other.

    Parameters
    ----------
    frame : DataFrame
        Numbers, categories and gaps, and the target.
    target : str
        The column of labels.
    method : str, default="auto"
        A key of :data:`counterpoint.tabular.methods.METHODS`.
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
    FittedTable

    Examples
    --------
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular.training import fit_table
    >>> data = load("labor")
    >>> table = data.X.assign(outcome=data.y)
    >>> fitted = fit_table(table, "outcome", "bagging", random_state=0)
    >>> fitted.score.n, fitted.outputs.n_members, fitted.classes
    (15, 50, ['bad', 'good'])
    """
    find_method(method)  # before the work
    if not 0 < test_size < 1:
        raise ValueError(f"test_size={test_size:g}: give a share of the rows, above 0, below 1.")
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit={time_limit:g}: give seconds, above 0.")
    X, y, columns, left_out, notes = prepare_table(frame, target)
    X_train, X_test, y_train, y_test = _split(X, y, test_size, random_state)
    if time_limit is not None and method != "auto":
        notes.append(f"the time limit bounds 'auto' only; {method!r} takes the time it takes.")
    model = make_method(
        method, random_state=random_state, time_limit=time_limit, n_jobs=n_jobs, progress=progress
    )
    began = time.monotonic()
    with warnings_as_notes(notes), few_threads(X):
        model.fit(X_train, y_train)
        seconds = time.monotonic() - began
        score = score_on(model, X_test, y_test)
    baselines = {}
    for name, words in _BASELINES.items():
        plain = make_method(name, random_state=random_state).fit(X_train, y_train)
        baselines[words] = score_on(plain, X_test, y_test)
    outputs = _outputs(model, X_test, y_test)
    return FittedTable(
        model=model,
        method=method,
        target=target,
        columns=columns,
        left_out=left_out,
        classes=[str(label) for label in np.unique(y)],
        X_train=X_train,
        y_train=y_train,
        X_test=X_test,
        y_test=y_test,
        score=score,
        baselines=baselines,
        outputs=outputs,
        profile=None if outputs is None else profile(outputs),
        worth=None if outputs is None else _worth(outputs),
        members=None if outputs is None else member_worth(outputs),
        leaderboard=getattr(model.named_steps["model"], "leaderboard_", None),
        notes=notes,
        seconds=seconds,
        test_size=test_size,
        random_state=random_state,
    )


def member_worth(outputs: MemberOutputs) -> pd.DataFrame:
    """Say what each member is worth to the vote.

    Parameters
    ----------
    outputs : MemberOutputs
        With labels and the truth.

    Returns
    -------
    DataFrame
        A row per member, the one the vote would miss most first: "member", "error" alone, "adds"
        (how much the error of the vote rises without it; negative: it harms), "disagrees" (share
        of rows on which it is against the vote), "weight" in the vote.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> votes = [["a", "b", "a"], ["a", "b", "b"], ["b", "a", "a"]]
    >>> found = member_worth(MemberOutputs(votes, ["a", "b", "a"]))
    >>> found["member"][0], float(found["error"][0])
    ('member 0', 0.0)
    """
    outputs.need_votes("The worth of members")
    outputs.need_truth()
    say = outputs.say
    tally = outputs.tally * say.sum()
    vote, rows = tally.argmax(axis=1), np.arange(outputs.n_samples)
    base = float(np.mean(vote != outputs.y))
    adds = np.full(outputs.n_members, np.nan)  # nothing is left without the only member
    if outputs.n_members > 1:
        for k, member in enumerate(outputs.votes):
            rest = tally.copy()
            rest[rows, member] -= say[k]
            # What is left of a sum may differ in the last digit from an equal one.
            adds[k] = float(np.mean(rest.round(9).argmax(axis=1) != outputs.y)) - base
    found = pd.DataFrame(
        {
            "member": [str(name) for name in outputs.names],
            "error": (outputs.votes != outputs.y).mean(axis=1),
            "adds": adds,
            "disagrees": (outputs.votes != vote).mean(axis=1),
            "weight": say / say.sum(),
        }
    )
    return found.sort_values(
        ["adds", "error"], ascending=[False, True], kind="stable", ignore_index=True
    )


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


def score_on(model: Pipeline, X: pd.DataFrame, y: np.ndarray) -> Score:
    """Try a fitted model on rows it has not seen."""
    wrong = int(np.sum(model.predict(X) != y))
    loss = float("nan")
    if hasattr(model, "predict_proba"):
        loss = float(log_loss(y, model.predict_proba(X), labels=model.classes_))
    return Score(wrong / len(y), *wilson(wrong, len(y)), loss, len(y))


def wilson(wrong: int, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share."""
    found = stats.binomtest(wrong, n).proportion_ci(0.95, method="wilson")
    return float(found.low), float(found.high)


def _outputs(model: Pipeline, X: pd.DataFrame, y: np.ndarray) -> MemberOutputs | None:
    try:
        outputs = MemberOutputs.from_estimator(model, X[:_MOST_MEASURED], y[:_MOST_MEASURED])
    except MemberError:  # a single model
        return None
    return outputs if outputs.votes is not None else None


def _worth(outputs: MemberOutputs) -> Worth:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundancyWarning)  # the verdict says so
        return worth(outputs)


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
