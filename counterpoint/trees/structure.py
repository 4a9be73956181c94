"""One tree as plain arrays, and what follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import check_sample_weight
from counterpoint._kernels import trees as kernels

LEAF = -1
# The feature of a split along a direction that is no column.
OBLIQUE = -2
# Work on a tree takes arrays as long as there are columns: what asks for more is no tree.
MOST_COLUMNS = 2**20


@dataclass(frozen=True, kw_only=True)
class Tree:
    """One binary tree; node 0 is the root and children come after their parents.

    A sample goes left where its value is not above the threshold. In a leaf both children are
    -1, the feature is -1 and the threshold NaN. An oblique split compares the scalar product of
    the sample and a row of ``normals`` with the threshold; its feature is -2. A split on categories
    has a set of them in ``categories``, which go left, and the threshold NaN.

    The arrays are kept as they are given. Functions that take a tree check it first: that every
    node but the root is the child of one node before it, that columns are from 0 to 2 ** 20 - 1,
    that thresholds are numbers, values and weights finite, all of agreeing shapes and types. They
    raise a ``ValueError`` that names the node at fault.

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
    categories : ndarray of shape (n_nodes, 4), uint64, or None, default=None
        Sets of whole numbers from 0 to 255, a bit each, rows of 0 at all other nodes; what is no
        such number goes where missing values go. None: no split is on categories.
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
    categories: NDArray | None = None

    def _check_sound(self):
        check_tree(self)

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
    def on_categories(self) -> NDArray:
        """Whether each node is a split on categories."""
        return np.isnan(self.threshold) & ~self.is_leaf

    @property
    def label(self) -> NDArray:
        """Position of the heaviest class of each node, the first of equals."""
        return self.value.argmax(axis=1).astype(np.int32)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.children_left == LEAF).sum())


# What a tree has for each node, beside its children and perhaps a direction.
PER_NODE = (
    "feature",
    "threshold",
    "bin_threshold",
    "missing_go_to_left",
    "value",
    "weighted_n_node_samples",
    "n_node_samples",
    "impurity",
)
# What it may have, a row for each node, and what is in the rows of nodes that have no use for it.
_ROWS_OF_ZERO = {"normals": np.float64(0.0), "categories": np.uint64(0)}


def take_nodes(tree: Tree, kept: NDArray, left: NDArray, right: NDArray) -> Tree:
    """Return the tree of some nodes of another, with these children; -1 makes a leaf."""
    leaf = left == LEAF
    arrays = {name: getattr(tree, name)[kept] for name in PER_NODE}
    arrays["feature"] = np.where(leaf, LEAF, arrays["feature"]).astype(np.int32)
    arrays["threshold"] = np.where(leaf, np.nan, arrays["threshold"])
    arrays["bin_threshold"] = np.where(leaf, 0, arrays["bin_threshold"]).astype(np.uint8)
    arrays["missing_go_to_left"] = arrays["missing_go_to_left"] & ~leaf
    for name, zero in _ROWS_OF_ZERO.items():
        rows = getattr(tree, name)
        arrays[name] = None if rows is None else np.where(leaf[:, None], zero, rows[kept])
    return Tree(
        children_left=left,
        children_right=right,
        max_depth=int(kernels.depth(left, right)),
        **arrays,
    )


def join_trees(trees: Sequence[Tree]) -> Tree:
    """Return the nodes of all trees, one tree after the other, numbered through."""
    widths = {tree.normals.shape[1] for tree in trees if tree.normals is not None}
    if len(widths) > 1:
        raise ValueError(
            f"The trees have oblique splits on {sorted(widths)} columns: not the same."
        )
    sizes = [tree.node_count for tree in trees]
    first = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    left = np.concatenate([tree.children_left for tree in trees])
    right = np.concatenate([tree.children_right for tree in trees])
    rows: dict[str, Any] = {}
    for name, zero in _ROWS_OF_ZERO.items():
        given = [getattr(tree, name) for tree in trees]
        width = next((one.shape[1] for one in given if one is not None), None)
        rows[name] = None
        if width is not None:
            rows[name] = np.concatenate(
                [
                    np.full((n, width), zero) if one is None else one
                    for n, one in zip(sizes, given, strict=True)
                ]
            )
    return Tree(
        children_left=np.where(left == LEAF, LEAF, left + first).astype(np.int32),
        children_right=np.where(left == LEAF, LEAF, right + first).astype(np.int32),
        max_depth=max(tree.max_depth for tree in trees),
        **rows,
        **{name: np.concatenate([getattr(tree, name) for tree in trees]) for name in PER_NODE},
    )


# The kinds of numbers that each array may hold.
_KINDS = {
    "children_left": "i",
    "children_right": "i",
    "feature": "i",
    "threshold": "f",
    "bin_threshold": "iu",
    "missing_go_to_left": "biu",
    "value": "fiu",
    "weighted_n_node_samples": "fiu",
    "n_node_samples": "fiu",
    "impurity": "f",
    "normals": "f",
    "categories": "u",
}
_FAULTS = {
    kernels.ONE_CHILD: "has one child: give two, or -1 for both",
    kernels.FAR_CHILD: "has a child that is not among the nodes after it",
    kernels.TWO_PARENTS: "is a child twice",
    kernels.NO_PARENT: "is no node's child",
}


def check_tree(tree: Any, name: str = "tree", *, n_features: int | None = None) -> Tree:
    """Return a tree that kernels may walk, or say which of its arrays or nodes is at fault."""
    if not isinstance(tree, Tree):
        raise TypeError(
            f"{name} is a {type(tree).__name__}: give a Tree, as from_sklearn or take_trees make."
        )
    _check_arrays(tree, name)
    if tree.children_left.dtype != tree.children_right.dtype:
        raise ValueError(f"{name} has children of different types: give both as int32.")
    depth = check_children(tree.children_left, tree.children_right, name)
    if not isinstance(tree.max_depth, Integral) or not depth <= tree.max_depth <= tree.node_count:
        raise ValueError(
            f"{name} has max_depth={tree.max_depth!r}, but its longest path has {depth} splits: "
            "give that."
        )
    leaf, feature, n_columns = tree.is_leaf, tree.feature, MOST_COLUMNS
    if n_features is not None:
        n_columns = n_features
    elif tree.normals is not None:
        n_columns = tree.normals.shape[1]
    known = (feature < n_columns) & ((feature >= 0) | leaf)
    known = (
        known | (feature == OBLIQUE) if tree.normals is not None else known & (feature != OBLIQUE)
    )
    if not known.all():
        node = int(known.argmin())
        raise ValueError(
            f"{name} has feature {feature[node]} at node {node}: give columns from 0 to "
            f"{n_columns - 1}, -1 in leaves and, with normals, -2 for oblique splits."
        )
    strange = tree.on_categories
    if tree.categories is None and strange.any():
        raise ValueError(f"{name} has threshold NaN at node {strange.argmax()}, which is a split.")
    if (feature[strange] < 0).any():
        raise ValueError(f"{name} has an oblique split on categories: give it a threshold.")
    for part in ("value", "weighted_n_node_samples", "impurity", "normals"):
        array = getattr(tree, part)
        if array is not None and not np.isfinite(array).all():
            raise ValueError(f"{name} has values in {part} that are not finite.")
    return tree


def _check_arrays(tree, name):
    n_nodes = None
    for part, kinds in _KINDS.items():
        array = getattr(tree, part)
        if part in _ROWS_OF_ZERO and array is None:
            continue
        if not isinstance(array, np.ndarray):
            raise ValueError(f"{name} has {part} of type {type(array).__name__}: give an array.")
        kind, size = array.dtype.kind, array.dtype.itemsize
        if kind not in kinds or not array.dtype.isnative or (kind == "f" and size not in (4, 8)):
            raise ValueError(
                f"{name} has {part} of type {array.dtype}: give the types in Tree's docstring."
            )
        n_nodes = array.size if n_nodes is None else n_nodes
        ndim = 2 if part in ("value", *_ROWS_OF_ZERO) else 1
        if part == "categories" and (size != 8 or array.shape[1:] != (4,)):
            raise ValueError(
                f"{name} has categories of type {array.dtype} and shape {array.shape}: give uint64 "
                f"of shape ({n_nodes}, 4)."
            )
        if array.ndim != ndim or len(array) != n_nodes or array.size == 0:
            raise ValueError(
                f"{name} has {part} of shape {array.shape}, expected "
                f"({n_nodes}{', at least 1' if ndim == 2 else ''}{',' if ndim == 1 else ''}): "
                "one row for each node, and at least one node."
            )


def check_children(left: Any, right: Any, name: str = "tree") -> int:
    """Return the depth of the tree that children make, or say at which node they make none."""
    left, right = np.asarray(left), np.asarray(right)
    if left.ndim != 1 or left.shape != right.shape or len(left) == 0:
        raise ValueError(
            f"{name} has children_left of shape {left.shape} and children_right {right.shape}, "
            "expected the same (n_nodes,) with at least one node."
        )
    # One type, so that the kernel is compiled once.
    fault, at = kernels.first_fault(*(np.ascontiguousarray(a, np.int64) for a in (left, right)))
    if fault:
        raise ValueError(
            f"{name} is no binary tree: node {at} {_FAULTS[fault]}. There are {len(left)} nodes; "
            "each but the first must be in children_left or children_right of one node before it."
        )
    return int(at)


def check_cases(
    tree: Tree, X: NDArray, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray, NDArray]:
    """Return the positions of the samples' classes, and their weights."""
    codes, n_classes = np.asarray(y), tree.value.shape[1]
    if (
        codes.shape != (len(X),)
        or codes.dtype.kind not in "iu"
        or not ((codes >= 0) & (codes < n_classes)).all()
    ):
        raise ValueError(
            f"y must hold the position of a class, from 0 to {n_classes - 1}, for each of the "
            f"{len(X)} samples: encode labels with numpy.searchsorted(classes, y)."
        )
    weight = check_sample_weight(sample_weight, len(X))
    return codes, np.ones(len(X)) if weight is None else weight


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
    """Return the greatest number of a type that is not above each value."""
    near = np.asarray(values).astype(dtype)
    return np.where(near > values, np.nextafter(near, dtype(-np.inf)), near).astype(dtype)


def require_columns(trees: Sequence[Tree], what: str) -> None:
    """Refuse what is no tree, and trees with oblique splits or splits on categories."""
    for k, tree in enumerate(trees):
        check_tree(tree, f"tree {k}" if k else "tree")
        if tree.is_oblique:
            raise ValueError(
                f"Tree {k} has oblique splits, along directions that are no columns. {what} needs "
                "splits on columns: use trees grown on the columns themselves."
            )
        refuse_categories(tree, what, f"Tree {k}")


def refuse_categories(tree: Tree, what: str, name: str = "The tree") -> None:
    """Refuse a tree with splits on categories, which have no threshold."""
    if tree.categories is not None and tree.on_categories.any():
        raise ValueError(
            f"{name} has splits on categories, and {what[:1].lower()}{what[1:]} needs thresholds: "
            "grow it on numbers, with categorical_features=None."
        )
