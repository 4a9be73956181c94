"""Columns of categories: sorted by their targets, then cut like numbers.

Of all ways to part categories in two, the best for squared error is among the cuts of their order
by mean target (Fisher 1958, "On grouping for maximum homogeneity", JASA 53). A set of bins is
four uint64, bit b of their 256 for bin b. Twins in ``tests/naive/hist.py``. After a change here
touch ``hist.py``, as ``hist_scan.py`` says.
"""

import numpy as np

from counterpoint._kernels.compiling import brief, lean

SET_WORDS = 4
_1, _6, _63 = np.uint64(1), np.uint64(6), np.uint64(63)


@brief
def sort_categories(hist, first, stride, n_bins, totals, smooth, keys, places):
    """List the bins that hold something by their mean target; returns their number.

    Means are drawn to that of the node, whose sums are ``totals``, as if each bin held ``smooth``
    more weight of it. Of equals the lower bin comes first.
    """
    used, mean = 0, np.float64(totals[1]) / np.float64(totals[0])
    for b in range(n_bins):
        weight = hist[first + b]
        if weight > 0:
            away = np.float64(hist[first + stride + b]) - mean * np.float64(weight)
            keys[used] = away / (np.float64(weight) + smooth)
            places[used] = b
            used += 1
    for gap in (57, 23, 10, 4, 1):  # Shell's sort: no branch of its own for many, nor for few
        for i in range(gap, used):
            key, place, at = keys[i], places[i], i
            while at >= gap and (
                keys[at - gap] > key or (keys[at - gap] == key and places[at - gap] > place)
            ):
                keys[at], places[at] = keys[at - gap], places[at - gap]
                at -= gap
            keys[at], places[at] = key, place
    return used


@brief
def note_sides(hist, first, stride, places, used, last, codes, found, sides):
    """Add the categories up to ``last`` to the sums in ``found``, and note which lie on each side.

    ``sides`` (8,) becomes the set on the left and then that on the right.
    """
    sides[:] = 0
    at = 0
    for i in range(used):
        b = places[i]
        code = np.uint64(codes[b])
        sides[at + np.int64(code >> _6)] |= _1 << (code & _63)
        if at == 0:
            for k in range(len(found)):
                found[k] += hist[first + k * stride + b]
        if b == last:
            at = SET_WORDS


@lean
def close_set(sides, rest_left):
    """Give what is on neither side, the missing too, to one of them."""
    if rest_left:
        for i in range(SET_WORDS):
            sides[i] = ~sides[SET_WORDS + i]


@lean
def is_in(members, code):
    """1 if a bin is in a set, else 0."""
    return (members[np.int64(code >> _6)] >> (code & _63)) & _1
