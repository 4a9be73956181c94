"""Which answers may I act on? Sets and intervals that hold the truth as often as asked for.

Split: the reference rows, which no member was trained on, give one quantile. Per class (Mondrian):
one for each class, so that each class is held as often. Cross: members are fitted on each part of
the data and asked about the rest, so that no row is set aside.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier

from counterpoint import _crossfit
from counterpoint._arrays import as_labels, check_axes, check_floats
from counterpoint._ballot import member_mean
from counterpoint._conformal import class_limit, conformal_limit, member_spread, sets_within
from counterpoint._members import Member, ask, is_pool, named_pool
from counterpoint._options import check_jobs
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint._tables import check_sizes, promoted, select_rows
from counterpoint._typing import Estimator
from counterpoint._validation import check_flag, check_number
from counterpoint.trust.inputs import (
    check_same,
    ensemble_number,
    ensemble_proba,
    need_outputs,
    need_predictions,
)

# What members say of rows that are not as those they were trained on.
_UNREADABLE = re.compile("has no len|[Ee]ndian")


@dataclass(frozen=True, kw_only=True, eq=False)
class ConformalSets:
    """Sets of classes that cannot be ruled out.

    Attributes
    ----------
    sets : ndarray of shape (n_samples, n_classes), bool
        The likeliest class is in every set, also where the limit would leave it empty.
    classes : ndarray of shape (n_classes,)
    limit : float or ndarray of shape (n_classes,)
        A class is ruled out where its probability is below one minus this; inf where the reference
        has too few rows to rule anything out.
    coverage : float
        What was asked for.
    """

    sets: NDArray
    classes: NDArray
    limit: Any
    coverage: float

    @property
    def sizes(self) -> NDArray:
        """How many classes are in each set, (n_samples,)."""
        return self.sets.sum(axis=1)

    def table(self) -> pd.DataFrame:
        """Return a row per sample: the set as text, and its size."""
        texts = [" | ".join(str(c) for c in self.classes[row]) for row in self.sets]
        return pd.DataFrame({"set": texts, "size": self.sizes})


def conformal_sets(
    reference: MemberOutputs,
    new: MemberOutputs,
    *,
    coverage: float = 0.9,
    per_class: bool = False,
) -> ConformalSets:
    """Say for each new sample which classes cannot be ruled out.

    Parameters
    ----------
    reference : MemberOutputs
        On samples with ``y`` that no member was trained on.
    new : MemberOutputs
        Of the same members; ``y`` is not looked at.
    coverage : float, default=0.9
        Share of the sets that are to hold the true class, if new samples come from where the
        reference came from. On average over reference samples, it is between this and this plus
        ``1 / (n + 1)`` but for sets that would be empty [1]_.
    per_class : bool, default=False
        A limit for each class (Mondrian), so that each is held as often; sets are larger.

    Returns
    -------
    ConformalSets

    References
    ----------
    .. [1] M. Sadinle, J. Lei and L. Wasserman, "Least ambiguous set-valued classifiers with bounded
       error levels", Journal of the American Statistical Association 114, 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import conformal_sets
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X[::3], y[::3])
    >>> held = MemberOutputs.from_estimator(forest, X[1::3], y[1::3])
    >>> new = MemberOutputs.from_estimator(forest, X[2::3])
    >>> sets = conformal_sets(held, new, coverage=0.95)
    >>> bool(sets.sets[range(50), y[2::3]].mean() > 0.9)
    True
    """
    need_outputs(reference, "reference", truth=True)
    need_outputs(new, "new")
    check_same(reference, new)
    known, asked = ensemble_proba(reference), ensemble_proba(new)
    if check_flag(per_class, "per_class"):
        limit: Any = np.array(
            [
                class_limit(known[reference.y == k], reference.y[reference.y == k], coverage)
                for k in range(reference.n_classes)
            ]
        )
    else:
        limit = class_limit(known, reference.y, coverage)
    return ConformalSets(
        sets=sets_within(asked, limit), classes=new.classes, limit=limit, coverage=coverage
    )


def conformal_intervals(
    reference: MemberPredictions,
    new: MemberPredictions,
    *,
    coverage: float = 0.9,
    by_spread: bool = True,
) -> tuple[NDArray, NDArray]:
    """Return the ends of intervals around the ensemble's mean that hold the truth so often.

    Parameters
    ----------
    reference : MemberPredictions
        On samples with ``y`` that no member was trained on.
    new : MemberPredictions
        Of the same members.
    coverage : float, default=0.9
    by_spread : bool, default=True
        Wider where members disagree: the distance is told in units of their standard deviation
        plus the reference's mean distance [1]_, section 5.2. False: one width for all.

    Returns
    -------
    low, high : ndarray of shape (n_samples,)
        Infinite where the reference has too few rows to say so much.

    References
    ----------
    .. [1] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani and L. Wasserman, "Distribution-free
       predictive inference for regression", Journal of the American Statistical Association 113,
       2018.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint import MemberPredictions
    >>> from counterpoint.trust import conformal_intervals
    >>> reference = MemberPredictions(np.zeros((2, 9)), np.arange(9.0))
    >>> conformal_intervals(reference, MemberPredictions([[1.0], [1.0]]), coverage=0.5)
    (array([-3.]), array([5.]))
    """
    need_predictions(reference, "reference", truth=True)
    need_predictions(new, "new")
    check_same(reference, new)
    gap = np.abs(ensemble_number(reference) - reference.y)
    middle = ensemble_number(new)
    if check_flag(by_spread, "by_spread"):
        least = max(float(gap.mean()), 1e-300)
        unit = least + member_spread(reference.values, reference.say)
        reach = conformal_limit(gap / unit, coverage)
        half = _times(reach, least + member_spread(new.values, new.say))
    else:
        half = np.full(len(middle), conformal_limit(gap, coverage))
    return middle - half, middle + half


def cross_conformal(
    estimator: Estimator,
    X: Any,
    y: Any,
    X_new: Any,
    *,
    coverage: float = 0.9,
    per_class: bool = False,
    cv: Any = 5,
    columns: list | None = None,
    n_jobs: int | None = None,
) -> "ConformalSets | tuple[NDArray, NDArray]":
    """Give sets or intervals without setting rows aside: each part in turn is left out of fitting.

    Of a pool the members' mean is asked, of one estimator its own answer. For numbers, CV+ [1]_: a
    new sample's interval is made of each row's distance around the answer of the models that did
    not see that row. For classes, a class stays in the set unless too many rows' scores are below
    its own by those models (cross-conformal prediction [2]_).

    Parameters
    ----------
    estimator : classifier, regressor, or list or dict of them
        Copies are fitted; what a fitted one has learnt is not used.
    X, y : rows and their truth
    X_new : rows
    coverage : float, default=0.9
        What is guaranteed is ``2 coverage - 1``, less ``2 (K - 1) / (n + K)`` for K folds of n rows
        ([1]_, theorem 4); what is found is about ``coverage``.
    per_class : bool, default=False
        Each class is held as often: a class is compared with the rows of that class alone.
    cv : int or splitter, default=5
    columns : list, default=None
        For a list of estimators: the columns each one sees.
    n_jobs : int, default=None

    Returns
    -------
    ConformalSets, or (low, high) for numbers

    References
    ----------
    .. [1] R. F. Barber, E. J. Candes, A. Ramdas and R. J. Tibshirani, "Predictive inference with
       the jackknife+", Annals of Statistics 49, 2021.
    .. [2] V. Vovk, "Cross-conformal predictors", Annals of Mathematics and Artificial Intelligence
       74, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from counterpoint.trust import cross_conformal
    >>> X, y = load_diabetes(return_X_y=True)
    >>> low, high = cross_conformal(Ridge(0.1), X[:300], y[:300], X[300:], coverage=0.8)
    >>> bool(((low <= y[300:]) & (y[300:] <= high)).mean() > 0.7)
    True
    """
    check_number(coverage, "coverage", low=0, high=1, open_low=True, open_high=True)
    check_jobs(n_jobs)
    X, X_new = (
        promoted(rows if hasattr(rows, "shape") else np.asarray(rows)) for rows in (X, X_new)
    )
    pool = estimator if is_pool(estimator) else [("model", estimator)]
    members = named_pool(pool, columns, kind="estimator")
    for member in members:
        if not isinstance(member.estimator, BaseEstimator):
            raise TypeError(f"estimator={member.estimator!r}: give estimators of scikit-learn.")
        member.estimator = clone(member.estimator)  # one fitted on these rows has seen them all
    if is_classifier(members[0].estimator):
        y = as_labels(y, "y")
        check_axes(y, "y", ("n_samples",))
        by_class = check_flag(per_class, "per_class")
        return _cross_sets(members, X, y, X_new, coverage, by_class, cv, n_jobs)
    if check_flag(per_class, "per_class"):
        raise ValueError("per_class=True: numbers have no classes; leave it out.")
    y = check_floats(y, "y", ("n_samples",))
    check_sizes(y, "y")
    splits = _crossfit.make_splits(cv, X, y, classifier=False)
    low, high = [], []
    for train, test in splits:
        held, new = _fold(members, X, y, X_new, train, test, _crossfit.ask_regressor, n_jobs)
        gap = np.abs(y[test] - held)[:, None]
        low.append(new - gap)
        high.append(new + gap)
    n = len(y)
    k = int(np.ceil((n + 1) * coverage - 1e-9))
    if k > n:
        return np.full(len(new), -np.inf), np.full(len(new), np.inf)
    below, above = np.concatenate(low), np.concatenate(high)
    return np.sort(below, axis=0)[n - k], np.sort(above, axis=0)[k - 1]


def _cross_sets(members, X, y, X_new, coverage, by_class, cv, n_jobs):
    classes, codes = np.unique(y, return_inverse=True)
    splits = _crossfit.make_splits(cv, X, codes, classifier=True)

    def question(member, X):
        proba = ask(member, X, classes=classes)[1]
        if proba is None:
            raise ValueError(f"{member.name} gives no probabilities, which sets are made of.")
        return proba

    own = np.arange(len(classes)) if by_class else np.zeros(len(classes), dtype=int)
    among = np.bincount(own[codes], minlength=len(classes))[own]
    more: Any = 0
    for train, test in splits:
        held, new = _fold(members, X, y, X_new, train, test, question, n_jobs)
        score, group = 1.0 - held[np.arange(len(test)), codes[test]], own[codes[test]]
        # How many rows of this part are at least as far off as each class of each new row.
        more = more + np.stack(
            [_at_least(score[group == own[k]], 1.0 - new[:, k]) for k in range(len(classes))],
            axis=1,
        )
    p = np.asarray((1 + more) / (1 + among))
    sets = p > 1 - coverage
    sets[np.arange(len(sets)), p.argmax(axis=1)] = True
    return ConformalSets(sets=sets, classes=classes, limit=np.nan, coverage=coverage)


def _at_least(score, limit):
    return len(score) - np.searchsorted(np.sort(score), limit - 1e-12, side="left")


def _fold(members, X, y, X_new, train, test, question, n_jobs):
    """Return the mean answer of members, fitted on ``train``, about ``test`` and about new rows."""
    fitted = [
        Member(model, m.columns, m.name)
        for m, model in zip(
            members,
            _crossfit.fit_all(members, select_rows(X, train), y[train], n_jobs=n_jobs),
            strict=True,
        )
    ]
    told = []
    for part, name in ((select_rows(X, test), "X"), (X_new, "X_new")):
        try:
            with _crossfit.naming_text(part, members[0].estimator):
                told.append(member_mean(np.stack([question(m, part) for m in fitted])))
        except (TypeError, ValueError) as error:
            if not (_crossfit.NO_NUMBER.search(str(error)) or _UNREADABLE.search(str(error))):
                raise
            raise ValueError(
                f"{name} holds what is no number, or not as {type(members[0].estimator).__name__} "
                "was trained on: give columns of the same kinds."
            ) from error
    return told


def _times(reach, unit):
    return np.full(len(unit), np.inf) if np.isinf(reach) else reach * unit
