"""One tree, just grown, asked about some rows. Checked against ``forest.py`` in ``tests/kernels``.

A tree of ``hist.py`` has the right child of a node after its left one, and -1 for the children of
a leaf: its arrays are walked as they are, where ``forest.py`` wants many trees laid out anew.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel
from counterpoint._kernels.forest import way_of_category

_BLOCK = 512


@parallel()
def mark_leaves(X, missing, rows, left, feature, cut, missing_left, leaf):
    """Note in ``leaf`` (n_samples,) int32 where each of ``rows`` ends.

    X holds numbers with NaN for missing, or uint8 bins with ``missing`` for missing; ``cut`` are
    the thresholds of either.
    """
    for block in prange((len(rows) + _BLOCK - 1) // _BLOCK):
        for r in range(block * _BLOCK, min(len(rows), (block + 1) * _BLOCK)):
            i, node = rows[r], 0
            while left[node] >= 0:
                x = X[i, feature[node]]
                right = x > cut[node]
                if x != x or x == missing:
                    right = not missing_left[node]
                node = left[node] + np.int64(right)
            leaf[i] = node


@parallel()
def mark_leaves_bins(codes, rows, left, feature, cut, missing_left, leaf):
    """Do as ``mark_leaves`` does, by uint8 bins with 255 for missing.

    A node is one number: its left child, column, whether missing values go left, and its bin; 0 is
    a leaf. Rows of a block go down a level together, and those that have arrived are left out: no
    row waits for a guess of where another goes.
    """
    nodes = np.zeros(len(left), dtype=np.int64)
    for k in range(len(left)):
        if left[k] >= 0:
            nodes[k] = np.int64(left[k]) << 32 | np.int64(feature[k]) << 9
            nodes[k] |= np.int64(missing_left[k]) << 8 | np.int64(cut[k])
    for block in prange((len(rows) + _BLOCK - 1) // _BLOCK):
        first = block * _BLOCK
        n = min(_BLOCK, len(rows) - first)
        going, at = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        for r in range(n):
            going[r], at[r] = rows[first + r], nodes[0]
            leaf[going[r]] = 0
        while n > 0 and nodes[0] > 0:
            left_over = 0
            for r in range(n):
                i, node = going[r], at[r]
                x = np.int64(codes[np.uint64(i), np.uint64(node >> 9 & 0x7FFFFF)])
                # 1 where the bin is above the node's: a difference below 0 is all ones.
                above = ((node & 255) - x) >> 63 & 1
                gone = (x + 1 & node) >> 8 & 1  # missing, and these go left
                child = (node >> 32) + (above & (gone ^ 1))
                leaf[i] = child
                node = nodes[np.uint64(child)]
                going[left_over], at[left_over] = i, node
                left_over -= -node >> 63
            n = left_over


@parallel()
def mark_leaves_sets(X, missing, rows, left, feature, cut, missing_left, by_set, sets, leaf):
    """Do as ``mark_leaves`` does, with splits on categories.

    ``by_set`` (n_nodes,) bool says which nodes these are; ``sets`` (n_nodes, 4) uint64 holds what
    goes left there.
    """
    for block in prange((len(rows) + _BLOCK - 1) // _BLOCK):
        for r in range(block * _BLOCK, min(len(rows), (block + 1) * _BLOCK)):
            i, node = rows[r], 0
            while left[node] >= 0:
                x = X[i, feature[node]]
                way = 1 if x > cut[node] else 0
                if x != x or x == missing:
                    way = 2
                elif by_set[node]:
                    way = way_of_category(x, sets, node)
                if way == 2:
                    way = 0 if missing_left[node] else 1
                node = left[node] + way
            leaf[i] = node
