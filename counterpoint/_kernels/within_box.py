"""What many trees say within a box of cells. Twins in ``tests/naive/equivalent.py``.

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

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part

_A = np.uint64(0x9E3779B97F4A7C15)
_B = np.uint64(0xBF58476D1CE4E5B9)
_C = np.uint64(0x94D049BB133111EB)
_TWO_LOG_2 = 2 * np.log(2.0)


@part()
def mix(x):
    x = x + _A
    x = (x ^ (x >> np.uint64(30))) * _B
    x = (x ^ (x >> np.uint64(27))) * _C
    return x ^ (x >> np.uint64(31))


@part()
def copy_box(box, to):
    # Numba's own way drags in all that it knows of strings, for the message that shapes differ.
    for side in range(2):
        for f in range(box.shape[1]):
            to[side, f] = box[side, f]


@part()
def row_at(nodes, node, cells):
    while nodes[node, 0] >= 0:
        node = nodes[node, 2] if cells[nodes[node, 0]] <= nodes[node, 1] else nodes[node, 3]
    return nodes[node, 1]


@part()
def winner(total, rows, exact, order, offset, slack):
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


@part()
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
        code = mix(np.uint64(row))
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
                    code = mix(hashes[top] ^ mix(code + np.uint64(g)))
        if not down:
            return row, code


@part()
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
        row = row_at(nodes, roots[t], box[0])
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
            code += mix(of_tree ^ mix(np.uint64(t)))
        elif row < 0:
            code += mix(of_tree)
    if constant == n:
        return winner(base, rows, exact, order, offset, slack), code
    for c in range(n_classes):
        if slack == 0:
            code = mix(code ^ np.uint64(base[c] - base[0]))
        if c != rival:
            if slack > 0 and lead[c] <= slack:
                rival = -1
                break
            if slack == 0 and (lead[c] < 0 or (lead[c] == 0 and c < rival)):
                # go on hashing: the code must not depend on where we stopped
                for d in range(c + 1, n_classes):
                    code = mix(code ^ np.uint64(base[d] - base[0]))
                rival = -1
                break
    return rival, code


@kernel()
def look_alone(
    nodes, roots, first, table, exact, order, offset, start, slack,
    box, rows, base, lead, low, active, frames, hashes,
):  # fmt: skip
    """``look``, for callers that are not compiled."""
    return look(
        nodes, roots, first, table, exact, order, offset, start, slack, box, rows, base, lead, low,
        active, frames, hashes,
    )  # fmt: skip


@part()
def list_cuts(box, first, active, cuts, n_cuts):
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


@part()
def count_labels(
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
                reached[t] = row_at(nodes, roots[t], cells)
                for c in range(n_classes):
                    total[c] += table[reached[t], c]
        label = winner(total, reached, exact, order, offset, slack)
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


@part()
def spread_votes(nodes, roots, first, votes, width, box, cuts, n_cuts, hist, frames, shares):
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


@part()
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
            cost, on_right, near = 0.0, total - on_left, 1e-9 * total
            if on_left > 0 and on_right > 0:
                # Entropy is at least 2 log 2 times the Gini index: so it is for two classes, and
                # one more adds s h(q) to the one and s^2 2 q (1 - q) to the other, s <= 1. That
                # tells without a logarithm of most cuts that they are not the best.
                left_squares, right_squares = 0.0, 0.0
                for c in range(n_classes):
                    left_squares += left[c] * left[c]
                    right_squares += (whole[c] - left[c]) * (whole[c] - left[c])
                least = total - left_squares / on_left - right_squares / on_right
                if _TWO_LOG_2 * least > best + 2 * near:
                    continue
            for c in range(n_classes):
                if left[c] > 0:
                    cost -= left[c] * np.log(left[c] / on_left)
                right = whole[c] - left[c]
                if right > 0 and on_right > 0:
                    cost -= right * np.log(right / on_right)
            k = cuts[first[f] + j]
            count = active[first[f] + k]
            if cost < best - near or (cost <= best + near and count > most):
                best, most, best_f, best_k = cost, count, f, k
    return best_f, best_k
