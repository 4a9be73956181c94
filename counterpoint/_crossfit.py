"""Members that are not fitted yet answer for samples they were not trained on."""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from counterpoint._members import (
    Answers,
    Member,
    answers_of,
    ask_all,
    is_fitted,
    is_pool,
    named_pool,
    pool_classes,
    select_columns,
    select_rows,
)
from counterpoint._validation import as_labels, code_type
from counterpoint.exceptions import MemberError


def answers(estimator, X, y, columns, cv, n_jobs):
    """Ask members; with ``cv``, fit those that are not fitted on the rest of the data first."""
    if cv is None:
        return answers_of(estimator, X, columns=columns, n_jobs=n_jobs)
    if not is_pool(estimator):
        if is_fitted(estimator):
            return answers_of(estimator, X, n_jobs=n_jobs)
        return _cross_fit_ensemble(estimator, X, y, cv, n_jobs)
    return _cross_fit_pool(named_pool(estimator, columns), X, y, cv, n_jobs)


def _splits(cv, X, y):
    if y is None:
        raise ValueError("cv fits members, which needs y: pass the truth as well.")
    labels = as_labels(y, "y")
    splits = list(check_cv(cv, labels, classifier=True).split(X, labels))
    asked = np.sort(np.concatenate([test for _, test in splits]))
    if not np.array_equal(asked, np.arange(len(labels))):
        raise ValueError(
            "cv must ask about every sample exactly once, as KFold does; this one leaves some "
            "out or repeats them."
        )
    return labels, splits


def _cross_fit_ensemble(ensemble, X, y, cv, n_jobs):
    labels, splits = _splits(cv, X, y)
    parts = []
    for train, _ in splits:
        fitted = clone(ensemble).fit(select_rows(X, train), labels[train])
        parts.append(fitted)
    told = [
        answers_of(fitted, select_rows(X, test), n_jobs=n_jobs)
        for fitted, (_, test) in zip(parts, splits, strict=True)
    ]
    sizes = sorted({len(t.names) for t in told})
    if len(sizes) > 1:
        raise MemberError(
            f"The folds ended with different numbers of members ({sizes}), which cannot be put "
            "side by side. Turn early stopping off, or pass a fitted ensemble."
        )
    classes = np.unique(labels)
    if any(t.votes is None or not np.array_equal(t.classes, classes) for t in told):
        raise MemberError(
            "Cross-fitting needs members that vote, and every class in every training part: use "
            "fewer folds, or merge rare classes."
        )
    order = np.concatenate([test for _, test in splits])
    back = np.argsort(order)
    votes = np.concatenate([t.votes for t in told], axis=1)[:, back]
    proba = None
    if all(t.proba is not None for t in told):
        proba = np.concatenate([t.proba for t in told], axis=1)[:, back]
    return Answers(classes, told[0].names, votes, proba)


def _cross_fit_pool(members, X, y, cv, n_jobs):
    labels, splits = _splits(cv, X, y)
    fresh = [not is_fitted(m.estimator) for m in members]
    classes = np.unique(labels)
    if not all(fresh):
        prefit = [m for m, new in zip(members, fresh, strict=True) if not new]
        classes = np.union1d(classes, pool_classes(prefit))
    votes = np.empty((len(members), len(labels)), dtype=code_type(len(classes)))
    proba = np.empty((len(members), len(labels), len(classes)))
    has_proba = True
    for train, test in splits:
        asked = []
        for member, new in zip(members, fresh, strict=True):
            if new:
                seen = select_columns(select_rows(X, train), member.columns)
                fitted = clone(member.estimator).fit(seen, labels[train])
                member = Member(fitted, member.columns, member.name)
            asked.append(member)
        told = ask_all(asked, select_rows(X, test), classes, n_jobs=n_jobs)
        votes[:, test] = told.votes
        if told.proba is None:
            has_proba = False
        else:
            proba[:, test] = told.proba
    names = [m.name for m in members]
    return Answers(classes, names, votes, proba if has_proba else None)
