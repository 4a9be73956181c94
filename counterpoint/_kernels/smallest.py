"""The smallest tree that decides as many do: a search over boxes, each function once.

Boxes and trees are as in :mod:`counterpoint._kernels.within_box`. The search is a loop over frames,
so that it can be stopped and gone on with.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.equivalent import DONE, FULL, PAUSED
from counterpoint._kernels.grid import drop_cuts, label_cells
from counterpoint._kernels.parts import part
from counterpoint._kernels.within_box import copy_box, count_labels, list_cuts, look, mix

# Columns of ``cells`` of the memory: least cost known, cost (0: not known), cut, label (-1: none).
LEAST, COST, CUT, LABEL = 0, 1, 2, 3
# Columns of a frame: how far it is, cuts listed, cut in hand, best cost and its cut, cost that must
# be beaten, least cost possible, slot in the memory, least cost of the cuts passed over.
STAGE, N, AT, BEST, BEST_CUT, NEED, FLOOR, SLOT, PASSED = 0, 1, 2, 3, 4, 5, 6, 7, 8


@kernel()
def _slot_of(code, keys, used):
    mask = np.uint64(len(keys) - 1)
    at = code & mask
    while used[at] and keys[at] != code:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@part()
def _range_code(f, a, b):
    return mix(np.uint64(f) ^ (np.uint64(a) << np.uint64(20)) ^ (np.uint64(b) << np.uint64(42)))


@part()
def _order_cuts(first, cuts, n_cuts, hist, listed):
    """List cuts, those that leave least entropy of labels first; returns their number."""
    n_classes = hist.shape[1]
    left, whole = np.empty(n_classes), np.empty(n_classes)
    cost = np.empty(len(listed))
    m = 0
    for f in range(len(first) - 1):
        at = first[f] + f
        left[:] = 0.0
        whole[:] = 0.0
        for j in range(n_cuts[f] + 1):
            for c in range(n_classes):
                whole[c] += hist[at + j, c]
        total, on_left = whole.sum(), 0.0
        for j in range(n_cuts[f]):
            value = 0.0
            for c in range(n_classes):
                left[c] += hist[at + j, c]
                on_left += hist[at + j, c]
            for c in range(n_classes):
                if left[c] > 0:
                    value -= left[c] * np.log(left[c] / on_left)
                right = whole[c] - left[c]
                if right > 0:
                    value -= right * np.log(right / (total - on_left))
            cost[m] = value
            listed[m] = first[f] + cuts[first[f] + j]
            m += 1
    order = np.argsort(cost[:m])
    listed[:m] = listed[:m][order]
    return m


@part()
def solve_table(labels, size, deep):
    """Find the smallest tree for labels on a grid, by all boxes of cells, small ones first.

    ``size`` is the number of cells of each column, the first runs fastest in ``labels``.
    Returns (cost, column, cut, label): label is -1 if there is a cut, else column is -1.
    """
    n_features = len(size)
    stride = np.empty(n_features, dtype=np.int64)
    n_boxes, longest = 1, 1
    for f in range(n_features):
        stride[f] = n_boxes
        n_boxes *= size[f] * (size[f] + 1) // 2
        longest = max(longest, size[f])
    # Ranges of cells of a column, numbered by length, then by where they begin.
    begin_of = np.zeros((n_features, longest + 1), dtype=np.int64)
    for f in range(n_features):
        for length in range(1, size[f]):
            begin_of[f, length + 1] = begin_of[f, length] + size[f] - length + 1
    cost = np.empty(n_boxes, dtype=np.int32)
    label = np.empty(n_boxes, dtype=np.int16)
    begin = np.zeros(n_features, dtype=np.int64)
    length = np.ones(n_features, dtype=np.int64)
    leaf_cost = 0 if deep else 1
    best_f, best_k = -1, -1
    for b in range(n_boxes):
        best, one = 2**30, -2
        for f in range(n_features):
            m = length[f]
            if m == 1:
                continue
            a = begin[f]
            own = begin_of[f, m] + a
            for k in range(1, m):
                left = b + stride[f] * (begin_of[f, k] + a - own)
                right = b + stride[f] * (begin_of[f, m - k] + a + k - own)
                if one == -2:
                    one = label[left] if label[left] == label[right] else -1
                    if one >= 0:
                        break
                total = cost[left] + cost[right]
                if deep:
                    total = 1 + max(cost[left], cost[right])
                if total < best:
                    best, best_f, best_k = total, f, a + k - 1
            if one >= 0:
                break
        if one == -2:  # a single cell
            s, step = 0, 1
            for f in range(n_features):
                s += step * begin[f]
                step *= size[f]
            one = labels[s]
        cost[b] = leaf_cost if one >= 0 else best
        label[b] = one
        for f in range(n_features):
            begin[f] += 1
            if begin[f] + length[f] <= size[f]:
                break
            begin[f] = 0
            length[f] += 1
            if length[f] <= size[f]:
                break
            length[f] = 1
    last = n_boxes - 1
    if label[last] >= 0:
        return cost[last], -1, -1, label[last]
    return cost[last], best_f, best_k, -1


@kernel()
def search(
    nodes, roots, first, table, exact, order, offset, start, slack, depth,
    uniform, limit, most_cells, most_boxes, column, deep, state, boxes, listed, keys, used, memory,
    seen, found, counts, steps,
):  # fmt: skip
    """Go on with the search for ``steps`` boxes.

    ``deep``: cost is the depth, else the number of leaves. ``column[g]`` is the column of cut g.
    ``state`` and ``boxes`` hold the frames, ``listed`` their cuts. ``seen`` and ``found`` remember
    for boxes, as long as no other needs the place, their slot in the memory, or -2 less the
    label; -1 is nothing. ``counts``: frames in use,
    slots in use, cost handed back by the last frame, boxes looked at. Returns DONE, PAUSED, or FULL
    if the memory must grow; (frames never run out: each split takes away a cut).
    """
    n_features, n_classes = len(first) - 1, table.shape[1]
    n_all = first[n_features]
    active = np.zeros(n_all + 1, dtype=np.int32)
    cuts = np.empty(n_all + 1, dtype=np.int64)
    n_cuts = np.zeros(n_features, dtype=np.int64)
    hist = np.zeros((n_all + n_features + 1, n_classes))
    frames = np.empty((depth + 2, 3), dtype=np.int64)
    hashes = np.empty(depth + 2, dtype=np.uint64)
    rows = np.empty(len(roots), dtype=np.int64)
    base = np.empty(n_classes, dtype=np.int64)
    lead = np.empty(n_classes, dtype=np.int64)
    low = np.empty(n_classes, dtype=np.int64)
    box = np.empty((2, n_features), dtype=np.int64)
    nowhere = np.empty((0, n_features))
    size = np.empty(n_features, dtype=np.int64)
    leaf_cost = 0 if deep else 1
    least = np.empty(2, dtype=np.int64)
    cost = np.empty(2, dtype=np.int64)
    label = np.empty(2, dtype=np.int64)
    slot = np.empty(2, dtype=np.int64)
    while counts[0] > 0:
        top = counts[0] - 1
        frame = state[top]
        if counts[3] >= steps:
            return PAUSED
        if 2 * (counts[1] + 2) >= len(keys):
            return FULL
        if frame[STAGE] == 0:
            # A box seen for the first time, or again with more to spend.
            copy_box(boxes[top], box)
            counts[3] += 1
            look(
                nodes, roots, first, table, exact, order, offset, start, slack,
                box, rows, base, lead, low, active, frames, hashes,
            )  # fmt: skip
            n_cells = list_cuts(box, first, active, cuts, n_cuts)
            own = memory[frame[SLOT]]
            if n_cells <= most_cells:
                labels = label_cells(
                    nodes, roots, first, table, exact, order, offset, slack,
                    box, rows, base, cuts, n_cuts, int(n_cells),
                )  # fmt: skip
                labels = drop_cuts(labels, first, cuts, n_cuts, size)
                n_boxes = 1.0
                for f in range(n_features):
                    n_boxes *= size[f] * (size[f] + 1) // 2
                if n_boxes <= most_boxes:
                    own[COST], f, k, own[LABEL] = solve_table(labels, size, deep)
                    own[LEAST] = own[COST]
                    counts[3] += int(n_boxes) // 16  # about as long as so many looks
                    if f >= 0:
                        own[CUT] = first[f] + cuts[first[f] + k]
                    counts[2] = own[COST]
                    counts[0] -= 1
                    continue
                n_cells = list_cuts(box, first, active, cuts, n_cuts)
            every = n_cells <= limit
            only = count_labels(
                nodes, roots, first, table, exact, order, offset, slack,
                box, rows, base, nowhere if every else uniform,
                int(n_cells) if every else len(uniform), cuts, n_cuts, hist,
            )  # fmt: skip
            if every and only >= 0:
                own[LABEL], own[COST], own[LEAST] = only, leaf_cost, leaf_cost
                counts[2] = leaf_cost
                counts[0] -= 1
                continue
            if only < 0:
                own[LEAST] = max(own[LEAST], leaf_cost + 1)
            frame[N] = _order_cuts(first, cuts, n_cuts, hist, listed[top])
            frame[AT], frame[STAGE] = 0, 1
            frame[BEST], frame[BEST_CUT] = frame[NEED], -1
            frame[FLOOR], frame[PASSED] = own[LEAST], 2**40
            continue
        if frame[STAGE] >= 2:
            # A side comes back.
            side = frame[STAGE] - 2
            frame[STAGE] = 1
        else:
            side = -1
        if frame[AT] == frame[N] or frame[FLOOR] >= frame[BEST]:
            own = memory[frame[SLOT]]
            if frame[BEST_CUT] >= 0:
                own[COST] = own[LEAST] = frame[BEST]
                own[CUT] = frame[BEST_CUT]
                counts[2] = frame[BEST]
            else:
                bound = max(frame[FLOOR], min(frame[PASSED], frame[BEST]))
                if frame[AT] < frame[N]:
                    bound = frame[FLOOR]
                own[LEAST] = max(own[LEAST], bound)
                counts[2] = own[LEAST]
            counts[0] -= 1
            continue
        g = listed[top, frame[AT]]
        f = column[g]
        k = g - first[f]
        whole = np.uint64(0)
        for d in range(n_features):
            if d != f:
                whole += _range_code(d, boxes[top, 0, d], boxes[top, 1, d])
        for s in range(2):
            a = k + 1 if s == 1 else boxes[top, 0, f]
            b = k if s == 0 else boxes[top, 1, f]
            which = whole + _range_code(f, a, b)
            near = np.int64(which & np.uint64(len(seen) - 1))
            if seen[near] != which or found[near] == -1:
                copy_box(boxes[top], box)
                box[0, f], box[1, f] = a, b
                counts[3] += 1
                said, code = look(
                    nodes, roots, first, table, exact, order, offset, start, slack,
                    box, rows, base, lead, low, active, frames, hashes,
                )  # fmt: skip
                at = np.int64(-2 - said)
                if said < 0:
                    at = _slot_of(code, keys, used)
                    if not used[at]:
                        keys[at], used[at] = code, True
                        counts[1] += 1
                        memory[at, LEAST], memory[at, COST] = leaf_cost, -1
                        memory[at, CUT], memory[at, LABEL] = -1, -1
                seen[near], found[near] = which, at
            at = found[near]
            if at < 0:
                label[s] = -2 - at
                least[s] = cost[s] = leaf_cost
                slot[s] = -1
                continue
            slot[s], least[s], cost[s] = at, memory[at, LEAST], memory[at, COST]
            label[s] = memory[at, LABEL]
        frame[FLOOR] = max(frame[FLOOR], max(least[0], least[1]))
        if label[0] >= 0 and label[0] == label[1]:
            # One label throughout, though the bounds could not tell.
            own = memory[frame[SLOT]]
            own[LABEL], own[COST], own[LEAST] = label[0], leaf_cost, leaf_cost
            counts[2] = leaf_cost
            counts[0] -= 1
            continue
        bound = 1 + max(least[0], least[1]) if deep else least[0] + least[1]
        # A box that may have one label throughout is asked on: then it is a leaf.
        unsure = memory[frame[SLOT], LEAST] == leaf_cost and (
            (label[0] < 0 and least[0] == leaf_cost) or (label[1] < 0 and least[1] == leaf_cost)
        )
        if bound >= frame[BEST] and not unsure:
            frame[PASSED] = min(frame[PASSED], bound)
            frame[AT] += 1
            continue
        ask = -1
        for s in range(2):
            if cost[s] < 0 and ask < 0:
                ask = s
        if ask < 0:
            total = 1 + max(cost[0], cost[1]) if deep else cost[0] + cost[1]
            if total < frame[BEST]:
                frame[BEST], frame[BEST_CUT] = total, g
            else:
                frame[PASSED] = min(frame[PASSED], total)
            frame[AT] += 1
            continue
        if side == ask:
            # Asked, and found too dear.
            frame[PASSED] = min(frame[PASSED], bound)
            frame[AT] += 1
            continue
        frame[STAGE] = 2 + ask
        child = state[top + 1]
        child[STAGE] = 0
        child[SLOT] = slot[ask]
        if deep:
            child[NEED] = max(frame[BEST] - 1, leaf_cost + 1)
        else:
            # In full: a box is part of many, and asking again and again costs more.
            child[NEED] = 2**30
        copy_box(boxes[top], boxes[top + 1])
        boxes[top + 1, 1 - ask, f] = k + ask
        counts[0] += 1
    return DONE


@kernel()
def refill(codes, cells, keys, used, memory):
    """Put rows into an empty table."""
    for i in range(len(codes)):
        at = _slot_of(codes[i], keys, used)
        keys[at], used[at] = codes[i], True
        memory[at] = cells[i]
