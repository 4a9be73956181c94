"""The best tree of every size: one path from a leaf to as many as are asked for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.merging.soft import node_sums
from counterpoint.trees.pruning.bottom_up import Pruning, collapse, cut
from counterpoint.trees.structure import LEAF, Tree

# Trees that are like the one wanted: their errors out of bag tell the size.
ALIKE = 21
# The tree is grown so many times larger than asked for, and pruned.
_LARGER = 4


@dataclass(frozen=True, kw_only=True)
class SizedTree:
    """The best tree of one size."""

    tree: Tree
    cost: float  # errors expected, by the soft targets


def sized_trees(soft, on, most, random_state, **leaves):
    """Return the best tree of 1, 2, ..., ``most`` leaves, judged ``on`` samples and crossed rows.

    It is the best pruning to that size of a larger tree grown on these rows, best split first.
    """
    tree = soft.grown(on, max(2, _LARGER * most), random_state)
    leaf = predict_trees(stack_trees([tree]), on.X, kind="leaves")[0]
    cost = soft.costs(node_sums(tree, leaf, on.judge * on.weight[:, None]))
    # No leaf without a sample: nobody could say what it stands for.
    cost[node_sums(tree, leaf, on.own()[:, None])[:, 0] <= 0] = np.inf
    filled, path = soft.fill(tree, leaf, on, **leaves), list[SizedTree]()
    for price, pruning in best_prunings(tree, cost, most).values():
        # More leaves never cost more: else the smaller tree stays.
        better = not path or price < path[-1].cost - 1e-9
        path.append(SizedTree(tree=cut(filled, pruning()), cost=price) if better else path[-1])
    return path + [path[-1]] * (most - len(path))


def out_of_bag_errors(trees, soft, weight, drawn, most):
    """Return the error by size of the ensemble's trees on samples they were not grown on.

    Each tree is pruned to every size by the samples it was grown on, and asked about the others:
    errors of single trees, no larger than those of the best of many, but with their least where
    trees of that data have the right size.
    """
    wrong, total = np.zeros(most), np.zeros(most)
    # Trees may be the first of those that were asked.
    for tree, leaf, bag, apart in zip(trees, soft.leaf, drawn, soft.out, strict=False):
        out = np.flatnonzero(apart & (weight > 0))
        if not len(out):
            continue
        sums = node_sums(tree, leaf, soft.judge * bag[:, None])
        said, miss = soft.answers(sums), 0.0
        prunings = best_prunings(tree, soft.costs(sums), most)
        for size in range(1, most + 1):
            if size in prunings:  # else the largest there is
                made = prunings[size][1]()
                now = said[made.kept[made.new_node[leaf[out]]]]
                miss = float(weight[out] @ soft.losses(now, out))
            wrong[size - 1] += miss
            total[size - 1] += weight[out].sum()
    return np.divide(wrong, total, out=np.full(most, np.nan), where=total > 0)


def best_prunings(tree: Tree, cost: NDArray, most: int):
    """Return, for every number of leaves up to ``most``, the cheapest pruning with so many.

    A dict of (cost, function that makes the :class:`Pruning`), exact by dynamic programming: the
    cheapest tree of k leaves under a node splits them among its branches in the best way.
    """
    left, right, own = tree.children_left.tolist(), tree.children_right.tolist(), cost.tolist()
    best: list[list[float]] = [[]] * len(own)
    shares: list[list[int]] = [[]] * len(own)
    for node in range(len(own) - 1, -1, -1):
        table, first = [own[node]], [0]  # of 1, 2, ... leaves; leaves of the left branch
        if left[node] != LEAF:
            a, b = best[left[node]], best[right[node]]
            size = min(most, len(a) + len(b))
            table += [np.inf] * (size - 1)
            first += [0] * (size - 1)
            for i, x in enumerate(a[: size - 1], start=1):
                for j, y in enumerate(b[: size - i], start=1):
                    if x + y < table[i + j - 1]:
                        table[i + j - 1], first[i + j - 1] = x + y, i
        best[node], shares[node] = table, first

    def made(size: int) -> Pruning:
        is_leaf, todo = [child == LEAF for child in left], [(0, size)]
        while todo:
            node, wanted = todo.pop()
            if wanted == 1:
                is_leaf[node] = True
                continue
            i = shares[node][wanted - 1]
            todo += [(left[node], i), (right[node], wanted - i)]
        return collapse(left, right, is_leaf, best[0][size - 1])

    return {
        size: (price, lambda size=size: made(size)) for size, price in enumerate(best[0], start=1)
    }
