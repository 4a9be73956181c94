"""Many trees pruned and grafted together. The slow twin is ``tests/naive/merging.py``.

Nodes of all trees are numbered through, and copies made by grafts after them. ``at`` (n_rows,
n_trees) is the leaf each row is in, in each tree as it is now: a candidate for a node is then no
more than its rows, grouped by ``at``.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel

NONE = -1


@kernel()
def count_nodes(at, left, right, roots):
    """Rows in every node, (n_nodes,), when children come after their parents in each tree."""
    count = np.zeros(len(left), dtype=np.int64)
    for r in range(at.shape[0]):
        for j in range(at.shape[1]):
            count[at[r, j]] += 1
    for node in range(len(left) - 1, -1, -1):
        if left[node] != NONE:
            count[node] = count[left[node]] + count[right[node]]
    return count


@kernel()
def sort_rows(at, left, right, roots, count):
    """Rows in order of leaves: (rows, start), where node t holds rows[start[t]:][:count[t]]."""
    n, n_trees = at.shape
    start = np.zeros(len(left), dtype=np.int64)
    for j in range(n_trees):
        start[roots[j]] = j * n
    for node in range(len(left)):
        if left[node] != NONE:
            start[left[node]] = start[node]
            start[right[node]] = start[node] + count[left[node]]
    cursor = start.copy()
    rows = np.empty(n * n_trees, dtype=np.int64)
    for r in range(n):
        for j in range(n_trees):
            leaf = at[r, j]
            rows[cursor[leaf]] = r
            cursor[leaf] += 1
    return rows, start


@kernel()
def log_volumes(left, right, roots, feature, threshold, low, high):
    """Log share of the box ``low..high`` (n_features,) that each node covers; -inf for none."""
    volume = np.zeros(len(left))
    parent = np.full(len(left), NONE, dtype=np.int64)
    for node in range(len(left)):
        if left[node] == NONE:
            continue
        f = feature[node]
        below, above = low[f], high[f]
        child, up = node, parent[node]
        while up != NONE:  # the nearest cuts of this column on the way to the root
            if feature[up] == f:
                if child == left[up]:
                    above = min(above, threshold[up])
                else:
                    below = max(below, threshold[up])
            child, up = up, parent[up]
        cut = min(max(threshold[node], below), above)
        for side in range(2):
            kid = left[node] if side == 0 else right[node]
            width = cut - below if side == 0 else above - cut
            parent[kid] = node
            if high[f] <= low[f]:
                volume[kid] = volume[node]  # a column without extent
            elif width <= 0 or volume[node] == -np.inf:
                volume[kid] = -np.inf
            else:
                volume[kid] = volume[node] + min(0.0, np.log(width / (above - below)))
    return volume


@kernel()
def tally(rows, at, columns, amounts, slot, leaves, owner, value):
    """Group rows by the leaf of each tree; return the number of groups.

    Group s is leaf ``leaves[s]`` of tree ``owner[s]`` and holds ``value[s]`` (width,): of each of
    its rows, ``amounts[r]`` (k,) go to ``columns[r]`` (k,) of it. ``slot`` is -1 for every node,
    before and after.
    """
    n = 0
    for r in rows:
        for j in range(at.shape[1]):
            leaf = at[r, j]
            s = slot[leaf]
            if s == NONE:
                s = n
                slot[leaf], leaves[s], owner[s] = s, leaf, j
                for c in range(value.shape[1]):
                    value[s, c] = 0.0
                n += 1
            for e in range(amounts.shape[1]):
                value[s, columns[r, e]] += amounts[r, e]
    for s in range(n):
        slot[leaves[s]] = NONE
    return n


@kernel()
def cut_back(node, rows, tree, at, left, right):
    """Make a node a leaf."""
    left[node] = right[node] = NONE
    for r in rows:
        at[r, tree] = node


@kernel()
def graft(node, rows, tree, source, reached, at, left, right, parent, split, root, slot, free):
    """Put the part of tree ``source`` that ``reached`` leaves span in the place of a node.

    Splits with one side that no row reaches are left out. ``free`` is the first number for new
    nodes; the next free one is returned. ``slot`` is -1 for every node, before and after.
    """
    # Mark the ways from the leaves to the root: -2 on the way, for leaves the new number.
    for leaf in reached:
        at_node = leaf
        while at_node != NONE and slot[at_node] == NONE:
            slot[at_node] = -2
            at_node = parent[at_node]
    stack = np.empty((len(reached) + 1, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = root, node
    depth = 1
    while depth > 0:
        depth -= 1
        old, new = stack[depth, 0], stack[depth, 1]
        while left[old] != NONE and (slot[left[old]] == NONE or slot[right[old]] == NONE):
            old = left[old] if slot[left[old]] != NONE else right[old]
        if left[old] == NONE:
            left[new] = right[new] = NONE
            slot[old] = new
            continue
        split[new] = split[old]
        for side in range(2):
            child = free
            free += 1
            parent[child] = new
            slot[child] = NONE
            if side == 0:
                left[new] = child
                stack[depth, 0] = left[old]
            else:
                right[new] = child
                stack[depth, 0] = right[old]
            stack[depth, 1] = child
            depth += 1
    for r in rows:
        at[r, tree] = slot[at[r, source]]
    for leaf in reached:
        at_node = leaf
        while at_node != NONE and slot[at_node] != NONE:
            slot[at_node] = NONE
            at_node = parent[at_node]
    return free
