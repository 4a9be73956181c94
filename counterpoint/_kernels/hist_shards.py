"""Growing a tree on rows that lie elsewhere: on disk, or with other processes.

``hist.grow`` has all rows in memory, moves them to their children and counts them there. Here rows
stay where they are, each with the node it is in, and a *shard* of them only adds up: histograms,
numbers of rows, squares. Sums of weights are whole numbers, so they are exact in any order; other
sums are taken over groups of rows that the number of all rows fixes, and added in their order. So
the tree is the same at any number of shards. What splits are made of the sums is decided by the
functions of ``hist.py`` itself: ``advance`` and ``scan``. A code that equals the number of a
column's bins stands for a missing value. Twins in ``tests/naive/hist_shards.py``.

What is kept on disk of these kernels is dated by this file alone: after a change in ``hist.py`` or
``hist_scan.py``, touch it.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, lean, parallel
from counterpoint._kernels.hist import (
    _CENTRE,
    _FIX,
    _KIND,
    _LIMIT,
    _N_NODES,
    _N_TODO,
    _SPREAD,
    _TARGET_UNIT,
    _TOTALS,
    _WEIGHT_UNIT,
    BIN,
    CATEGORY,
    FEATURE,
    LEFT,
    MISSING_LEFT,
    OPEN,
    SLOT,
    _advance,
    _finish,
    _measure,
    _scan_word,
)
from counterpoint._kernels.hist_categories import is_in
from counterpoint._kernels.hist_scan import IDENTITY, MAX_BINS, N_FLOATS, N_SUMS

__all__ = ["add_up", "advance", "finish", "measure", "scan"]

_BLOCK = 4096  # rows looked at together: what is noted of them stays close by

KIND, N_TODO, N_NODES, LIMIT, N_NOW = _KIND, _N_TODO, _N_NODES, _LIMIT, 9
TOTALS, SPREAD, FIX, BUILD, PARTITION, LEAVES, DONE = range(7)
WEIGHT_UNIT, CENTRE, TARGET_UNIT = _WEIGHT_UNIT, _CENTRE, _TARGET_UNIT
assert (TOTALS, SPREAD, FIX) == (_TOTALS, _SPREAD, _FIX)


@parallel()
def measure(kind, group, weight, target, centre, partial):
    """Sum up the weights of each group of rows, and how far its targets are from 0 or spread.

    ``partial`` (3, n_groups) is filled in: row 0 with weights and 1 with weighted targets for
    ``kind`` TOTALS, row 2 with weighted distances from ``centre`` for SPREAD.
    """
    for g in prange(partial.shape[1]):
        start, stop = g * group, min(len(weight), (g + 1) * group)
        _measure(g, kind, start, stop, weight, target, centre, partial)


@parallel(error_model="numpy")
def add_up(
    codes, y, weight, target, leaf, nodes, sets, n_bins, flags, scales, built, first, hist, counts,
    n_rows, squares, per_word, width, shares,
):  # fmt: skip
    """Move rows down to the nodes they are in now, and add those of some nodes to histograms.

    ``codes`` (n_groups, n_features, group) uint8, the last group filled up; ``y`` (n,) uint8 class
    codes, or ``target`` (n,) numbers; ``leaf`` (n,) the node each row was in, changed in place.
    ``nodes`` are those of ``hist.grow``; ``built`` (n_nodes,) says where the histogram of a node
    goes, -1 for none. Nodes from ``first`` on are new. Filled in for each of the shares that
    threads may take: ``hist`` (n_shares, n_built, n_words, n_values), ``counts`` the numbers of
    rows in bins if wanted, ``n_rows`` (n_shares, n_new); and ``squares`` (n_groups, n_new) of
    targets.
    """
    n, (n_groups, n_features, group) = len(leaf), codes.shape
    size, n_counts = hist.shape[2] * hist.shape[3], counts.shape[2] * counts.shape[3]
    stride = per_word * width
    has_targets = len(target) > 0
    # What a row needs to know of a node, close together; a cut below 0 is a set of categories.
    n_nodes = nodes.shape[1]
    unit = scales[_WEIGHT_UNIT]
    column_of = np.zeros(n_nodes, dtype=np.uint64)
    to_left = np.full(n_nodes, -1, dtype=np.int32)
    cut, none, if_none = np.zeros((3, n_nodes), dtype=np.int32)
    for node in range(n_nodes):
        if nodes[LEFT, node] >= 0:
            f = nodes[FEATURE, node]
            is_set = flags[f] & CATEGORY
            column_of[node], to_left[node] = f * group, nodes[LEFT, node]
            cut[node], none[node] = (-1, -1) if is_set else (nodes[BIN, node], n_bins[f])
            if_none[node] = nodes[MISSING_LEFT, node] != 1
    for share in prange(shares):
        own, own_counts = hist[share].reshape(-1), counts[share].reshape(-1)
        # Unsigned: else each place would be tested for being negative. One more than the rows: what
        # is noted of a row that is not wanted is written over by the next.
        place = np.empty(_BLOCK + 1, dtype=np.uint32)
        base = np.empty(_BLOCK + 1, dtype=np.uint32)
        which = np.empty(_BLOCK + 1, dtype=np.uint32)
        fixed = np.empty(_BLOCK + 1, dtype=np.int64)
        moved = np.empty(_BLOCK + 1, dtype=np.int64)
        # In four parts: adding one to what was just written would have to wait for it.
        tally = np.zeros((4, n_rows.shape[1]), dtype=np.int64)
        for g in range(share * n_groups // shares, (share + 1) * n_groups // shares):
            offset, own_codes = g * group, codes[g].reshape(-1)
            for start in range(offset, offset + group, _BLOCK):
                stop = min(start + _BLOCK, offset + group, n)
                for i in range(start if n_nodes > 1 else stop, stop):
                    node = np.int64(leaf[i])
                    left = to_left[node]
                    while left >= 0:
                        code = own_codes[column_of[node] + np.uint64(i - offset)]
                        right = np.int64(code > cut[node])
                        if cut[node] < 0:
                            right = 1 - np.int64(is_in(sets[node, 0], np.uint64(code)))
                        elif code == none[node]:
                            right = np.int64(if_none[node])
                        node = left + right
                        left = to_left[node]
                    leaf[i] = node
                # Noted of a row in any case, and kept if wanted: a branch could not be foreseen.
                m = 0
                if has_targets:
                    for i in range(start, stop):
                        node = leaf[i]
                        b = built[node]
                        if node < first and b < 0:
                            continue
                        w = weight[i]
                        w_fixed = max(np.int64(w * unit + 0.5), np.int64(w > 0))
                        away = w * (target[i] - scales[_CENTRE]) * scales[_TARGET_UNIT]
                        g_fixed = np.int64(away + (0.5 if away > 0 else -0.5))
                        if node >= first:
                            tally[i & 3, node - first] += 1
                            if w_fixed != 0:
                                far = np.float64(g_fixed)
                                squares[g, node - first] += far * far / np.float64(w_fixed)
                        place[m], fixed[m], moved[m] = i - offset, w_fixed, g_fixed
                        which[m] = max(b, 0)
                        base[m] = max(b, 0) * size
                        m += np.int64(b >= 0)
                else:
                    for i in range(start, stop):
                        node = leaf[i]
                        b = built[node]
                        if node < first and b < 0:
                            continue
                        if node >= first:
                            tally[i & 3, node - first] += 1
                        w = weight[i]
                        place[m] = i - offset
                        fixed[m] = max(np.int64(w * unit + 0.5), np.int64(w > 0))
                        which[m] = max(b, 0)
                        base[m] = max(b, 0) * size + np.int64(y[i]) * stride
                        m += np.int64(b >= 0)
                for f in range(0, n_features, 2):  # two columns for one look at a row
                    other = min(f + 1, n_features - 1)
                    column, column_2 = codes[g, f], codes[g, other]
                    k, k_2 = f // per_word, other // per_word
                    shift, shift_2 = (f - k * per_word) * width, (other - k_2 * per_word) * width
                    ahead = np.uint64(k * hist.shape[3] + shift)
                    ahead_2 = np.uint64(k_2 * hist.shape[3] + shift_2)
                    if other == f:
                        for s in range(m):
                            own[np.uint64(base[s]) + ahead + np.uint64(column[place[s]])] += fixed[
                                s
                            ]
                    else:
                        for s in range(m):
                            row, at, w = place[s], np.uint64(base[s]), fixed[s]
                            own[at + ahead + np.uint64(column[row])] += w
                            own[at + ahead_2 + np.uint64(column_2[row])] += w
                    if has_targets:
                        for s in range(m):
                            row, at, w = place[s], np.uint64(base[s] + stride), moved[s]
                            own[at + ahead + np.uint64(column[row])] += w
                            if other != f:
                                own[at + ahead_2 + np.uint64(column_2[row])] += w
                    if n_counts > 0:
                        ahead = np.uint64(k * counts.shape[3] + shift)
                        ahead_2 = np.uint64(k_2 * counts.shape[3] + shift_2)
                        for s in range(m):
                            row, at = place[s], np.uint64(which[s]) * np.uint64(n_counts)
                            own_counts[at + ahead + np.uint64(column[row])] += 1
                            if other != f:
                                own_counts[at + ahead_2 + np.uint64(column_2[row])] += 1
        for node in range(n_rows.shape[1]):
            for part in range(4):
                n_rows[share, node] += tally[part, node]


@lean
def _copy(numbers, to):
    for i in range(len(to)):
        to[i] = numbers[i]


@lean
def _leave(whole, less, rest):
    for i in range(len(rest)):
        rest[i] = whole[i] - less[i]


@kernel(error_model="numpy")
def scan(
    start, stop, built, fresh, fresh_counts, now, todo, scales, words, sums, index, segments,
    squares, nodes, hist, counts, gains, candidates, sets, bounds, n_bins, flags, criterion,
    per_word, width, min_samples,
):  # fmt: skip
    """Best splits of the children of ``todo[start:stop]``, given histograms of some of them.

    ``fresh`` (n_built, n_words, n_values) holds those of the children that ``built`` says; a
    sibling's is what they leave of their parent's. Of nodes that have a place in ``hist`` they are
    kept there. ``words``, ``sums`` and ``index`` have no rows.
    """
    sizes, extras = (criterion, per_word, width, min_samples), (sets, bounds, squares)
    integers = np.empty((N_SUMS + 6, MAX_BINS), dtype=np.int64)
    for b in range(MAX_BINS):
        integers[IDENTITY, b] = b
    floats, few = np.empty((N_FLOATS, MAX_BINS)), np.empty(0, dtype=np.int64)
    few_counts = np.empty(0, dtype=np.int32)
    both = np.empty((2, hist.shape[2]), dtype=np.int64)
    both_counts = np.empty((2, counts.shape[2]), dtype=np.int32)
    for i in range(start, stop):
        parent = todo[i]
        first = 0 if parent < 0 else nodes[LEFT, parent]
        n_children = 1 if parent < 0 else 2
        for k in range(hist.shape[1]):
            for c in range(n_children):
                b = built[first + c]
                if b >= 0:
                    _copy(fresh[b, k], both[c])
                    _copy(fresh_counts[b, k], both_counts[c])
                elif built[first + 1 - c] >= 0:
                    slot, other = nodes[SLOT, parent], built[first + 1 - c]
                    _leave(hist[slot, k], fresh[other, k], both[c])
                    _leave(counts[slot, k], fresh_counts[other, k], both_counts[c])
            for c in range(n_children):
                node = first + c
                if not nodes[OPEN, node]:
                    continue
                slot = nodes[SLOT, node]
                if slot >= 0:
                    _copy(both[c], hist[slot, k])
                    _copy(both_counts[c], counts[slot, k])
                _scan_word(
                    node, k, words, sums, index, segments, both[c], both_counts[c], nodes, gains,
                    candidates, extras, n_bins, flags, sizes, now[_LIMIT], scales, floats, integers,
                    few, few_counts,
                )  # fmt: skip


@kernel(error_model="numpy")
def advance(
    now, lists, scales, partial, segments, squares, nodes, reals, totals, hist, gains, candidates,
    sets, bounds, flags, criterion, per_word, width, max_depth, max_leaves, min_split, min_samples,
    min_weight, min_decrease, penalties,
):  # fmt: skip
    """Look at what was added up and say what comes next, as ``hist.grow`` does between tasks."""
    _advance(
        now, lists, scales, partial, segments, squares, nodes, reals, totals, hist, gains,
        candidates, (sets, bounds, squares), flags, criterion, per_word, width, max_depth,
        max_leaves, min_split, min_samples, min_weight, min_decrease, penalties,
    )  # fmt: skip


@kernel(error_model="numpy")
def finish(
    n_nodes, criterion, scales, nodes, reals, totals, bounds, n_bins, flags, values, edges, exact,
    value,
):  # fmt: skip
    """Turn bins into thresholds and fixed point into numbers, as ``hist.grow`` does at the end."""
    _finish(
        n_nodes, criterion, scales, nodes, reals, totals, bounds, n_bins, flags, values, edges,
        exact, value,
    )  # fmt: skip
