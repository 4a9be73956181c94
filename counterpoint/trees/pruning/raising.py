"""Error-based pruning that may raise a branch into the place of its parent, as C4.5 does."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._kernels import trees as kernels
from counterpoint.trees.pruning.bottom_up import EQUAL
from counterpoint.trees.pruning.criteria import LocalCriterion, check_cf
from counterpoint.trees.structure import (
    LEAF,
    Tree,
    check_cases,
    impurities,
    refuse_categories,
    take_nodes,
)


def prune_and_raise(
    tree: Tree,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    cf: float = 0.25,
    limit: str = "binomial",
    impurity: str = "entropy",
) -> tuple[Tree, float]:
    """Prune by upper limits of error rates, and raise branches where that expects fewer errors.

    From the bottom up, three things are compared at a node: a leaf in its place, the subtree as it
    is by now, and the larger of its two branches in its place, with all samples of the node sent
    down that branch. The one with fewest errors expected is taken; of equals the leaf, then the
    branch. Where a branch was raised, the nodes in it are pruned again (Quinlan, C4.5, 1993,
    chapter 4). ``X`` and ``y`` (class codes) are what the tree was grown on, rounded as it expects
    them. Returns the tree, and the errors expected of it on as many new cases.
    """
    check_cf(cf)
    if tree.is_oblique:
        raise ValueError(
            "The tree has oblique splits: only branches of splits on columns are raised."
        )
    refuse_categories(tree, "Raising branches")
    rows: NDArray = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] <= tree.feature.max():
        raise ValueError(
            f"X has shape {rows.shape}, but the tree asks for column {tree.feature.max()}: pass "
            "the samples it was grown on, (n_samples, n_features)."
        )
    codes, weight = check_cases(tree, rows, y, sample_weight)
    if cf == 1:
        wrong = tree.value.sum(axis=1) - tree.value.max(axis=1)
        return tree, float(np.maximum(wrong[tree.is_leaf], 0.0).sum())
    work = _Work(tree, rows, codes, weight, LocalCriterion(name="error-based", cf=cf, limit=limit))
    cost = work.run()
    return work.result(impurity), cost


class _Work:
    """The tree while it is changed; nodes keep their numbers, ``split`` is whose split each has."""

    def __init__(self, tree, X, codes, weight, criterion):
        self.tree, self.X, self.codes, self.weight = tree, X, codes, weight
        self.criterion = criterion
        self.left, self.right = tree.children_left.copy(), tree.children_right.copy()
        self.split = np.arange(tree.node_count)
        self.value = np.zeros_like(tree.value)
        self.moved = np.zeros(tree.node_count, dtype=bool)
        self.rows: list[NDArray] = [np.empty(0, dtype=np.int64)] * tree.node_count
        self.as_leaf = np.zeros(tree.node_count)
        self._settle(0, np.flatnonzero(weight > 0))

    def run(self):
        """Prune from the bottom up; returns the cost of the root."""
        cost = np.zeros(self.tree.node_count)
        todo = [(0, False)]
        while todo:
            node, seen_below = todo.pop()
            a, b = self.left[node], self.right[node]
            if a == LEAF:
                cost[node] = self.as_leaf[node]
            elif not seen_below:
                todo += [(node, True), (a, False), (b, False)]
            else:
                below = cost[a] + cost[b]
                larger = a if self.value[a].sum() >= self.value[b].sum() else b
                raised = self._cost_of(larger, self.rows[node])
                if self.as_leaf[node] <= min(below, raised) * (1 + EQUAL):
                    self.left[node] = self.right[node] = LEAF
                    cost[node] = self.as_leaf[node]
                elif raised <= below * (1 + EQUAL):
                    self.split[node] = self.split[larger]
                    self.left[node], self.right[node] = self.left[larger], self.right[larger]
                    self.moved[self._settle(node, self.rows[node])] = True
                    todo.append((node, False))
                else:
                    cost[node] = below
        return float(cost[0])

    def _send(self, node, rows):
        """Yield nodes from ``node`` down with those of the rows that reach each."""
        stack = [(node, rows)]
        while stack:
            node, rows = stack.pop()
            yield node, rows
            if self.left[node] == LEAF:
                continue
            at = self.split[node]
            x = self.X[rows, self.tree.feature[at]]
            goes_left = x <= self.tree.threshold[at]
            if self.tree.missing_go_to_left[at]:
                goes_left |= np.isnan(x)
            stack += [(self.left[node], rows[goes_left]), (self.right[node], rows[~goes_left])]

    def _count(self, rows):
        n_classes = self.value.shape[1]
        return np.bincount(self.codes[rows], self.weight[rows], minlength=n_classes)

    def _settle(self, node, rows):
        """Let these rows be those of a node; returns it and the nodes under it."""
        nodes = []
        for below, held in self._send(node, rows):
            self.rows[below], self.value[below] = held, self._count(held)
            nodes.append(below)
        self.as_leaf[nodes] = self.criterion.leaf_cost(self.value[nodes])
        return nodes

    def _cost_of(self, branch, rows):
        """Errors expected of a branch if these rows are sent down it."""
        leaves = [
            self._count(held) for node, held in self._send(branch, rows) if self.left[node] == LEAF
        ]
        return float(self.criterion.leaf_cost(np.array(leaves)).sum())

    def result(self, impurity):
        """Return the tree that is left, parents first."""
        tree = self.tree
        kept, left, right = kernels.preorder(self.left, self.right)
        # What was not moved stays as it was grown, to the last bit.
        moved = self.moved[kept]
        value = np.where(moved[:, None], self.value[kept], tree.value[kept])
        return replace(
            take_nodes(tree, self.split[kept], left, right),
            value=value,
            weighted_n_node_samples=np.where(
                moved, value.sum(axis=1), tree.weighted_n_node_samples[kept]
            ),
            n_node_samples=np.where(
                moved, [len(self.rows[node]) for node in kept], tree.n_node_samples[kept]
            ),
            impurity=np.where(moved, impurities(value, impurity), tree.impurity[kept]),
        )
