"""The loop of tree merging: nodes of all trees, from the smallest up; cut, keep or graft."""

from dataclasses import replace

import numpy as np

from counterpoint._kernels import merging as kernels
from counterpoint._kernels import trees as tree_kernels
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.pruning.bottom_up import EQUAL
from counterpoint.trees.structure import LEAF, join_trees, take_nodes

# Limits are kept for leaves with fewer cases than this: there are many such, and few different.
_TABLE = 1024
# What is recorded of a node that was changed, see MergedTree.
STEP = {
    "tree": int,
    "node": int,
    "action": object,
    "source": int,
    "weight": float,
    "leaves_before": int,
    "leaves_after": int,
    "cost_before": float,
    "cost_after": float,
    "cost_as_leaf": float,
}


class TreeMerger:
    """Trees that are pruned together on rows with ``targets`` and weights above zero."""

    def __init__(self, trees, X, targets, *, criterion, corrected):
        self.criterion, self.corrected = criterion, corrected
        self.trees, self.targets = trees, targets
        # Without values, which may be of other classes, or of none.
        bare = [replace(tree, value=np.zeros((tree.node_count, 1))) for tree in trees]
        stacked, self.joined = stack_trees(bare), join_trees(bare)
        self.first = self.roots = stacked.roots.astype(np.int64)
        self.owner = np.repeat(np.arange(len(trees)), [tree.node_count for tree in trees])
        leaf = predict_trees(stacked, X, kind="leaves")
        self.at = np.ascontiguousarray((leaf + self.roots[:, None]).T.astype(np.int64))
        left, right = stacked.left.astype(np.int64), stacked.right.astype(np.int64)
        self.count = kernels.count_nodes(self.at, left, right, self.roots)
        self.rows, self.start = kernels.sort_rows(self.at, left, right, self.roots, self.count)
        self.value = self._node_values(left, right)
        self.as_leaf = criterion.leaf_cost(self.value)
        self.pure = targets.pure(self.value)
        self.depth = np.zeros(len(left), dtype=np.int64)
        for node in np.flatnonzero(left != LEAF):
            self.depth[left[node]] = self.depth[right[node]] = self.depth[node] + 1
        self.given = left.copy(), right.copy()
        self._drop_empty(left, right)
        self.split = np.arange(len(left))
        self.slot = np.full(len(left), kernels.NONE, dtype=np.int64)
        self.free = len(left)
        self.n_leaves = np.array([len(np.unique(column)) for column in self.at.T])
        self.group_leaf = self.group_tree = np.empty(0, dtype=np.int64)
        self._reserve_groups()
        self.steps: list[dict] = []
        self.table = None
        if criterion.name == "error-based" and targets.most_cases is not None:
            side = min(targets.most_cases + 1, _TABLE)
            self.table = np.full((side, side), np.nan)

    def _leaf_costs(self, value):
        """Costs of leaves; limits of whole numbers are looked up once they are known."""
        if self.table is None:
            return self.criterion.leaf_cost(value)
        n = value.sum(axis=1).astype(np.int64)
        errors = n - value.max(axis=1).astype(np.int64)
        small = n < len(self.table)
        cost = self.table[np.where(small, n, 0), np.where(small, errors, 0)]
        new = np.flatnonzero(np.isnan(cost) | ~small)
        if len(new):
            cost[new] = self.criterion.leaf_cost(value[new])
            new = new[small[new]]
            self.table[n[new], errors[new]] = cost[new]
        return cost

    def _node_values(self, left, right):
        value = np.zeros((len(left), self.targets.width))
        for column in self.at.T:
            self.targets.add(value, column)
        for node in np.flatnonzero(left != LEAF)[::-1]:
            value[node] = value[left[node]] + value[right[node]]
        return value

    def _drop_empty(self, left, right):
        """Pass over splits with a side that no row reaches."""
        stands_for = np.arange(len(left))
        for node in np.flatnonzero(left != LEAF)[::-1]:
            a, b = left[node], right[node]
            left[node], right[node] = stands_for[a], stands_for[b]
            if self.count[a] == 0 or self.count[b] == 0:
                stands_for[node] = stands_for[b if self.count[a] == 0 else a]
        self.parent = np.full(len(left), kernels.NONE, dtype=np.int64)
        self.alive = (stands_for == np.arange(len(left))) & (self.count > 0)
        inner = np.flatnonzero(self.alive & (left != LEAF))
        self.parent[left[inner]] = inner
        self.parent[right[inner]] = inner
        self.roots = stands_for[self.roots]
        self.left, self.right = left, right

    def volumes(self, low, high):
        """Log share of the box from ``low`` to ``high`` that each node covers."""
        feature, threshold = self.joined.feature.astype(np.int64), self.joined.threshold
        return kernels.log_volumes(*self.given, self.roots, feature, threshold, low, high)

    def order(self, by, volume):
        """Nodes but the roots, smallest first, children always before their parents."""
        weight = self.targets.weights(self.value)
        # Products of the same factors in another order are equal volumes.
        volume = np.round(volume, 9)
        keys = (weight, volume) if by == "samples" else (volume, weight)
        # Last comes first: of equal nodes the deeper, then those of the first tree.
        order = np.lexsort((np.arange(len(weight)), -self.depth, *keys[::-1]))
        is_root = np.zeros(len(weight), dtype=bool)
        is_root[self.roots] = True
        return order[(self.alive & ~is_root)[order]]

    def run(self, order):
        """Decide at every node of ``order``, then at the common root; return the tree kept."""
        for node in order.tolist():
            self._visit(node)
        # All roots hold all rows: they are one node, decided once.
        return self._visit_root()

    def _visit(self, node):
        if self.pure[node]:
            if self.left[node] != LEAF:
                self._cut(node, None)
            return
        judged = self._judge(node)
        winner = self._choose(self.owner[node], judged)
        if winner == -1:
            if self.left[node] != LEAF:
                self._cut(node, judged)
        elif winner != self.owner[node]:
            self._graft(node, winner, judged)

    def _rows(self, node):
        return self.rows[self.start[node] : self.start[node] + self.count[node]]

    def _judge(self, node):
        """Cost as a leaf, costs of the trees there, numbers of their leaves, and their leaves."""
        cases = (self._rows(node), self.at, self.targets.columns, self.targets.amounts, self.slot)
        n = kernels.tally(*cases, self.group_leaf, self.group_tree, self.group_value)
        tree = self.group_tree[:n]
        below = np.bincount(tree, self._leaf_costs(self.group_value[:n]), minlength=len(self.trees))
        leaves = np.bincount(tree, minlength=len(self.trees))
        as_leaf = float(self.as_leaf[node])
        cost = below + self.criterion.margin(below, self.value[node], leaves, self.depth[node])
        return as_leaf, np.where(leaves > 1, cost, as_leaf), leaves, self.group_leaf[:n], tree

    def _choose(self, own, judged):
        """-1 for a leaf, or the tree that is best there: its own if no other is better."""
        as_leaf, cost = judged[:2]
        best = cost.min()
        rival = cost.mean() if self.corrected else best
        if as_leaf <= rival + EQUAL * abs(rival):
            return -1
        good = cost <= best + EQUAL * abs(best)
        return own if own >= 0 and good[own] else int(good.argmax())

    def _cut(self, node, judged):
        tree = int(self.owner[node])
        rows = self._rows(node)
        before = len(np.unique(self.at[rows, tree])) if judged is None else int(judged[2][tree])
        kernels.cut_back(node, rows, tree, self.at, self.left, self.right)
        self._changed(node, tree, -1, before, 1, judged)

    def _graft(self, node, source, judged):
        _, _, leaves, group_leaf, group_tree = judged
        tree = int(self.owner[node])
        reached = group_leaf[group_tree == source].copy()
        self._reserve_nodes(2 * len(reached))
        where = (node, self._rows(node), tree, source, reached, self.at)
        nodes = (self.left, self.right, self.parent, self.split, self.roots[source], self.slot)
        arguments: tuple = (*where, *nodes, self.free)
        self.free = kernels.graft(*arguments)
        self._changed(node, tree, source, int(leaves[tree]), int(leaves[source]), judged)

    def _changed(self, node, tree, source, before, after, judged):
        self.n_leaves[tree] += after - before
        self._reserve_groups()
        if judged is None:  # one class only: a leaf, whatever it costs
            as_leaf = float(self.as_leaf[node])
            cost_before = float("nan")
        else:
            as_leaf, cost_before = judged[0], float(judged[1][tree])
        self.steps.append(
            {
                "tree": tree,
                "node": int(node - self.first[tree]),
                "action": "leaf" if source == -1 else "graft",
                "source": int(source),
                "weight": float(self.targets.weights(self.value[node : node + 1])[0]),
                "leaves_before": before,
                "leaves_after": after,
                "cost_before": cost_before,
                "cost_after": as_leaf if source == -1 else float(judged[1][source]),
                "cost_as_leaf": as_leaf,
            }
        )

    def _visit_root(self):
        """Return the number of the tree kept, or -1 for a leaf; record the choice."""
        node = self.roots[0]
        judged = self._judge(node)
        winner = self._choose(0 if len(self.trees) == 1 else -1, judged)
        as_leaf, cost, leaves = judged[:3]
        self.cost = as_leaf if winner == -1 else float(cost[winner])
        self.root_costs, self.root_leaves = cost, leaves
        if winner == -1 and self.left[node] != LEAF:
            self._cut(node, judged)
        return winner

    def _reserve_groups(self):
        needed = int(self.n_leaves.sum()) + 1
        if len(self.group_leaf) < needed:
            self.group_leaf = np.empty(2 * needed, dtype=np.int64)
            self.group_tree = np.empty(2 * needed, dtype=np.int64)
            self.group_value = np.empty((2 * needed, self.targets.width))

    def _reserve_nodes(self, more):
        if self.free + more <= len(self.left):
            return
        grown = 2 * (self.free + more)
        for name in ("left", "right", "parent", "split", "slot"):
            old = getattr(self, name)
            new = np.full(grown, kernels.NONE, dtype=np.int64)
            new[: len(old)] = old
            setattr(self, name, new)

    def tree(self, kept, impurity):
        """Return one of the trees as it is now, with the rows counted in it."""
        root = int(self.roots[max(kept, 0)])
        left, right = self.left.astype(np.int32), self.right.astype(np.int32)
        left[0], right[0] = left[root], right[root]
        nodes, left, right = tree_kernels.preorder(left, right)
        nodes[0] = root
        number = np.full(len(self.left), -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        at = number[self.at[:, max(kept, 0)]]
        value, count = np.zeros((len(nodes), self.targets.width)), np.zeros((len(nodes), 1))
        self.targets.add(value, at)
        np.add.at(count[:, 0], at, 1.0)
        for table in (value, count):
            tree_kernels.sum_up(left, right, table)
        return replace(
            take_nodes(self.joined, self.split[nodes], left, right),
            bin_threshold=np.zeros(len(nodes), dtype=np.uint8),  # of different bins
            n_node_samples=count[:, 0].astype(np.int64),
            **self.targets.node_arrays(value, impurity),
        )
