"""A tree grown on boxes that do not overlap, each with votes. Twin: ``tests/naive/equivalent.py``.

Boxes are as in :mod:`counterpoint._kernels.within_box`: a first and a last cell in each column.
"""

import numpy as np

from counterpoint._kernels.compiling import inner, kernel, lean
from counterpoint._kernels.within_box import best_cut


@kernel()
def grow_on_boxes(cells, weight, votes, winner, first, width, max_leaves):
    """Split boxes by entropy of votes, the heaviest node first, until those of a node agree.

    cells (n_boxes, 2, n_features) int32 are first and last cells, weight (n_boxes,), votes
    (n_boxes, n_classes) and winner (n_boxes,) what a box weighs and says; cell c of column f has
    the width ``width[first[f] + f + c]``, and a box lies evenly over its cells. Returned are
    splits (column, cut, left, right), labels (-1 where split) and the votes in every node; of
    nodes that weigh the same, the one made first is split first.
    """
    n_features, n_classes = cells.shape[2], votes.shape[1]
    before = _summed(first, width)
    # Boxes of waiting nodes, one node after the other; what they were cut from, and their weight.
    room, origin, mass = cells.copy(), np.arange(len(cells)), weight.copy()
    used = len(cells)
    splits, label = np.full((64, 4), -1, dtype=np.int64), np.full(64, -1, dtype=np.int64)
    value = np.zeros((64, n_classes))
    begin, count, heavy = np.zeros(64, np.int64), np.zeros(64, np.int64), np.zeros(64)
    heap = np.zeros(64, dtype=np.int64)
    count[0], n_nodes, n_waiting, n_leaves = len(cells), 1, 1, 1
    n_cells = first[n_features] + n_features
    hist, slabs = np.zeros((n_cells + 1, n_classes)), np.zeros((n_cells + 1, n_classes))
    edge, active = np.zeros(n_cells + 1, np.int32), np.zeros(n_cells + 1, np.int32)
    cuts, n_cuts = np.empty(n_cells + 1, np.int64), np.zeros(n_features, np.int64)
    span, asked = np.empty((2, n_features), np.int32), np.empty(n_features, np.int64)
    across, own = np.empty((n_features, n_classes)), np.empty(n_classes)
    while n_waiting > 0:
        node = _pop(heap, heavy, n_waiting)
        n_waiting -= 1
        start, stop = begin[node], begin[node] + count[node]
        says = winner[origin[start]]
        agreed = True
        for b in range(start, stop):
            agreed &= winner[origin[b]] == says
            for c in range(n_classes):
                value[node, c] += mass[b] * votes[origin[b], c]
        if agreed or n_leaves == max_leaves:
            _close(node, says if agreed else -1, label, value)
            continue
        _draw(
            room, mass, votes, origin, start, stop, first, width, before,
            hist, slabs, edge, active, cuts, n_cuts, span, asked, across, own,
        )  # fmt: skip
        f, k = best_cut(first, cuts, n_cuts, slabs, active)
        if f < 0:  # boxes in one place, which overlaps never are
            _close(node, -1, label, value)
            continue
        n_leaves += 1
        n_left, n_right = 0, 0
        for b in range(start, stop):
            n_left += room[b, 0, f] <= k
            n_right += room[b, 1, f] > k
        if used + n_right > len(room):
            room, origin, mass, used = _tidied(
                room, origin, mass, begin, count, heap, n_waiting, node, n_right
            )
            start, stop = begin[node], begin[node] + count[node]
        if n_nodes + 2 > len(label):
            splits, label, value = _longer(splits, -1), _longer(label, -1), _longer(value, 0.0)
            begin, count, heavy = _longer(begin, 0), _longer(count, 0), _longer(heavy, 0.0)
            heap = _longer(heap, 0)
        splits[node, 0], splits[node, 1] = f, k
        splits[node, 2], splits[node, 3] = n_nodes, n_nodes + 1
        # Boxes on the left take the place of those that were split.
        begin[n_nodes], begin[n_nodes + 1] = start, used
        count[n_nodes], count[n_nodes + 1] = n_left, n_right
        heavy[n_nodes], heavy[n_nodes + 1] = _part(
            room, mass, origin, start, stop, used, f, k, before[first[f] + 2 * f :]
        )
        used += n_right
        for child in range(n_nodes, n_nodes + 2):
            _push(heap, heavy, n_waiting, child)
            n_waiting += 1
        n_nodes += 2
    return splits[:n_nodes], label[:n_nodes], value[:n_nodes]


@lean
def _part(room, mass, origin, start, stop, right, f, k, before):
    """Cut boxes, those on the right from ``right`` on; return what each side weighs."""
    left, of_left, of_right = start, 0.0, 0.0
    for b in range(start, stop):
        low, high, whole, own = room[b, 0, f], room[b, 1, f], mass[b], origin[b]
        wide = before[high + 1] - before[low]
        if high > k:
            for d in range(room.shape[2]):
                room[right, 0, d], room[right, 1, d] = room[b, 0, d], room[b, 1, d]
            room[right, 0, f] = max(low, k + 1)
            mass[right] = whole * (before[high + 1] - before[max(low, k + 1)]) / wide
            origin[right] = own
            of_right += mass[right]
            right += 1
        if low <= k:
            if left < b:
                for d in range(room.shape[2]):
                    room[left, 0, d], room[left, 1, d] = room[b, 0, d], room[b, 1, d]
            room[left, 1, f] = min(high, k)
            mass[left] = whole * (before[min(high, k) + 1] - before[low]) / wide
            origin[left] = own
            of_left += mass[left]
            left += 1
    return of_left, of_right


@lean
def _close(node, says, label, value):
    """Make a leaf. All agree: the label is theirs, whatever rounding makes of the sum."""
    most, total = 0, 0.0
    for c in range(value.shape[1]):
        total += value[node, c]
        if value[node, c] > value[node, most]:
            most = c
    label[node] = says if says >= 0 else most
    if most != label[node] or not total > 0.0:
        for c in range(value.shape[1]):
            value[node, c] = 1.0 if c == label[node] else 0.0


@inner
def _summed(first, width):
    """Widths of the cells before each, a column after the other."""
    n_features = len(first) - 1
    before = np.zeros(first[n_features] + 2 * n_features + 1)
    for f in range(n_features):
        at = first[f] + 2 * f
        for c in range(first[f + 1] - first[f] + 1):
            before[at + c + 1] = before[at + c] + width[first[f] + f + c]
    return before


@lean
def _draw(
    room, mass, votes, origin, start, stop, first, width, before,
    hist, slabs, edge, active, cuts, n_cuts, span, asked, across, own,
):  # fmt: skip
    """Say what lies in the slabs between the edges of some boxes, column by column."""
    n_classes = hist.shape[1]
    n_asked = _columns_to_cut(room, start, stop, span, asked, n_cuts)
    for j in range(n_asked):
        f = asked[j]
        for c in range(n_classes):
            across[f, c] = 0.0
        for c in range(first[f] + f + span[0, f], first[f] + f + span[1, f] + 1):
            edge[c] = 0
            for d in range(n_classes):
                hist[c, d] = 0.0
    # As differences of neighbouring cells, so a long box costs no more than a short one.
    for b in range(start, stop):
        for c in range(n_classes):
            own[c] = mass[b] * votes[origin[b], c]
        for j in range(n_asked):
            f = asked[j]
            low, high = room[b, 0, f], room[b, 1, f]
            begins, ends = low > span[0, f], high < span[1, f]
            if not (begins or ends):
                for c in range(n_classes):
                    across[f, c] += own[c]
                continue
            at = first[f] + f
            wide = before[at + f + high + 1] - before[at + f + low]
            for c in range(n_classes):
                hist[np.uint64(at + low), c] += own[c] / wide
            if ends:
                edge[np.uint64(at + high)] += 1
                for c in range(n_classes):
                    hist[np.uint64(at + high + 1), c] -= own[c] / wide
            if begins:
                edge[np.uint64(at + low - 1)] += 1
    for j in range(n_asked):
        f = asked[j]
        at, m = first[f] + f, 0
        wide = before[at + f + span[1, f] + 1] - before[at + f + span[0, f]]
        for d in range(n_classes):
            own[d] = across[f, d] / wide
            slabs[at, d] = 0.0
        for c in range(span[0, f], span[1, f] + 1):
            for d in range(n_classes):
                own[d] += hist[at + c, d]
                slabs[at + m, d] += max(own[d], 0.0) * width[at + c]
            if c < span[1, f] and edge[at + c] > 0:
                cuts[first[f] + m] = c
                active[first[f] + c] = edge[at + c]
                m += 1
                for d in range(n_classes):
                    slabs[at + m, d] = 0.0
        n_cuts[f] = m


@lean
def _columns_to_cut(room, start, stop, span, asked, n_cuts):
    """List the columns in which boxes span more than a cell; return their number."""
    n_features, n_asked = len(asked), 0
    for f in range(n_features):
        span[0, f], span[1, f] = room[start, 0, f], room[start, 1, f]
    for b in range(start + 1, stop):
        low, high = room[b, 0], room[b, 1]
        for f in range(n_features):
            span[0, f] = min(span[0, f], low[f])
            span[1, f] = max(span[1, f], high[f])
    for f in range(n_features):
        n_cuts[f] = 0
        if span[0, f] < span[1, f]:
            asked[n_asked] = f
            n_asked += 1
    return n_asked


@inner
def _tidied(room, origin, mass, begin, count, heap, n_waiting, node, more):
    """Move the boxes of waiting nodes and of ``node`` together, with room for as many again."""
    live = count[node]
    for i in range(n_waiting):
        live += count[heap[i]]
    size = 2 * (live + more)
    new_room = np.empty((size, 2, room.shape[2]), dtype=np.int32)
    new_origin, new_mass = np.empty(size, dtype=np.int64), np.empty(size)
    used = 0
    for i in range(n_waiting + 1):
        one = heap[i] if i < n_waiting else node
        for b in range(begin[one], begin[one] + count[one]):
            for d in range(room.shape[2]):
                new_room[used, 0, d], new_room[used, 1, d] = room[b, 0, d], room[b, 1, d]
            new_origin[used], new_mass[used] = origin[b], mass[b]
            used += 1
        begin[one] = used - count[one]
    return new_room, new_origin, new_mass, used


@inner
def _longer(array, fill):
    longer = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    longer[len(array) :] = fill
    return longer


@lean
def _is_before(heavy, one, other):
    if heavy[one] == heavy[other]:
        return one < other
    return heavy[one] > heavy[other]


@lean
def _push(heap, heavy, size, node):
    i = size
    while i > 0 and _is_before(heavy, node, heap[(i - 1) // 2]):
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = node


@lean
def _pop(heap, heavy, size):
    """Take the heaviest of ``size``; the caller counts one less."""
    found, last = heap[0], heap[size - 1]
    i, size = 0, size - 1
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and _is_before(heavy, heap[child + 1], heap[child]):
            child += 1
        if _is_before(heavy, last, heap[child]):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return found
