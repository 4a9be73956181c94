"""Many random boxes held against many rows. Twins in ``tests/naive/subset_kernels.py``.

Rows are bins, stored by column: ``columns`` (n_features, n_samples) uint8. A model is a union
of boxes; box b of model m asks for ``low <= bin <= low + span`` in each of the columns
``features[m, b]``. ``features`` (n_models, n_boxes, n_sides) int32, ``low`` and ``span`` the same
shape, uint8. An empty box has ``features[m, b, 0] == -1``.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, lean, parallel

# Rows that are held against all models while they are near the processor.
_BLOCK = 1024
# Sums of coverage are whole numbers; what is expected is not, and is allowed this rounding.
_ROUNDING = 1e-9


@lean
def _one_side(column, low, span, held, first):
    # One test for both limits: what lies below ``low`` wraps around to a large number.
    if first:
        for i in range(len(held)):
            held[i] = np.uint8(np.uint8(column[i] - low) <= span)
    else:
        for i in range(len(held)):
            held[i] &= np.uint8(np.uint8(column[i] - low) <= span)


@lean
def _rank_below(ranks, value, or_equal):
    # How many of 256 sorted ranks are below value (or equal to it): without a branch, bit by bit.
    at = np.uint64(0)
    step = np.uint64(128)
    for _ in range(8):
        rank = ranks[at + step - np.uint64(1)]
        if rank < value or (or_equal and rank == value):
            at += step
        step >>= np.uint64(1)
    return np.int64(at)


@lean
def _one_model(columns, start, stop, features, low, span, held, box):
    # Fills held, (stop - start,) uint8; box is room for the other boxes of a union.
    held[:] = 0
    box = box[: stop - start]
    for b in range(len(features)):
        if features[b, 0] < 0:
            continue
        into = held if b == 0 else box
        for j in range(features.shape[1]):
            _one_side(columns[features[b, j], start:stop], low[b, j], span[b, j], into, j == 0)
        if b > 0:
            for i in range(len(held)):
                held[i] |= box[i]


@kernel()
def boxes_in_bins(middles, features, start, width):
    """Turn intervals of ranks into bins; returns features, low and span of the boxes.

    middles (n_features, 256) float64, sorted: the rank, from 0 to 1, that stands for each bin, and
    inf beyond the last. A bin is inside if its rank is. start and width (n_models, n_boxes,
    n_sides). A box without any bin is marked empty.
    """
    low = np.zeros(features.shape, dtype=np.uint8)
    span = np.zeros(features.shape, dtype=np.uint8)
    features = features.copy()
    for m in range(features.shape[0]):
        for b in range(features.shape[1]):
            empty = False
            for j in range(features.shape[2]):
                f = features[m, b, j]
                first = _rank_below(middles[f], start[m, b, j], False)
                last = _rank_below(middles[f], start[m, b, j] + width[m, b, j], True) - 1
                if last < first:
                    empty = True
                else:
                    low[m, b, j] = first
                    span[m, b, j] = last - first
            if empty:
                features[m, b, 0] = -1
    return features, low, span


@parallel()
def count(columns, features, low, span, first, last):
    """How many rows each model holds: among rows first..last, and of all; both (n_models,)."""
    n_models, n = len(features), columns.shape[1]
    own = np.zeros(n_models, dtype=np.int64)
    total = np.zeros(n_models, dtype=np.int64)
    for m in prange(n_models):
        held = np.empty(_BLOCK, dtype=np.uint8)
        box = np.empty(_BLOCK, dtype=np.uint8)
        n_own = n_all = 0
        for start in range(0, n, _BLOCK):
            stop = min(n, start + _BLOCK)
            part = held[: stop - start]
            _one_model(columns, start, stop, features[m], low[m], span[m], part, box)
            for i in range(len(part)):
                n_all += np.int64(part[i])
            for i in range(max(first - start, 0), min(last - start, len(part))):
                n_own += np.int64(part[i])
        own[m], total[m] = n_own, n_all
    return own, total


@parallel()
def hold(columns, features, low, span):
    """Which rows each model holds: (n_models, n_samples) uint8, 1 or 0."""
    n_models, n = len(features), columns.shape[1]
    held = np.empty((n_models, n), dtype=np.uint8)
    for m in prange(n_models):
        box = np.empty(_BLOCK, dtype=np.uint8)
        for start in range(0, n, _BLOCK):
            stop = min(n, start + _BLOCK)
            into = held[m, start:stop]
            _one_model(columns, start, stop, features[m], low[m], span[m], into, box)
    return held


@kernel()
def accept(held, own, total, first, last, patience, coverage, wanted):
    """Let models in, one after another, that hold rows held by few; up to ``wanted``.

    The class is rows first..last. A model gets in at once if the mean coverage of what it holds
    is not above that of as many rows of each kind drawn at random. When ``patience`` in a row have
    failed, the one least above gets in; 0 waits for ever. ``coverage`` (n_samples,) int64 counts
    the models that hold each row and is brought up to date in place.

    Returns the positions of the models let in, whether each was the least bad of those that
    failed, and how many models are done with: those after the last one let in are not, unless
    the wait is for ever, since they may still be the least bad.
    """
    n = held.shape[1]
    n_own = last - first
    n_rest = n - n_own
    taken = np.empty(len(held), dtype=np.int64)
    forced = np.zeros(len(held), dtype=np.bool_)
    n_taken, n_done, failed = 0, 0, 0
    sum_own, sum_all = 0, 0
    for i in range(n):
        sum_all += coverage[i]
    for i in range(first, last):
        sum_own += coverage[i]
    best, least = -1, np.inf
    for m in range(len(held)):
        if n_taken == wanted:
            break
        row = held[m]
        found = 0
        for i in range(n):
            found += row[i] * coverage[i]
        rest = total[m] - own[m]
        expected = own[m] * (sum_own / n_own) + rest * ((sum_all - sum_own) / n_rest)
        passes = found <= expected * (1.0 + _ROUNDING)
        excess = (found - expected) / total[m]
        failed += 1
        if passes or excess < least:
            best, least = m, excess
        if passes or failed == patience:
            row = held[best]
            for i in range(n):
                coverage[i] += row[i]
            sum_own += own[best]
            sum_all += total[best]
            taken[n_taken] = best
            forced[n_taken] = not passes
            n_taken += 1
            n_done, failed, least = m + 1, 0, np.inf
    if patience == 0:
        n_done = len(held)
    return taken[:n_taken].copy(), forced[:n_taken].copy(), n_done


@parallel()
def add_up(columns, features, low, span, weights, group, n_groups):
    """Sum of the weights of the models that hold each row: (n_groups, n_samples) float64.

    weights and group (n_models,): model m counts for group[m] only.
    """
    n = columns.shape[1]
    sums = np.zeros((n_groups, n))
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        held = np.empty(stop - start, dtype=np.uint8)
        box = np.empty(stop - start, dtype=np.uint8)
        for m in range(len(features)):
            _one_model(columns, start, stop, features[m], low[m], span[m], held, box)
            into, weight = sums[group[m], start:stop], weights[m]
            for i in range(stop - start):
                into[i] += weight * held[i]
    return sums
