"""Trees of scikit-learn asked all at once; checked against scikit-learn in ``tests/dynamic``.

The right child of a node follows its left one; a leaf is its own left child and nothing is above
its threshold, so that nobody asks whether the bottom is reached. X is float32 without
NaN, as scikit-learn has it. A threshold is rounded down to float32: no float32 lies between.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel
from counterpoint._kernels.parts import part

_BLOCK = 256


@kernel()
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


@part()
def _step(x, node, feature, cut, left):
    return np.uint32(left[node] + np.uint32(x[feature[node]] > cut[node]))


@part()
def _walk_eight(X, i, root, feature, cut, left):
    """Leaves of samples i to i + 7: while one waits for memory the others go on."""
    a, b, c, d, e, f, g, h = root, root, root, root, root, root, root, root
    while True:
        a2 = _step(X[i], a, feature, cut, left)
        b2 = _step(X[i + 1], b, feature, cut, left)
        c2 = _step(X[i + 2], c, feature, cut, left)
        d2 = _step(X[i + 3], d, feature, cut, left)
        e2 = _step(X[i + 4], e, feature, cut, left)
        f2 = _step(X[i + 5], f, feature, cut, left)
        g2 = _step(X[i + 6], g, feature, cut, left)
        h2 = _step(X[i + 7], h, feature, cut, left)
        first = (a ^ a2) | (b ^ b2) | (c ^ c2) | (d ^ d2)
        if (first | (e ^ e2) | (f ^ f2) | (g ^ g2) | (h ^ h2)) == 0:
            return a, b, c, d, e, f, g, h
        a, b, c, d, e, f, g, h = a2, b2, c2, d2, e2, f2, g2, h2


@parallel()
def look_up(X, roots, feature, cut, left, table):
    """For every sample and tree ``table`` at the leaf reached: (n_samples, n_trees)."""
    n, n_trees = len(X), len(roots) - 1
    found = np.empty((n, n_trees), dtype=table.dtype)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        begin, end = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        last = begin + (end - begin) // 8 * 8
        for t in range(n_trees):
            root = np.uint32(roots[t])
            for i in range(begin, last, 8):
                a, b, c, d, e, f, g, h = _walk_eight(X, i, root, feature, cut, left)
                found[i, t], found[i + 1, t] = table[a], table[b]
                found[i + 2, t], found[i + 3, t] = table[c], table[d]
                found[i + 4, t], found[i + 5, t] = table[e], table[f]
                found[i + 6, t], found[i + 7, t] = table[g], table[h]
            for i in range(last, end):
                at = root
                while left[at] != at:
                    at = _step(X[i], at, feature, cut, left)
                found[i, t] = table[at]
    return found
