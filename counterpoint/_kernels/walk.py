"""Trees of scikit-learn asked all at once; checked against scikit-learn in ``tests/dynamic``.

The right child of a node follows its left one; a leaf is its own left child and nothing is above
its threshold, so that nobody asks whether the bottom is reached. X is float32 without
NaN, as scikit-learn has it. A threshold is rounded down to float32: no float32 lies between.
"""

import numpy as np
from numba import njit, prange

_BLOCK = 256


@njit(cache=True)
def lay_out(roots, left, right):
    """Lay nodes out anew, level by level, children side by side.

    Children are numbered within their tree, -1 in leaves; roots (n_trees + 1,) says where trees
    begin. Returns for each new node the old one, and its left child; a leaf is its own.
    """
    old = np.empty(len(left), dtype=np.uint32)
    child = np.empty(len(left), dtype=np.uint32)
    for t in range(len(roots) - 1):
        root = roots[t]
        old[root] = root
        filled = root + 1
        for new in range(root, roots[t + 1]):
            before = old[new]
            if left[before] < 0:
                child[new] = new
            else:
                child[new] = filled
                old[filled], old[filled + 1] = root + left[before], root + right[before]
                filled += 2
    return old, child


@njit(cache=True)
def _step(x, node, feature, cut, left):
    return np.uint32(left[node] + np.uint32(x[feature[node]] > cut[node]))


@njit(cache=True, parallel=True)
def look_up(X, roots, feature, cut, left, table):
    """For every sample and tree ``table`` at the leaf reached: (n_samples, n_trees)."""
    n, n_trees = len(X), len(roots) - 1
    found = np.empty((n, n_trees), dtype=table.dtype)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        begin, end = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        for t in range(n_trees):
            root = np.uint32(roots[t])
            i = begin
            # Four at a time: while one waits for memory the others go on.
            while i + 4 <= end:
                a, b, c, d = root, root, root, root
                w, x, y, z = X[i], X[i + 1], X[i + 2], X[i + 3]
                moving = True
                while moving:
                    e = _step(w, a, feature, cut, left)
                    f = _step(x, b, feature, cut, left)
                    g = _step(y, c, feature, cut, left)
                    h = _step(z, d, feature, cut, left)
                    moving = ((a ^ e) | (b ^ f) | (c ^ g) | (d ^ h)) != 0
                    a, b, c, d = e, f, g, h
                found[i, t], found[i + 1, t] = table[a], table[b]
                found[i + 2, t], found[i + 3, t] = table[c], table[d]
                i += 4
            while i < end:
                at, before = root, np.uint32(0xFFFFFFFF)
                while at != before:
                    before, at = at, _step(X[i], at, feature, cut, left)
                found[i, t] = table[at]
                i += 1
    return found
