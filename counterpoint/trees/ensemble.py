"""Trees that decide together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from counterpoint.trees.structure import StackedTrees, Tree, predict_trees, stack_trees


def class_shares(value: NDArray) -> NDArray:
    """Share of each class in the weight of each node; equal shares where there is no weight."""
    total = value.sum(axis=1, keepdims=True)
    return np.divide(value, total, out=np.full(value.shape, 1 / value.shape[1]), where=total > 0)


def require_columns(trees: Sequence[Tree], what: str) -> None:
    """Refuse trees with oblique splits."""
    for k, tree in enumerate(trees):
        if tree.is_oblique:
            raise ValueError(
                f"Tree {k} has oblique splits, along directions that are no columns. {what} needs "
                "splits on columns: use trees grown on the columns themselves."
            )


@dataclass(frozen=True, kw_only=True)
class TreeEnsemble:
    """Trees that decide together; made by :func:`counterpoint.trees.take_trees`.

    Attributes
    ----------
    trees : tuple of Tree
        Each with one column of ``value`` a class.
    weights : ndarray of shape (n_trees,)
    classes : ndarray of shape (n_classes,)
        Labels.
    n_features : int
        Number of columns.
    kind : {"votes", "shares", "scores"}
        What a tree adds to the score: its weight to its heaviest class, its weight times the
        shares of the classes in the leaf reached, or its weight times the values as they are.
        The values of a tree that adds scores are of one class; it casts no vote of its own.
    feature_names : ndarray of shape (n_features,) or None, default=None
    dtype : type, default=numpy.float32
        What samples are rounded to before they meet thresholds. scikit-learn's trees round to
        float32; trees of :class:`HistTreeClassifier` take float64 as it is.
    offset : ndarray of shape (n_classes,) or None, default=None
        Where the sum of scores begins.
    """

    trees: tuple[Tree, ...]
    weights: NDArray
    classes: NDArray
    n_features: int
    kind: str = "votes"
    feature_names: NDArray | None = None
    dtype: Any = np.float32
    offset: NDArray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.trees)

    def contributions(self) -> list[NDArray]:
        """List what a sample in each node adds to the score, weights counted in.

        Returns
        -------
        list of ndarray of shape (n_nodes, n_classes)
            One a tree.
        """
        return [
            weight * _node_scores(tree, self.kind)
            for tree, weight in zip(self.trees, self.weights, strict=True)
        ]

    def score(self, X: ArrayLike) -> NDArray:
        """Sum what the trees say of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is missing.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        stacked = replace(self._stacked, value=self._node_scores)
        total = predict_trees(stacked, self.check_rows(X), kind="value_sum", weights=self.weights)
        return total if self.offset is None else total + self.offset

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the label with the highest score, the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.classes[self.score(X).argmax(axis=1)]

    def member_votes(self, X: ArrayLike) -> NDArray:
        """Return the position in ``classes`` of each tree's heaviest class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_trees, n_samples), int32
        """
        return predict_trees(self._stacked, self.check_rows(X))

    def check_rows(self, X: ArrayLike) -> NDArray:
        """Check samples and round them as the trees do.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Of type ``dtype``.
        """
        rows: NDArray = check_array(X, dtype=self.dtype, ensure_all_finite="allow-nan")
        if rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} columns, but the trees were grown on {self.n_features}: "
                "pass the columns of the training data."
            )
        return rows

    @cached_property
    def _stacked(self) -> StackedTrees:
        return stack_trees(self.trees)

    @cached_property
    def _node_scores(self) -> NDArray:
        return np.concatenate([_node_scores(tree, self.kind) for tree in self.trees])


def _node_scores(tree, kind):
    if kind == "votes":
        return (np.arange(tree.value.shape[1]) == tree.label[:, None]).astype(np.float64)
    return class_shares(tree.value) if kind == "shares" else np.asarray(tree.value, dtype=float)
