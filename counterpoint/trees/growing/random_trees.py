"""Forests whose trees are grown by one kernel, for pools in which forests are most of the work.

On tables of some hundred rows most of what a forest of scikit-learn takes goes into reading options
and labels once more for every tree; here these are read once.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels import random_trees as kernels
from counterpoint._typing import Seed
from counterpoint.base import check_weights, encode_target, validate_data
from counterpoint.trees.ensemble import StackedTrees, predict_trees

# Draws of a tree, which are gone through again after so many: more would be hardly missed.
_DRAWS = 2_003
ROOT = 0.0
"""As ``max_features``: the root of the number of columns."""


class _RandomTrees(BaseEstimator):
    """Trees that answer with their mean.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of trees.
    extra : bool, default=False
        Extremely randomized trees [2]_: each learns from all rows, and the cut of a column is drawn
        evenly between its least and largest value in the node. Otherwise a random forest [1]_: each
        learns from rows drawn with replacement, and the cut of a column is the best.
    max_features : float, default=1.0
        Part of the columns that are looked at in a node, at least one; ``ROOT`` is the root
        of their number. As in scikit-learn, constant ones count, and it goes on until one varies.
    min_samples_leaf : int, default=1
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    trees_ : StackedTrees
        Their values are shares of the classes, or means less that of all rows.

    References
    ----------
    .. [1] L. Breiman, "Random forests", Machine Learning 45, 2001.
    .. [2] P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning 63,
       2006.
    """

    trees_: StackedTrees

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        extra: bool = False,
        max_features: float = 1.0,
        min_samples_leaf: int = 1,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.extra = extra
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _check_sound(self):
        if not hasattr(self, "trees_"):
            return
        width = getattr(self, "classes_", np.zeros(1)).shape[0]
        if self.trees_.value.shape[1] != width or self.trees_.feature.max() >= self.n_features_in_:
            raise ValueError("The trees are of other classes or columns than their forest.")

    def _grow(self, X, place, amount, weight, width):
        """Grow the trees for targets as ``kernels.grow`` has them, ``width`` places in all."""
        rng = check_random_state(self.random_state)
        n, p = X.shape
        n_columns = max(1, int(self.max_features * p if self.max_features else np.sqrt(p)))
        columns, in_order = np.ascontiguousarray(X.T), np.empty((0, n), dtype=np.int32)
        if not self.extra:
            in_order = np.empty((p, n), dtype=np.int32)
            for column, order in zip(columns, in_order, strict=True):
                order[:] = np.argsort(column)
        nodes = (*np.empty((3, 2 * n - 1), dtype=np.int32), np.empty(2 * n - 1),
                 np.empty((2 * n - 1, width)))  # fmt: skip
        found, depths = [], []
        for _ in range(self.n_estimators):
            often = 1 if self.extra else _drawn(weight, rng)
            target = place, amount * often, weight * often
            rows = np.flatnonzero(target[-1])
            draws = rng.uniform(size=min(n * n_columns, _DRAWS))
            size, depth = kernels.grow(
                columns, in_order, target, rows, draws, n_columns, self.min_samples_leaf, *nodes
            )
            found.append([part[:size].copy() for part in nodes])
            depths.append(depth)
        self.trees_ = _stacked(found, depths)

    def _mean(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return predict_trees(self.trees_, X, kind="value_sum") / self.trees_.n_trees


class RandomTreesClassifier(ClassifierMixin, _RandomTrees):
    """Answer with the mean of the shares of classes in the leaves; parameters as above."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = encode_target(self, y)
        weight = _weights(sample_weight, X)
        self._grow(X, codes.astype(np.int64), weight, weight, len(self.classes_))
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Return the mean of the trees' shares, (n_samples, n_classes)."""
        return self._mean(X)

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable label, (n_samples,)."""
        return self.classes_[self._mean(X).argmax(axis=1)]


class RandomTreesRegressor(RegressorMixin, _RandomTrees):
    """Answer with the mean of the means in the leaves; parameters as above."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weight = _weights(sample_weight, X)
        # Sums of squares of numbers far from 0 would lose what tells cuts apart.
        self.centre_ = float(np.average(y, weights=weight))
        self._grow(X, np.zeros(len(X), dtype=np.int64), weight * (y - self.centre_), weight, 1)
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the mean of the trees' numbers, (n_samples,)."""
        return self.centre_ + self._mean(X)[:, 0]


def _weights(sample_weight: Any, X: NDArray) -> NDArray:
    weight = check_weights(sample_weight, X)
    return np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)


def _drawn(weight: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return how often each row is drawn; those that count for something once, if no other is."""
    often = np.bincount(rng.randint(len(weight), size=len(weight)), minlength=len(weight))
    return often if (often * weight).any() else np.ones(len(weight), dtype=np.int64)


def _stacked(found, depths):
    sizes = [len(nodes[0]) for nodes in found]
    left, right, feature, threshold, value = map(np.concatenate, zip(*found, strict=True))
    roots = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
    first = np.where(left < 0, 0, np.repeat(roots, sizes))
    return StackedTrees(
        roots=roots,
        depths=np.array(depths, dtype=np.int64),
        left=left + first,
        right=right + first,
        feature=feature,
        threshold=threshold,
        bin_threshold=np.zeros(len(left), dtype=np.uint8),
        missing_go_to_left=np.zeros(len(left), dtype=bool),
        value=value,
    )
