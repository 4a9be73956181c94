"""One tree as plain arrays, and small things that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAF = -1
# The feature of a split along a direction that is no column.
OBLIQUE = -2


@dataclass(frozen=True, kw_only=True)
class Tree:
    """One binary tree; node 0 is the root and children come after their parents.

    A sample goes left where its value is not above the threshold. In a leaf both children are
    -1, the feature is -1 and the threshold NaN. An oblique split compares the scalar product of
    the sample and a row of ``normals`` with the threshold; its feature is -2.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (n_nodes,), int32
    feature : ndarray of shape (n_nodes,), int32
    threshold : ndarray of shape (n_nodes,), float64
        inf where all values go left and missing ones right.
    bin_threshold : ndarray of shape (n_nodes,), uint8
        The last bin that goes left, for the bins the tree was grown on.
    missing_go_to_left : ndarray of shape (n_nodes,), bool
    value : ndarray of shape (n_nodes, n_classes) or (n_nodes, 1)
        Weight of each class among the training samples, or the mean target.
    weighted_n_node_samples : ndarray of shape (n_nodes,), float64
    n_node_samples : ndarray of shape (n_nodes,), int64
    impurity : ndarray of shape (n_nodes,), float64
    max_depth : int
        Splits on the longest path.
    normals : ndarray of shape (n_nodes, n_features) or None, default=None
        Directions of oblique splits, rows of 0 at all other nodes. None: all splits are on
        columns.
    """

    children_left: NDArray
    children_right: NDArray
    feature: NDArray
    threshold: NDArray
    bin_threshold: NDArray
    missing_go_to_left: NDArray
    value: NDArray
    weighted_n_node_samples: NDArray
    n_node_samples: NDArray
    impurity: NDArray
    max_depth: int
    normals: NDArray | None = None

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def is_leaf(self) -> NDArray:
        """Whether each node is a leaf."""
        return self.children_left == LEAF

    @property
    def is_oblique(self) -> bool:
        """Whether some split is along a direction that is no column."""
        return bool((self.feature == OBLIQUE).any())

    @property
    def label(self) -> NDArray:
        """Position of the heaviest class of each node, the first of equals."""
        return self.value.argmax(axis=1).astype(np.int32)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.children_left == LEAF).sum())


def class_shares(value: NDArray) -> NDArray:
    """Share of each class in the weight of each node; equal shares where there is no weight."""
    total = value.sum(axis=1, keepdims=True)
    return np.divide(value, total, out=np.full(value.shape, 1 / value.shape[1]), where=total > 0)


def impurities(value: NDArray, kind: str = "gini") -> NDArray:
    """Gini index, or entropy in bits, of the classes in each node."""
    share = class_shares(value)
    if kind == "gini":
        return 1.0 - (share**2).sum(axis=1)
    return -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)


def parents(left: NDArray, right: NDArray) -> NDArray:
    """Return the parent of each node, int32; -1 for roots."""
    parent = np.full(len(left), LEAF, dtype=np.int32)
    inner = np.flatnonzero(left != LEAF)
    parent[left[inner]] = parent[right[inner]] = inner
    return parent


def round_down(values: Any, dtype: Any) -> NDArray:
    """Return the greatest number of a type that is not above each value.

    A number x of the type is at most t exactly where it is at most t rounded down.
    """
    near = np.asarray(values).astype(dtype)
    return np.where(near > values, np.nextafter(near, dtype(-np.inf)), near).astype(dtype)


def require_columns(trees: Sequence[Tree], what: str) -> None:
    """Refuse trees with oblique splits."""
    for k, tree in enumerate(trees):
        if tree.is_oblique:
            raise ValueError(
                f"Tree {k} has oblique splits, along directions that are no columns. {what} needs "
                "splits on columns: use trees grown on the columns themselves."
            )
