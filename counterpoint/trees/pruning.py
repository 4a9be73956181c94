"""Cut back trees given as plain arrays.

A criterion gives every node a cost as if it were a leaf; :func:`prune_bottom_up` then cuts
wherever a leaf costs no more than the subtree under it. One criterion is here so far: the
error-based one of C4.5.
"""

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from counterpoint.trees.structure import LEAF, Tree

# Costs that differ by less than this share are equal: sums of weights are rounded.
_EQUAL = 1e-10


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """What is left of a tree, and where the rest went.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (n_kept,), int32
        The pruned tree; -1 in leaves. Nodes keep their order.
    kept : ndarray of shape (n_kept,), int64
        Old number of each node that is left: ``feature[kept]`` and so on are its arrays. In
        new leaves the feature and the threshold mean nothing any more.
    new_node : ndarray of shape (n_nodes,), int32
        New number of each old node; of nodes cut off, that of the leaf they are now part of.
        So ``new_node[leaf]`` is where samples of an old leaf are now.
    cost : float
        Summed cost of the leaves that are left.
    max_depth : int
        Splits on the longest path that is left.
    """

    children_left: NDArray
    children_right: NDArray
    kept: NDArray
    new_node: NDArray
    cost: float
    max_depth: int


def upper_limit(errors: ArrayLike, n: ArrayLike, cf: float = 0.25) -> NDArray:
    """Upper confidence limit of an error rate: the exact binomial one.

    The rate at which so few errors have probability ``cf``, ``P(errors or fewer) = cf``, that
    is the upper end of the one-sided Clopper-Pearson interval of level ``1 - cf``. Weights are
    no whole numbers, and the incomplete beta function takes that in its stride.

    Parameters
    ----------
    errors : array-like
        Errors, or their weight; from 0 to ``n``.
    n : array-like
        Cases, or their weight.
    cf : float, default=0.25
        Above 0, below 1. Smaller is more pessimistic.

    Returns
    -------
    ndarray
        From 0 to 1; 1 where all cases are errors, NaN where there are no cases.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4. The book's
       numbers for one or more errors are from an approximation and differ in the third decimal.
    .. [2] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated
       in the case of the binomial", Biometrika 26, 1934.

    Examples
    --------
    >>> from counterpoint.trees.pruning import upper_limit
    >>> upper_limit([0, 0, 0, 1], [6, 9, 1, 16]).round(3).tolist()
    [0.206, 0.143, 0.75, 0.16]
    """
    _check_cf(cf, below_one=True)
    errors, n = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if (errors < 0).any() or (errors > n).any():
        raise ValueError("errors and n do not fit: there must be from 0 to n errors among n cases.")
    right = n - errors
    rate = betaincinv(errors + 1, np.where(right > 0, right, 1.0), 1 - cf)
    return np.where(n > 0, np.where(right > 0, rate, 1.0), np.nan)


def prune_bottom_up(
    children_left: ArrayLike, children_right: ArrayLike, cost: ArrayLike
) -> Pruning:
    """Cut every subtree that costs no less than a leaf in its place, from the leaves upwards.

    Every node is seen once, after the nodes under it: the result is the cheapest of all
    prunings of the tree and, of equally cheap ones, the smallest.

    Parameters
    ----------
    children_left, children_right : array-like of shape (n_nodes,)
        Node 0 is the root and children come after their parents; -1 in leaves.
    cost : array-like of shape (n_nodes,)
        Cost of each node if it were a leaf.

    Returns
    -------
    Pruning

    Examples
    --------
    >>> from counterpoint.trees.pruning import prune_bottom_up
    >>> pruning = prune_bottom_up([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [9, 1, 2, 1, 1])
    >>> pruning.kept.tolist(), pruning.new_node.tolist(), pruning.cost
    ([0, 1, 2], [0, 1, 2, 2, 2], 3.0)
    """
    left, right = _check_children(children_left, children_right)
    cost = np.asarray(cost, dtype=np.float64)
    if cost.shape != left.shape or np.isnan(cost).any():
        raise ValueError(
            f"cost has shape {cost.shape}, expected {left.shape}: one number per node, none NaN."
        )
    # Plain lists: a loop over them is as quick as the limits are to compute.
    lefts, rights, best = left.tolist(), right.tolist(), cost.tolist()
    is_leaf = [True] * len(best)
    for node in range(len(best) - 1, -1, -1):
        if lefts[node] != LEAF:
            below = best[lefts[node]] + best[rights[node]]
            if best[node] > below + _EQUAL * abs(below):
                best[node], is_leaf[node] = below, False
    return _collapse(lefts, rights, is_leaf, best[0])


def prune_error_based(
    children_left: ArrayLike,
    children_right: ArrayLike,
    value: ArrayLike,
    *,
    cf: float = 0.25,
    total: float | None = None,
) -> Pruning:
    """Prune as C4.5 does: by the upper limits of the error rates of the leaves.

    A node becomes a leaf where the errors expected of it as a leaf, its number of cases times
    :func:`upper_limit`, are not more than those of its subtree. C4.5 may also put the larger
    branch of a node in the place of the node (subtree raising); that is not done here.

    Parameters
    ----------
    children_left, children_right : array-like of shape (n_nodes,)
        Node 0 is the root and children come after their parents; -1 in leaves.
    value : array-like of shape (n_nodes, n_classes)
        Weight of each class among the training samples in each node.
    cf : float, default=0.25
        Confidence, above 0 and at most 1. Smaller prunes more, as a rule. From about 0.5 on
        the "upper" limits lie below the errors seen. 1 prunes nothing.
    total : float, default=None
        Number of cases that the weights in the root stand for; all weights are scaled to it.
        None takes weights as numbers of cases. Weights of a booster sum to 1, and one case
        cannot support any split: give the number of rows.

    Returns
    -------
    Pruning
        Its ``cost`` is the number of errors expected of the pruned tree on as many new cases.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4.

    Examples
    --------
    The book's example: three leaves of 6, 9 and 1 cases, where one case is of another class.

    >>> from counterpoint.trees.pruning import prune_error_based
    >>> left, right = [1, -1, 3, -1, -1], [2, -1, 4, -1, -1]
    >>> value = [[15, 1], [6, 0], [9, 1], [9, 0], [0, 1]]
    >>> pruning = prune_error_based(left, right, value)
    >>> len(pruning.kept), round(pruning.cost, 3)
    (1, 2.554)
    """
    _check_cf(cf)
    left, right = _check_children(children_left, children_right)
    value = np.asarray(value, dtype=np.float64)
    if value.ndim != 2 or len(value) != len(left) or value.shape[1] == 0:
        raise ValueError(
            f"value has shape {value.shape}, expected ({len(left)}, n_classes): the weight of "
            "each class in each node."
        )
    if not np.isfinite(value).all() or (value < 0).any():
        raise ValueError(
            "value holds negative or non-finite numbers, expected weights of classes: regression "
            "trees cannot be pruned by errors."
        )
    n = value.sum(axis=1)
    errors = np.maximum(n - value.max(axis=1), 0.0)
    if total is not None:
        if not isinstance(total, Real) or not 0 < total < np.inf or n[0] <= 0:
            raise ValueError(
                f"total={total!r} and weights of {n[0]:g} in the root: both must be above zero."
            )
        errors, n = errors * (total / n[0]), n * (total / n[0])
    if cf == 1:
        is_leaf = (left == LEAF).tolist()
        return _collapse(left.tolist(), right.tolist(), is_leaf, float(errors[left == LEAF].sum()))
    # A node without weight costs nothing.
    expected = np.where(n > 0, n * upper_limit(errors, n, cf), 0.0)
    return prune_bottom_up(left, right, expected)


def prune_tree(tree: Tree, cf: float = 0.25, *, total: float | None = None) -> tuple[Tree, Pruning]:
    """Prune a classification tree by :func:`prune_error_based`.

    Parameters
    ----------
    tree : Tree
        From :func:`counterpoint.trees.grow` or :func:`counterpoint.trees.pruned.from_sklearn`.
    cf : float, default=0.25
        Confidence, above 0 and at most 1.
    total : float, default=None
        Number of cases that all weights stand for. None is the number of training samples.

    Returns
    -------
    tree : Tree
        The pruned tree.
    pruning : Pruning
        ``pruning.new_node[leaf]`` are the new leaves of samples in the old leaves ``leaf``.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.trees import Binner, GrowWorkspace, grow
    >>> from counterpoint.trees.pruning import prune_tree
    >>> X = np.arange(8.0)[:, None]
    >>> workspace = GrowWorkspace(Binner().fit_transform(X), [0, 0, 0, 0, 1, 0, 0, 0])
    >>> tree, pruning = prune_tree(grow(workspace))
    >>> tree.value.tolist(), pruning.new_node[workspace.leaf].tolist()
    ([[7.0, 1.0]], [0, 0, 0, 0, 0, 0, 0, 0])
    """
    pruning = prune_error_based(
        tree.children_left,
        tree.children_right,
        tree.value,
        cf=cf,
        total=float(tree.n_node_samples[0]) if total is None else total,
    )
    kept, is_leaf = pruning.kept, pruning.children_left == LEAF
    pruned = replace(
        tree,
        children_left=pruning.children_left,
        children_right=pruning.children_right,
        feature=np.where(is_leaf, LEAF, tree.feature[kept]).astype(tree.feature.dtype),
        threshold=np.where(is_leaf, np.nan, tree.threshold[kept]),
        bin_threshold=np.where(is_leaf, 0, tree.bin_threshold[kept]).astype(np.uint8),
        missing_go_to_left=tree.missing_go_to_left[kept] & ~is_leaf,
        value=tree.value[kept],
        weighted_n_node_samples=tree.weighted_n_node_samples[kept],
        n_node_samples=tree.n_node_samples[kept],
        impurity=tree.impurity[kept],
        max_depth=pruning.max_depth,
    )
    return pruned, pruning


def _collapse(lefts, rights, is_leaf, cost):
    """Return the nodes that are left, numbered again, when splits in leaves are dropped."""
    n = len(lefts)
    new, depth, cut = [-1] * n, [0] * n, [False] * n
    kept: list[int] = []
    for node in range(n):
        if not cut[node]:
            new[node] = len(kept)
            kept.append(node)
        if lefts[node] == LEAF:
            continue
        for child in (lefts[node], rights[node]):
            cut[child] = cut[node] or is_leaf[node]
            depth[child] = depth[node] + 1
            if cut[child]:
                new[child] = new[node]
    children = [
        np.array([LEAF if is_leaf[k] else new[side[k]] for k in kept], dtype=np.int32)
        for side in (lefts, rights)
    ]
    return Pruning(
        children_left=children[0],
        children_right=children[1],
        kept=np.array(kept, dtype=np.int64),
        new_node=np.array(new, dtype=np.int32),
        cost=cost,
        max_depth=max(depth[k] for k in kept),
    )


def _check_cf(cf, *, below_one=False):
    high = isinstance(cf, Real) and (cf < 1 if below_one else cf <= 1)
    if not high or isinstance(cf, bool) or not cf > 0:
        raise ValueError(
            f"cf={cf!r}: give a number above 0 and {'below' if below_one else 'at most'} 1, for "
            "example 0.25; smaller prunes more."
        )


def _check_children(left, right):
    left, right = np.asarray(left), np.asarray(right)
    if left.ndim != 1 or left.shape != right.shape or len(left) == 0:
        raise ValueError(
            f"children_left has shape {left.shape} and children_right {right.shape}, expected "
            "the same (n_nodes,) with at least one node."
        )
    own, inner = np.arange(len(left)), left != LEAF
    children = np.concatenate([left[inner], right[inner]])
    # The two passes rely on this order, and every node but the root having one parent.
    if (
        (inner != (right != LEAF)).any()
        or (np.minimum(left, right)[inner] <= own[inner]).any()
        or not np.array_equal(np.sort(children), own[1:])
    ):
        raise ValueError(
            "children_left and children_right are no binary tree with node 0 as root: every other "
            "node must be the child of one node before it, and leaves have -1 in both."
        )
    return left, right
