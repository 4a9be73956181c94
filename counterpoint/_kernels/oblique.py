"""Trees that split on sums of a few columns (Forest-RC). Twins in ``tests/naive/views.py``.

Columns lie one after the other, (n_features, n_samples) float32, centred and scaled. What is
tried at a node comes from a table of combinations drawn outside: ``features`` and
``coefficients`` (n_drawn, n_tries, n_terms). A node takes the next row of the table when its
turn comes; when the table or the room for nodes is used up, `grow` returns and is called
again with more.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel, lean

EXACT = 128  # nodes up to this many rows try every threshold; larger ones at most _BINS
_BINS = 256
_TAIL = 3  # values at either end of a sample that say nothing of its span
# Fields of `state`.
N_NODES, N_STACK, N_USED, STATUS = range(4)
DONE, MORE_NODES, MORE_DRAWS = range(3)


@lean
def _project(X, rows, features, coefficients, z):
    for i in range(len(rows)):
        total = np.float32(0.0)
        for t in range(len(features)):
            total += coefficients[t] * X[features[t], rows[i]]
        z[i] = total


@lean
def _sort(z, order, n):
    """Shell sort: ``order`` becomes the positions of z from small to large."""
    for i in range(n):
        order[i] = i
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            moved = order[i]
            at = i
            while at >= gap and z[order[at - gap]] > z[moved]:
                order[at] = order[at - gap]
                at -= gap
            order[at] = moved
        gap //= 3


@lean
def _score(left, totals, left_weight, weight):
    """Sum of squares of class weights over side weights: large is pure (Gini)."""
    lower, upper = 0.0, 0.0
    for k in range(len(totals)):
        rest = totals[k] - left[k]
        lower += left[k] * left[k]
        upper += rest * rest
    return lower / left_weight + upper / (weight - left_weight)


@lean
def _halfway(low, high):
    """Between two numbers, and never the higher one."""
    value = low / np.float32(2) + high / np.float32(2)
    return low if value >= high or value < low else value


@lean
def _scan_exact(z, y, w, totals, weight, min_leaf, left, order):
    """Best (score, threshold) over all thresholds between neighbours; -1 if there is none."""
    n = len(z)
    _sort(z, order, n)
    left[:] = 0.0
    held, best, cut = 0.0, -1.0, np.float32(0.0)
    for s in range(n - 1):
        i = order[s]
        left[y[i]] += w[i]
        held += w[i]
        low, high = z[i], z[order[s + 1]]
        if low == high or s + 1 < min_leaf or n - s - 1 < min_leaf:
            continue
        score = _score(left, totals, held, weight)
        if score > best:
            best, cut = score, _halfway(low, high)
    return best, cut


@lean
def _scan_bins(
    z, y, w, totals, weight, min_leaf, left, hist, counts, lowest, highest, sample,
    order,
):  # fmt: skip
    """Best (score, threshold) over edges of bins of equal width; -1 if there is none.

    Bins span what most of an even sample of the rows spans, and half as much more on either
    side; outliers share the outer bins. A threshold lies between the values beside the edge.
    """
    n, n_classes = len(z), len(totals)
    low, high = z[0], z[0]
    for i in range(n):
        low, high = min(low, z[i]), max(high, z[i])
    if low == high:
        return -1.0, low
    for s in range(EXACT):
        sample[s] = z[s * n // EXACT]
    _sort(sample, order, EXACT)
    first, last = np.float64(sample[order[_TAIL]]), np.float64(sample[order[EXACT - 1 - _TAIL]])
    beyond = (last - first) / 2
    start, stop = max(np.float64(low), first - beyond), min(np.float64(high), last + beyond)
    if not stop > start:  # nearly all are the same number
        start, stop = np.float64(low), np.float64(high)
    factor = _BINS / (stop - start)
    hist[:] = 0.0
    counts[:] = 0
    for b in range(_BINS):
        lowest[b], highest[b] = np.inf, -np.inf
    for i in range(n):
        b = min(max(np.int64((z[i] - start) * factor), 0), _BINS - 1)
        hist[b * n_classes + y[i]] += w[i]
        counts[b] += 1
        lowest[b], highest[b] = min(lowest[b], z[i]), max(highest[b], z[i])
    left[:] = 0.0
    held, rows, best, cut = 0.0, 0, -1.0, np.float32(0.0)
    below = np.float32(0.0)  # the largest value so far: best only if nothing but it is at hand
    pending, pending_score = False, -1.0
    for b in range(_BINS):
        if counts[b] == 0:
            continue
        if pending and pending_score > best:
            best, cut = pending_score, _halfway(below, lowest[b])
        pending = False
        for k in range(n_classes):
            left[k] += hist[b * n_classes + k]
            held += hist[b * n_classes + k]
        rows += counts[b]
        below = highest[b]
        if rows == n:
            break
        if rows >= min_leaf and n - rows >= min_leaf:
            pending, pending_score = True, _score(left, totals, held, weight)
    return best, cut


@kernel(nogil=True)
def grow(
    X, y, w, rows, features, coefficients, max_depth, min_split, min_leaf, state, stack, children,
    spans, depths, kept, kept_coefficients, thresholds, value,
):  # fmt: skip
    """Grow one tree, or go on growing it.

    X (n_features, n_samples) float32; y int32, w float64 (n_samples,); ``rows`` int32, sorted
    into leaves on return. Of nodes: ``children`` (the left one; the right one is next; -1 for a
    leaf), ``spans`` (first row and the one after the last), ``depths``, ``kept`` and
    ``kept_coefficients`` (n_nodes, n_terms), ``thresholds``, ``value`` (n_nodes, n_classes).
    ``state`` says how far it got. The caller has put the root on the ``stack``.
    """
    n_classes, n_tries, n_terms = value.shape[1], features.shape[1], features.shape[2]
    n = len(rows)
    z, best_z = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.float32)
    own_y, own_w = np.empty(n, dtype=np.int32), np.empty(n)
    other = np.empty(n, dtype=np.int32)
    left, totals = np.empty(n_classes), np.empty(n_classes)
    order, sample = np.empty(EXACT, dtype=np.int32), np.empty(EXACT, dtype=np.float32)
    hist, counts = np.empty(_BINS * n_classes), np.empty(_BINS, dtype=np.int64)
    lowest, highest = np.empty(_BINS, dtype=np.float32), np.empty(_BINS, dtype=np.float32)
    state[STATUS] = DONE
    while state[N_STACK] > 0:
        node = stack[state[N_STACK] - 1]
        start, stop = spans[node, 0], spans[node, 1]
        m = stop - start
        totals[:] = 0.0
        for i in range(m):
            row = rows[start + i]
            own_y[i], own_w[i] = y[row], w[row]
            totals[own_y[i]] += own_w[i]
        weight, heaviest = 0.0, 0.0
        for k in range(n_classes):
            value[node, k] = totals[k]
            weight += totals[k]
            heaviest = max(heaviest, totals[k])
        children[node] = -1
        if heaviest == weight or m < min_split or m < 2 * min_leaf or depths[node] >= max_depth:
            state[N_STACK] -= 1
            continue
        if state[N_USED] == len(features):
            state[STATUS] = MORE_DRAWS
            break
        if state[N_NODES] + 2 > len(children):
            state[STATUS] = MORE_NODES
            break
        drawn = state[N_USED]
        state[N_USED] += 1
        state[N_STACK] -= 1
        best, chosen, cut = -1.0, -1, np.float32(0.0)
        for t in range(n_tries):
            part = z[:m]
            _project(X, rows[start:stop], features[drawn, t], coefficients[drawn, t], part)
            if m <= EXACT:
                score, threshold = _scan_exact(
                    part, own_y, own_w, totals, weight, min_leaf, left, order
                )
            else:
                score, threshold = _scan_bins(
                    part, own_y, own_w, totals, weight, min_leaf, left, hist, counts, lowest,
                    highest, sample, order,
                )  # fmt: skip
            if score > best:
                best, chosen, cut = score, t, threshold
                z, best_z = best_z, z
        if chosen < 0:  # every sum tried is the same for all rows
            continue
        n_left, n_right = 0, 0
        for i in range(m):
            row = rows[start + i]
            if best_z[i] <= cut:
                rows[start + n_left] = row
                n_left += 1
            else:
                other[n_right] = row
                n_right += 1
        for i in range(n_right):
            rows[start + n_left + i] = other[i]
        thresholds[node] = cut
        for t in range(n_terms):
            kept[node, t] = features[drawn, chosen, t]
            kept_coefficients[node, t] = coefficients[drawn, chosen, t]
        child = state[N_NODES]
        children[node] = child
        for side in range(2):
            spans[child + side, 0] = start if side == 0 else start + n_left
            spans[child + side, 1] = start + n_left if side == 0 else stop
            depths[child + side] = depths[node] + 1
            stack[state[N_STACK]] = child + 1 - side  # the left child is grown first
            state[N_STACK] += 1
        state[N_NODES] += 2


@kernel(nogil=True)
def leaves_of(X, children, features, coefficients, thresholds):
    """Leaf that each sample reaches; X (n_samples, n_features) float32: (n_samples,) int32."""
    n = len(X)
    found = np.empty(n, dtype=np.int32)
    for i in range(n):
        node = 0
        while children[node] >= 0:
            total = np.float32(0.0)
            for t in range(features.shape[1]):
                total += coefficients[node, t] * X[i, features[node, t]]
            node = children[node] + (1 if total > thresholds[node] else 0)
        found[i] = node
    return found
