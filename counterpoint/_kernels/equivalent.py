"""One tree that decides as many do. Twins in ``tests/naive/equivalent.py``.

Boxes and trees are as in :mod:`counterpoint._kernels.within_box`.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part
from counterpoint._kernels.within_box import (
    best_cut,
    copy_box,
    count_labels,
    list_cuts,
    look,
    spread_votes,
)

OPEN, LEAF, ALIAS = -1, -2, -3
DONE, PAUSED, FULL = 0, 1, 2


@part()
def _push(heap, slots, size, priority, slot):
    i = size
    while i > 0 and heap[(i - 1) // 2] < priority:
        heap[i], slots[i] = heap[(i - 1) // 2], slots[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i], slots[i] = priority, slot


@part()
def _pop(heap, slots, size):
    """Take the heaviest of ``size``; the caller counts one less."""
    slot = slots[0]
    priority, last = heap[size - 1], slots[size - 1]
    i, size = 0, size - 1
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= priority:
            break
        heap[i], slots[i] = heap[child], slots[child]
        i = child
    heap[i], slots[i] = priority, last
    return slot


@kernel()
def mass_of(mass, first, box):
    """Share of the space in a box: ``mass`` holds the summed shares of the cells before."""
    share = 1.0
    for f in range(len(first) - 1):
        at = first[f] + 2 * f
        share *= mass[at + box[1, f] + 1] - mass[at + box[0, f]]
    return share


@kernel()
def expand(
    nodes, roots, first, table, exact, order, offset, start, slack, votes, depth,
    uniform, limit, by_volume, width, mass,
    made, boxes, owner, free, heap, slots, keys, held, counts, steps,
):  # fmt: skip
    """Split open boxes, the heaviest first, until all are decided or ``steps`` are done.

    ``made`` (feature, cut, left, right) grows the tree: feature OPEN, LEAF (cut is the label)
    or ALIAS (cut is the node that stands for the same function elsewhere). ``boxes`` and
    ``owner`` hold the open boxes, ``free`` the unused rows of them; ``keys`` and ``held`` are a
    hash table from codes to nodes. ``counts``: nodes made, boxes open, free rows, keys in use.
    Returns DONE, PAUSED, or FULL if an array must grow.
    """
    n_features, n_classes = len(first) - 1, table.shape[1]
    n_cuts_all = first[n_features]
    active = np.zeros(n_cuts_all + 1, dtype=np.int32)
    cuts = np.empty(n_cuts_all + 1, dtype=np.int64)
    n_cuts = np.zeros(n_features, dtype=np.int64)
    hist = np.zeros((n_cuts_all + n_features + 1, n_classes))
    frames = np.empty((depth + 2, 3), dtype=np.int64)
    shares = np.empty((depth + 2, 2))
    hashes = np.empty(depth + 2, dtype=np.uint64)
    rows = np.empty(len(roots), dtype=np.int64)
    base = np.empty(n_classes, dtype=np.int64)
    lead = np.empty(n_classes, dtype=np.int64)
    low = np.empty(n_classes, dtype=np.int64)
    box = np.empty((2, n_features), dtype=np.int64)
    nowhere = np.empty((0, n_features))
    mask = np.uint64(len(keys) - 1)
    for _ in range(steps):
        if counts[1] == 0:
            return DONE
        if counts[0] + 2 > len(made) or counts[2] < 2 or 2 * counts[3] >= len(keys):
            return FULL
        slot = _pop(heap, slots, counts[1])
        counts[1] -= 1
        copy_box(boxes[slot], box)
        node = owner[slot]
        label, code = look(
            nodes, roots, first, table, exact, order, offset, start, slack,
            box, rows, base, lead, low, active, frames, hashes,
        )  # fmt: skip
        alias = -1
        if label < 0:
            at = code & mask
            while held[at] >= 0 and keys[at] != code:
                at = (at + np.uint64(1)) & mask
            alias = held[at]
            if alias < 0:
                keys[at], held[at] = code, node
                counts[3] += 1
                n_cells = list_cuts(box, first, active, cuts, n_cuts)
                if n_cells <= limit or not by_volume:
                    every = n_cells <= limit
                    label = count_labels(
                        nodes, roots, first, table, exact, order, offset, slack,
                        box, rows, base, nowhere if every else uniform,
                        int(n_cells) if every else len(uniform), cuts, n_cuts, hist,
                    )  # fmt: skip
                    if not every:
                        label = -1  # other labels may have been missed
        if alias >= 0:
            made[node, 0], made[node, 1] = ALIAS, alias
        if label >= 0:
            made[node, 0], made[node, 1] = LEAF, label
        if alias >= 0 or label >= 0:
            free[counts[2]] = slot
            counts[2] += 1
            continue
        if by_volume:
            spread_votes(nodes, roots, first, votes, width, box, cuts, n_cuts, hist, frames, shares)
        f, k = best_cut(first, cuts, n_cuts, hist, active)
        made[node, 0], made[node, 1] = f, k
        for side in range(2):
            child = counts[0]
            if side == 1:
                counts[2] -= 1
                slot = free[counts[2]]
            made[node, 2 + side], made[child, 0] = child, OPEN
            copy_box(box, boxes[slot])
            owner[slot] = child
            boxes[slot, 1 - side, f] = k + side
            _push(heap, slots, counts[1], mass_of(mass, first, boxes[slot]), slot)
            counts[1] += 1
            counts[0] += 1
    return DONE if counts[1] == 0 else PAUSED


@kernel()
def rehash(keys, held, new_keys, new_held):
    """Move a hash table to larger arrays; ``new_held`` is -1 throughout."""
    mask = np.uint64(len(new_keys) - 1)
    for i in range(len(keys)):
        if held[i] >= 0:
            at = keys[i] & mask
            while new_held[at] >= 0:
                at = (at + np.uint64(1)) & mask
            new_keys[at], new_held[at] = keys[i], held[i]


@kernel()
def fold(made, n_made):
    """Find what is constant, from below: (label or -1, leaves, depth) of every node.

    A node whose two sides have one label is a leaf. Open nodes count as leaves without a
    label; leaves are counted as if nodes that stand for others were copied in (float: there
    may be very many).
    """
    label = np.full(n_made, -1, dtype=np.int64)
    leaves, depth = np.ones(n_made), np.zeros(n_made, dtype=np.int64)
    # Nodes that stand for others do not come after them: walk down from each, children first.
    state = np.zeros(n_made, dtype=np.int8)
    stack = np.empty(2 * n_made + 2, dtype=np.int64)
    for begin in range(n_made - 1, -1, -1):
        if state[begin] == 2:
            continue
        top = 1
        stack[0] = begin
        while top > 0:
            node = stack[top - 1]
            f = made[node, 0]
            if state[node] == 0:
                state[node] = 1
                if f == ALIAS:
                    if state[made[node, 1]] != 2:
                        stack[top] = made[node, 1]
                        top += 1
                elif f >= 0:
                    for side in range(2):
                        if state[made[node, 2 + side]] != 2:
                            stack[top] = made[node, 2 + side]
                            top += 1
                continue
            top -= 1
            if state[node] == 2:
                continue
            state[node] = 2
            if f == LEAF:
                label[node] = made[node, 1]
            elif f == ALIAS:
                to = made[node, 1]
                label[node], leaves[node], depth[node] = label[to], leaves[to], depth[to]
            elif f >= 0:
                a, b = made[node, 2], made[node, 3]
                if label[a] >= 0 and label[a] == label[b]:
                    label[node] = label[a]
                else:
                    leaves[node] = leaves[a] + leaves[b]
                    depth[node] = 1 + max(depth[a], depth[b])
    return label, leaves, depth


@kernel()
def lay_out(made, label, n_nodes):
    """Write the tree out, parents first, left before right: feature, cut, left, right.

    A leaf has feature LEAF, or OPEN where it was not decided; its cut is the label.
    """
    out = np.full((n_nodes, 4), -1, dtype=np.int64)
    stack = np.empty((n_nodes + 1, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, -1
    top, used = 1, 0
    while top > 0:
        top -= 1
        node, back = stack[top]
        while made[node, 0] == ALIAS:
            node = made[node, 1]
        me, used = used, used + 1
        if back >= 0:
            out[back // 2, 2 + back % 2] = me
        if label[node] >= 0:
            out[me, 0], out[me, 1] = LEAF, label[node]
        elif made[node, 0] == OPEN:
            out[me, 0] = OPEN
        else:
            out[me, 0], out[me, 1] = made[node, 0], made[node, 1]
            for side in (1, 0):
                stack[top, 0], stack[top, 1] = made[node, 2 + side], 2 * me + side
                top += 1
    return out
