"""Taking a fitted ensemble apart: the one place that knows how others store their members.

``answers_of`` asks the members of a classifier, ``values_of`` those of a regressor. Only public
attributes of scikit-learn are read. Top to bottom: pools, wrappers, ensembles, questions, and
the three kinds of ensemble whose parts are not classifiers of the task itself.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

from counterpoint._arrays import check_said, code_type
from counterpoint._reading import tree_input
from counterpoint._tables import select_columns
from counterpoint._validation import check_list
from counterpoint.exceptions import MemberError

_ADDITIVE_CLASSIFIERS = (GradientBoostingClassifier, HistGradientBoostingClassifier)
_ADDITIVE_REGRESSORS = (GradientBoostingRegressor, HistGradientBoostingRegressor)
# These train their members on class numbers 0..K-1, not on the labels they were given.
_TRAIN_ON_CODES = (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
_IS_MODEL = ("predict", "fit", "estimators_", "member_predict")


@dataclass
class Member:
    """One model, the columns it sees (None: all of them), and its name."""

    estimator: Any
    columns: Any = None
    name: str = ""


@dataclass
class Answers:
    """What the members of a classifier said, on the way to a ``MemberOutputs``.

    ``votes`` and ``proba`` refer to positions in ``classes``; ``combiner`` is the fitted rule of
    an ensemble that keeps one. Members that each solve a two-class task of their own (one class
    against the rest, a bit of an output code) have ``bits`` instead, (n_members, n_samples), and
    ``code_book`` says what the bits should be, (n_members, n_classes).
    """

    classes: np.ndarray
    names: list
    votes: np.ndarray | None = None
    proba: np.ndarray | None = None
    weights: np.ndarray | None = None
    bits: np.ndarray | None = None
    code_book: np.ndarray | None = None
    combiner: Any = None

    def __post_init__(self):
        if self.proba is not None:
            self.proba = check_said(self.proba, self.names)


# -- pools: plain collections of estimators ----------------------------------------------------


def is_pool(estimator):
    """Whether this is a plain collection of estimators rather than one ensemble."""
    return isinstance(estimator, (list, tuple, dict))


def is_fitted(estimator):
    """Whether scikit-learn takes this estimator for fitted."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    except TypeError:
        return True  # no fit at all: somebody's finished model
    return True


def named_pool(pool, columns=None, *, kind="classifier"):
    """List the members of a list of estimators, a list of (name, estimator), or a dict."""
    items = list(pool.items()) if isinstance(pool, dict) else list(pool)
    if not items:
        raise MemberError(f"The list of members is empty: pass at least one {kind}.")
    if columns is not None and len(check_list(columns, "columns", "columns")) != len(items):
        raise ValueError(
            f"columns has {len(columns)} entries for {len(items)} members: give one a member, "
            "None for all columns."
        )
    members = []
    for k, item in enumerate(items):
        named = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
        name, estimator = item if named else (f"{type(item).__name__} {k}", item)
        if not hasattr(estimator, "predict"):
            raise MemberError(
                f"Member {k} is a {type(estimator).__name__}, which has no predict. Members are "
                "estimators or (name, estimator) pairs."
            )
        if kind == "classifier" and is_regressor(estimator):
            _refuse_regressor(name)
        if kind == "regressor" and is_classifier(estimator):
            raise MemberError(
                f"{name} is a {type(estimator).__name__}, which is no regressor: use an estimator "
                "whose name ends in Classifier, or MemberOutputs.from_estimator."
            )
        seen = None if columns is None else columns[k]
        if not (seen is None or isinstance(seen, slice)):
            check_list(seen, f"columns[{k}]", "columns, a slice, or None for all")
        members.append(Member(estimator, seen, name))
    return members


def _refuse_regressor(name):
    raise MemberError(
        f"{name} is a regressor: MemberOutputs holds class votes. For regressors use "
        "counterpoint.member_predictions(ensemble, X)."
    )


# -- wrappers: what stands around an ensemble --------------------------------------------------


def strip(estimator):
    """Return the ensemble inside pipelines, searches and wrappers, and what comes before it."""
    before: list[Any] = []
    while True:
        if isinstance(estimator, Pipeline):
            before.extend(step for _, step in estimator.steps[:-1] if step != "passthrough")
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, FixedThresholdClassifier | TunedThresholdClassifierCV):
            estimator = getattr(estimator, "estimator_", estimator.estimator)
        elif hasattr(estimator, "_decided_model"):  # ours: an answer made of probabilities
            estimator = estimator._decided_model
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        else:
            return before, estimator


def strip_model(estimator):
    """Strip a model, or say that this is none."""
    before, inner = strip(estimator)
    if isinstance(inner, type) or not any(hasattr(inner, a) for a in _IS_MODEL):
        raise MemberError(f"{inner!r} is no model: pass a fitted one, or a list of them.")
    return before, inner


def through(before, X):
    """Pass samples through what stands before an ensemble, as :func:`strip` found it."""
    for step in before:
        X = step.transform(X)
    return X


# -- ensembles ---------------------------------------------------------------------------------


def members_of(ensemble):
    """Find the members of one fitted ensemble that is not wrapped in anything."""
    name = type(ensemble).__name__
    if not is_fitted(ensemble):
        raise MemberError(
            f"This {name} is not fitted. Call fit first, or pass cv=5 to have its members answer "
            "for samples they were not trained on."
        )
    if isinstance(ensemble, CalibratedClassifierCV):
        return _wrap(ensemble.calibrated_classifiers_)
    if isinstance(ensemble, OneVsOneClassifier):
        raise MemberError(
            f"The members of a {name} each know two classes and have no answer to the others, so "
            "they cannot be compared sample by sample. OneVsRestClassifier and "
            "OutputCodeClassifier can be taken apart."
        )
    if not hasattr(ensemble, "estimators_"):
        raise MemberError(
            f"{name} is one model: it has neither `estimators_` nor `member_predict`. To compare "
            "several models pass them as a list: [model_a, model_b]."
        )
    n_outputs = getattr(ensemble, "n_outputs_", 1)
    if n_outputs > 1 or isinstance(getattr(ensemble, "classes_", None), list):
        raise MemberError(
            f"This {name} predicts several outputs at once. Fit one ensemble per output and "
            "measure them one by one."
        )
    members = _wrap(list(ensemble.estimators_))
    if hasattr(ensemble, "estimators_features_"):
        for member, features in zip(members, ensemble.estimators_features_, strict=True):
            member.columns = features
    if isinstance(getattr(ensemble, "estimators", None), list):  # voting, stacking
        kept = [key for key, model in ensemble.estimators if model != "drop"]
        for member, key in zip(members, kept, strict=True):
            member.name = key
    return members


def _wrap(fitted):
    return [Member(model, None, f"{type(model).__name__} {k}") for k, model in enumerate(fitted)]


def member_weights(ensemble, n_members):
    """Return the say each member has in the ensemble's own vote; None: all the same."""
    if isinstance(ensemble, AdaBoostClassifier):
        return ensemble.estimator_weights_[:n_members]
    if isinstance(ensemble, VotingClassifier) and ensemble.weights is not None:
        dropped = [model == "drop" for _, model in ensemble.estimators]
        return np.asarray(ensemble.weights, dtype=float)[~np.array(dropped)]
    return None


def _answer_in_codes(ensemble, members):
    if isinstance(ensemble, _TRAIN_ON_CODES):
        return True
    if isinstance(ensemble, AdaBoostClassifier):
        return False
    if isinstance(ensemble, StackingClassifier):
        return ensemble.cv != "prefit"
    # An ensemble we do not know: its members answer with labels if all they know are labels of
    # the ensemble. Once every class is known to some member, labels and codes can only be
    # mistaken for each other where they are the same.
    known = [m.estimator.classes_ for m in members if hasattr(m.estimator, "classes_")]
    return bool(known) and not np.isin(np.concatenate(known), ensemble.classes_).all()


def _prepare(ensemble, members, X):
    """Return the data in the form members want it, and options for their predict."""
    if members and all(isinstance(m.estimator, BaseDecisionTree) for m in members):
        # Once for all trees: each would convert and check the same array again.
        return tree_input(ensemble, X), {"check_input": False}
    if members[0].columns is not None and hasattr(X, "columns"):
        X = np.asarray(X)  # bagging trains its members on numbered columns of a plain array
    return X, {}


# -- questions ---------------------------------------------------------------------------------


def answers_of(estimator, X, *, columns=None, n_jobs=None):
    """Ask the members of a fitted classifier, or of a list of them."""
    if is_pool(estimator):
        members = named_pool(estimator, columns)
        unfitted = [m.name for m in members if not is_fitted(m.estimator)]
        if unfitted:
            raise MemberError(
                f"Not fitted: {', '.join(unfitted[:5])}. Fit them first, or pass cv=5 to have "
                "them answer for samples they were not trained on."
            )
        return ask_all(members, X, pool_classes(members), n_jobs=n_jobs)
    before, ensemble = strip_model(estimator)
    X = through(before, X)
    if hasattr(ensemble, "code_book_"):  # output codes, scikit-learn's and ours
        return _code_answers(ensemble, X)
    if hasattr(ensemble, "member_predict"):
        return _own_answers(ensemble, X)
    if is_regressor(ensemble):
        _refuse_regressor(type(ensemble).__name__)
    if isinstance(ensemble, _ADDITIVE_CLASSIFIERS) and is_fitted(ensemble):
        return _stage_answers(ensemble, X)
    if isinstance(ensemble, OneVsRestClassifier) and is_fitted(ensemble):
        return _code_answers(ensemble, X)
    members = members_of(ensemble)
    codes = _answer_in_codes(ensemble, members)
    X, options = _prepare(ensemble, members, X)
    answers = ask_all(members, X, ensemble.classes_, codes=codes, n_jobs=n_jobs, options=options)
    answers.weights = member_weights(ensemble, len(members))
    return answers


def pool_classes(members):
    """Return all classes that fitted members of a pool know."""
    known = [m.estimator.classes_ for m in members if hasattr(m.estimator, "classes_")]
    if not known:
        raise MemberError("No member has `classes_`: are these fitted classifiers?")
    return np.unique(np.concatenate(known))


def ask_all(members, X, classes, *, codes=False, n_jobs=None, options=None):
    """Votes of all members; probabilities when every one of them has them."""
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(ask)(m, X, classes, codes, options or {}) for m in members
    )
    return stack_answers(classes, members, parts)


def stack_answers(classes, members, parts):
    """Put the (votes, probabilities or None) of members side by side."""
    known = all(p is not None for _, p in parts)
    proba = np.stack([p for _, p in parts]) if known else None
    return Answers(classes, [m.name for m in members], np.stack([v for v, _ in parts]), proba)


@np.errstate(all="ignore")  # Answers look at what came of it
def ask(member, X, classes, codes=False, options=None):
    """Votes and probabilities (or None) of one fitted classifier."""
    options = options or {}
    X = select_columns(X, member.columns)
    model = member.estimator
    known = getattr(model, "classes_", getattr(model, "classes", None))
    if known is None or not hasattr(model, "predict_proba"):
        return _positions(model.predict(X, **options), classes, codes, member.name), None
    at = _positions(known, classes, codes, member.name)
    proba = np.asarray(model.predict_proba(X, **options))
    if isinstance(model, BaseDecisionTree) or not hasattr(model, "predict"):
        # What a tree's predict does: saves a second walk. Folds of a calibration have none.
        votes = at[proba.argmax(axis=1)]
    else:
        votes = _positions(model.predict(X, **options), classes, codes, member.name)
    if len(at) < len(classes):  # a class this member never saw has probability 0
        spread = np.zeros((len(proba), len(classes)), dtype=proba.dtype)
        spread[:, at] = proba
        proba = spread
    return votes, proba


def _positions(labels, classes, codes, name):
    labels = np.asarray(labels)
    if codes:
        # Kernels write to these places without another look.
        strange = ~((labels >= 0) & (labels < len(classes)))
        if strange.any():
            raise MemberError(
                f"{name} answers with class number {labels[strange][0].item()!r}, but there are "
                f"{len(classes)} classes, from 0 on."
            )
        return labels.astype(code_type(len(classes)))
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = classes[at] != labels
    if strange.any():
        raise MemberError(
            f"{name} answers {labels[strange][0].item()!r}, which is not among the classes "
            f"{classes.tolist()}."
        )
    return at.astype(code_type(len(classes)))


def values_of(estimator, X, *, columns=None, n_jobs=None):
    """Predictions of the members of a fitted regressor, (n_members, n_samples)."""
    options: dict = {}
    if is_pool(estimator):
        members = named_pool(estimator, columns, kind="regressor")
    else:
        before, ensemble = strip_model(estimator)
        X = through(before, X)
        if isinstance(ensemble, _ADDITIVE_REGRESSORS) or members_are_corrections(ensemble):
            raise MemberError(
                f"The members of a {type(ensemble).__name__} each correct the sum of those "
                "before; alone they predict nothing. Its staged_predict shows how the sum grows."
            )
        if hasattr(ensemble, "member_predict"):
            return np.asarray(ensemble.member_predict(X), dtype=float)
        members = members_of(ensemble)
        X, options = _prepare(ensemble, members, X)
    if any(is_classifier(m.estimator) for m in members):
        raise MemberError(
            "member_predictions takes regressors; for classifiers use "
            "MemberOutputs.from_estimator(ensemble, X, y)."
        )
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(m.estimator.predict)(select_columns(X, m.columns), **options) for m in members
    )
    return np.stack(parts).astype(float)


def members_are_corrections(ensemble):
    """Whether members add to the score of those before, and mean nothing alone."""
    return isinstance(ensemble, _ADDITIVE_CLASSIFIERS) or getattr(
        ensemble, "_members_are_corrections", False
    )


# -- ensembles whose parts are not classifiers of the task itself ------------------------------


def _own_answers(ensemble, X):
    # Our own estimators, and anybody's that speak this protocol.
    if hasattr(ensemble, "_member_answers"):
        return ensemble._member_answers(X)
    classes = np.asarray(ensemble.classes_)
    proba = None
    if hasattr(ensemble, "member_predict_proba"):
        proba = np.asarray(ensemble.member_predict_proba(X))
    labels = np.asarray(ensemble.member_predict(X))
    name = type(ensemble).__name__
    votes = _positions(labels.ravel(), classes, False, name).reshape(labels.shape)
    weights = getattr(ensemble, "estimator_weights_", None)
    if weights is not None and (len(weights) != len(votes) or np.min(weights) < 0):
        weights = None  # a negative weight of a linear combination is no say in a vote
    names = [f"member {k}" for k in range(len(votes))]
    combiner = getattr(ensemble, "combiner_", None)
    return Answers(classes, names, votes, proba, weights, combiner=combiner)


def _stage_answers(ensemble, X):
    # The part of the score that each round adds. The first carries the constant the sum starts
    # from; scikit-learn does not give it apart for both kinds.
    scores = np.stack([np.asarray(s, dtype=float) for s in ensemble.staged_decision_function(X)])
    scores = scores.reshape(*scores.shape[:2], -1)
    parts = np.diff(scores, axis=0, prepend=0.0)
    if parts.shape[2] == 1:
        parts = np.concatenate([-parts, parts], axis=2)
    votes = parts.argmax(axis=2).astype(code_type(len(ensemble.classes_)))
    return Answers(ensemble.classes_, [f"round {k}" for k in range(len(votes))], votes)


def _code_answers(ensemble, X):
    if getattr(ensemble, "multilabel_", False):
        raise MemberError("Multi-label problems have no single truth per sample to be right about.")
    classes = np.asarray(ensemble.classes_)
    bits = np.stack([np.asarray(model.predict(X)).ravel() for model in ensemble.estimators_]) > 0
    if hasattr(ensemble, "code_book_"):
        book = np.asarray(ensemble.code_book_).T > 0
        names = [f"bit {k}" for k in range(len(bits))]
    elif len(bits) == 1:
        book = np.array([[False, True]])
        names = [f"{classes[1]} or not"]
    else:
        book = np.eye(len(classes), dtype=bool)
        names = [f"{label} or not" for label in classes]
    return Answers(classes, names, bits=bits, code_book=book)
