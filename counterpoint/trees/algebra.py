"""Trees as functions: restrict them to a box, graft, simplify, compare.

Missing values. A region holds, in each column, the values in (lower, upper] and perhaps the
missing value. :func:`restrict` drops a split only if all of its region goes one way, the missing
value included, so that no operation here changes where a missing value ends, in the region that
was asked for. By default the missing value of a column belongs to a box that has no finite edge
in the column, and to no other. With ``missing=False`` it belongs to no box: fewer splits are
kept, and the result is promised for samples without missing values only.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._kernels import trees as kernels
from counterpoint.trees.convert import class_shares, require_columns
from counterpoint.trees.structure import LEAF, Tree, predict_trees, stack_trees

# Left, right, feature, threshold, and whether missing values go left.
Splits = tuple[NDArray, NDArray, NDArray, NDArray, NDArray]

_PER_NODE = (
    "feature",
    "threshold",
    "bin_threshold",
    "missing_go_to_left",
    "value",
    "weighted_n_node_samples",
    "n_node_samples",
    "impurity",
)


def apply(tree: Tree, X: ArrayLike) -> NDArray:
    """Return the leaf that each sample reaches.

    Parameters
    ----------
    tree : Tree
    X : array-like of shape (n_samples, n_features)
        NaN is missing. Trees from scikit-learn expect samples rounded to float32.

    Returns
    -------
    ndarray of shape (n_samples,), int32
        Numbers of nodes.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import apply
    >>> from counterpoint.trees.convert import from_sklearn
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> apply(tree, [[0.5], [0.6]]).tolist()
    [1, 2]
    """
    return predict_trees(stack_trees([tree]), np.asarray(X), kind="leaves")[0]


def restrict(
    tree: Tree,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    missing: ArrayLike | bool | None = None,
) -> Tree:
    """Return the tree that a tree defines on the box of samples ``lower < x <= upper``.

    Splits that send all of the box one way are dropped.

    Parameters
    ----------
    tree : Tree
        With splits on columns only.
    lower, upper : array-like of shape (n_features,)
        Edges of the box; -inf and inf where there is none.
    missing : bool, array-like of shape (n_features,) or None, default=None
        The columns in which missing values belong to the box. None: those without a finite edge.
        False gives the smallest tree.

    Returns
    -------
    Tree
        Equal to ``tree`` for every sample in the box. Counts and weights are those of ``tree``;
        :func:`relabel` counts anew.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import restrict
    >>> from counterpoint.trees.convert import from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    >>> edges = np.full(4, np.inf)
    >>> small = restrict(tree, [-np.inf, -np.inf, -np.inf, 1.0], edges)
    >>> tree.n_leaves > small.n_leaves
    True
    """
    require_columns([tree], "Restricting a tree to a box")
    low, high, gaps = _region(lower, upper, missing)
    _check_width(tree, len(low))
    if not ((low < high) | gaps).all():
        column = int(np.argmin((low < high) | gaps))
        raise ValueError(
            f"The box is empty: in column {column} lower={low[column]} is not below "
            f"upper={high[column]}."
        )
    kept, left, right = kernels.restrict(*split_arrays(tree), low, high, gaps)
    return _take(tree, kept, left, right)


def graft(tree: Tree, leaf: int, subtree: Tree) -> Tree:
    """Put a tree in the place of a leaf.

    Parameters
    ----------
    tree : Tree
    leaf : int
        The number of a leaf of ``tree``.
    subtree : Tree
        With as many classes. Splits that the path to the leaf decides are not dropped:
        :func:`restrict` the subtree to the leaf's box first, or :func:`simplify` the result.

    Returns
    -------
    Tree
        Nodes in preorder. Values and counts are those of the two trees; :func:`relabel` makes
        them agree.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import graft
    >>> from counterpoint.trees.convert import from_sklearn
    >>> one = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [1, 0]], [0, 1]))
    >>> two = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [0, 1]], [0, 1]))
    >>> graft(one, 2, two).feature.tolist()
    [0, -1, 1, -1, -1]
    """
    return graft_all(tree, {leaf: subtree})


def graft_all(tree: Tree, subtrees: Mapping[int, Tree]) -> Tree:
    """Put trees in the places of several leaves at once.

    Parameters
    ----------
    tree : Tree
    subtrees : mapping of int to Tree
        A tree for each leaf to be replaced, by the number of the leaf.

    Returns
    -------
    Tree
        Nodes in preorder.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import graft_all
    >>> from counterpoint.trees.convert import from_sklearn
    >>> one = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [1, 0]], [0, 1]))
    >>> two = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [0, 1]], [0, 1]))
    >>> graft_all(one, {1: two, 2: two}).n_leaves
    4
    """
    for leaf, subtree in subtrees.items():
        if not 0 <= leaf < tree.node_count or tree.children_left[leaf] != LEAF:
            raise ValueError(
                f"Node {leaf} is not a leaf of the tree, which has {tree.node_count} nodes: give "
                "the number of a leaf, as `apply` does."
            )
        if subtree.value.shape[1] != tree.value.shape[1]:
            raise ValueError(
                f"The subtree for leaf {leaf} has {subtree.value.shape[1]} classes, the tree "
                f"{tree.value.shape[1]}: graft only trees on the same classes."
            )
    parts = [tree, *subtrees.values()]
    starts = np.cumsum([0, *(part.node_count for part in parts[:-1])])
    left, right = (
        np.concatenate(
            [
                np.where(part.is_leaf, LEAF, getattr(part, name) + start)
                for part, start in zip(parts, starts, strict=True)
            ]
        ).astype(np.int32)
        for name in ("children_left", "children_right")
    )
    whole = Tree(
        children_left=left,
        children_right=right,
        max_depth=0,  # found at the end
        normals=_join_normals(parts),
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in _PER_NODE},
    )
    for leaf, start in zip(subtrees, starts[1:], strict=True):
        for name in (*_PER_NODE, "children_left", "children_right", "normals"):
            array = getattr(whole, name)
            if array is not None:
                array[leaf] = array[start]
    return _take(whole, *kernels.preorder(left, right))


def simplify(tree: Tree, *, by: str = "label", missing: ArrayLike | bool | None = None) -> Tree:
    """Drop splits that make no difference.

    First those that the splits above them decide, then, from below, those with two equal leaves.

    Parameters
    ----------
    tree : Tree
        In a tree with oblique splits only those with two equal leaves are dropped.
    by : {"label", "shares", "value"}, default="label"
        What is equal about equal leaves: the heaviest class, the shares of the classes, or the
        values as they are.
    missing : bool, array-like of shape (n_features,) or None, default=None
        The columns in which samples may be missing. None is all: the function is kept for
        missing values too.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import same_function, simplify
    >>> from counterpoint.trees.convert import from_sklearn
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y))
    >>> small = simplify(tree)
    >>> small.n_leaves < tree.n_leaves
    True
    >>> same_function(tree, small)
    (True, None)
    """
    if not tree.is_oblique:
        n_features = int(tree.feature.max()) + 1 if np.ndim(missing) == 0 else len(missing)  # type: ignore[arg-type]
        edges = np.full(n_features, np.inf)
        tree = restrict(tree, -edges, edges, missing=missing)
    code = _codes([tree], by)[0]
    left, right = tree.children_left.copy(), tree.children_right.copy()
    merged = code.copy()
    kernels.merge_equal(left, right, merged)
    made = np.flatnonzero((left == LEAF) & ~tree.is_leaf)
    value = _merged_values(tree, made, merged, by)
    tree = replace(
        tree,
        value=value,
        feature=np.where(left == LEAF, LEAF, tree.feature).astype(np.int32),
        threshold=np.where(left == LEAF, np.nan, tree.threshold),
    )
    return _take(tree, *kernels.preorder(left, right))


def same_function(
    tree_a: Tree,
    tree_b: Tree,
    *,
    by: str = "label",
    missing: bool = False,
    dtype: type = np.float64,
) -> tuple[bool, NDArray | None]:
    """Prove that two trees are the same function, or find a point where they differ.

    Both are walked at once, region by region: the answer is exact.

    Parameters
    ----------
    tree_a, tree_b : Tree
        With splits on columns only.
    by : {"label", "shares", "value"}, default="label"
        What must be equal: the heaviest class, the shares of the classes, or the values.
    missing : bool, default=False
        Whether samples with missing values count too.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        The numbers that samples are made of. With float32, as in scikit-learn's trees, parts of
        space between two neighbouring numbers do not count.

    Returns
    -------
    same : bool
    witness : ndarray of shape (n_features,) or None
        A sample that the trees answer differently; NaN where it is missing. None if there is
        none.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import same_function
    >>> from counterpoint.trees.convert import from_sklearn
    >>> one = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> two = from_sklearn(DecisionTreeClassifier().fit([[0], [2]], [0, 1]))
    >>> same, where = same_function(one, two)
    >>> same, where.tolist()
    (False, [0.75])
    """
    require_columns([tree_a, tree_b], "Comparing trees")
    if tree_a.value.shape[1] != tree_b.value.shape[1]:
        raise ValueError(
            f"One tree has {tree_a.value.shape[1]} classes, the other {tree_b.value.shape[1]}: "
            "only trees on the same classes can be compared."
        )
    code_a, code_b = _codes([tree_a, tree_b], by)
    n_features = max(int(tree_a.feature.max()), int(tree_b.feature.max()), 0) + 1
    for tree in (tree_a, tree_b):
        if tree.normals is not None:
            n_features = tree.normals.shape[1]
    upper = np.full(n_features, np.inf)
    lower = -upper
    gaps = np.full(n_features, bool(missing))
    splits = [_on_grid(split_arrays(tree), dtype) for tree in (tree_a, tree_b)]
    differ = kernels.first_difference(*splits[0], code_a, *splits[1], code_b, lower, upper, gaps)
    return (False, point_in(lower, upper, dtype=dtype)) if differ else (True, None)


def relabel(
    tree: Tree,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    empty: str = "drop",
) -> Tree:
    """Count anew which samples reach each node.

    Parameters
    ----------
    tree : Tree
    X : array-like of shape (n_samples, n_features)
        Rounded as the tree expects it.
    y : array-like of shape (n_samples,)
        Positions of the classes, from 0.
    sample_weight : array-like of shape (n_samples,), default=None
        None is 1 for each.
    empty : {"drop", "parent"}, default="drop"
        What to do with a node that no weight reaches. "drop": its sibling takes the place of
        their parent, missing values included. "parent": it stays, with counts of 0 and the
        values of the nearest node above that has some.

    Returns
    -------
    Tree
        With ``value``, ``weighted_n_node_samples``, ``n_node_samples`` of these samples, and
        ``impurity`` the Gini index.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.algebra import relabel
    >>> from counterpoint.trees.convert import from_sklearn
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> relabel(tree, [[0], [2], [3]], [1, 1, 0]).value.tolist()
    [[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]]
    """
    if empty not in ("drop", "parent"):
        raise ValueError(f"empty={empty!r}: choose drop or parent.")
    X, codes = np.asarray(X), np.asarray(y)
    if codes.shape != (len(X),):
        raise ValueError(f"y has shape {codes.shape} for {len(X)} samples: give one class each.")
    n_classes = tree.value.shape[1]
    if (
        codes.dtype.kind not in "iu"
        or codes.min(initial=0) < 0
        or codes.max(initial=0) >= n_classes
    ):
        raise ValueError(
            f"y must hold positions of classes, whole numbers from 0 to {n_classes - 1}: encode "
            "labels with numpy.searchsorted(classes, y)."
        )
    weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weight.shape != codes.shape or (weight < 0).any() or not weight.sum() > 0:
        raise ValueError(
            "sample_weight must hold one number from 0 for each sample, and not all 0."
        )
    leaf = apply(tree, X)
    table = np.zeros((tree.node_count, n_classes + 1))
    np.add.at(table, (leaf, codes), weight)
    np.add.at(table, (leaf, n_classes), (weight > 0).astype(float))
    kernels.sum_up(tree.children_left, tree.children_right, table)
    value, held = table[:, :n_classes], table[:, :n_classes].sum(axis=1)
    gini = 1.0 - (class_shares(value) ** 2).sum(axis=1)
    left, right = tree.children_left, tree.children_right
    if empty == "parent":
        for node in np.flatnonzero(~tree.is_leaf):  # parents come first
            for child in (left[node], right[node]):
                if held[child] == 0:
                    value[child], gini[child] = value[node], gini[node]
    counted = replace(
        tree,
        value=np.ascontiguousarray(value),
        weighted_n_node_samples=held,
        n_node_samples=table[:, n_classes].astype(np.int64),
        impurity=gini,
    )
    if empty == "parent" or (held > 0).all():
        return counted
    # The one child of a node that weight reaches stands for the node; found from below.
    stands_for = np.arange(tree.node_count, dtype=np.int32)
    left, right = left.copy(), right.copy()
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        a, b = left[node], right[node]
        if held[a] > 0 and held[b] > 0:
            left[node], right[node] = stands_for[a], stands_for[b]
        else:
            stands_for[node] = stands_for[a if held[a] > 0 else b]
    kept, new_left, new_right = kernels.preorder(*_rooted(left, right, stands_for[0]))
    kept = np.where(kept == 0, stands_for[0], kept)
    return _take(counted, kept, new_left, new_right)


def point_in(lower: NDArray, upper: NDArray, *, dtype: type = np.float64) -> NDArray:
    """Return a sample with ``lower < x <= upper``; NaN where there is no such number.

    Parameters
    ----------
    lower, upper : ndarray of shape (n_features,)
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        The numbers to choose from.

    Returns
    -------
    ndarray of shape (n_features,), of ``dtype``

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.trees.algebra import point_in
    >>> point_in(np.array([0.0, -np.inf]), np.array([1.0, 3.0])).tolist()
    [0.5, 3.0]
    """
    point: NDArray = np.zeros(len(lower), dtype=dtype)
    for f, (low, high) in enumerate(zip(lower, upper, strict=True)):
        if not low < high:
            point[f] = np.nan
            continue
        if np.isfinite(high):
            tries = [(low + high) / 2 if np.isfinite(low) else high, high]
        else:
            tries = [low + max(1.0, abs(low)) if np.isfinite(low) else 0.0]
        tries.append(float(np.nextafter(_floor(low, dtype), dtype(np.inf))))
        fits = [t for t in (dtype(t) for t in tries) if low < t <= high]
        point[f] = fits[0] if fits else np.nan
    return point


# -- the arrays behind -------------------------------------------------------------------------


def split_arrays(tree: Tree) -> Splits:
    """Return what kernels need of a tree."""
    return (
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        np.asarray(tree.missing_go_to_left, dtype=bool),
    )


def _floor(values, dtype):
    """Round down to a number of the type."""
    near = np.asarray(values).astype(dtype)
    return np.where(near > values, np.nextafter(near, dtype(-np.inf)), near).astype(dtype)


def _on_grid(splits: Splits, dtype) -> Splits:
    # x <= t for a number x of the type exactly where x <= t rounded down to the type.
    left, right, feature, cut, gone = splits
    return left, right, feature, _floor(cut, dtype).astype(np.float64), gone


def _region(lower, upper, missing):
    low, high = (np.array(edge, dtype=np.float64) for edge in (lower, upper))
    if low.ndim != 1 or low.shape != high.shape:
        raise ValueError(
            f"lower has shape {low.shape} and upper {high.shape}: give one number for each column."
        )
    if np.isnan(low).any() or np.isnan(high).any():
        raise ValueError("lower or upper holds NaN: use -inf and inf where there is no edge.")
    if missing is None:
        gaps = np.isneginf(low) & np.isposinf(high)
    else:
        gaps = np.array(np.broadcast_to(np.asarray(missing, dtype=bool), low.shape))
    return low, high, gaps


def _check_width(tree, n_features):
    if tree.feature.max() >= n_features:
        raise ValueError(
            f"The tree asks for column {tree.feature.max()}, but the box has {n_features} columns."
        )


def _take(tree, kept, left, right):
    """Make the tree of some nodes of another."""
    arrays = {name: getattr(tree, name)[kept] for name in _PER_NODE}
    leaf = left == LEAF
    arrays["feature"] = np.where(leaf, LEAF, arrays["feature"]).astype(np.int32)
    arrays["threshold"] = np.where(leaf, np.nan, arrays["threshold"])
    return Tree(
        children_left=left,
        children_right=right,
        max_depth=int(kernels.depth(left, right)),
        normals=None if tree.normals is None else tree.normals[kept],
        **arrays,
    )


def _join_normals(parts):
    widths = {part.normals.shape[1] for part in parts if part.normals is not None}
    if not widths:
        return None
    if len(widths) > 1:
        raise ValueError(
            f"The trees have oblique splits on {sorted(widths)} columns: not the same."
        )
    width = widths.pop()
    return np.concatenate(
        [
            np.zeros((part.node_count, width)) if part.normals is None else part.normals
            for part in parts
        ]
    )


def _codes(trees, by):
    """Give what nodes say a number, the same for the same answer."""
    if by == "label":
        return [tree.label for tree in trees]
    if by not in ("shares", "value"):
        raise ValueError(f"by={by!r}: choose label, shares or value.")
    rows = np.concatenate([tree.value for tree in trees])
    rows = class_shares(rows) if by == "shares" else rows
    code = np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int32)
    return np.split(code, np.cumsum([tree.node_count for tree in trees])[:-1])


def _merged_values(tree, made, code, by):
    """Values for splits made leaves that say what the leaves under them said."""
    value = tree.value.copy()
    for node in made[::-1]:
        a, b = tree.children_left[node], tree.children_right[node]
        if by == "value" or (
            by == "shares" and (class_shares(value[[node]]) != class_shares(value[[a]])).any()
        ):
            value[node] = value[a]
        if by != "label":
            continue
        # The node's own weights, unless they speak for another class: then those below, and
        # of the two sides the first if rounding has made a tie of their sum.
        for row in (value[node], value[a] + value[b], value[a]):
            if row.argmax() == code[node]:
                value[node] = row
                break
    return value


def _rooted(left, right, root):
    left, right = left.copy(), right.copy()
    left[0], right[0] = left[root], right[root]
    return left, right
