"""Weighted votes counted from bits; the twin is in ``tests/naive/polls.py``."""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel

_WORD = 64
_1 = np.uint64(1)
# Words whose column counters are kept at a time; sixteen planes of them fit in the L1 cache.
_BLOCK = 64


@parallel()
def weigh_columns(words, rows, weights, n_samples):
    """Weight of the bits set per sample: words (n_rows, n_words) uint64, rows to count, int64.

    weights (len(rows),) int64 from 0, their sum below 2**31; returns (n_samples,) int32. Plane p
    holds bit p of the counters of 64 samples; a row is added at each bit of its weight, and the
    carry ripples through the planes above.
    """
    n_words = words.shape[1]
    counts = np.zeros(n_samples, dtype=np.int32)
    most = np.int64(0)
    for m in range(len(rows)):
        most += weights[m]
    n_planes = 1
    while (np.int64(1) << n_planes) <= most:
        n_planes += 1
    for block in prange((n_words + _BLOCK - 1) // _BLOCK):
        start = block * _BLOCK
        width = min(_BLOCK, n_words - start)
        planes = np.zeros((n_planes, _BLOCK), dtype=np.uint64)
        carry = np.zeros(_BLOCK, dtype=np.uint64)
        so_far = np.int64(0)
        for m in range(len(rows)):
            row = words[rows[m], start : start + width]
            weight = weights[m]
            so_far += weight
            used = 1  # planes that the sum so far can reach
            while (np.int64(1) << used) <= so_far:
                used += 1
            first = 0
            while weight >> first:
                if (weight >> first) & 1:
                    for k in range(width):
                        carry[k] = row[k]
                    for p in range(first, used):
                        plane = planes[p]
                        for k in range(width):
                            rest = plane[k] & carry[k]
                            plane[k] ^= carry[k]
                            carry[k] = rest
                first += 1
        for k in range(width):
            at = (start + k) * _WORD
            here = counts[at : min(at + _WORD, n_samples)]
            for p in range(n_planes):
                plane = planes[p, k]
                for b in range(len(here)):
                    here[b] |= np.int32((plane >> np.uint64(b)) & _1) << np.int32(p)
    return counts
