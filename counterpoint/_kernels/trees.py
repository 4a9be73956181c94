"""Operations on one or two trees as arrays. Twins in ``tests/naive/trees.py``.

A tree is ``left``, ``right`` (-1 in a leaf), ``feature``, ``cut`` and ``gone`` (whether missing
values go left); children have higher numbers than their parents. A region is a product of one
set a column: the values in (lower, upper] and, if ``missing``, also the missing value. Every
split cuts a region into two regions, so that walks on regions are exact for missing values too.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel

# What :func:`first_fault` may find.
SOUND, ONE_CHILD, FAR_CHILD, TWO_PARENTS, NO_PARENT = range(5)


@kernel()
def first_fault(left, right):
    """Return what keeps these children from being one tree, and at which node.

    Nothing, 0, comes with the number of splits on the longest path. Children are any numbers, in
    two arrays as long as each other, not empty; nothing is looked up before it is known to exist.
    """
    n = len(left)
    deep = np.empty(n, dtype=np.int64)
    deep[:] = -1
    deep[0] = 0
    most = 0
    for node in range(n):
        if deep[node] < 0:
            return NO_PARENT, node
        if left[node] == -1 and right[node] == -1:
            continue
        if left[node] == -1 or right[node] == -1:
            return ONE_CHILD, node
        for child in (left[node], right[node]):
            if child <= node or child >= n:
                return FAR_CHILD, node
            if deep[child] >= 0:
                return TWO_PARENTS, child
            deep[child] = deep[node] + 1
        most = max(most, deep[node] + 1)
    return SOUND, most


@kernel()
def depth(left, right):
    """Return the number of splits on the longest path."""
    deep = np.zeros(len(left), dtype=np.int64)
    most = 0
    for node in range(len(left)):
        if left[node] >= 0:
            below = deep[node] + 1
            deep[left[node]] = below
            deep[right[node]] = below
            most = max(most, below)
    return most


@kernel()
def preorder(left, right):
    """Return the nodes under the root in preorder, and their children numbered anew."""
    n = len(left)
    kept = np.empty(n, dtype=np.int32)
    new_left = np.full(n, -1, dtype=np.int32)
    new_right = np.full(n, -1, dtype=np.int32)
    stack = np.empty(n, dtype=np.int32)
    parent = np.empty(n, dtype=np.int32)
    side = np.empty(n, dtype=np.int8)
    stack[0], parent[0], side[0] = 0, -1, 0
    top, count = 0, 0
    while top >= 0:
        node, above, way = stack[top], parent[top], side[top]
        top -= 1
        kept[count] = node
        if above >= 0:
            if way == 0:
                new_left[above] = count
            else:
                new_right[above] = count
        if left[node] >= 0:
            stack[top + 1], parent[top + 1], side[top + 1] = right[node], count, 1
            stack[top + 2], parent[top + 2], side[top + 2] = left[node], count, 0
            top += 2
        count += 1
    return kept[:count], new_left[:count], new_right[:count]


@kernel()
def restrict(left, right, feature, cut, gone, lower, upper, missing):
    """Return the nodes left on a region, in preorder, and their children.

    A node stays if it is a leaf, or if its split has a part of the region on either side. The
    region is changed on the way and as before at the end.
    """
    n = len(left)
    kept = np.empty(n, dtype=np.int32)
    new_left = np.full(n, -1, dtype=np.int32)
    new_right = np.full(n, -1, dtype=np.int32)
    # A frame is a node, how far it is done, where it stands in the result, and what was changed.
    nodes = np.empty(n + 1, dtype=np.int32)
    phase = np.zeros(n + 1, dtype=np.int8)
    place = np.empty(n + 1, dtype=np.int32)
    parent = np.empty(n + 1, dtype=np.int32)
    side = np.zeros(n + 1, dtype=np.int8)
    old_edge = np.empty(n + 1)
    old_missing = np.empty(n + 1, dtype=np.bool_)
    nodes[0], parent[0] = 0, -1
    top, count = 0, 0
    while top >= 0:
        node = nodes[top]
        f, c = feature[node], cut[node]
        if phase[top] == 0:
            if left[node] >= 0:
                full = lower[f] < upper[f]
                goes_left = (full and lower[f] < c) or (missing[f] and gone[node])
                goes_right = (full and upper[f] > c) or (missing[f] and not gone[node])
                if not (goes_left and goes_right):
                    nodes[top] = left[node] if goes_left else right[node]
                    continue
            kept[count] = node
            if parent[top] >= 0:
                if side[top] == 0:
                    new_left[parent[top]] = count
                else:
                    new_right[parent[top]] = count
            place[top] = count
            count += 1
            if left[node] < 0:
                top -= 1
                continue
            old_edge[top], old_missing[top] = upper[f], missing[f]
            upper[f] = min(upper[f], c)
            missing[f] = missing[f] and gone[node]
            phase[top] = 1
            top += 1
            nodes[top], phase[top], parent[top], side[top] = left[node], 0, place[top - 1], 0
        elif phase[top] == 1:
            upper[f], missing[f] = old_edge[top], old_missing[top]
            old_edge[top] = lower[f]
            lower[f] = max(lower[f], c)
            missing[f] = missing[f] and not gone[node]
            phase[top] = 2
            top += 1
            nodes[top], phase[top], parent[top], side[top] = right[node], 0, place[top - 1], 1
        else:
            lower[f], missing[f] = old_edge[top], old_missing[top]
            top -= 1
    return kept[:count], new_left[:count], new_right[:count]


@kernel()
def merge_equal(left, right, code):
    """Make leaves of splits whose two sides are leaves of the same code, until none is left.

    ``code`` and the children are changed in place.
    """
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            a, b = left[node], right[node]
            if left[a] < 0 and left[b] < 0 and code[a] == code[b]:
                code[node] = code[a]
                left[node], right[node] = -1, -1


@kernel()
def sum_up(left, right, table):
    """Add the rows of leaves to all nodes above, in place."""
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            for c in range(table.shape[1]):
                table[node, c] = table[left[node], c] + table[right[node], c]


@kernel()
def first_difference(
    left_a, right_a, feature_a, cut_a, gone_a, code_a,
    left_b, right_b, feature_b, cut_b, gone_b, code_b,
    lower, upper, missing,
):  # fmt: skip
    """Say whether two trees give leaves of different codes on some part of the region.

    If so, the region is left as the part where they do.
    """
    size = len(left_a) + len(left_b) + 1
    nodes_a = np.empty(size, dtype=np.int32)
    nodes_b = np.empty(size, dtype=np.int32)
    phase = np.zeros(size, dtype=np.int8)
    old_edge = np.empty(size)
    old_missing = np.empty(size, dtype=np.bool_)
    nodes_a[0], nodes_b[0] = 0, 0
    top = 0
    while top >= 0:
        a, b = nodes_a[top], nodes_b[top]
        first = left_a[a] >= 0
        if first:
            f, c, gone = feature_a[a], cut_a[a], gone_a[a]
        elif left_b[b] >= 0:
            f, c, gone = feature_b[b], cut_b[b], gone_b[b]
        else:
            if code_a[a] != code_b[b]:
                return True
            top -= 1
            continue
        if phase[top] == 0:
            phase[top] = 1
            old_edge[top], old_missing[top] = upper[f], missing[f]
            full = lower[f] < upper[f] and lower[f] < c
            if full or (missing[f] and gone):
                upper[f] = min(upper[f], c)
                missing[f] = missing[f] and gone
                top += 1
                nodes_a[top] = left_a[a] if first else a
                nodes_b[top] = b if first else left_b[b]
                phase[top] = 0
        elif phase[top] == 1:
            phase[top] = 2
            upper[f], missing[f] = old_edge[top], old_missing[top]
            old_edge[top] = lower[f]
            full = lower[f] < upper[f] and upper[f] > c
            if full or (missing[f] and not gone):
                lower[f] = max(lower[f], c)
                missing[f] = missing[f] and not gone
                top += 1
                nodes_a[top] = right_a[a] if first else a
                nodes_b[top] = b if first else right_b[b]
                phase[top] = 0
        else:
            lower[f], missing[f] = old_edge[top], old_missing[top]
            top -= 1
    return False


@parallel()
def gather(leaves, table, weights):
    """Sum over trees of weight times ``table`` (n_nodes, k) at leaves (n_trees, n): (n, k)."""
    n_trees, n = leaves.shape
    total = np.zeros((n, table.shape[1]))
    for i in prange(n):
        for t in range(n_trees):
            for c in range(table.shape[1]):
                total[i, c] += weights[t] * table[leaves[t, i], c]
    return total


@parallel()
def scatter(leaves, rows, weights, n_nodes):
    """Sum of ``rows`` (n, k) over the samples in each leaf, times the weight of its tree.

    Nodes are numbered over all trees, so that no two trees write to the same: (n_nodes, k).
    """
    total = np.zeros((n_nodes, rows.shape[1]))
    for t in prange(len(leaves)):
        for i in range(leaves.shape[1]):
            for c in range(rows.shape[1]):
                total[leaves[t, i], c] += weights[t] * rows[i, c]
    return total
