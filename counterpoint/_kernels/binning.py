"""From numbers to bins and from bins to words. Twins in ``tests/naive/hist.py``."""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel
from counterpoint._kernels.parts import part

MISSING = 255  # the code of a missing value
_BLOCK = 2048


@kernel()
def cut_points(values, counts, max_bins):
    """Edges of at most ``max_bins`` bins of nearly equal numbers of rows.

    ``values`` (n,) are distinct and sorted, ``counts`` (n,) how often each occurs. A frequent
    value gets a bin of its own and the others share what is left. Returns the edges,
    each halfway between two values.
    """
    edges = np.empty(max_bins - 1)
    n_edges, held, left = 0, 0.0, 0.0
    for i in range(len(counts)):
        left += counts[i]
    for i in range(len(values) - 1):
        if n_edges == max_bins - 1:
            break
        held += counts[i]
        goal = left / (max_bins - n_edges)
        # Close the bin if it is nearer to its share now than with the next value in it.
        if held + counts[i + 1] / 2 >= goal:
            edges[n_edges] = middle(np.float64(values[i]), np.float64(values[i + 1]))
            n_edges += 1
            left -= held
            held = 0.0
    return edges[:n_edges].copy()


@part()
def middle(low, high):
    """Halfway between two numbers, and never the higher one."""
    value = low / 2 + high / 2
    return low if value >= high else value


@parallel()
def encode(X, edges):
    """Bins of X (n_samples, n_features); edges (n_features, 256) float64, padded with inf.

    Bin b holds the values above edge b - 1 up to edge b; NaN is ``MISSING``. Returns
    (n_samples, n_features) uint8.
    """
    n, n_features = X.shape
    codes = np.empty((n, n_features), dtype=np.uint8)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        for f in range(n_features):
            cuts = edges[f]
            for i in range(start, stop):
                x = np.float64(X[i, f])
                at = np.uint64(0)
                step = np.uint64(128)
                for _ in range(8):  # without a branch: the count of edges below x, bit by bit
                    if cuts[at + step - np.uint64(1)] < x:
                        at += step
                    step >>= np.uint64(1)
                codes[i, f] = MISSING if np.isnan(x) else at
    return codes


@kernel()
def pack_words(codes, y, n_bins, per_word, words):
    """Fill words (n_words, n_samples) uint64: the class in the low byte, then the bins.

    Missing values become the bin after a column's last.
    """
    n, n_features = codes.shape
    words[:] = 0
    for k in range(len(words)):
        if len(y) > 0:
            for i in range(n):
                words[k, i] = y[i]
        for j in range(min(per_word, n_features - k * per_word)):
            f = k * per_word + j
            shift = np.uint64(8 * (j + 1))
            absent = np.uint64(n_bins[f])
            for i in range(n):
                code = np.uint64(codes[i, f])
                words[k, i] |= (absent if code == np.uint64(MISSING) else code) << shift
