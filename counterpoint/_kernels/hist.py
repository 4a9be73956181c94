"""Growing a tree on binned columns: histograms, splits, rows moved to their children.

How it is laid out, and why:

* Rows are *words*: one byte for the class, up to seven for the bins of seven columns. One
  load feeds seven additions, and a child's rows are moved, not pointed at, so that every
  histogram reads memory in order.
* Weights are 62-bit fixed-point integers. Sums are then exact: they do not depend on the order
  of rows or on the number of threads, a sibling's histogram is the parent's minus the
  child's with nothing lost, and an empty bin holds exactly zero.
* Rows are cut into *chunks* that are partitioned on their own. A node is one segment of every
  chunk. At depth 0 rows lie in buffer 0, which is never written; below in buffers 1 and 2 in
  turn. A child's segment is part of its parent's, so no two nodes ever meet in a buffer.
* A single chunk is close by, and its words stay where they are (there is no buffer 2 of them):
  those of a node are brought to buffer 1, by its rows' positions, when they are needed. Most
  nodes need one word, or none.
* One parallel loop does all the work in tasks, and `_advance` says what comes next: such
  loops are slow to compile.

A regression tree has two "classes": the sum of weights and the sum of weighted targets. It alone
may have columns of categories (``hist_categories.py``) and values that rise or fall with a column
(``hist_bounds.py``); ``sets`` and ``bounds`` have no rows where there is nothing of the kind.
Twins in ``tests/naive/hist.py``.
"""

import math

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import brief, lean, parallel
from counterpoint._kernels.hist_bounds import (
    LOWER,
    UPPER,
    bound_children,
    bounded_value,
    own_fit,
)
from counterpoint._kernels.hist_categories import (
    SET_WORDS,
    close_set,
    is_in,
    note_sides,
    sort_categories,
)
from counterpoint._kernels.hist_scan import (
    ENTROPY,
    GINI,
    IDENTITY,
    MAX_BINS,
    N_FLOATS,
    N_SUMS,
    PLACES,
    SQUARED_ERROR,
    scan_feature,
)

__all__ = ["ENTROPY", "FULL", "GINI", "SQUARED_ERROR", "grow"]

FULL = -1  # returned by `grow` when the tables of nodes are too small
MAX_PER_WORD = 7
FEW = 32  # rows that are sorted instead of counted in bins

# Fields of a node. MISSING_LEFT is -1 where no value was missing, until the rows are counted; SLOT
# is where the histogram is kept, or -1; OPEN says that a split is wanted.
LEFT, FEATURE, BIN, NEXT_BIN, MISSING_LEFT, DEPTH, N_ROWS, SLOT, OPEN = range(9)
N_FIELDS = 9
IMPURITY, IMPROVEMENT, THRESHOLD = range(3)
N_REALS = 3
# Fields of a word's best split of a node; then come the sums of its left side.
_COLUMN, _LAST, _NEXT, _SIDE, _SUMS = range(5)
N_CANDIDATE = 4

# What is being done: fields of `now`, and kinds of tasks.
_KIND, _N_TASKS, _N_TODO, _FINAL, _N_NODES, _N_OPEN, _N_FREE, _WORK, _LIMIT = range(9)
_N_NOW = 9
_TOTALS, _SPREAD, _FIX, _BUILD, _PARTITION, _LEAVES, _DONE = range(7)
_WEIGHT_UNIT, _CENTRE, _TARGET_UNIT, _RIDGE, _SMOOTH, _CATEGORY_RIDGE, _CHANCE = range(7)
# What is to be known of a column: some values are missing; it is not to be split on; its bins are
# categories; answers must rise with it, or fall.
MISSING, BARRED, CATEGORY, RISING, FALLING = 1, 2, 4, 8, 16

_EPSILON = np.finfo(np.float64).eps
_ROUNDING = 32 * _EPSILON  # of a sum of few numbers, as a share of it
_8, _16, _24, _32 = np.uint64(8), np.uint64(16), np.uint64(24), np.uint64(32)
_40, _48, _56, _BYTE = np.uint64(40), np.uint64(48), np.uint64(56), np.uint64(255)


def rooms(n, n_values, n_counts, n_sums):
    """Return room to work in for n threads: numbers, whole numbers, histograms and their counts."""
    integers = np.empty((n, N_SUMS + 6, MAX_BINS), dtype=np.int64)
    integers[:, IDENTITY] = np.arange(MAX_BINS)
    few = FEW + 1
    return (
        np.empty((n, N_FLOATS, MAX_BINS)),
        integers,
        np.empty((n, 2 * n_values + few * n_sums), dtype=np.int64),
        np.empty((n, 2 * n_counts + few), dtype=np.int32),
    )


@lean
def _buffer(depth):
    return 0 if depth == 0 else 2 - depth % 2


@lean
def _add_classes(words, weight, hist, per_word, width):
    # The tests on `per_word` never change and are predicted; a loop over the bytes is twice
    # as slow. All indices are unsigned, or each would be tested for being negative.
    step = np.uint64(width)
    stride = np.uint64(per_word * width)
    for i in range(len(words)):
        word, w = words[i], weight[i]
        at = (word & _BYTE) * stride
        hist[at + ((word >> _8) & _BYTE)] += w
        if per_word > 1:
            at += step
            hist[at + ((word >> _16) & _BYTE)] += w
        if per_word > 2:
            at += step
            hist[at + ((word >> _24) & _BYTE)] += w
        if per_word > 3:
            at += step
            hist[at + ((word >> _32) & _BYTE)] += w
        if per_word > 4:
            at += step
            hist[at + ((word >> _40) & _BYTE)] += w
        if per_word > 5:
            at += step
            hist[at + ((word >> _48) & _BYTE)] += w
        if per_word > 6:
            at += step
            hist[at + (word >> _56)] += w


@lean
def _add_targets(words, weight, target, hist, per_word, width):
    step = np.uint64(width)
    stride = np.uint64(per_word * width)
    for i in range(len(words)):
        word, w, g = words[i], weight[i], target[i]
        at, base = (word >> _8) & _BYTE, step
        hist[at] += w
        hist[at + stride] += g
        if per_word > 1:
            at = base + ((word >> _16) & _BYTE)
            hist[at] += w
            hist[at + stride] += g
        if per_word > 2:
            base += step
            at = base + ((word >> _24) & _BYTE)
            hist[at] += w
            hist[at + stride] += g
        if per_word > 3:
            base += step
            at = base + ((word >> _32) & _BYTE)
            hist[at] += w
            hist[at + stride] += g
        if per_word > 4:
            base += step
            at = base + ((word >> _40) & _BYTE)
            hist[at] += w
            hist[at + stride] += g
        if per_word > 5:
            base += step
            at = base + ((word >> _48) & _BYTE)
            hist[at] += w
            hist[at + stride] += g
        if per_word > 6:
            base += step
            at = base + (word >> _56)
            hist[at] += w
            hist[at + stride] += g


@lean
def _add_counts(words, counts, per_word, width):
    step = np.uint64(width)
    for i in range(len(words)):
        word, at = words[i], np.uint64(0)
        counts[(word >> _8) & _BYTE] += 1
        if per_word > 1:
            at += step
            counts[at + ((word >> _16) & _BYTE)] += 1
        if per_word > 2:
            at += step
            counts[at + ((word >> _24) & _BYTE)] += 1
        if per_word > 3:
            at += step
            counts[at + ((word >> _32) & _BYTE)] += 1
        if per_word > 4:
            at += step
            counts[at + ((word >> _40) & _BYTE)] += 1
        if per_word > 5:
            at += step
            counts[at + ((word >> _48) & _BYTE)] += 1
        if per_word > 6:
            at += step
            counts[at + (word >> _56)] += 1


@lean
def _take(old, new, places):
    for i in range(len(places)):
        new[i] = old[places[i]]


@lean
def _fetch(words, k, buffer, index, start, stop):
    """Return the buffer in which word k of the rows of a segment lies, in their order."""
    if words.shape[0] > 2 or buffer == 0:
        return buffer
    _take(words[0, k], words[1, k, start:stop], index[buffer, start:stop])
    return 1


@lean
def _add_node(node, k, words, sums, index, segments, nodes, hist, counts, sizes):
    criterion, per_word, width, min_samples = sizes
    buffer = _buffer(nodes[DEPTH, node])
    for c in range(segments.shape[2]):
        start = segments[0, node, c]
        stop = start + segments[1, node, c]
        if start == stop:
            continue
        part = words[_fetch(words, k, buffer, index, start, stop), k, start:stop]
        weight = sums[buffer, 0, start:stop]
        if criterion == SQUARED_ERROR:
            _add_targets(part, weight, sums[buffer, 1, start:stop], hist, per_word, width)
        else:
            _add_classes(part, weight, hist, per_word, width)
        if min_samples > 1:
            _add_counts(part, counts, per_word, width)


@brief
def _gather_few(node, k, words, sums, index, segments, nodes, own, own_sums):
    """Copy the rows of a small node to one place."""
    buffer, n = _buffer(nodes[DEPTH, node]), 0
    moved = words.shape[0] > 2
    for c in range(segments.shape[2]):
        for i in range(segments[0, node, c], segments[0, node, c] + segments[1, node, c]):
            own[n] = np.int64(words[buffer, k, i] if moved else words[0, k, index[buffer, i]])
            for m in range(sums.shape[1]):
                own_sums[m, n] = sums[buffer, m, i]
            n += 1
    return n


@brief
def _sort_few(own, own_sums, n, j, criterion, keys, codes, hist, counts):
    """Sort the rows by the bins of column j: a histogram of the bins in use only."""
    shift = np.uint64(8 * (j + 1))
    for i in range(n):
        key = np.int64(((np.uint64(own[i]) >> shift) & _BYTE) << _8) | i
        at = i
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key
    stride = FEW + 1
    used = -1
    for s in range(n):
        code, i = keys[s] >> 8, keys[s] & 255
        if used < 0 or codes[used] != code:
            used += 1
            codes[used] = code
            counts[used] = 0
            for c in range(used, len(hist), stride):
                hist[c] = 0
        counts[used] += 1
        if criterion == SQUARED_ERROR:
            hist[used] += own_sums[0, i]
            hist[stride + used] += own_sums[1, i]
        else:
            hist[(own[i] & 255) * stride + used] += own_sums[0, i]
    return used + 1


@brief
def _sign(flag):
    return 1.0 if flag & RISING else (-1.0 if flag & FALLING else 0.0)


@brief
def _limits(node, flag, bounds):
    if len(bounds) == 0:
        return False, 0.0, 0.0, 0.0
    return True, _sign(flag), bounds[node, LOWER], bounds[node, UPPER]


@brief
def _scan_word(
    node, k, words, sums, index, segments, hist, counts, nodes, gains, candidates, extras, n_bins,
    flags, sizes, limit, scales, floats, integers, few_hist, few_counts,
):  # fmt: skip
    """Best split of a node among the columns of word k; ties go to the first column and bin.

    For few rows the histogram is not read, and need not be there.
    """
    criterion, per_word, width, min_samples = sizes
    sets, bounds, squares = extras
    n_classes, n_rows = candidates.shape[2] - _SUMS, nodes[N_ROWS, node]
    n_weights = 1 if criterion == SQUARED_ERROR else n_classes
    few = n_rows <= FEW and words.shape[2] > 0  # not where the rows lie elsewhere
    stride = FEW + 1 if few else per_word * width
    keys, own_sums, totals = integers[N_SUMS], integers[N_SUMS + 1 : N_SUMS + 3], integers[-1]
    own, codes = integers[N_SUMS + 4], integers[IDENTITY]
    if few:
        hist, counts, codes = few_hist, few_counts, integers[N_SUMS + 3]
        _gather_few(node, k, words, sums, index, segments, nodes, own, own_sums)
    best = -np.inf
    found = candidates[node, k]
    found[_COLUMN] = -1
    for j in range(min(per_word, len(n_bins) - k * per_word)):
        f, first, n = k * per_word + j, j * width, n_bins[k * per_word + j]
        if j > 0 and flags[f] & BARRED:
            continue
        absent = np.int64(0)
        if few:
            first, n = 0, _sort_few(own, own_sums, n_rows, j, criterion, keys, codes, hist, counts)
            if codes[n - 1] == n_bins[f]:
                n -= 1  # the last are the missing
                for c in range(n_weights):
                    absent += hist[c * stride + n]
        elif flags[f] & MISSING:
            for c in range(n_weights):
                absent += hist[c * stride + first + n]
        if j == 0:  # every row has one bin of every column
            for c in range(n_classes):
                totals[c] = 0
                for b in range(n + (absent > 0) if few else width):
                    totals[c] += hist[c * stride + b]
        if flags[f] & BARRED:
            continue
        ridge, n_sorted, chance = scales[_RIDGE], -1, 0.0
        if flags[f] & CATEGORY:
            ridge = scales[_CATEGORY_RIDGE]
            n_sorted = sort_categories(
                hist, first, stride, n, totals, scales[_SMOOTH], floats[0], integers[PLACES]
            )
            if n_sorted > 2:  # what sorting alone would bring, were there nothing to be found
                spread = _impurity(criterion, totals, _total(squares[node])) / n_rows
                chance = scales[_CHANCE] * (n_sorted - 2) * spread
        limits = _limits(node, flags[f], bounds)
        for side in range(2 if absent > 0 else 1):
            gain, last = scan_feature(
                criterion, hist, counts, first, stride, n, n_sorted, totals[:n_classes], n_rows,
                absent, side == 1, min_samples, limit, ridge, limits, floats, integers,
            )  # fmt: skip
            gain -= chance
            if gain <= best:
                continue
            best = gain
            found[_COLUMN], found[_LAST] = f, codes[last]
            found[_SIDE] = side if absent > 0 else -1
            if n_sorted >= 0:
                for c in range(n_classes):
                    found[_SUMS + c] = hist[c * stride + first + n] if side == 1 else 0
                note_sides(
                    hist, first, stride, integers[PLACES], n_sorted, last, codes, found[_SUMS:],
                    sets[node, k],
                )  # fmt: skip
                continue
            following = n
            for c in range(n_classes):
                total = hist[c * stride + first + n] if side == 1 else 0
                for b in range(last + 1):
                    total += hist[c * stride + first + b]
                found[_SUMS + c] = total
                # The next bin that holds something: the threshold lies between the two.
                if c < n_weights:
                    after = last + 1
                    while after < following and hist[c * stride + first + after] == 0:
                        after += 1
                    following = after
            found[_NEXT] = codes[following] if following < n else n_bins[f]
    gains[node, k] = best


@brief
def _build(
    parent, k, words, sums, index, segments, nodes, hist, counts, gains, candidates, extras, n_bins,
    flags, sizes, limit, scales, floats, integers, spare, spare_counts,
):  # fmt: skip
    """Histograms and best splits of a node's children, in word k; of the root if parent < 0."""
    small, large, kept = 0, -1, -1
    if parent >= 0:
        small, large, kept = nodes[LEFT, parent], nodes[LEFT, parent] + 1, nodes[SLOT, parent]
        if nodes[N_ROWS, small] > nodes[N_ROWS, large]:
            small, large = large, small
    n_values, n_counts = hist.shape[2], counts.shape[2]
    own, own_counts = spare[:n_values], spare_counts[:n_counts]
    for turn in range(2 if parent >= 0 else 1):
        node = small if turn == 0 else large
        wanted = nodes[OPEN, node] and (nodes[N_ROWS, node] > FEW or parent < 0)
        if turn == 1 and wanted and kept >= 0:  # what the smaller sibling leaves of the parent
            whole, whole_counts = hist[kept, k], counts[kept, k]
            rest, rest_counts = whole, whole_counts
            if nodes[SLOT, node] < 0:
                rest, rest_counts = spare[n_values:], spare_counts[n_counts:]
            for i in range(n_values):
                rest[i] = whole[i] - own[i]
            for i in range(n_counts):
                rest_counts[i] = whole_counts[i] - own_counts[i]
            own, own_counts = rest, rest_counts
        elif wanted or (
            turn == 0 and kept >= 0 and nodes[OPEN, large] and nodes[N_ROWS, large] > FEW
        ):
            if nodes[SLOT, node] >= 0:
                own, own_counts = hist[nodes[SLOT, node], k], counts[nodes[SLOT, node], k]
            else:
                own, own_counts = spare[:n_values], spare_counts[:n_counts]
            own[:] = 0
            own_counts[:] = 0
            _add_node(node, k, words, sums, index, segments, nodes, own, own_counts, sizes)
        if nodes[OPEN, node]:
            _scan_word(
                node, k, words, sums, index, segments, own, own_counts, nodes, gains, candidates,
                extras, n_bins, flags, sizes, limit, scales, floats, integers,
                spare[2 * n_values :], spare_counts[2 * n_counts :],
            )  # fmt: skip


@lean
def _sum_squares(squared, rows, places):
    total = 0.0
    for p in range(len(places)):
        total += squared[rows[places[p]]]
    return total


@lean
def _partition(
    c, node, final, words, sums, index, leaf, squared, segments, squares, nodes, sets, n_bins,
    flags, sizes,
):  # fmt: skip
    """Move the rows of one node in one chunk to its children; mark them if these are leaves."""
    per_word = sizes[1]
    start, n = segments[0, node, c], segments[1, node, c]
    stop = start + n
    source = _buffer(nodes[DEPTH, node])
    goal = _buffer(nodes[DEPTH, node] + 1)
    left = nodes[LEFT, node]
    f = nodes[FEATURE, node]
    k = f // per_word
    shift = np.uint64(8 * (1 + f - k * per_word))
    last, turned = np.uint64(nodes[BIN, node]), np.uint64(0)
    if nodes[MISSING_LEFT, node] == 1:  # turn the bins round until the missing come first
        turned = np.uint64(256 - n_bins[f])
        last += turned
    split = words[_fetch(words, k, source, index, start, stop), k, start:stop]
    rows = index[source, start:stop]
    # Rows for the left from the front, for the right from the back: no branch to guess.
    places = index[3, start:stop]
    front = np.uint64(0)
    if flags[f] & CATEGORY:
        members = sets[node, 0]
        for i in range(n):
            places[front] = i
            places[front + np.uint64(n - 1 - i)] = i
            front += is_in(members, (split[i] >> shift) & _BYTE)
    else:
        for i in range(n):
            places[front] = i
            places[front + np.uint64(n - 1 - i)] = i
            front += np.uint64((((split[i] >> shift) + turned) & _BYTE) <= last)
    n_left = np.int64(front)
    segments[0, left, c], segments[1, left, c] = start, n_left
    segments[0, left + 1, c], segments[1, left + 1, c] = start + n_left, n - n_left
    if sums.shape[1] > 1:
        squares[left, c] = _sum_squares(squared, rows, places[:n_left])
        squares[left + 1, c] = _sum_squares(squared, rows, places[n_left:])
    if final:
        for i in range(n):
            leaf[rows[places[i]]] = left if i < n_left else left + 1
        return
    for m in range(words.shape[1] if words.shape[0] > 2 else 0):
        _take(words[source, m, start:stop], words[goal, m, start:stop], places)
    for m in range(sums.shape[1]):
        _take(sums[source, m, start:stop], sums[goal, m, start:stop], places)
    _take(rows, index[goal, start:stop], places)


@brief
def _mark_leaves(c, todo, n_todo, index, leaf, segments, nodes):
    for i in range(n_todo):
        node = todo[i]
        rows = index[_buffer(nodes[DEPTH, node])]
        for s in range(segments[0, node, c], segments[0, node, c] + segments[1, node, c]):
            leaf[rows[s]] = node


@brief
def _measure(t, kind, start, stop, sample_weight, y, centre, partial):
    """Add up the weights of a chunk, and how far its targets are from zero or spread."""
    if kind == _TOTALS:
        sums = (0.0, 0.0, 0.0, 0.0)  # four at a time: an addition waits for the one before it
        whole = start + (stop - start) // 4 * 4
        for i in range(start, whole, 4):
            sums = (
                sums[0] + sample_weight[i],
                sums[1] + sample_weight[i + 1],
                sums[2] + sample_weight[i + 2],
                sums[3] + sample_weight[i + 3],
            )
        partial[0, t] = (sums[0] + sums[1]) + (sums[2] + sums[3])
        for i in range(whole, stop):
            partial[0, t] += sample_weight[i]
    total = 0.0
    for i in range(start, min(stop, len(y))):
        away = y[i] if kind == _TOTALS else abs(y[i] - centre)
        total += sample_weight[i] * away
    partial[1 if kind == _TOTALS else 2, t] = total


@lean
def _fix(t, start, stop, sample_weight, y, scales, sums, squared, segments, squares):
    segments[0, 0, t], segments[1, 0, t] = start, stop - start
    weight, target = sums[0, 0], sums[0, sums.shape[1] - 1]
    for i in range(start, stop):
        # A positive weight stays positive, however small.
        w = sample_weight[i]
        weight[i] = max(np.int64(w * scales[_WEIGHT_UNIT] + 0.5), np.int64(w > 0))
    if len(y) > 0:
        for i in range(start, stop):
            g = sample_weight[i] * (y[i] - scales[_CENTRE]) * scales[_TARGET_UNIT]
            target[i] = np.int64(g + (0.5 if g > 0 else -0.5))
        total = 0.0
        for i in range(start, stop):
            g, w = np.float64(target[i]), np.float64(weight[i])
            squared[i] = g * g / w if w != 0 else 0.0
            total += squared[i]
        squares[0, t] = total


@lean
def _task(
    t, now, todo, sample_weight, y, scales, partial, words, sums, index, leaf, squared, segments,
    squares, nodes, hist, counts, gains, candidates, extras, n_bins, flags, sizes, chunk, floats,
    integers, spare, spare_counts,
):  # fmt: skip
    kind, n_todo = now[_KIND], now[_N_TODO]
    if kind == _BUILD:
        k = t // n_todo
        _build(
            todo[t - k * n_todo], k, words, sums, index, segments, nodes, hist, counts, gains,
            candidates, extras, n_bins, flags, sizes, now[_LIMIT], scales, floats, integers, spare,
            spare_counts,
        )  # fmt: skip
        return
    start, stop = t * chunk, min(len(sample_weight), (t + 1) * chunk)
    labels = leaf[start:stop]
    if kind == _PARTITION:
        for i in range(n_todo):
            _partition(
                t, todo[i], now[_FINAL], words, sums, index, labels, squared[start:stop], segments,
                squares, nodes, extras[0], n_bins, flags, sizes,
            )  # fmt: skip
    elif kind == _LEAVES:
        _mark_leaves(t, todo, n_todo, index, labels, segments, nodes)
    elif kind < _FIX:  # _TOTALS, _SPREAD
        _measure(t, kind, start, stop, sample_weight, y, scales[_CENTRE], partial)
    else:
        _fix(t, start, stop, sample_weight, y, scales, sums, squared, segments, squares)


@brief
def _total(values):
    total = values[0]
    for i in range(1, len(values)):
        total += values[i]
    return total


@lean
def _power_of_two(total):
    # Multiplying by a power of two loses nothing; totals stay below 2**62.
    if total <= 0:
        return 1.0
    return math.ldexp(1.0, min(61 - math.frexp(total)[1], 1000))


@brief
def _impurity(criterion, totals, square):
    """Impurity of a node from its sums; for squared error in units of the fixed point."""
    if criterion == SQUARED_ERROR:
        weight = np.float64(totals[0])
        mean = np.float64(totals[1]) / weight
        variance = square / weight - mean * mean
        # What is left of equal targets by rounding is not a variance.
        return variance if variance > 1e-14 * square / weight else 0.0
    total = np.float64(_total(totals))
    impurity = 1.0 if criterion == GINI else 0.0
    for k in range(len(totals)):
        p = np.float64(totals[k]) / total
        if criterion == GINI:
            impurity -= p * p
        elif p > 0:
            impurity -= p * math.log2(p)
    return impurity if impurity > _EPSILON else 0.0


@brief
def _settle(
    node, criterion, nodes, reals, totals, gains, candidates, extras, flags, min_decrease, ridge
):
    """Choose the best split of all words for a node; False if there is none good enough."""
    sets, bounds, _ = extras
    best = -1
    for k in range(gains.shape[1]):
        if candidates[node, k, _COLUMN] >= 0 and (best < 0 or gains[node, k] > gains[node, best]):
            best = k
    if best < 0:
        return False
    share = 0.0
    if criterion == SQUARED_ERROR:
        weight = np.float64(totals[node, 0])
        mean = np.float64(totals[node, 1]) / weight
        decrease = gains[node, best] - mean * mean * (weight / (weight + ridge))
        if len(bounds) > 0:
            decrease = gains[node, best] - own_fit(totals[node], ridge, bounds[node])
        # A penalty can cost more than a split brings. Without one a split never loses but by
        # rounding, and one that brings nothing may lead to one that does.
        if decrease < -_ROUNDING * abs(gains[node, best]):
            return False
        share = np.float64(totals[node, 0]) / np.float64(totals[0, 0])
    else:
        decrease = gains[node, best] + reals[IMPURITY, node] - (1.0 if criterion == GINI else 0.0)
        share = np.float64(_total(totals[node])) / np.float64(_total(totals[0]))
    reals[IMPROVEMENT, node] = share * max(decrease, 0.0)
    if reals[IMPROVEMENT, node] + _EPSILON < min_decrease:
        return False
    nodes[FEATURE, node] = candidates[node, best, _COLUMN]
    nodes[BIN, node] = candidates[node, best, _LAST]
    nodes[NEXT_BIN, node] = candidates[node, best, _NEXT]
    nodes[MISSING_LEFT, node] = candidates[node, best, _SIDE]
    for k in range(totals.shape[1]):  # kept with the first word until the node is split
        candidates[node, 0, _SUMS + k] = candidates[node, best, _SUMS + k]
    if flags[nodes[FEATURE, node]] & CATEGORY:
        # What the split knows nothing of goes with the missing, these with most of the weight.
        if nodes[MISSING_LEFT, node] < 0:
            weight = candidates[node, 0, _SUMS]
            nodes[MISSING_LEFT, node] = weight > totals[node, 0] - weight
        for i in range(2 * SET_WORDS):
            sets[node, 0, i] = sets[node, best, i]
        close_set(sets[node, 0], nodes[MISSING_LEFT, node] == 1)
    return True


@brief
def _pick(now, best_first, opened, reals, todo):
    """Move the nodes to split next from ``opened`` to ``todo``."""
    if not best_first:
        for i in range(now[_N_OPEN]):
            todo[i] = opened[i]
        now[_N_TODO], now[_N_OPEN] = now[_N_OPEN], 0
        return
    best = 0
    for i in range(1, now[_N_OPEN]):
        if reals[IMPROVEMENT, opened[i]] > reals[IMPROVEMENT, opened[best]]:
            best = i
    todo[0] = opened[best]
    now[_N_TODO], now[_N_OPEN] = 1, now[_N_OPEN] - 1
    for i in range(best, now[_N_OPEN]):  # keep the order: of equals the oldest goes first
        opened[i] = opened[i + 1]


@brief
def _split(now, todo, nodes, totals, candidates, bounds, flags, ridge):
    """Give every node of ``todo`` its two children."""
    now[_WORK] = 0
    for i in range(now[_N_TODO]):
        node, left = todo[i], now[_N_NODES]
        now[_N_NODES] += 2
        for child in range(left, left + 2):
            for field in range(len(nodes)):
                nodes[field, child] = 0
            nodes[LEFT, child] = -1
            nodes[DEPTH, child] = nodes[DEPTH, node] + 1
            nodes[SLOT, child] = -1
        nodes[LEFT, node] = left
        for k in range(totals.shape[1]):
            totals[left, k] = candidates[node, 0, _SUMS + k]
            totals[left + 1, k] = totals[node, k] - totals[left, k]
        if len(bounds) > 0:
            bound_children(node, left, _sign(flags[nodes[FEATURE, node]]), totals, ridge, bounds)
        now[_WORK] += nodes[N_ROWS, node]


@brief
def _may_split(node, criterion, nodes, reals, totals, square, min_split, min_samples, limit):
    """Note the impurity of a node, and say if it may be split at all."""
    n = nodes[N_ROWS, node]
    reals[IMPURITY, node] = _impurity(criterion, totals[node], square)
    weight = totals[node, 0] if criterion == SQUARED_ERROR else _total(totals[node])
    enough = n >= min_split and n >= 2 * min_samples
    return reals[IMPURITY, node] > 0 and enough and weight >= 2 * limit


@brief
def _open(
    now, todo, free, criterion, nodes, reals, totals, segments, squares, max_depth, min_split,
    min_samples, worth,
):  # fmt: skip
    """Say which new children may be split further, and where their histograms go.

    The larger child takes over its parent's place. Nothing is kept for the last splits, nor for
    few rows: those are counted sooner than a histogram is fetched from far away.
    """
    now[_WORK] = 0
    keep = nodes[DEPTH, todo[0]] + 2 < max_depth
    for i in range(now[_N_TODO]):
        node = todo[i]
        left = nodes[LEFT, node]
        for child in range(left, left + 2):
            nodes[N_ROWS, child] = _total(segments[1, child])
            may = _may_split(
                child, criterion, nodes, reals, totals, _total(squares[child]), min_split,
                min_samples, now[_LIMIT],
            )  # fmt: skip
            nodes[OPEN, child] = may and not now[_FINAL]
        small = left if nodes[N_ROWS, left] <= nodes[N_ROWS, left + 1] else left + 1
        large = 2 * left + 1 - small
        if nodes[MISSING_LEFT, node] < 0:  # nothing was missing: to where most rows go
            nodes[MISSING_LEFT, node] = nodes[N_ROWS, left] > nodes[N_ROWS, left + 1]
        if keep and nodes[OPEN, large] and nodes[N_ROWS, large] >= worth:
            nodes[SLOT, large] = nodes[SLOT, node]
        if keep and nodes[OPEN, small] and nodes[N_ROWS, small] >= worth and now[_N_FREE] > 0:
            now[_N_FREE] -= 1
            nodes[SLOT, small] = free[now[_N_FREE]]
        now[_WORK] += nodes[N_ROWS, small]


@brief
def _advance(
    now, lists, scales, partial, segments, squares, nodes, reals, totals, hist, gains, candidates,
    extras, flags, criterion, per_word, width, max_depth, max_leaves, min_split, min_samples,
    min_weight, min_decrease, penalties,
):  # fmt: skip
    """Between two rounds of tasks: look at what was done and set up what comes next."""
    todo, opened, free = lists[0], lists[1], lists[2]
    n_chunks, n_words, kind = segments.shape[2], gains.shape[1], now[_KIND]
    if kind == _TOTALS:
        total = _total(partial[0])
        scales[_WEIGHT_UNIT] = _power_of_two(total)
        l2 = penalties[0]
        scales[_RIDGE] = l2 * scales[_WEIGHT_UNIT]
        scales[_SMOOTH] = penalties[1] * scales[_WEIGHT_UNIT]
        scales[_CATEGORY_RIDGE] = (l2 + penalties[2]) * scales[_WEIGHT_UNIT]
        scales[_CHANCE] = penalties[3]
        # A penalty pulls towards 0, so that is where numbers are measured from.
        scales[_CENTRE] = _total(partial[1]) / total if l2 == 0 else 0.0
        now[_LIMIT] = max(1, np.int64(min(min_weight, total) * scales[_WEIGHT_UNIT]))
        now[_KIND] = _SPREAD if criterion == SQUARED_ERROR else _FIX
        return
    if kind == _SPREAD:
        scales[_TARGET_UNIT] = _power_of_two(_total(partial[2]))
        now[_KIND] = _FIX
        return
    if kind == _FIX:
        todo[0] = -1  # the parent of the root
        for field in range(len(nodes)):
            nodes[field, 0] = 0
        nodes[LEFT, 0], nodes[OPEN, 0] = -1, 1
        if len(extras[1]) > 0:
            extras[1][0, LOWER], extras[1][0, UPPER] = -np.inf, np.inf
        nodes[N_ROWS, 0] = now[_WORK]
        now[_N_NODES], now[_N_TODO] = 1, 1
        for slot in range(len(hist) - 1, 0, -1):
            free[now[_N_FREE]] = slot
            now[_N_FREE] += 1
        now[_KIND], now[_N_TASKS] = _BUILD, n_words
        return
    if kind == _LEAVES:
        now[_KIND] = _DONE
        return
    if kind == _PARTITION:
        _open(
            now, todo, free, criterion, nodes, reals, totals, segments, squares, max_depth,
            min_split, min_samples, 2 * width * totals.shape[1],
        )  # fmt: skip
        if not now[_FINAL]:
            now[_KIND], now[_N_TASKS] = _BUILD, n_words * now[_N_TODO]
            now[_WORK] += now[_N_TODO] * width
            return
    if kind == _BUILD and todo[0] < 0:
        for k in range(totals.shape[1]):  # every row has one bin of the first column
            totals[0, k] = 0
            for b in range(k * per_word * width, k * per_word * width + width):
                totals[0, k] += hist[0, 0, b]
        nodes[OPEN, 0] = max_depth > 0
        if not _may_split(
            np.int64(0), criterion, nodes, reals, totals, _total(squares[0]), min_split,
            min_samples, now[_LIMIT],
        ):  # fmt: skip
            nodes[OPEN, 0] = 0
    # Children that found a split wait for it; the others give their place back.
    unit = 1.0
    if criterion == SQUARED_ERROR:
        unit = scales[_TARGET_UNIT] / scales[_WEIGHT_UNIT]
        unit *= unit
    first = 0 if todo[0] < 0 else now[_N_NODES] - 2 * now[_N_TODO]
    for node in range(first, now[_N_NODES]):
        if nodes[OPEN, node] and _settle(
            node, criterion, nodes, reals, totals, gains, candidates, extras, flags,
            min_decrease * unit, scales[_RIDGE],
        ):  # fmt: skip
            opened[now[_N_OPEN]] = node
            now[_N_OPEN] += 1
        elif nodes[SLOT, node] >= 0:
            free[now[_N_FREE]] = nodes[SLOT, node]
            now[_N_FREE] += 1
    for i in range(now[_N_TODO] if todo[0] >= 0 else 0):
        slot, left = nodes[SLOT, todo[i]], nodes[LEFT, todo[i]]
        if slot >= 0 and nodes[SLOT, left] != slot and nodes[SLOT, left + 1] != slot:
            free[now[_N_FREE]] = slot
            now[_N_FREE] += 1
    now[_N_TASKS] = n_chunks
    n_leaves = (now[_N_NODES] + 1) // 2
    if now[_N_OPEN] > 0 and (max_leaves == 0 or n_leaves < max_leaves):
        _pick(now, max_leaves > 0, opened, reals, todo)
        if now[_N_NODES] + 2 * now[_N_TODO] > nodes.shape[1]:
            now[_KIND], now[_N_NODES] = _DONE, FULL
            return
        _split(now, todo, nodes, totals, candidates, extras[1], flags, scales[_RIDGE])
        # All of `todo` are of one depth, or just one node: they end together.
        now[_FINAL] = nodes[DEPTH, todo[0]] + 1 == max_depth
        now[_KIND] = _PARTITION
        return
    # What lies at the greatest depth was marked when it was split.
    now[_KIND], now[_N_TODO], now[_WORK] = _LEAVES, 0, nodes[N_ROWS, 0]
    for node in range(now[_N_NODES]):
        if nodes[LEFT, node] < 0 and (nodes[DEPTH, node] < max_depth or node == 0):
            todo[now[_N_TODO]] = node
            now[_N_TODO] += 1


@brief
def _finish(
    n_nodes, criterion, scales, nodes, reals, totals, bounds, n_bins, flags, values, edges, exact,
    value,
):  # fmt: skip
    """Turn bins into thresholds and fixed point into numbers; categories have no threshold."""
    for node in range(n_nodes):
        if criterion == SQUARED_ERROR:
            unit = scales[_WEIGHT_UNIT] / scales[_TARGET_UNIT]
            weight = np.float64(totals[node, 0])
            mean = np.float64(totals[node, 1]) / (weight + scales[_RIDGE])
            if len(bounds) > 0:
                low, high = bounds[node, LOWER], bounds[node, UPPER]
                mean = bounded_value(totals[node, 1], weight + scales[_RIDGE], low, high)
            value[node, 0] = scales[_CENTRE] + mean * unit
            value[node, 1] = weight / scales[_WEIGHT_UNIT]
            reals[IMPURITY, node] *= unit * unit
        else:
            for k in range(totals.shape[1]):
                value[node, k] = np.float64(totals[node, k]) / scales[_WEIGHT_UNIT]
        reals[THRESHOLD, node] = np.nan
        if nodes[LEFT, node] < 0:
            nodes[FEATURE, node], nodes[BIN, node], nodes[MISSING_LEFT, node] = -1, 0, 0
            continue
        f, low, high = nodes[FEATURE, node], nodes[BIN, node], nodes[NEXT_BIN, node]
        if flags[f] & CATEGORY:
            nodes[BIN, node] = 0
        elif high == n_bins[f]:
            # All that is there goes left, what is missing right.
            reals[THRESHOLD, node] = np.inf
            nodes[BIN, node] = n_bins[f] - 1
        elif exact[f]:
            # The middle of two values of the node; a value between them goes where it belongs.
            threshold = values[f, low] / 2 + values[f, high] / 2
            if threshold >= values[f, high]:
                threshold = values[f, low]
            while values[f, nodes[BIN, node] + 1] <= threshold:
                nodes[BIN, node] += 1
            reals[THRESHOLD, node] = threshold
        else:
            nodes[BIN, node] = (low + high - 1) // 2
            reals[THRESHOLD, node] = edges[f, nodes[BIN, node]]


@parallel(error_model="numpy")
def grow(
    sample_weight, y, words, sums, index, leaf, squared, segments, squares, partial, nodes, reals,
    totals, hist, counts, gains, candidates, sets, bounds, lists, n_bins, flags, values, edges,
    exact, value, floats, integers, spare, spare_counts, criterion, per_word, width, chunk,
    max_depth, max_leaves, min_split, min_samples, min_weight, min_decrease, penalties,
):  # fmt: skip
    """Grow one tree into the arrays of a ``counterpoint.trees.GrowWorkspace``.

    Returns the number of nodes, or ``FULL`` if there is no room for more. Children lie side by
    side, after their parent. ``max_leaves`` 0 grows level by level, else best first. ``penalties``
    are the weight added to that of a leaf, to that of a category for sorting, and to that of a
    side of a split on categories; and the share of a row's variance that such a split must bring
    for each category beyond two. The last four arrays (``rooms``) are room to work in, one for
    each thread that may share in it.
    """
    scales, extras = np.zeros(7), (sets, bounds, squares)
    now = np.zeros(_N_NOW, dtype=np.int64)
    now[_N_TASKS], now[_WORK] = segments.shape[2], len(sample_weight)
    while now[_KIND] != _DONE:
        # No race: a share has a room of its own; chunks, and words of a node, are disjoint.
        for share in prange(len(spare)):
            first, n_tasks = np.int64(share), now[_N_TASKS]
            for t in range(first * n_tasks // len(spare), (first + 1) * n_tasks // len(spare)):
                _task(
                    t, now, lists[0], sample_weight, y, scales, partial, words, sums, index, leaf,
                    squared, segments, squares, nodes, hist, counts, gains, candidates, extras,
                    n_bins, flags, (criterion, per_word, width, min_samples), chunk, floats[share],
                    integers[share], spare[share], spare_counts[share],
                )  # fmt: skip
        _advance(
            now, lists, scales, partial, segments, squares, nodes, reals, totals, hist, gains,
            candidates, extras, flags, criterion, per_word, width, max_depth, max_leaves, min_split,
            min_samples, min_weight, min_decrease, penalties,
        )  # fmt: skip
    _finish(
        now[_N_NODES], criterion, scales, nodes, reals, totals, bounds, n_bins, flags, values,
        edges, exact, value,
    )  # fmt: skip
    return now[_N_NODES]
