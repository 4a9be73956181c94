"""Trees as plain arrays, one or many, and what they say about samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._kernels import forest as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint.trees.binning import MISSING, BinnedData

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


@dataclass(frozen=True, kw_only=True)
class StackedTrees:
    """Trees laid end to end for prediction; made by :func:`stack_trees`.

    Nodes are numbered over all trees. A leaf is its own child.

    Attributes
    ----------
    roots, depths : ndarray of shape (n_trees,)
    feature : ndarray of shape (n_nodes,), int32
    threshold : ndarray of shape (n_nodes,), float64
    bin_threshold : ndarray of shape (n_nodes,), uint8
    children : ndarray of shape (n_nodes, 3), int32
        Left, right, and where missing values go.
    value : ndarray of shape (n_nodes, n_classes) or (n_nodes, 1)
    label : ndarray of shape (n_nodes,), int32
        The heaviest class, the first of equals.
    directions : ndarray of shape (n_directions, n_features) or None, default=None
        Of oblique splits, each once. Direction k is feature ``n_features + k``.
    """

    roots: NDArray
    depths: NDArray
    feature: NDArray
    threshold: NDArray
    bin_threshold: NDArray
    children: NDArray
    value: NDArray
    label: NDArray
    directions: NDArray | None = None

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)


def stack_trees(trees: Sequence[Tree]) -> StackedTrees:
    """Lay trees end to end.

    Parameters
    ----------
    trees : sequence of Tree
        All with the same number of classes. At least one.

    Returns
    -------
    StackedTrees

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trees import HistTreeClassifier, predict_trees, stack_trees
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = [HistTreeClassifier(max_depth=d).fit(X, y).tree_ for d in (1, 2)]
    >>> predict_trees(stack_trees(trees), X).shape
    (2, 150)
    """
    if not trees:
        raise ValueError("No trees were given: pass at least one.")
    widths = sorted({tree.value.shape[1] for tree in trees})
    if len(widths) > 1:
        raise ValueError(
            f"The trees hold values of different widths, {widths}: stack only trees grown on the "
            "same classes."
        )
    roots = np.cumsum([0] + [tree.node_count for tree in trees[:-1]]).astype(np.int32)
    children, leaf = [], []
    for root, tree in zip(roots, trees, strict=True):
        own = np.arange(tree.node_count, dtype=np.int32)
        is_leaf = tree.children_left == LEAF
        left = np.where(is_leaf, own, tree.children_left)
        right = np.where(is_leaf, own, tree.children_right)
        missing = np.where(tree.missing_go_to_left, left, right)
        children.append(np.stack([left, right, missing], axis=1) + root)
        leaf.append(is_leaf)
    value = np.concatenate([tree.value for tree in trees])
    is_leaf = np.concatenate(leaf)
    feature = np.concatenate([tree.feature for tree in trees])
    feature, directions = _number_directions(trees, feature)
    return StackedTrees(
        roots=roots,
        depths=np.array([tree.max_depth for tree in trees], dtype=np.int64),
        feature=np.where(is_leaf, 0, feature).astype(np.int32),
        threshold=np.where(is_leaf, np.inf, np.concatenate([tree.threshold for tree in trees])),
        bin_threshold=np.where(
            is_leaf, np.uint8(MISSING), np.concatenate([tree.bin_threshold for tree in trees])
        ),
        children=np.concatenate(children).astype(np.int32),
        value=value,
        label=value.argmax(axis=1).astype(np.int32),
        directions=directions,
    )


def _number_directions(trees, feature):
    """Give each direction of an oblique split a number after those of the columns."""
    oblique = feature == OBLIQUE
    if not oblique.any():
        return feature, None
    rows = np.concatenate(
        [tree.normals[tree.feature == OBLIQUE] for tree in trees if tree.is_oblique]
    )
    # Trees on a random basis have one direction at many nodes: project samples on it only once.
    directions, at = np.unique(rows, axis=0, return_inverse=True)
    feature = feature.copy()
    feature[oblique] = directions.shape[1] + at.ravel()
    return feature, directions


def predict_trees(
    stacked: StackedTrees,
    X: ArrayLike | BinnedData,
    *,
    kind: str = "votes",
    weights: ArrayLike | None = None,
) -> NDArray:
    """Ask all trees about all samples in one kernel.

    Parameters
    ----------
    stacked : StackedTrees
        From :func:`stack_trees`.
    X : array-like of shape (n_samples, n_features) or BinnedData
        Numbers, NaN for missing; or bins from the :class:`Binner` of the trees. Samples the
        trees were grown on reach the same leaf by bins as by numbers. So do all others in
        columns of quantile bins; where each value has a bin, a value never seen in training may
        lie in the same bin as a threshold and go the other way.
    kind : {"votes", "leaves", "values", "vote_sum", "value_sum"}, default="votes"
        "votes": class codes, int32; "leaves": node numbers within each tree, int32; "values":
        first column of the value, that is the mean target of regression trees. All of shape
        (n_trees, n_samples). "vote_sum": the weight of the trees that vote for each class;
        "value_sum": weighted sum of the values in the leaves reached. Both of shape
        (n_samples, n_classes).
    weights : array-like of shape (n_trees,), default=None
        For the sums. None is 1 for each tree.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trees import HistTreeClassifier, predict_trees, stack_trees
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = [HistTreeClassifier(max_depth=d).fit(X, y).tree_ for d in (1, 2, 3)]
    >>> predict_trees(stack_trees(trees), X, kind="vote_sum")[0].tolist()
    [3.0, 0.0, 0.0]
    """
    missing: float | np.uint8 = np.nan
    if stacked.directions is not None:
        X = _project(stacked.directions, X)
    if isinstance(X, BinnedData):
        codes, missing, cut = X.codes, np.uint8(MISSING), stacked.bin_threshold
    else:
        codes = np.asarray(X)
        if codes.dtype not in (np.float32, np.float64):
            codes = codes.astype(np.float64)
        codes, cut = np.ascontiguousarray(codes), stacked.threshold
    if codes.ndim != 2 or codes.shape[1] <= stacked.feature.max():
        raise ValueError(
            f"X has shape {codes.shape}, but the trees ask for column {stacked.feature.max()}: "
            "pass (n_samples, n_features) with the columns of the training data."
        )
    with threads_for(len(codes) * int(stacked.depths.sum())):
        return _ask(stacked, codes, missing, cut, kind, weights)


def _ask(stacked, codes, missing, cut, kind, weights):
    where = (stacked.roots, stacked.depths, stacked.feature, cut, stacked.children)
    if kind == "votes":
        return kernels.look_up(codes, missing, *where, stacked.label)
    if kind == "leaves":
        numbers = np.arange(len(stacked.feature), dtype=np.int32)
        return kernels.look_up(codes, missing, *where, numbers) - stacked.roots[:, None]
    if kind == "values":
        return kernels.look_up(codes, missing, *where, np.ascontiguousarray(stacked.value[:, 0]))
    if kind not in ("vote_sum", "value_sum"):
        raise ValueError(f"kind={kind!r}: choose votes, leaves, values, vote_sum or value_sum.")
    table = np.asarray(stacked.value, dtype=np.float64)
    if kind == "vote_sum":
        table = (np.arange(table.shape[1]) == stacked.label[:, None]).astype(np.float64)
    weights = np.ones(stacked.n_trees) if weights is None else np.asarray(weights, dtype=float)
    if weights.shape != (stacked.n_trees,):
        raise ValueError(
            f"weights has shape {weights.shape}, expected ({stacked.n_trees},): one per tree."
        )
    return kernels.add_up(codes, missing, *where, table, weights)


def _project(directions, X):
    """Put what samples are along each direction after their columns."""
    if isinstance(X, BinnedData):
        raise ValueError("Oblique splits need numbers: pass X, not its bins.")
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != directions.shape[1]:
        raise ValueError(
            f"X has shape {X.shape}, but the oblique splits are on {directions.shape[1]} columns: "
            "pass (n_samples, n_features) with the columns of the training data."
        )
    return np.concatenate([X, X @ directions.T], axis=1)
