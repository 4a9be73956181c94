"""The trees of a fitted regressor, what it says, and what its trees were grown on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeRegressor

from counterpoint import _members
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.ensemble import rows_for_trees
from counterpoint.trees.growing.cases import count_drawn
from counterpoint.trees.structure import Tree, check_tree
from counterpoint.trees.take import columns_of, takes_doubles

_ACCEPTED = (
    "a fitted random forest, extra trees, bagging, AdaBoost, gradient boosting or voting regressor "
    "of trees, one tree (DecisionTreeRegressor, HistTreeRegressor), or a list of trees"
)


@dataclass(frozen=True, kw_only=True)
class NumberTrees:
    """Regression trees of an ensemble; made by :func:`take_number_trees`.

    Attributes
    ----------
    trees : tuple of Tree
        Each with one column of ``value``.
    n_features : int
        Number of columns.
    dtype : type
        What samples are rounded to before they meet thresholds.
    predict : callable or None
        What the ensemble says of rows, where that is not the mean of its trees.
    samples : list of ndarray or None
        Positions of the training samples that each tree was grown on, where the ensemble knows.
    feature_names : ndarray of shape (n_features,) or None
    weights : ndarray of shape (n_trees,) or None
        What the ensemble says is ``offset`` and the sum of what the trees say, times these; None
        where it is something else, such as a median.
    offset : float
    """

    trees: tuple[Tree, ...]
    n_features: int
    dtype: Any
    predict: Callable[[NDArray], NDArray] | None = None
    samples: list[NDArray] | None = None
    feature_names: NDArray | None = None
    weights: NDArray | None = None
    offset: float = 0.0

    def check_rows(self, X: Any) -> NDArray:
        """Check samples, (n_samples, n_features), and round them to ``dtype`` as the trees do."""
        return rows_for_trees(X, self.n_features, self.dtype)

    def drawn(self, n_samples: int) -> NDArray | None:
        """Count how often each tree drew each sample, (n_trees, n_samples); None: nobody knows."""
        return count_drawn(self.samples, n_samples)

    def answers(self, X: Any) -> NDArray:
        """Return what the ensemble says of rows, (n_samples, 1)."""
        predict: Any = self.predict
        return np.asarray(predict(X), dtype=np.float64)[:, None]


def take_number_trees(pool: Any) -> NumberTrees:
    """Take the trees out of a fitted regressor, or out of a list of trees."""
    if isinstance(pool, NumberTrees):
        return pool
    pool = [pool] if isinstance(pool, Tree) else pool
    if isinstance(pool, list | tuple):
        if not pool:
            raise ValueError("The list of trees is empty: pass at least one.")
        if all(isinstance(item, Tree) for item in pool):
            return _from_trees(pool)
        members = [_members.Member(item, None, f"item {k}") for k, item in enumerate(pool)]
        return _assemble(members, pool[0])
    before, ensemble = _members.strip(pool)
    name = type(ensemble).__name__
    if before:
        raise ValueError(
            f"A pipeline with {type(before[0]).__name__} was given: its trees are on the columns "
            "that come out of it. Pass the last step, and transform the data yourself."
        )
    if not hasattr(ensemble, "fit") or not is_regressor(ensemble):
        raise TypeError(f"A {name} was given, expected {_ACCEPTED}.")
    if not _members.is_fitted(ensemble):
        raise NotFittedError(f"This {name} is not fitted: call fit first.")
    if _is_tree(ensemble):
        return _assemble([_members.Member(ensemble)], ensemble)
    if not hasattr(ensemble, "estimators_"):
        raise TypeError(f"A {name} was given, expected {_ACCEPTED}.")
    if isinstance(ensemble.estimators_, np.ndarray):  # gradient boosting: a column an output
        members = [_members.Member(tree) for tree in ensemble.estimators_.ravel()]
    else:
        members = _members.members_of(ensemble)
    return _assemble(members, ensemble)


def _assemble(members, owner):
    trees = []
    for k, member in enumerate(members):
        model = member.estimator
        if not _is_tree(model):
            raise TypeError(
                f"Member {k} is a {type(model).__name__}, not a regression tree. Expected "
                f"{_ACCEPTED}."
            )
        if not _members.is_fitted(model):
            raise NotFittedError(f"Member {k}, a {type(model).__name__}, is not fitted.")
        tree = _arrays_of(model)
        if member.columns is not None:
            columns = np.asarray(member.columns)
            feature = np.where(tree.feature >= 0, columns[tree.feature], tree.feature)
            tree = replace(tree, feature=feature.astype(np.int32))
        trees.append(tree)
    n_features, names = columns_of(owner, members)
    doubles = all(takes_doubles(member.estimator) for member in members)
    alone = owner is members[0].estimator
    weights, offset = _sum_of(owner, alone, trees)
    samples = None if alone else getattr(owner, "estimators_samples_", None)
    return NumberTrees(
        trees=tuple(trees),
        n_features=n_features,
        dtype=np.float64 if doubles else np.float32,
        # The mean of the trees that did not see a sample says more than all of them do.
        predict=None if alone or samples is not None else owner.predict,
        samples=samples,
        feature_names=names,
        weights=weights,
        offset=offset,
    )


def _from_trees(trees):
    for k, tree in enumerate(trees):
        check_tree(tree, f"tree {k}")
        if tree.value.shape[1] != 1:
            raise ValueError(
                f"Tree {k} has {tree.value.shape[1]} columns of values, expected one: give trees "
                "of numbers."
            )
    return NumberTrees(
        trees=tuple(trees),
        n_features=max(1, max(int(tree.feature.max()) + 1 for tree in trees)),
        dtype=np.float32,
        weights=np.full(len(trees), 1.0 / len(trees)),
    )


def _sum_of(owner, alone, trees):
    """Return weights and offset of the sum that an ensemble says, or None."""
    n = len(trees)
    even = (RandomForestRegressor, ExtraTreesRegressor, BaggingRegressor)
    voting = isinstance(owner, VotingRegressor) and owner.weights is None
    if alone or voting or isinstance(owner, even):
        return np.full(n, 1.0 / n), 0.0
    if isinstance(owner, GradientBoostingRegressor) and owner.init in (None, "zero"):
        start = np.zeros((1, owner.n_features_in_), dtype=np.float32)
        offset = 0.0 if owner.init == "zero" else float(owner.init_.predict(start)[0])
        return np.full(n, float(owner.learning_rate)), offset
    return None, 0.0


def _is_tree(model):
    return isinstance(model, DecisionTreeRegressor) or (
        isinstance(getattr(model, "tree_", None), Tree) and is_regressor(model)
    )


def _arrays_of(model):
    if isinstance(model, DecisionTreeRegressor):
        return from_sklearn(model)
    return check_tree(model.tree_, "tree_", n_features=model.n_features_in_)
