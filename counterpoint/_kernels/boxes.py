"""Leaves of trees as boxes, and their overlaps. Twins in ``tests/naive/trees.py``.

Trees are laid end to end: children are numbered over all trees, -1 in a leaf. A box holds the
values ``lower < x <= upper``. Along each tree every split must leave room on both sides. Then a
leaf meets a box if no split on its path turns the box away: intervals that meet two by two meet
all together.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel
from counterpoint._kernels.parts import part

_BLOCK = 256


@kernel()
def node_boxes(left, right, feature, cut, n_features):
    """Boxes of all nodes of one tree: lower and upper, (n_nodes, n_features)."""
    lower = np.full((len(left), n_features), -np.inf)
    upper = np.full((len(left), n_features), np.inf)
    for node in range(len(left)):
        if left[node] >= 0:
            f, a, b = feature[node], left[node], right[node]
            for d in range(n_features):
                lower[a, d] = lower[node, d]
                upper[a, d] = upper[node, d]
                lower[b, d] = lower[node, d]
                upper[b, d] = upper[node, d]
            upper[a, f] = min(upper[a, f], cut[node])
            lower[b, f] = max(lower[b, f], cut[node])
    return lower, upper


@kernel()
def overlapping_pairs(lower_a, upper_a, lower_b, upper_b):
    """Pairs of a box of the first list and one of the second that meet: (n_pairs, 2)."""
    pairs = np.empty((16, 2), dtype=np.int64)
    count = 0
    for i in range(len(lower_a)):
        for j in range(len(lower_b)):
            meet = True
            for d in range(lower_a.shape[1]):
                low = max(lower_a[i, d], lower_b[j, d])
                if not low < min(upper_a[i, d], upper_b[j, d]):
                    meet = False
                    break
            if meet:
                if count == len(pairs):
                    longer = np.empty((2 * count, 2), dtype=np.int64)
                    for p in range(count):
                        longer[p, 0], longer[p, 1] = pairs[p, 0], pairs[p, 1]
                    pairs = longer
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return pairs[:count]


@part()
def _narrow(node, parent, left, feature, cut, lower, upper):
    """Cut a box down to its overlap with a node, going up from it."""
    above = parent[node]
    while above >= 0:
        f = feature[above]
        if left[above] == node:
            upper[f] = min(upper[f], cut[above])
        else:
            lower[f] = max(lower[f], cut[above])
        node, above = above, parent[above]


@parallel()
def draw_overlaps(
    roots, left, right, parent, feature, cut, table, order, uniform, lower, upper, score
):
    """Draw overlaps of leaves, one of each tree; ``lower``, ``upper``, ``score`` are filled.

    Trees come in the order of a row of ``order`` (n, n_trees). Of the leaves of a tree that
    meet the box so far one is taken, by the number in ``uniform`` (n, n_trees), all with the
    same chance. The boxes start from what ``lower`` and ``upper`` (n, n_features) hold, and
    ``table`` (n_nodes, n_classes) at the leaves is added to ``score`` (n, n_classes).
    """
    n, n_trees = order.shape
    most = 0
    for t in range(n_trees):
        stop = roots[t + 1] if t + 1 < n_trees else len(left)
        most = max(most, stop - roots[t])
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        stack = np.empty(most + 1, dtype=np.int32)
        found = np.empty(most + 1, dtype=np.int32)
        for i in range(block * _BLOCK, min(n, (block + 1) * _BLOCK)):
            for k in range(n_trees):
                stack[0] = roots[order[i, k]]
                top, count = 0, 0
                while top >= 0:
                    node = stack[top]
                    top -= 1
                    while left[node] >= 0:
                        f, c = feature[node], cut[node]
                        if upper[i, f] <= c:
                            node = left[node]
                        elif lower[i, f] >= c:
                            node = right[node]
                        else:
                            top += 1
                            stack[top] = right[node]
                            node = left[node]
                    found[count] = node
                    count += 1
                leaf = found[min(count - 1, int(uniform[i, k] * count))]
                if count > 1:
                    _narrow(leaf, parent, left, feature, cut, lower[i], upper[i])
                for c in range(table.shape[1]):
                    score[i, c] += table[leaf, c]


@parallel()
def cells_at(X, roots, left, right, feature, cut, table, lower, upper, score):
    """Fill the last three arrays with the overlap of leaves that each sample is in."""
    for i in prange(len(X)):
        for t in range(len(roots)):
            node = roots[t]
            while left[node] >= 0:
                f, c = feature[node], cut[node]
                if X[i, f] <= c:
                    upper[i, f] = min(upper[i, f], c)
                    node = left[node]
                else:
                    lower[i, f] = max(lower[i, f], c)
                    node = right[node]
            for c in range(table.shape[1]):
                score[i, c] += table[node, c]


@kernel()
def all_cells(roots, left, right, feature, cut, table, low, high, start, depth, limit, out):
    """Walk all overlaps of leaves inside the box (low, high]; stop after ``limit``.

    ``depth`` is the sum of the trees' depths. With room in ``out``, three arrays of up to
    ``limit`` rows, boxes and scores are written there. Returns the number of overlaps, one more
    than the limit if there are more.
    """
    lower, upper, score = out
    write = len(score) > 0
    n_trees, n_classes = len(roots), table.shape[1]
    partial = np.zeros((n_trees + 1, n_classes))
    partial[0] = start
    nodes = np.empty(depth + 2, dtype=np.int32)
    trees = np.empty(depth + 2, dtype=np.int32)
    phase = np.zeros(depth + 2, dtype=np.int8)
    edge = np.empty(depth + 2)
    nodes[0], trees[0] = roots[0], 0
    top, count = 0, 0
    while top >= 0:
        node, t = nodes[top], trees[top]
        if left[node] < 0:
            for c in range(n_classes):
                partial[t + 1, c] = partial[t, c] + table[node, c]
            if t + 1 < n_trees:
                nodes[top], trees[top], phase[top] = roots[t + 1], t + 1, 0
                continue
            if count == limit:
                return limit + 1
            if write:
                lower[count], upper[count] = low, high
                score[count] = partial[n_trees]
            count += 1
            top -= 1
            continue
        f, c = feature[node], cut[node]
        if phase[top] == 0:
            phase[top] = 1
            edge[top] = high[f]
            if low[f] < c:
                high[f] = min(high[f], c)
                top += 1
                nodes[top], trees[top], phase[top] = left[node], t, 0
        elif phase[top] == 1:
            phase[top] = 2
            high[f] = edge[top]
            edge[top] = low[f]
            if high[f] > c:
                low[f] = max(low[f], c)
                top += 1
                nodes[top], trees[top], phase[top] = right[node], t, 0
        else:
            low[f] = edge[top]
            top -= 1
    return count
