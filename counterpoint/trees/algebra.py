"""Trees as functions: restrict them to a box, graft, simplify, count anew.

Missing values. A region holds, in each column, the values in (lower, upper] and perhaps the
missing value. :func:`restrict` drops a split only if all of its region goes one way, the missing
value included, so that no operation here changes where a missing value ends, in the region that
was asked for. With ``missing=False`` it belongs to no box: fewer splits are kept, and the result
is promised for samples without missing values only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import as_floats, check_axes
from counterpoint._kernels import trees as kernels
from counterpoint._validation import check_choice, check_count
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.structure import (
    LEAF,
    PER_NODE,
    Tree,
    check_cases,
    check_tree,
    class_shares,
    impurities,
    join_trees,
    require_columns,
    take_nodes,
)

# Left, right, feature, threshold, and whether missing values go left.
Splits = tuple[NDArray, NDArray, NDArray, NDArray, NDArray]


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
    >>> from counterpoint.trees import apply, from_sklearn
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> apply(tree, [[0.5], [0.6]]).tolist()
    [1, 2]
    """
    return predict_trees(stack_trees([tree]), np.asarray(X), kind="leaves")[0]


def restrict(
    tree: Tree, lower: ArrayLike, upper: ArrayLike, *, missing: ArrayLike | bool | None = None
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
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import from_sklearn, restrict
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0]))
    >>> tree.n_leaves, restrict(tree, [0.2], [1.0]).n_leaves
    (3, 2)
    """
    require_columns([tree], "Restricting a tree to a box")
    low, high, gaps = _region(lower, upper, missing)
    if tree.feature.max() >= len(low):
        raise ValueError(
            f"The tree asks for column {tree.feature.max()}, but the box has {len(low)} columns."
        )
    if not ((low < high) | gaps).all():
        column = int(np.argmin((low < high) | gaps))
        raise ValueError(
            f"The box is empty: in column {column} lower={low[column]} is not below "
            f"upper={high[column]}."
        )
    kept, left, right = kernels.restrict(*split_arrays(tree), low, high, gaps)
    return take_nodes(tree, kept, left, right)


def graft(tree: Tree, subtrees: Mapping[int, Tree]) -> Tree:
    """Put trees in the places of leaves.

    Parameters
    ----------
    tree : Tree
    subtrees : mapping of int to Tree
        A tree for each leaf to be replaced, by the number of the leaf; all with as many classes.
        Splits that the path to the leaf decides are not dropped: :func:`restrict` the subtree to
        the leaf's box first, or :func:`simplify` the result.

    Returns
    -------
    Tree
        Nodes in preorder. Values and counts are those of the trees; :func:`relabel` makes them
        agree.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import from_sklearn, graft
    >>> one = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [1, 0]], [0, 1]))
    >>> two = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [0, 1]], [0, 1]))
    >>> graft(one, {2: two}).feature.tolist()
    [0, -1, 1, -1, -1]
    """
    check_tree(tree)
    if not isinstance(subtrees, Mapping):
        raise TypeError(
            f"subtrees is a {type(subtrees).__name__}: give a mapping from the numbers of leaves "
            "to trees, such as {2: tree}."
        )
    for leaf, subtree in subtrees.items():
        check_count(leaf, "leaf", low=0, hint=", the number of a leaf, as `apply` does")
        check_tree(subtree, f"the subtree for leaf {leaf}")
        if leaf >= tree.node_count or tree.children_left[leaf] != LEAF:
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
    whole = join_trees(parts)
    starts = np.cumsum([part.node_count for part in parts[:-1]])
    for leaf, start in zip(subtrees, starts, strict=True):
        for name in (*PER_NODE, "children_left", "children_right", "normals"):
            array = getattr(whole, name)
            if array is not None:
                array[leaf] = array[start]
    return take_nodes(whole, *kernels.preorder(whole.children_left, whole.children_right))


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
    >>> from counterpoint.trees import from_sklearn, same_function, simplify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y))
    >>> simplify(tree).n_leaves < tree.n_leaves, same_function(tree, simplify(tree))
    (True, (True, None))
    """
    check_tree(tree)
    if not tree.is_oblique:
        n_features = int(tree.feature.max()) + 1 if np.ndim(missing) == 0 else len(missing)  # type: ignore[arg-type]
        edges = np.full(n_features, np.inf)
        tree = restrict(tree, -edges, edges, missing=missing)
    code = answer_codes([tree], by)[0]
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
    return take_nodes(tree, *kernels.preorder(left, right))


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
    >>> from counterpoint.trees import from_sklearn, relabel
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> relabel(tree, [[0], [2], [3]], [1, 1, 0]).value.tolist()
    [[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]]
    """
    check_tree(tree)
    check_choice(empty, "empty", ("drop", "parent"))
    rows, n_classes = as_floats(X, "X", ("n_samples", "n_features")), tree.value.shape[1]
    check_axes(rows, "X", ("n_samples", "n_features"))
    codes, weight = check_cases(tree, rows, y, sample_weight)
    leaf = apply(tree, rows)
    table = np.zeros((tree.node_count, n_classes + 1))
    np.add.at(table, (leaf, codes), weight)
    np.add.at(table, (leaf, n_classes), (weight > 0).astype(float))
    kernels.sum_up(tree.children_left, tree.children_right, table)
    value, held = table[:, :n_classes], table[:, :n_classes].sum(axis=1)
    gini = impurities(value)
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
    root = stands_for[0]
    left[0], right[0] = left[root], right[root]
    kept, new_left, new_right = kernels.preorder(left, right)
    kept = np.where(kept == 0, root, kept)
    return take_nodes(counted, kept, new_left, new_right)


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


def _region(lower, upper, missing):
    low, high = (
        np.array(as_floats(edge, name, ("n_features",)))
        for edge, name in ((lower, "lower"), (upper, "upper"))
    )
    if low.ndim != 1 or low.shape != high.shape:
        raise ValueError(
            f"lower has shape {low.shape} and upper {high.shape}: give one number for each column."
        )
    if np.isnan(low).any() or np.isnan(high).any():
        raise ValueError("lower or upper holds NaN: use -inf and inf where there is no edge.")
    if missing is None:
        gaps = np.isneginf(low) & np.isposinf(high)
    else:
        gaps = np.asarray(missing, dtype=bool)
        if gaps.ndim and gaps.shape != low.shape:
            raise ValueError(
                f"missing has shape {gaps.shape}, expected {low.shape}: True or False for each "
                "column, or one for all."
            )
        gaps = np.array(np.broadcast_to(gaps, low.shape))
    return low, high, gaps


def answer_codes(trees: Sequence[Tree], by: str) -> list[NDArray]:
    """Give what nodes say a number, the same for the same answer."""
    check_choice(by, "by", ("label", "shares", "value"))
    if by == "label":
        return [tree.label for tree in trees]
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
