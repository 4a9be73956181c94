"""Who was right together: bit-packed correctness and the counts of all pairs.

One bit a sample, 64 samples a word, unused bits of the last word zero. Twins in
``tests/naive/pairs.py``.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel
from counterpoint._kernels.parts import part

_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_ODD = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)

WORD = 64
# What measure_pairs computes.
Q, CORRELATION, KAPPA, DISAGREEMENT, DOUBLE_FAULT, COVARIANCE = range(6)
# A share below this is rounding: one sample of a billion is a thousand times more.
_NOTHING = 1e-12
# Words of one row worked on at a time, and rows that meet each other row while those words are
# near the processor.
_CHUNK = 512
_BAND = 16
# Words whose column counters are kept at a time; ten planes of them fit in the L1 cache.
_BLOCK = 64
# A tile is four rows against two: eight sums stay in registers while six rows are read.
_TILE = 4


@part(forceinline=True)
def _popcount(x):
    # In exactly this form LLVM recognises the idiom and emits the processor's popcount, on
    # whole vectors where there is one.
    x = x - ((x >> _1) & _ODD)
    x = (x & _PAIRS) + ((x >> _2) & _PAIRS)
    x = (x + (x >> _4)) & _NIBBLES
    return (x * _BYTES) >> _56


@parallel()
def pack(flags, n_rows):
    """Pack flags (n_members, n_samples) uint8, 0 or not, into (n_rows, n_words) uint64.

    ``n_rows >= n_members``; rows beyond the members stay zero, so that ``count_pairs`` can
    be given whole tiles.
    """
    n_members, n_samples = flags.shape
    words = np.zeros((n_rows, (n_samples + WORD - 1) // WORD), dtype=np.uint64)
    whole = n_samples // WORD
    for m in prange(n_members):
        row = flags[m]
        for w in range(whole):
            first = w * WORD
            word = np.uint64(0)
            for b in range(WORD):
                word |= np.uint64(row[first + b] != 0) << np.uint64(b)
            words[m, w] = word
        if whole * WORD < n_samples:
            word = np.uint64(0)
            for s in range(whole * WORD, n_samples):
                word |= np.uint64(row[s] != 0) << np.uint64(s - whole * WORD)
            words[m, whole] = word
    return words


@parallel()
def pack_equal(votes, y, n_rows):
    """Pack ``votes == y`` without storing it; votes (n_members, n_samples), y of the same type.

    Returns (n_rows, n_words) uint64 as :func:`pack` does.
    """
    n_members, n_samples = votes.shape
    words = np.zeros((n_rows, (n_samples + WORD - 1) // WORD), dtype=np.uint64)
    whole = n_samples // WORD
    for m in prange(n_members):
        row = votes[m]
        for w in range(whole):
            first = w * WORD
            word = np.uint64(0)
            for b in range(WORD):
                word |= np.uint64(row[first + b] == y[first + b]) << np.uint64(b)
            words[m, w] = word
        if whole * WORD < n_samples:
            word = np.uint64(0)
            for s in range(whole * WORD, n_samples):
                word |= np.uint64(row[s] == y[s]) << np.uint64(s - whole * WORD)
            words[m, whole] = word
    return words


@part()
def _count_tile(words, i, j, start, stop, both):
    # Rows i..i+3 against rows j, j+1, words start..stop, written out by hand: the eight sums
    # must be scalars to stay in registers.
    a0, a1 = words[i, start:stop], words[i + 1, start:stop]
    a2, a3 = words[i + 2, start:stop], words[i + 3, start:stop]
    b0, b1 = words[j, start:stop], words[j + 1, start:stop]
    s00 = s10 = s20 = s30 = np.uint64(0)
    s01 = s11 = s21 = s31 = np.uint64(0)
    for w in range(stop - start):
        x, y = b0[w], b1[w]
        s00 += _popcount(a0[w] & x)
        s10 += _popcount(a1[w] & x)
        s20 += _popcount(a2[w] & x)
        s30 += _popcount(a3[w] & x)
        s01 += _popcount(a0[w] & y)
        s11 += _popcount(a1[w] & y)
        s21 += _popcount(a2[w] & y)
        s31 += _popcount(a3[w] & y)
    both[i, j] += np.int64(s00)
    both[i + 1, j] += np.int64(s10)
    both[i + 2, j] += np.int64(s20)
    both[i + 3, j] += np.int64(s30)
    both[i, j + 1] += np.int64(s01)
    both[i + 1, j + 1] += np.int64(s11)
    both[i + 2, j + 1] += np.int64(s21)
    both[i + 3, j + 1] += np.int64(s31)


@parallel()
def count_pairs(words):
    """Bits set in both of every two rows: words (n_rows, n_words) uint64, n_rows a multiple of 4.

    Returns (n_rows, n_rows) int64, symmetric; the diagonal counts each row's own bits.
    """
    n_rows, n_words = words.shape
    both = np.zeros((n_rows, n_rows), dtype=np.int64)
    n_bands = (n_rows + _BAND - 1) // _BAND
    for h in prange((n_bands + 1) // 2):
        # Bands near the top meet many rows, those near the bottom few: a thread takes one of
        # each, so that all have the same work.
        for band in (np.int64(h), n_bands - 1 - np.int64(h)):
            top = band * _BAND
            below = min(n_rows, top + _BAND)
            for start in range(0, n_words, _CHUNK):
                stop = min(n_words, start + _CHUNK)
                for j in range(top, n_rows, 2):
                    for i in range(top, min(below, j + 2), _TILE):
                        _count_tile(words, i, j, start, stop, both)
            if band == n_bands - 1 - band:
                break  # the middle one of an odd number: not twice
    for i in range(n_rows):
        for j in range(i):
            both[i, j] = both[j, i]
    return both


@parallel()
def count_columns(words, n_samples):
    """Bits set per sample: words (n_rows, n_words) uint64; returns (n_samples,) int64.

    Sixty-four samples a word are counted at once: plane p holds bit p of their counters, and
    adding a row is a carry that ripples through the planes.
    """
    n_rows, n_words = words.shape
    counts = np.zeros(n_samples, dtype=np.int64)
    n_planes = 1
    while (1 << n_planes) <= n_rows:
        n_planes += 1
    for block in prange((n_words + _BLOCK - 1) // _BLOCK):
        start = block * _BLOCK
        width = min(_BLOCK, n_words - start)
        planes = np.zeros((n_planes, _BLOCK), dtype=np.uint64)
        carry = np.zeros(_BLOCK, dtype=np.uint64)
        used = 1  # planes that m + 1 rows can reach
        for m in range(n_rows):
            if (m + 1) >> used:
                used += 1
            row = words[m, start : start + width]
            for k in range(width):
                carry[k] = row[k]
            for p in range(used):
                plane = planes[p]
                for k in range(width):
                    rest = plane[k] & carry[k]
                    plane[k] ^= carry[k]
                    carry[k] = rest
        for k in range(width):
            first = (start + k) * WORD
            for b in range(min(WORD, n_samples - first)):
                total = np.int64(0)
                for p in range(n_planes):
                    total += np.int64((planes[p, k] >> np.uint64(b)) & _1) << np.int64(p)
                counts[first + b] = total
    return counts


@part()
def _ratio(a, b):
    return a / b if b != 0.0 else np.nan


@part()
def _measure_pair(kind, n11, n10, n01, n00, total):
    beyond = n11 * n00 - n10 * n01
    if kind == Q:
        return _ratio(beyond, n11 * n00 + n10 * n01)
    if kind == CORRELATION:
        # Two members, two factors: the same to the last bit whichever comes first.
        spread = ((n11 + n10) * (n01 + n00)) * ((n11 + n01) * (n10 + n00))
        return min(1.0, max(-1.0, beyond / np.sqrt(spread))) if spread > 0.0 else np.nan
    if kind == KAPPA:
        chance = (n11 + n10) * (n10 + n00) + (n11 + n01) * (n01 + n00)
        return min(1.0, max(-1.0, 2.0 * beyond / chance)) if chance > 0.0 else np.nan
    if kind == DISAGREEMENT:
        return (n10 + n01) / total
    if kind == DOUBLE_FAULT:
        return n00 / total
    return n11 / total - (n11 + n10) * (n11 + n01) / total**2


@parallel()
def measure_pairs(kind, both, total):
    """Compute a pairwise measure of right and wrong for all pairs.

    kind is one of the numbers above, both (n_members, n_members) int64 as ``count_pairs`` gives
    it or float64, total float64; returns (n_members, n_members) float64, symmetric, NaN for 0/0.
    """
    n_members = len(both)
    values = np.empty((n_members, n_members))
    # Weighted counts are differences of sums: what rounding leaves of a zero is not a count.
    least = _NOTHING * total
    for i in prange(n_members):
        for j in range(n_members):
            n11 = np.float64(both[i, j])
            n10, n01 = both[i, i] - n11, both[j, j] - n11
            n00 = total - both[i, i] - n01
            n11 = n11 if n11 > least else 0.0
            n10 = n10 if n10 > least else 0.0
            n01 = n01 if n01 > least else 0.0
            n00 = n00 if n00 > least else 0.0
            values[i, j] = _measure_pair(kind, n11, n10, n01, n00, total)
    return values
