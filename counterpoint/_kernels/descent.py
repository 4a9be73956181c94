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
