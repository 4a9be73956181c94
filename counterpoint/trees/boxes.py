"""Leaves as boxes, ``lower < x <= upper``, which know nothing of missing values."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._kernels import boxes as kernels
from counterpoint._validation import check_count
from counterpoint.trees.structure import MOST_COLUMNS, Tree, require_columns


def leaf_boxes(tree: Tree, n_features: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the boxes of the leaves of a tree.

    Together they fill the space, and no two overlap. A leaf that no sample can reach, because
    splits on its path exclude each other, has an empty box: ``lower >= upper`` somewhere.

    Parameters
    ----------
    tree : Tree
        With splits on columns only.
    n_features : int
        Number of columns.

    Returns
    -------
    leaf : ndarray of shape (n_leaves,)
        Numbers of the leaves, increasing.
    lower, upper : ndarray of shape (n_leaves, n_features)
        A leaf holds the samples with ``lower < x <= upper``; -inf and inf where there is no edge.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import from_sklearn, leaf_boxes
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> leaf, lower, upper = leaf_boxes(tree, 1)
    >>> leaf.tolist(), lower.tolist(), upper.tolist()
    ([1, 2], [[-inf], [0.5]], [[0.5], [inf]])
    """
    check_columns([tree], n_features)
    lower, upper = kernels.node_boxes(
        tree.children_left, tree.children_right, tree.feature, tree.threshold, n_features
    )
    leaf = np.flatnonzero(tree.is_leaf)
    return leaf, lower[leaf], upper[leaf]


def leaf_missing(tree: Tree, n_features: int) -> NDArray:
    """Say in which columns a sample that reaches a leaf may be missing: (n_leaves, n_features)."""
    check_columns([tree], n_features)
    held = np.ones((tree.node_count, n_features), dtype=bool)
    for node in np.flatnonzero(~tree.is_leaf):  # parents come first
        left, right, f = tree.children_left[node], tree.children_right[node], tree.feature[node]
        held[left] = held[right] = held[node]
        held[left, f] &= tree.missing_go_to_left[node]
        held[right, f] &= not tree.missing_go_to_left[node]
    return held[tree.is_leaf]


def data_bounds(X: ArrayLike) -> tuple[NDArray, NDArray]:
    """Return least and greatest value of each column, missing ones left out; 0 if it has none."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or len(X) == 0:
        raise ValueError(f"X has shape {X.shape}: pass (n_samples, n_features), not empty.")
    known = ~np.isnan(X)
    low = np.where(known, X, np.inf).min(axis=0)
    high = np.where(known, X, -np.inf).max(axis=0)
    none = ~known.any(axis=0)
    return np.where(none, 0.0, low), np.where(none, 0.0, high)


def box_volumes(
    lower: ArrayLike,
    upper: ArrayLike,
    bounds: tuple[ArrayLike, ArrayLike],
    *,
    relative: bool = False,
    log: bool = False,
) -> NDArray:
    """Return the volumes (n_boxes,) of boxes, cut off at the finite ``bounds`` (low, high).

    A column in which the bounds coincide counts 1 for a box that holds its one value, 0 for others.
    ``relative`` gives shares of the volume of the bounds, ``log`` natural logarithms.
    """
    lower, upper = (np.atleast_2d(np.asarray(edge, dtype=np.float64)) for edge in (lower, upper))
    low, high = (np.asarray(edge, dtype=np.float64) for edge in bounds)
    if lower.shape != upper.shape or low.shape != high.shape or low.shape != lower.shape[1:]:
        raise ValueError(
            f"Boxes have edges of shapes {lower.shape} and {upper.shape}, bounds {low.shape} and "
            f"{high.shape}: give (n_boxes, n_features) and (n_features,)."
        )
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ValueError("bounds must be finite, low not above high: take those of the data.")
    side = np.maximum(np.minimum(upper, high) - np.maximum(lower, low), 0.0)
    flat = low == high
    side[:, flat] = ((lower < low) & (low <= upper))[:, flat]
    if relative:
        side /= np.where(flat, 1.0, high - low)
    if not log:
        return side.prod(axis=1)
    with np.errstate(divide="ignore"):
        return np.log(side).sum(axis=1)


def overlap(
    lower_a: ArrayLike, upper_a: ArrayLike, lower_b: ArrayLike, upper_b: ArrayLike
) -> tuple[NDArray, NDArray, NDArray]:
    """Return all overlaps of two lists of boxes: pairs (n_overlaps, 2), lower and upper edges."""
    edges = [np.asarray(e, dtype=np.float64) for e in (lower_a, upper_a, lower_b, upper_b)]
    if any(e.ndim != 2 for e in edges) or len({e.shape[1] for e in edges}) > 1:
        raise ValueError(
            f"The edges have shapes {[e.shape for e in edges]}: give (n_boxes, n_features), with "
            "the same columns."
        )
    pairs = kernels.overlapping_pairs(*(np.ascontiguousarray(e) for e in edges))
    i, j = pairs.T
    return pairs, np.maximum(edges[0][i], edges[2][j]), np.minimum(edges[1][i], edges[3][j])


def check_columns(trees: Sequence[Tree], n_features: int) -> None:
    """Refuse oblique splits, and splits on columns beyond the last."""
    check_count(n_features, "n_features", low=0, high=MOST_COLUMNS)
    require_columns(trees, "Taking leaves as boxes")
    asked = max(int(tree.feature.max()) for tree in trees)
    if asked >= n_features:
        raise ValueError(f"n_features={n_features}, but the trees ask for column {asked}.")
