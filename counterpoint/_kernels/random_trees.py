"""Trees of forests, grown on the numbers as they are. Twins in ``tests/naive/random_trees.py``.

A target is a place and an amount: for classes the class and the row's weight, for numbers place 0
and weight times number. The best split has the largest sum, over both sides and all places, of the
squared amount over the side's weight; that is the least Gini impurity, or squared error.
"""

import numpy as np

from counterpoint._kernels.compiling import inner, kernel, lean

_FEW = 24  # rows that are sorted by putting one after the other in its place
_PART = 8  # of all rows, a node's part from which on they are picked from those sorted before
_ROUNDING = 1e-15
# What waits to be split.
_NODE, _START, _STOP, _DEPTH = range(4)


@inner
def _sort(column, rows, in_order, node_of, node, values, own):
    """Put ``rows`` in the order of their values in a column into ``own``, the values beside it."""
    n = len(rows)
    if n > _FEW and n * _PART > len(in_order):
        k = 0
        for i in in_order:
            if node_of[i] == node:
                own[k], values[k] = i, column[i]
                k += 1
        return
    for r in range(n):
        values[r] = column[rows[r]]
    if n > _FEW:
        order = np.argsort(values[:n])
        for r in range(n):
            own[r], values[r] = rows[order[r]], column[rows[order[r]]]
        return
    for r in range(n):
        value, at = values[r], r
        while at > 0 and values[at - 1] > value:
            values[at], own[at] = values[at - 1], own[at - 1]
            at -= 1
        values[at], own[at] = value, rows[r]


@lean
def _best_cut(values, own, n, target, least, total, heavy, sums):
    """Return the worth of the best cut of sorted values, and the cut; -inf if there is none."""
    place, amount, weight = target
    best, cut = -np.inf, 0.0
    light, left, right = 0.0, 0.0, 0.0
    for c in range(len(total)):
        sums[c] = 0.0
        right += total[c] * total[c]
    for r in range(n - 1):
        c, a = place[own[r]], amount[own[r]]
        left += (2.0 * sums[c] + a) * a
        right -= (2.0 * (total[c] - sums[c]) - a) * a
        sums[c] += a
        light += weight[own[r]]
        if values[r + 1] > values[r] and r + 1 >= least and n - r - 1 >= least:
            worth = left / light + right / (heavy - light)
            if worth > best:
                best, cut = worth, 0.5 * values[r] + 0.5 * values[r + 1]
                if not values[r] <= cut < values[r + 1]:  # there is no number between the two
                    cut = values[r]
    return best, cut


@lean
def _worth_of_cut(column, rows, target, least, cut, total, heavy, sums):
    """Return what one cut is worth; -inf if it leaves too few rows on a side."""
    place, amount, weight = target
    light, n_left = 0.0, 0
    for c in range(len(sums)):
        sums[c] = 0.0
    for i in rows:
        if column[i] <= cut:
            sums[place[i]] += amount[i]
            light += weight[i]
            n_left += 1
    if n_left < least or len(rows) - n_left < least:
        return -np.inf
    left, right = 0.0, 0.0
    for c in range(len(total)):
        left += sums[c] * sums[c]
        right += (total[c] - sums[c]) ** 2
    return left / light + right / (heavy - light)


@lean
def _ends(column, rows):
    """Return the least and the largest value of some rows."""
    low = high = column[rows[0]]
    for i in rows:
        x = column[i]
        low, high = min(low, x), max(high, x)
    return low, high


@lean
def _add_up(rows, target, total):
    """Add the amounts of a node's rows to ``total``; return their weight, and if all are alike."""
    place, amount, weight = target
    for c in range(len(total)):
        total[c] = 0.0
    heavy, alike, first = 0.0, True, rows[0]
    for i in rows:
        total[place[i]] += amount[i]
        heavy += weight[i]
        # Of one class, or of one number.
        one, other = amount[i] * weight[first], amount[first] * weight[i]
        same = len(total) > 1 or abs(one - other) <= _ROUNDING * (abs(one) + abs(other))
        alike &= place[i] == place[first] and same
    return heavy, alike


@lean
def _part_rows(rows, column, cut, node_of, first):
    """Bring rows up to a cut before the others, note whose they are; return how many there are."""
    middle = 0
    for r in range(len(rows)):
        i = rows[r]
        node_of[i] = first + 1
        if column[i] <= cut:
            node_of[i] = first
            rows[r], rows[middle] = rows[middle], i
            middle += 1
    return middle


@kernel()
def grow(
    columns, in_order, target, rows, draws, n_columns, least, left, right, feature, threshold, value
):
    """Grow one tree until every leaf is of one kind; return its nodes and its depth.

    columns (n_features, n_samples) float64, in_order of the same shape, int32, their rows by rising
    values; target: place (n_samples,) int64, amount and weight (n_samples,) float64; rows int64,
    those to grow the tree on, which are put in another order. At every node columns are drawn until
    there are ``n_columns`` and one of them is not constant there. The cut of each is the best; if
    ``in_order`` has no rows it is drawn, too. ``draws`` are numbers from 0 to 1, each for a column
    and its cut, gone through again when they are used up. ``least`` rows are in a leaf. The nodes
    are written to the arrays, children next to each other; a leaf has children of -1.
    """
    n_features, n_samples = columns.shape
    order, node_of = np.arange(n_features), np.full(n_samples, -1)
    for i in rows:
        node_of[i] = 0
    values, own = np.empty(len(rows)), np.empty(len(rows), dtype=np.int64)
    total, sums = np.empty(value.shape[1]), np.empty(value.shape[1])
    todo = np.empty((len(rows) + 1, 4), dtype=np.int64)
    todo[0, _NODE], todo[0, _START], todo[0, _STOP], todo[0, _DEPTH] = 0, 0, len(rows), 0
    n_todo, n_nodes, deepest, drawn = 1, 1, 0, 0
    while n_todo > 0:
        n_todo -= 1
        node, start, stop = todo[n_todo, _NODE], todo[n_todo, _START], todo[n_todo, _STOP]
        depth, here = todo[n_todo, _DEPTH], rows[start:stop]
        deepest = max(deepest, depth)
        heavy, alike = _add_up(here, target, total)
        for c in range(len(total)):
            value[node, c] = total[c] / heavy
        best, best_column, best_cut = -np.inf, -1, np.nan
        if not alike and len(here) >= 2 * least:
            varied, j = False, 0
            while j < n_features and (j < n_columns or not varied):
                draw = draws[drawn % len(draws)] * (n_features - j)
                drawn += 1
                pick = min(int(draw), n_features - j - 1)
                f = order[j + pick]
                order[j + pick], order[j] = order[j], f
                j += 1
                low, high = _ends(columns[f], here)
                if low == high:
                    continue
                varied = True
                if len(in_order) == 0:
                    cut = low + (draw - pick) * (high - low)
                    if not low <= cut < high:
                        cut = low
                    worth = _worth_of_cut(columns[f], here, target, least, cut, total, heavy, sums)
                else:
                    _sort(columns[f], here, in_order[f], node_of, node, values, own)
                    worth, cut = _best_cut(
                        values, own, len(here), target, least, total, heavy, sums
                    )
                if worth > best:
                    best, best_column, best_cut = worth, f, cut
        feature[node], threshold[node], left[node], right[node] = best_column, best_cut, -1, -1
        if best_column < 0:
            continue
        left[node], right[node] = n_nodes, n_nodes + 1
        middle = start + _part_rows(here, columns[best_column], best_cut, node_of, n_nodes)
        todo[n_todo, _NODE], todo[n_todo, _START] = n_nodes + 1, middle
        todo[n_todo, _STOP], todo[n_todo, _DEPTH] = stop, depth + 1
        todo[n_todo + 1, _NODE], todo[n_todo + 1, _START] = n_nodes, start
        todo[n_todo + 1, _STOP], todo[n_todo + 1, _DEPTH] = middle, depth + 1
        n_todo += 2
        n_nodes += 2
    return n_nodes, deepest
