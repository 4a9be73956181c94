"""Fitting members: on all rows, or on some to answer for the others (cross-fitting).

``cross_fit`` is the one loop over members and folds: for classes and numbers, for pools and
ensembles, and for estimators that try one member after the other.
"""

import re
import warnings
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.linalg import LinAlgError
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from counterpoint._arrays import as_labels
from counterpoint._interrupts import whole
from counterpoint._members import (
    Answers,
    Member,
    answers_of,
    ask,
    is_fitted,
    is_pool,
    named_pool,
    pool_classes,
    stack_answers,
    values_of,
)
from counterpoint._options import check_folds
from counterpoint._progress import at_work
from counterpoint._tables import need_numbers, select_columns, select_rows
from counterpoint.exceptions import MemberError

NO_NUMBER = re.compile(r"could not convert|float\(\) argument|DType|ufunc '|bytes/strings")

# -- fitting -----------------------------------------------------------------------------------


def takes_weights(model: Any) -> bool:
    """Return whether :func:`fit_member` can pass sample weights to a learner.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.base import takes_weights
    >>> takes_weights(DecisionTreeClassifier()), takes_weights(KNeighborsClassifier())
    (True, False)
    """
    return has_fit_parameter(_last_step(model)[1], "sample_weight")


def fit_member(model: Any, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Any:
    """Fit a learner, with weights if there are any; one that takes none is named in the error.

    In a pipeline ``sample_weight`` goes to the last step, or with metadata routing to whichever
    asks.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from counterpoint.base import fit_member
    >>> fit_member(KNeighborsClassifier(), [[0], [1]], [0, 1], sample_weight=[1, 2])
    Traceback (most recent call last):
    ...
    ValueError: KNeighborsClassifier takes no sample_weight: fit without weights, or choose ...
    """
    if sample_weight is None:
        return _fit_or_explain(model, X, y, params)
    steps, learner = _last_step(model)
    if steps and get_config()["enable_metadata_routing"]:
        steps = []
    elif not has_fit_parameter(learner, "sample_weight"):
        raise ValueError(
            f"{type(learner).__name__} takes no sample_weight: fit without weights, or choose a "
            "learner that takes them."
        )
    params = params | {"__".join([*steps, "sample_weight"]): sample_weight}
    return _fit_or_explain(model, X, y, params)


@contextmanager
def naming_text(X, model):
    """Where a learner fails to read a number, say which column of X holds none."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if NO_NUMBER.search(str(error)):
            need_numbers(X, type(model).__name__)
        raise


def _fit_or_explain(model, X, y, params):
    try:
        with whole(), naming_text(X, model):
            return model.fit(X, y, **params)
    except (LookupError, ArithmeticError, LinAlgError) as error:
        learner = _last_step(model)[1]
        if type(learner).__module__.startswith("counterpoint."):
            raise
        raise MemberError(
            f"{type(learner).__name__} cannot learn from these data: it fails with an "
            f"{type(error).__name__} of its own. Take it out of the pool, or look at columns "
            "that are constant and rows that are the same."
        ) from error


def _last_step(model):
    """Return the names of the last steps of pipelines, and what they lead to."""
    steps = []
    while isinstance(model, Pipeline):
        step, model = model.steps[-1]
        steps.append(step)
    return steps, model


def fit_all(members, X, y, *, sample_weight=None, n_jobs=None, quiet=False):
    """Return the estimators of members, those that are not fitted fitted on all rows."""
    return Parallel(n_jobs=n_jobs)(
        delayed(_fit)(m, X, y, None, _weight_of(m, sample_weight), quiet) for m in members
    )


def _weight_of(member, sample_weight):
    # With metadata routing some members ask for weights and others do not.
    return sample_weight.get(member.name) if isinstance(sample_weight, dict) else sample_weight


def _fit(member, X, y, rows, sample_weight, quiet):
    """Fit a copy of the member on its columns of some rows (None: all); a fitted one stays."""
    if is_fitted(member.estimator):
        return member.estimator
    if rows is not None:
        X, y = select_rows(X, rows), y[rows]
        sample_weight = None if sample_weight is None else sample_weight[rows]
    X = select_columns(X, member.columns)
    with warnings.catch_warnings():
        if quiet:  # one of many that did not converge is no news
            warnings.simplefilter("ignore")
        return fit_member(clone(member.estimator), X, y, sample_weight)


# -- cross-fitting -----------------------------------------------------------------------------


def make_splits(cv, X, y, *, classifier):
    """Return the (train, test) rows of a splitter that asks about every sample once."""
    if y is None:
        raise ValueError("cv fits members, which needs y: pass the truth as well.")
    check_folds(cv)
    splits = list(check_cv(cv, y, classifier=classifier).split(X, y))
    rows = np.sort(np.concatenate([test for _, test in splits]))
    if not np.array_equal(rows, np.arange(len(y))):
        raise ValueError(
            "cv must ask about every sample exactly once, as KFold does; this one leaves some "
            "out or repeats them."
        )
    return splits


def some_splits(cv, X, y, groups=None, *, classifier):
    """Return the (train, test) rows of a splitter that asks about no sample twice."""
    check_folds(cv)
    splits = list(check_cv(cv, y, classifier=classifier).split(X, y, groups))
    if not splits:
        raise ValueError("cv gives no fold at all: pass a splitter that gives one at least.")
    rows = np.concatenate([test for _, test in splits])
    if len(np.unique(rows)) < len(rows):
        raise ValueError(
            "cv asks about some samples more than once: take a splitter such as KFold, GroupKFold "
            "or TimeSeriesSplit, not one that repeats."
        )
    return [(np.asarray(train), np.asarray(test)) for train, test in splits]


def fit_folds(member, X, y, splits, ask, *, sample_weight=None, n_jobs=None, quiet=False):
    """Fit a member on each training part; return for each (the model, what it says of the test).

    ``ask(member, X)`` is as for :func:`cross_fit`.
    """
    weight = _weight_of(member, sample_weight)
    at_work(member.name)
    return Parallel(n_jobs=n_jobs if len(splits) > 1 else None)(
        delayed(_fit_keep_and_ask)(member, X, y, fold, ask, weight, quiet) for fold in splits
    )


def cross_fit(members, X, y, splits, ask, *, sample_weight=None, n_jobs=None, quiet=False):
    """Ask each member about every row, fitted on the folds that row is not in.

    Fitted members are asked as they are. ``ask(member, X)`` gives an array, or a tuple of arrays
    or None, samples first: returned is that for each member, rows in their order. Sample weights
    may be a dict by members' names; ``quiet`` drops the members' warnings.
    """
    parts = _ask_folds(members, X, y, splits, ask, sample_weight, n_jobs, quiet)
    back = _back(splits)
    return [own[0] if len(own) == 1 else _in_order(own, back) for own in parts]


def _ask_folds(members, X, y, splits, ask, sample_weight, n_jobs, quiet=False):
    """Return for each member what it says fold by fold; about all rows at once, if fitted."""
    folds = [[None] if is_fitted(m.estimator) else splits for m in members]
    parts = iter(
        Parallel(n_jobs=n_jobs)(
            delayed(_fit_and_ask)(m, X, y, fold, ask, _weight_of(m, sample_weight), quiet)
            for m, own in zip(members, folds, strict=True)
            for fold in own
        )
    )
    return [[next(parts) for _ in own] for own in folds]


def _back(splits):
    return np.argsort(np.concatenate([test for _, test in splits]))


def _fit_and_ask(member, X, y, fold, ask, sample_weight, quiet):
    return _fit_keep_and_ask(member, X, y, fold, ask, sample_weight, quiet)[1]


def _fit_keep_and_ask(member, X, y, fold, ask, sample_weight, quiet):
    train, test = (None, None) if fold is None else fold
    fitted = Member(_fit(member, X, y, train, sample_weight, quiet), member.columns, member.name)
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        return fitted.estimator, ask(fitted, X if test is None else select_rows(X, test))


def _in_order(parts, back):
    if isinstance(parts[0], tuple):
        return tuple(_in_order(list(same), back) for same in zip(*parts, strict=True))
    return None if any(p is None for p in parts) else np.concatenate(parts)[back]


# -- questions to pools and ensembles, fitted or not -------------------------------------------


def answers(estimator, X, y, columns, cv, sample_weight, n_jobs):
    """Ask classifiers; with ``cv``, fit those that are not fitted on the rest of the data first."""
    if cv is None or (not is_pool(estimator) and is_fitted(estimator)):
        return answers_of(estimator, X, columns=columns, n_jobs=n_jobs)
    y = None if y is None else as_labels(y, "y")
    splits = make_splits(cv, X, y, classifier=True)
    classes = np.unique(np.asarray(y))
    if not is_pool(estimator):
        return _cross_fit_ensemble(estimator, X, y, classes, splits, sample_weight, n_jobs)
    members = named_pool(estimator, columns)
    _warn_of_fitted(members)
    prefit = [m for m in members if is_fitted(m.estimator)]
    if prefit:
        classes = np.union1d(classes, pool_classes(prefit))
    question = partial(ask, classes=classes)
    parts = cross_fit(members, X, y, splits, question, sample_weight=sample_weight, n_jobs=n_jobs)
    return stack_answers(classes, members, parts)


def values(estimator, X, y, columns, cv, sample_weight, n_jobs):
    """Ask regressors as :func:`answers` asks classifiers; return (n_members, n_samples)."""
    pool = is_pool(estimator)
    members = [Member(estimator, None, "pool")]
    if pool:
        members = named_pool(estimator, columns, kind="regressor")
    if cv is None or all(is_fitted(m.estimator) for m in members):
        return values_of(estimator, X, columns=columns, n_jobs=n_jobs)
    _warn_of_fitted(members)
    splits = make_splits(cv, X, y, classifier=False)
    question = ask_regressor if pool else _ask_regressors
    parts = cross_fit(members, X, y, splits, question, sample_weight=sample_weight, n_jobs=n_jobs)
    return np.stack(parts) if pool else parts[0].T


def _warn_of_fitted(members):
    # Beside members that are cross-fitted, one that knows the rows would be taken for the best.
    fitted = [m.name for m in members if is_fitted(m.estimator)]
    if fitted and len(fitted) < len(members):
        how = "is fitted already and asked as it is"
        if len(fitted) > 1:
            how = "are fitted already and asked as they are"
        warnings.warn(
            f"{', '.join(fitted)} {how}, the others are cross-fitted: what was trained on these "
            "rows looks better than it is. Give it unfitted (sklearn.base.clone), or give rows it "
            "has not seen.",
            UserWarning,
            stacklevel=2,
        )


def _ask_regressors(member, X):
    return values_of(member.estimator, X).T


def ask_regressor(member, X):
    """Return the numbers that one fitted regressor gives."""
    return np.asarray(member.estimator.predict(select_columns(X, member.columns)), dtype=float)


def _ask_classifiers(member, X):
    return answers_of(member.estimator, X)


def _cross_fit_ensemble(ensemble, X, y, classes, splits, sample_weight, n_jobs):
    members = [Member(ensemble, None, "pool")]
    parts = _ask_folds(members, X, y, splits, _ask_classifiers, sample_weight, n_jobs)[0]
    sizes = sorted({len(part.names) for part in parts})
    if len(sizes) > 1:
        raise MemberError(
            f"The folds ended with different numbers of members ({sizes}), which cannot be put "
            "side by side. Turn early stopping off, or pass a fitted ensemble."
        )
    if any(part.votes is None or not np.array_equal(part.classes, classes) for part in parts):
        raise MemberError(
            "Cross-fitting needs members that vote, and every class in every training part: use "
            "fewer folds, or merge rare classes."
        )
    back = _back(splits)
    votes = np.concatenate([part.votes for part in parts], axis=1)[:, back]
    proba = None
    if all(part.proba is not None for part in parts):
        proba = np.concatenate([part.proba for part in parts], axis=1)[:, back]
    return Answers(classes, parts[0].names, votes, proba)
