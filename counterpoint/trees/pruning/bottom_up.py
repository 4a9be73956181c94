"""The one pass from the leaves of a tree to its root, and what it leaves of the tree."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint.trees.structure import LEAF, Tree, check_children, take_nodes

# Costs that differ by less than this share are equal: sums of weights are rounded.
EQUAL = 1e-10


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """What is left of a tree, and where the rest went."""

    children_left: NDArray
    children_right: NDArray
    # Old number of each node that is left, in order: feature[kept] and so on are its arrays. In
    # new leaves the feature and the threshold mean nothing any more.
    kept: NDArray
    # New number of each old node; of nodes cut off, that of the leaf they are now part of.
    new_node: NDArray
    cost: float  # of the leaves that are left, summed
    max_depth: int


def prune_bottom_up(
    children_left: ArrayLike,
    children_right: ArrayLike,
    cost: ArrayLike,
    *,
    margin: Callable[[float, int, int], float] | None = None,
) -> Pruning:
    """Cut every subtree that costs no less than a leaf in its place, from the leaves upwards.

    Without a margin the result is the cheapest of all prunings and, of these, the smallest.
    ``cost`` is that of each node as a leaf; ``margin(below, node, leaves)`` is added to the summed
    cost of the leaves under a node, ``below`` for so many, before the two are compared.
    """
    left, right = np.asarray(children_left), np.asarray(children_right)
    check_children(left, right)
    cost = np.asarray(cost, dtype=np.float64)
    if cost.shape != left.shape:
        raise ValueError(f"cost has shape {cost.shape}, expected {left.shape}: one per node.")
    if np.isnan(cost).any():
        raise ValueError(f"cost is NaN at node {int(np.isnan(cost).argmax())}: give a number.")
    # Plain lists: a loop over them is as quick as the limits are to compute.
    lefts, rights, best = left.tolist(), right.tolist(), cost.tolist()
    is_leaf, leaves = [True] * len(best), [1] * len(best)
    for node in range(len(best) - 1, -1, -1):
        if lefts[node] != LEAF:
            below = best[lefts[node]] + best[rights[node]]
            n_leaves = leaves[lefts[node]] + leaves[rights[node]]
            needed = below if margin is None else below + margin(below, node, n_leaves)
            if best[node] > needed + EQUAL * abs(needed):
                best[node], is_leaf[node], leaves[node] = below, False, n_leaves
    return collapse(lefts, rights, is_leaf, best[0])


def cut(tree: Tree, pruning: Pruning) -> Tree:
    """Return what a pruning leaves of a tree."""
    return take_nodes(tree, pruning.kept, pruning.children_left, pruning.children_right)


def collapse(lefts, rights, is_leaf, cost):
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
