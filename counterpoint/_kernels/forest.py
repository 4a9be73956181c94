"""Many trees asked about many samples in one go. Twins in ``tests/naive/hist.py``.

Trees are laid end to end: children of a node are numbered over all trees, a leaf is its own
child, so that samples of a block walk down together and nobody waits for a guess to be
undone. X holds numbers with NaN for missing, or uint8 bins with ``missing`` for missing.

Trees with splits on categories have kernels of their own: ``place`` says which row of ``sets``
(n_sets, 4) uint64 holds the categories that go left, a bit each, -1 for none.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel
from counterpoint._kernels.parts import part

_BLOCK = 128


@part()
def _descend(X, start, stop, missing, root, depth, feature, cut, children, at):
    for i in range(stop - start):
        at[i] = root
    for _ in range(depth):
        for i in range(stop - start):
            node = at[i]
            x = X[start + i, feature[node]]
            way = 1 if x > cut[node] else 0
            if x != x or x == missing:
                way = 2
            at[i] = children[node, way]


@parallel()
def look_up(X, missing, roots, depths, feature, cut, children, table):
    """For every tree and sample ``table`` at the leaf reached: (n_trees, n_samples)."""
    n = len(X)
    found = np.empty((len(roots), n), dtype=table.dtype)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        at = np.empty(_BLOCK, dtype=np.int32)
        for t in range(len(roots)):
            _descend(X, start, stop, missing, roots[t], depths[t], feature, cut, children, at)
            for i in range(stop - start):
                found[t, start + i] = table[at[i]]
    return found


@parallel()
def add_up(X, missing, roots, depths, feature, cut, children, table, weights):
    """Sum over trees of weight times ``table`` (n_nodes, k) at the leaf: (n_samples, k)."""
    n, k = len(X), table.shape[1]
    total = np.zeros((n, k))
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        at = np.empty(_BLOCK, dtype=np.int32)
        for t in range(len(roots)):
            _descend(X, start, stop, missing, roots[t], depths[t], feature, cut, children, at)
            w = weights[t]
            for i in range(stop - start):
                for c in range(k):
                    total[start + i, c] += w * table[at[i], c]
    return total


@part()
def way_of_category(x, sets, own):
    """Return 0, left, if row ``own`` of ``sets`` has the bit of x, else 1; 2 if x is no category.

    The row is not sliced by the caller: numba would count references for every sample.
    """
    if not 0 <= x < 256:
        return 2
    code = np.int64(x)
    if code != x:
        return 2
    bits = sets[own, code >> 6] >> np.uint64(code & 63)
    return 1 - np.int64(bits & np.uint64(1))


@part()
def _descend_sets(X, start, stop, missing, root, depth, feature, cut, children, sets, place, at):
    for i in range(stop - start):
        at[i] = root
    for _ in range(depth):
        for i in range(stop - start):
            node = at[i]
            x = X[start + i, feature[node]]
            way = 1 if x > cut[node] else 0
            own = place[node]
            if x != x or x == missing:
                way = 2
            elif own >= 0:
                way = way_of_category(x, sets, own)  # what is none goes with the missing
            at[i] = children[node, way]


@parallel()
def look_up_sets(X, missing, roots, depths, feature, cut, children, sets, place, table):
    """Answer as ``look_up`` does, with splits on categories."""
    n = len(X)
    found = np.empty((len(roots), n), dtype=table.dtype)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        at = np.empty(_BLOCK, dtype=np.int32)
        for t in range(len(roots)):
            _descend_sets(
                X, start, stop, missing, roots[t], depths[t], feature, cut, children, sets, place,
                at,
            )  # fmt: skip
            for i in range(stop - start):
                found[t, start + i] = table[at[i]]
    return found


@parallel()
def add_up_sets(X, missing, roots, depths, feature, cut, children, sets, place, table, weights):
    """Answer as ``add_up`` does, with splits on categories."""
    n, k = len(X), table.shape[1]
    total = np.zeros((n, k))
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        at = np.empty(_BLOCK, dtype=np.int32)
        for t in range(len(roots)):
            _descend_sets(
                X, start, stop, missing, roots[t], depths[t], feature, cut, children, sets, place,
                at,
            )  # fmt: skip
            w = weights[t]
            for i in range(stop - start):
                for c in range(k):
                    total[start + i, c] += w * table[at[i], c]
    return total
