"""One tree that decides as many do. Twins in ``tests/naive/equivalent.py``.

Space is cut into cells by all thresholds of all trees: cell c of a column lies above its
threshold c - 1 and not above its threshold c. A box is the first and the last cell in each
column. The trees are laid end to end in ``nodes`` (feature, cut, left, right); a leaf has
feature -1, and in the place of the cut the row of ``table`` that it adds to the score. Scores
are whole numbers, so that sums do not depend on the order of trees; where two classes are not
more than ``slack`` apart, the numbers in ``table`` are not trusted, and ``exact`` is summed in the
order of the ensemble.

No function here calls itself: numba cannot keep such functions in its cache.
"""

import numpy as np
from numba import njit

OPEN, LEAF, ALIAS = -1, -2, -3
DONE, PAUSED, FULL = 0, 1, 2

_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xBF58476D1CE4E5B9)
_C = np.uint64(0x94D049BB133111EB)


@njit(cache=True)
def _mix(x):
    x = x + _A
    x = (x ^ (x >> np.uint64(30))) * _B
    x = (x ^ (x >> np.uint64(27))) * _C
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def _row_at(nodes, node, cells):
    while nodes[node, 0] >= 0:
        node = nodes[node, 2] if cells[nodes[node, 0]] <= nodes[node, 1] else nodes[node, 3]
    return nodes[node, 1]


@njit(cache=True)
def _winner(total, rows, exact, order, offset, slack):
    """Return the class with the highest score, the first of equals.

    ``rows[t]`` is the row of ``exact`` that tree ``order[.]`` adds.
    """
    best = 0
    for c in range(1, len(total)):
        if total[c] > total[best]:
            best = c
    if slack == 0:
        return best
    for c in range(len(total)):
        if c != best and total[best] - total[c] <= slack:
            break
    else:
        return best
    best, most = 0, -np.inf
    for c in range(len(total)):
        score = 0.0
        for t in order:
            score += exact[rows[t], c]
        score += offset[c]
        if score > most:
            best, most = c, score
    return best


@njit(cache=True)
def _scan(nodes, root, box, first, table, rival, low, active, frames, hashes):
    """Walk one tree within a box.

    Counts in ``active`` the splits that make a difference, lowers ``low[c]`` to the least lead
    of ``rival`` over class c, and returns the row of the only leaf (-1: there are several that
    differ) and a number that stands for the function the tree is within the box.
    """
    top, node = 0, root
    while True:
        f = nodes[node, 0]
        while f >= 0:
            k = nodes[node, 1]
            if box[1, f] <= k:
                node = nodes[node, 2]
            elif box[0, f] > k:
                node = nodes[node, 3]
            else:
                frames[top, 0], frames[top, 1], frames[top, 2] = node, box[1, f], 0
                box[1, f] = k
                top += 1
                node = nodes[node, 2]
            f = nodes[node, 0]
        row = nodes[node, 1]
        for c in range(table.shape[1]):
            lead = table[row, rival] - table[row, c]
            if lead < low[c]:
                low[c] = lead
        code = _mix(np.uint64(row))
        down = False
        while top > 0 and not down:
            parent = frames[top - 1, 0]
            f, k = nodes[parent, 0], nodes[parent, 1]
            if frames[top - 1, 2] == 0:
                box[1, f] = frames[top - 1, 1]
                frames[top - 1, 1], frames[top - 1, 2] = box[0, f], 1
                box[0, f] = k + 1
                hashes[top - 1] = code
                node = nodes[parent, 3]
                down = True
            else:
                box[0, f] = frames[top - 1, 1]
                top -= 1
                if hashes[top] != code:
                    g = first[f] + k
                    active[g] += 1
                    row = -1
                    code = _mix(hashes[top] ^ _mix(code + np.uint64(g)))
        if not down:
            return row, code


@njit(cache=True)
def look(
    nodes, roots, first, table, exact, order, offset, start, slack,
    box, rows, base, lead, low, active, frames, hashes,
):  # fmt: skip
    """Walk all trees within a box, to see whether the decision is the same everywhere in it.

    Returns (class or -1, code): -1 if the bounds leave it open. Fills ``rows`` (of trees that
    are constant, else -1), ``base`` (their summed scores) and ``active``.
    """
    n, n_classes = len(roots), table.shape[1]
    # The decision in one corner is the only one that can hold everywhere.
    for c in range(n_classes):
        base[c] = start[c]
    for t in range(n):
        row = _row_at(nodes, roots[t], box[0])
        for c in range(n_classes):
            base[c] += table[row, c]
    rival = 0
    for c in range(1, n_classes):
        if base[c] > base[rival]:
            rival = c
    for c in range(n_classes):
        base[c] = start[c]
        lead[c] = start[rival] - start[c]
    active[:] = 0
    code, constant = np.uint64(0), 0
    for t in range(n):
        low[:] = 2**62
        row, of_tree = _scan(nodes, roots[t], box, first, table, rival, low, active, frames, hashes)
        rows[t] = row
        for c in range(n_classes):
            lead[c] += low[c]
        if row >= 0:
            constant += 1
            for c in range(n_classes):
                base[c] += table[row, c]
        if slack > 0:  # what near ties come to depends on who said what
            code += _mix(of_tree ^ _mix(np.uint64(t)))
        elif row < 0:
            code += _mix(of_tree)
    if constant == n:
        return _winner(base, rows, exact, order, offset, slack), code
    for c in range(n_classes):
        if slack == 0:
            code = _mix(code ^ np.uint64(base[c] - base[0]))
        if c != rival:
            if slack > 0 and lead[c] <= slack:
                rival = -1
                break
            if slack == 0 and (lead[c] < 0 or (lead[c] == 0 and c < rival)):
                # go on hashing: the code must not depend on where we stopped
                for d in range(c + 1, n_classes):
                    code = _mix(code ^ np.uint64(base[d] - base[0]))
                rival = -1
                break
    return rival, code


@njit(cache=True)
def _list_cuts(box, first, active, cuts, n_cuts):
    """List the active cuts of each column; returns the number of cells they make."""
    n_cells = 1.0
    for f in range(len(first) - 1):
        m = 0
        for k in range(box[0, f], box[1, f]):
            if active[first[f] + k] > 0:
                cuts[first[f] + m] = k
                m += 1
        n_cuts[f] = m
        n_cells *= m + 1
    return n_cells


@njit(cache=True)
def _count_labels(
    nodes, roots, first, table, exact, order, offset, slack,
    box, rows, base, uniform, n_points, cuts, n_cuts, hist,
):  # fmt: skip
    """Decide at all cells (``uniform`` is empty) or at some; count labels by slab.

    Returns the only label met, or -1.
    """
    n_features, n_classes = len(first) - 1, table.shape[1]
    at = np.zeros(n_features, dtype=np.int64)
    cells = np.empty(n_features, dtype=np.int64)
    total = np.empty(n_classes, dtype=np.int64)
    reached = rows.copy()
    hist[:] = 0
    only = -2
    for s in range(n_points):
        for f in range(n_features):
            if len(uniform) > 0:
                at[f] = int(uniform[s, f] * (n_cuts[f] + 1))
            cells[f] = cuts[first[f] + at[f]] if at[f] < n_cuts[f] else box[1, f]
        for c in range(n_classes):
            total[c] = base[c]
        for t in range(len(roots)):
            if rows[t] < 0:
                reached[t] = _row_at(nodes, roots[t], cells)
                for c in range(n_classes):
                    total[c] += table[reached[t], c]
        label = _winner(total, reached, exact, order, offset, slack)
        only = label if only == -2 or only == label else -1
        for f in range(n_features):
            hist[first[f] + f + at[f], label] += 1.0
        if len(uniform) == 0:
            for f in range(n_features):
                at[f] += 1
                if at[f] <= n_cuts[f]:
                    break
                at[f] = 0
    return only


@njit(cache=True)
def _spread_votes(nodes, roots, first, votes, width, box, cuts, n_cuts, hist, frames, shares):
    """Votes of all trees for each class, times volume, by slab between active cuts.

    ``width[first[f] + f + c]`` is the width of cell c of column f. No overlaps are listed: the
    volume of an overlap times its votes, summed over overlaps, is the sum over trees.
    """
    n_features, n_classes = len(first) - 1, votes.shape[1]
    hist[:] = 0
    side = np.zeros(n_features)
    for f in range(n_features):
        for c in range(box[0, f], box[1, f] + 1):
            side[f] += width[first[f] + f + c]
    lower, upper = box[0].copy(), box[1].copy()
    now = side.copy()
    for t in range(len(roots)):
        top, node, share = 0, roots[t], 1.0
        while True:
            f = nodes[node, 0]
            while f >= 0:
                k = nodes[node, 1]
                if upper[f] <= k:
                    node = nodes[node, 2]
                elif lower[f] > k:
                    node = nodes[node, 3]
                else:
                    frames[top, 0], frames[top, 1], frames[top, 2] = node, upper[f], 0
                    shares[top, 0], shares[top, 1] = share, now[f]
                    upper[f] = k
                    part = 0.0
                    for c in range(lower[f], k + 1):
                        part += width[first[f] + f + c]
                    share *= part / now[f]
                    now[f] = part
                    top += 1
                    node = nodes[node, 2]
                f = nodes[node, 0]
            row = nodes[node, 1]
            for f in range(n_features):
                if n_cuts[f] > 0 and share > 0:
                    # evenly over the cells of the leaf, as differences of neighbours
                    j = 0
                    while j < n_cuts[f] and cuts[first[f] + j] < lower[f]:
                        j += 1
                    hist_at = first[f] + f
                    begin = lower[f]
                    while begin <= upper[f]:
                        end = upper[f]
                        if j < n_cuts[f]:
                            end = min(end, cuts[first[f] + j])
                        part = 0.0
                        for c in range(begin, end + 1):
                            part += width[first[f] + f + c]
                        for c in range(n_classes):
                            hist[hist_at + j, c] += share * part / now[f] * votes[row, c]
                        begin = end + 1
                        j += 1
            down = False
            while top > 0 and not down:
                parent = frames[top - 1, 0]
                f, k = nodes[parent, 0], nodes[parent, 1]
                if frames[top - 1, 2] == 0:
                    upper[f] = frames[top - 1, 1]
                    frames[top - 1, 1], frames[top - 1, 2] = lower[f], 1
                    lower[f] = k + 1
                    part = 0.0
                    for c in range(lower[f], upper[f] + 1):
                        part += width[first[f] + f + c]
                    share = shares[top - 1, 0] * part / shares[top - 1, 1]
                    now[f] = part
                    node = nodes[parent, 3]
                    down = True
                else:
                    lower[f] = frames[top - 1, 1]
                    share, now[f] = shares[top - 1, 0], shares[top - 1, 1]
                    top -= 1
            if not down:
                break


@njit(cache=True)
def best_cut(first, cuts, n_cuts, hist, active):
    """Return the column and cut that leave least entropy, weighted by what is on each side.

    ``hist[first[f] + f + j, c]`` is the weight of class c in slab j of column f. Of equals, the
    cut that most splits of trees make, then the first.
    """
    n_classes = hist.shape[1]
    left, whole = np.empty(n_classes), np.empty(n_classes)
    best, most, best_f, best_k = np.inf, 0, -1, -1
    for f in range(len(first) - 1):
        if n_cuts[f] == 0:
            continue
        at = first[f] + f
        left[:] = 0.0
        whole[:] = 0.0
        for j in range(n_cuts[f] + 1):
            for c in range(n_classes):
                whole[c] += hist[at + j, c]
        total = whole.sum()
        on_left = 0.0
        for j in range(n_cuts[f]):
            for c in range(n_classes):
                left[c] += hist[at + j, c]
                on_left += hist[at + j, c]
            cost, on_right = 0.0, total - on_left
            for c in range(n_classes):
                if left[c] > 0:
                    cost -= left[c] * np.log(left[c] / on_left)
                right = whole[c] - left[c]
                if right > 0 and on_right > 0:
                    cost -= right * np.log(right / on_right)
            k = cuts[first[f] + j]
            count = active[first[f] + k]
            near = 1e-9 * total
            if cost < best - near or (cost <= best + near and count > most):
                best, most, best_f, best_k = cost, count, f, k
    return best_f, best_k


@njit(cache=True)
def _push(heap, slots, size, priority, slot):
    i = size
    while i > 0 and heap[(i - 1) // 2] < priority:
        heap[i], slots[i] = heap[(i - 1) // 2], slots[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i], slots[i] = priority, slot


@njit(cache=True)
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


@njit(cache=True)
def _mass(mass, first, box):
    """Share of the space in a box: ``mass`` holds the summed shares of the cells before."""
    share = 1.0
    for f in range(len(first) - 1):
        at = first[f] + 2 * f
        share *= mass[at + box[1, f] + 1] - mass[at + box[0, f]]
    return share


@njit(cache=True)
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
        box[:] = boxes[slot]
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
                n_cells = _list_cuts(box, first, active, cuts, n_cuts)
                if n_cells <= limit or not by_volume:
                    every = n_cells <= limit
                    label = _count_labels(
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
            _spread_votes(
                nodes, roots, first, votes, width, box, cuts, n_cuts, hist, frames, shares
            )
        f, k = best_cut(first, cuts, n_cuts, hist, active)
        made[node, 0], made[node, 1] = f, k
        for side in range(2):
            child = counts[0]
            if side == 1:
                counts[2] -= 1
                slot = free[counts[2]]
            made[node, 2 + side], made[child, 0] = child, OPEN
            boxes[slot], owner[slot] = box, child
            boxes[slot, 1 - side, f] = k + side
            _push(heap, slots, counts[1], _mass(mass, first, boxes[slot]), slot)
            counts[1] += 1
            counts[0] += 1
    return DONE if counts[1] == 0 else PAUSED


@njit(cache=True)
def rehash(keys, held, new_keys, new_held):
    """Move a hash table to larger arrays; ``new_held`` is -1 throughout."""
    mask = np.uint64(len(new_keys) - 1)
    for i in range(len(keys)):
        if held[i] >= 0:
            at = keys[i] & mask
            while new_held[at] >= 0:
                at = (at + np.uint64(1)) & mask
            new_keys[at], new_held[at] = keys[i], held[i]


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def split_boxes(first_cell, last_cell, weight, votes, first, width):
    """Return the column and cut that leave least entropy of votes, boxes weighted.

    A box lies evenly over its cells. Only edges of boxes are tried.
    """
    n, n_features = first_cell.shape
    n_classes = votes.shape[1]
    n_cells = first[n_features] + n_features
    hist = np.zeros((n_cells + 1, n_classes))
    edge = np.zeros(n_cells + 1, dtype=np.int32)
    before = np.zeros(n_cells + n_features + 1)
    for f in range(n_features):
        at = first[f] + 2 * f
        for c in range(first[f + 1] - first[f] + 1):
            before[at + c + 1] = before[at + c] + width[first[f] + f + c]
    # As differences of neighbouring cells, so a long box costs no more than a short one.
    for b in range(n):
        for f in range(n_features):
            at, low, high = first[f] + f, first_cell[b, f], last_cell[b, f]
            span = before[first[f] + 2 * f + high + 1] - before[first[f] + 2 * f + low]
            ends = at + high < first[f + 1] + f
            for c in range(n_classes):
                density = weight[b] * votes[b, c] / span
                hist[at + low, c] += density
                if ends:
                    hist[at + high + 1, c] -= density
            if ends:
                edge[at + high] += 1
            if low > 0:
                edge[at + low - 1] += 1
    cuts = np.empty(n_cells + 1, dtype=np.int64)
    n_cuts = np.zeros(n_features, dtype=np.int64)
    slabs = np.zeros((n_cells + 1, n_classes))
    active = np.zeros(n_cells + 1, dtype=np.int32)
    for f in range(n_features):
        at = first[f] + f
        low, high = last_cell[0, f], first_cell[0, f]
        for b in range(n):
            low, high = min(low, first_cell[b, f]), max(high, last_cell[b, f])
        density = np.zeros(n_classes)
        m = 0
        for c in range(low, high + 1):
            for d in range(n_classes):
                density[d] += hist[at + c, d]
                slabs[at + m, d] += max(density[d], 0.0) * width[at + c]
            if c < high and edge[at + c] > 0:
                cuts[first[f] + m] = c
                active[first[f] + c] = edge[at + c]
                m += 1
        n_cuts[f] = m
    return best_cut(first, cuts, n_cuts, slabs, active)
