"""The trees of a fitted ensemble, and how they decide: :func:`take_trees`."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from counterpoint import _members
from counterpoint._validation import check_count
from counterpoint.trees.additive import additive_trees, is_additive
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.ensemble import TreeEnsemble, check_ensemble
from counterpoint.trees.structure import MOST_COLUMNS, Tree, check_tree

_ACCEPTED = (
    "a fitted random forest, extra trees, bagging, AdaBoost or voting classifier of trees, a "
    "gradient boosting classifier of scikit-learn, LightGBM or XGBoost, a booster of counterpoint "
    "with trees as members, one tree (DecisionTreeClassifier, HistTreeClassifier, "
    "PrunedTreeClassifier), a list of trees, or a TreeEnsemble"
)


def take_trees(
    pool: Any, *, classes: ArrayLike | None = None, n_features: int | None = None
) -> TreeEnsemble:
    """Take the trees out of a fitted ensemble, and how they decide.

    Parameters
    ----------
    pool : estimator, list of trees, or TreeEnsemble
        Random forest or extra trees (the trees add class shares), bagging of trees (shares),
        AdaBoost and the boosters of this library (weighted votes, or shares where the booster
        sums probabilities), hard or soft voting, one tree, or a list of trees (one vote each).
        Gradient boosting classifiers of scikit-learn, LightGBM and XGBoost: the trees add scores.
        Trees are scikit-learn's classifiers, :class:`HistTreeClassifier`,
        :class:`PrunedTreeClassifier` or plain :class:`Tree`.
    classes : array-like of shape (n_classes,), default=None
        Labels, for plain :class:`Tree`; None numbers them from 0.
    n_features : int, default=None
        Number of columns, for plain :class:`Tree`; None: up to the last that is asked for.

    Returns
    -------
    TreeEnsemble
        All trees on all columns and all classes of the ensemble.

    Notes
    -----
    In a list of histogram trees, which take float64, and of others, which round to float32, all
    round to float32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import take_trees
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    >>> trees = take_trees(forest)
    >>> trees.n_trees, trees.kind
    (5, 'shares')
    """
    if isinstance(pool, TreeEnsemble):
        return check_ensemble(pool)
    if isinstance(pool, Tree):
        return _from_trees([pool], classes, n_features)
    if isinstance(pool, list | tuple | dict):
        return _take_pool(pool, classes, n_features)
    before, ensemble = _members.strip(pool)
    if before:
        raise ValueError(
            f"A pipeline with {type(before[0]).__name__} was given: its trees are on the columns "
            "that come out of it. Pass the last step, and transform the data yourself."
        )
    if not hasattr(ensemble, "fit"):
        raise TypeError(f"A {type(ensemble).__name__} was given, expected {_ACCEPTED}.")
    if not _members.is_fitted(ensemble):
        raise NotFittedError(f"This {type(ensemble).__name__} is not fitted: call fit first.")
    if is_regressor(ensemble):
        raise TypeError(
            f"{type(ensemble).__name__} is a regressor: it has no classes to vote for. Expected "
            f"{_ACCEPTED}."
        )
    if _is_tree(ensemble):
        return _assemble(
            [_members.Member(ensemble)], ensemble.classes_, None, "shares", False, ensemble
        )
    return _take_ensemble(ensemble)


def _take_ensemble(ensemble):
    name = type(ensemble).__name__
    if is_additive(ensemble):
        trees, weights, offset, dtype = additive_trees(ensemble)
        names: Any = getattr(ensemble, "feature_names_in_", None)
        return TreeEnsemble(
            trees=tuple(trees),
            weights=weights,
            classes=np.asarray(ensemble.classes_),
            n_features=int(ensemble.n_features_in_),
            kind="scores",
            feature_names=names if names is None else np.asarray(names),
            dtype=dtype,
            offset=offset,
        )
    if not hasattr(ensemble, "estimators_") or not hasattr(ensemble, "classes_"):
        raise TypeError(f"A {name} was given, expected {_ACCEPTED}.")
    members = _members.members_of(ensemble)
    for member in members:
        # The members of a booster of scores are regressors, one or a list of one a class.
        if isinstance(member.estimator, list) or is_regressor(member.estimator):
            raise TypeError(
                f"The members of this {name} are regressors, such as {member.name}, that add up to "
                f"a score; they cast no votes. Expected {_ACCEPTED}."
            )
        if not _is_tree(member.estimator):
            raise TypeError(
                f"{member.name} of this {name} is a {type(member.estimator).__name__}, not a tree. "
                f"Expected {_ACCEPTED}."
            )
    say = _members.member_weights(ensemble, len(members))
    if say is None:
        say = getattr(ensemble, "estimator_weights_", None)
    codes = _members._answer_in_codes(ensemble, members)
    return _assemble(members, ensemble.classes_, say, _kind_of(ensemble), codes, ensemble)


def _kind_of(ensemble):
    if isinstance(ensemble, RandomForestClassifier | ExtraTreesClassifier | BaggingClassifier):
        return "shares"
    if isinstance(ensemble, VotingClassifier):
        return "shares" if ensemble.voting == "soft" else "votes"
    if isinstance(ensemble, AdaBoostClassifier):
        return "votes"
    # Boosters of ours say whether they sum probabilities.
    sums_proba = getattr(ensemble, "_needs_proba", None)
    return "shares" if sums_proba is not None and sums_proba() else "votes"


def _take_pool(pool, classes, n_features):
    items = list(pool.values()) if isinstance(pool, dict) else list(pool)
    if not items:
        raise ValueError("The list of trees is empty: pass at least one.")
    items = [item[1] if isinstance(item, tuple) and len(item) == 2 else item for item in items]
    if all(isinstance(item, Tree) for item in items):
        return _from_trees(items, classes, n_features)
    for k, item in enumerate(items):
        if not _is_tree(item) or is_regressor(item):
            raise TypeError(
                f"Item {k} of the list is a {type(item).__name__}, expected trees for classes: "
                "DecisionTreeClassifier, HistTreeClassifier or PrunedTreeClassifier, or all Tree."
            )
        if not _members.is_fitted(item):
            raise NotFittedError(f"Item {k}, a {type(item).__name__}, is not fitted: fit it first.")
    members = [_members.Member(item, None, f"item {k}") for k, item in enumerate(items)]
    known = _members.pool_classes(members)
    return _assemble(members, known, None, "votes", False, items[0])


def _from_trees(trees, classes, n_features):
    for k, tree in enumerate(trees):
        check_tree(tree, f"tree {k}" if len(trees) > 1 else "tree")
    widths = sorted({tree.value.shape[1] for tree in trees})
    if len(widths) > 1:
        raise ValueError(f"The trees have different numbers of classes, {widths}.")
    classes = np.arange(widths[0]) if classes is None else np.asarray(classes)
    if classes.shape != (widths[0],):
        raise ValueError(
            f"classes has shape {classes.shape}, but the trees have {widths[0]} classes: give one "
            "label for each."
        )
    asked = max(int(tree.feature.max()) + 1 for tree in trees)
    given = {tree.normals.shape[1] for tree in trees if tree.normals is not None}
    if n_features is None:
        n_features = max([asked, *given])
    check_count(n_features, "n_features", low=0, high=MOST_COLUMNS, hint=", or None")
    if asked > n_features or given - {n_features}:
        raise ValueError(
            f"n_features={n_features}, but the trees are on {sorted(given) or asked} columns."
        )
    return TreeEnsemble(
        trees=tuple(trees), weights=np.ones(len(trees)), classes=classes, n_features=n_features
    )


def _assemble(members, classes, weights, kind, codes, owner):
    classes = np.asarray(classes)
    n_features, names = columns_of(owner, members)
    trees = []
    for member in members:
        model = member.estimator
        tree = _arrays_of(model)
        at = _members._positions(model.classes_, classes, codes, member.name)
        value = np.zeros((tree.node_count, len(classes)))
        value[:, at] = tree.value
        feature = tree.feature
        if member.columns is not None:
            columns = np.asarray(member.columns)
            feature = np.where(feature >= 0, columns[feature], feature).astype(np.int32)
        trees.append(replace(tree, value=value, feature=feature))
    rounds = {np.float64 if takes_doubles(m.estimator) else np.float32 for m in members}
    weights = np.ones(len(trees)) if weights is None else np.array(weights, dtype=float)
    return TreeEnsemble(
        trees=tuple(trees),
        weights=weights,
        classes=classes,
        n_features=n_features,
        kind=kind,
        feature_names=names,
        dtype=np.float64 if rounds == {np.float64} else np.float32,
    )


def columns_of(owner, members):
    """Return the number of columns and their names, the same for all members."""
    whole = [m.estimator for m in members if m.columns is None]
    widths = {model.n_features_in_ for model in whole}
    n_features = getattr(owner, "n_features_in_", None)
    if len(widths) > 1 or (n_features is not None and widths - {n_features}):
        raise ValueError(
            f"The trees are on different columns: {sorted(widths)} of them. Pass trees fitted on "
            "the same data."
        )
    named = [np.asarray(m.feature_names_in_) for m in whole if hasattr(m, "feature_names_in_")]
    if hasattr(owner, "feature_names_in_"):
        named = [np.asarray(owner.feature_names_in_), *named]
    for names in named[1:]:
        if not np.array_equal(names, named[0]):
            raise ValueError(
                f"The trees are on different columns: {list(named[0])} and {list(names)}. Pass "
                "trees fitted on the same columns in the same order."
            )
    return int(n_features if n_features is not None else widths.pop()), named[0] if named else None


def _is_tree(model):
    return isinstance(model, DecisionTreeClassifier) or hasattr(type(model), "_with_tree")


def _arrays_of(model):
    if isinstance(model, DecisionTreeClassifier):
        return from_sklearn(model)
    return check_tree(model.tree_, "tree_", n_features=model.n_features_in_)


def takes_doubles(model):
    """Whether a tree takes samples as they are, not rounded to float32."""
    return getattr(model, "_input_dtype", np.float32) != np.float32
