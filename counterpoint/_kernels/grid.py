"""The smallest tree for labels on a grid, by a table of all boxes of cells, small ones first.

The table holds, for every box, the number of splits of its smallest tree, or its depth: 0 where all
labels are one. A box is a range of cells in each column. Ranges of a column are numbered by
length, then by where they begin, so parts of a box come before it. The last columns make a
block, and boxes that differ only in the block lie side by side: a split in another column is
then the same step for a whole block. Columns not in the block are called leading. Forests are as in
:mod:`counterpoint._kernels.within_box`.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part
from counterpoint._kernels.within_box import row_at, winner


@kernel()
def label_cells(
    nodes, roots, first, table, exact, order, offset, slack, box, rows, base, cuts, n_cuts, n_cells
):
    """Decide in every cell between active cuts; the first column runs fastest."""
    n_features, n_classes = len(first) - 1, table.shape[1]
    at = np.zeros(n_features, dtype=np.int64)
    cells = np.empty(n_features, dtype=np.int64)
    total = np.empty(n_classes, dtype=np.int64)
    reached = rows.copy()
    labels = np.empty(n_cells, dtype=np.int16)
    for s in range(n_cells):
        for f in range(n_features):
            cells[f] = cuts[first[f] + at[f]] if at[f] < n_cuts[f] else box[1, f]
        for c in range(n_classes):
            total[c] = base[c]
        for t in range(len(roots)):
            if rows[t] < 0:
                reached[t] = row_at(nodes, roots[t], cells)
                for c in range(n_classes):
                    total[c] += table[reached[t], c]
        labels[s] = winner(total, reached, exact, order, offset, slack)
        for f in range(n_features):
            at[f] += 1
            if at[f] <= n_cuts[f]:
                break
            at[f] = 0
    return labels


@kernel()
def drop_cuts(labels, first, cuts, n_cuts, size):
    """Drop cuts with the same labels on both sides; returns what is left of ``labels``.

    ``size[f]`` is set to the number of cells of column f.
    """
    n_features = len(n_cuts)
    for f in range(n_features):
        size[f] = n_cuts[f] + 1
    step = 1
    for f in range(n_features):
        m = size[f]
        if m == 1:
            continue
        kept = np.zeros(m, dtype=np.bool_)  # the cells whose upper edge stays
        kept[m - 1] = True
        n_kept = 1
        for begin in range(0, len(labels), step * m):
            for j in range(m - 1):
                if not kept[j]:
                    at = begin + j * step
                    for s in range(at, at + step):
                        if labels[s] != labels[s + step]:
                            kept[j] = True
                            n_kept += 1
                            break
            if n_kept == m:
                break
        left = 0
        for j in range(m):
            if kept[j]:
                if j < m - 1:
                    cuts[first[f] + left] = cuts[first[f] + j]
                left += 1
        if left < m:
            to = 0
            for begin in range(0, len(labels), step * m):
                for j in range(m):
                    if kept[j]:
                        for s in range(begin + j * step, begin + (j + 1) * step):
                            labels[to] = labels[s]
                            to += 1
            labels = labels[:to]
        n_cuts[f], size[f] = left - 1, left
        step *= left
    return labels


@kernel()
def pair_up(size, number, n_lead):
    """List, for each box within the block, the two parts of each of its splits.

    ``number[f, m]`` is the number of the first range of m cells of column f. Returns
    (first, left, right, low, high): the splits of box v are ``first[v]`` to ``first[v + 1]``;
    ``low`` and ``high`` are the places of its first and last cell among the labels, the last
    column running fastest.
    """
    n_columns = len(size)
    n, n_pairs = 1, 0
    for f in range(n_lead, n_columns):
        n *= size[f] * (size[f] + 1) // 2
    for f in range(n_lead, n_columns):
        n_splits = 0
        for m in range(2, size[f] + 1):
            n_splits += (size[f] - m + 1) * (m - 1)
        n_pairs += n // (size[f] * (size[f] + 1) // 2) * n_splits
    first = np.zeros(n + 1, dtype=np.int32)
    left, right = np.empty(n_pairs, dtype=np.int32), np.empty(n_pairs, dtype=np.int32)
    low, high = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    begin = np.zeros(n_columns, dtype=np.int64)
    length = np.ones(n_columns, dtype=np.int64)
    at = 0
    for v in range(n):
        step, cell_step = 1, 1
        for f in range(n_columns - 1, n_lead - 1, -1):
            a, m = begin[f], length[f]
            low[v] += cell_step * a
            high[v] += cell_step * (a + m - 1)
            own = number[f, m] + a
            for k in range(1, m):
                left[at] = v + step * (number[f, k] + a - own)
                right[at] = v + step * (number[f, m - k] + a + k - own)
                at += 1
            step *= size[f] * (size[f] + 1) // 2
            cell_step *= size[f]
        first[v + 1] = at
        _next_box(size, begin, length, n_lead)
    return first, left, right, low, high


@part()
def _next_box(size, begin, length, first):
    """Step to the next box, the last column fastest; False if there is none."""
    for f in range(len(size) - 1, first - 1, -1):
        begin[f] += 1
        if begin[f] + length[f] <= size[f]:
            return True
        begin[f] = 0
        length[f] += 1
        if length[f] <= size[f]:
            return True
        length[f] = 1
    return False


# Boxes with the same lengths that are worked out side by side: as many as registers hold bytes; of
# 16, 32 and 64, measured.
_WIDE = 32


@part()
def _next_lengths(size, length, first):
    """Step to the next lengths, the last column fastest; False if there are none."""
    for f in range(len(size) - 1, first - 1, -1):
        length[f] += 1
        if length[f] <= size[f]:
            return True
        length[f] = 1
    return False


@part()
def _next_begin(size, begin, length, first):
    """Step to the next box of the same lengths; False if there is none."""
    for f in range(len(size) - 1, first - 1, -1):
        begin[f] += 1
        if begin[f] + length[f] <= size[f]:
            return True
        begin[f] = 0
    return False


@part()
def _least(table, at, begin, length, number, stride, first, last, best, trial, deep):
    """Lower ``best`` to the least of the splits of boxes side by side in some leading columns."""
    n = len(best)
    for f in range(first, last):
        a, m = begin[f], length[f]
        own = number[f, m] + a
        for k in range(1, m):
            i = at + stride[f] * (number[f, k] + a - own)
            j = at + stride[f] * (number[f, m - k] + a + k - own)
            one, other = table[i : i + n], table[j : j + n]
            if deep:
                for v in range(n):
                    best[v] = min(best[v], max(one[v], other[v]))
            else:
                for v in range(n):
                    trial[v] = one[v] + other[v]
                    best[v] = min(best[v], trial[v])


@kernel(nogil=True)
def fill(
    table, labels, size, number, stride, cell_stride, begin, length, n_fixed, n_lead,
    first, left, right, low, high, deep,
):  # fmt: skip
    """Fill in the boxes with the given ranges of the first ``n_fixed`` columns.

    The parts of these boxes in one of these columns must be filled in already. ``begin`` and
    ``length`` of the other columns are 0 and 1. ``stride`` and ``cell_stride`` are those of
    columns in ``table`` and in ``labels``. Sums must fit the type of ``table``, unsigned.

    Splits in the fixed columns come first, for all boxes at once: they read far places of a large
    table, one after the other. Blocks with the same lengths in the other leading columns do not
    need one another: some are laid side by side, so that a split within the block is one step
    for all of them.
    """
    n = len(low)
    begin, length, lead_size = begin[:n_lead].copy(), length[:n_lead].copy(), size[:n_lead]
    most = 2 ** (8 * table.itemsize) - 1
    piece, n_piece = 0, len(table)
    for f in range(n_fixed):
        piece += stride[f] * (number[f, length[f]] + begin[f])
        n_piece = stride[f]
    least, trial = np.empty(n_piece, dtype=table.dtype), np.empty(n_piece, dtype=table.dtype)
    least[:] = most
    _least(table, piece, begin, length, number, stride, 0, n_fixed, least, trial, deep)
    side = np.zeros((n, _WIDE), dtype=table.dtype)
    places = np.zeros((3, _WIDE), dtype=np.int64)
    more = True
    while more:
        n_side = 0
        while n_side < _WIDE:
            at, bottom, top = 0, 0, 0
            for f in range(n_lead):
                at += stride[f] * (number[f, length[f]] + begin[f])
                bottom += cell_stride[f] * begin[f]
                top += cell_stride[f] * (begin[f] + length[f] - 1)
            places[0, n_side], places[1, n_side], places[2, n_side] = at, bottom, top
            best = least[at - piece : at - piece + n]
            _least(table, at, begin, length, number, stride, n_fixed, n_lead, best, trial, deep)
            for v in range(n):
                side[v, n_side] = best[v]
            n_side += 1
            if not _next_begin(lead_size, begin, length, n_fixed):
                more = _next_lengths(lead_size, length, n_fixed)
                break
        for v in range(n):
            own = side[v]
            for i in range(first[v], first[v + 1]):
                one, other = side[left[i]], side[right[i]]
                if deep:
                    for w in range(_WIDE):
                        own[w] = min(own[w], max(one[w], other[w]))
                else:
                    for w in range(_WIDE):
                        total = one[w] + other[w]
                        own[w] = min(own[w], total)
            small = False
            for w in range(_WIDE):
                small |= (own[w] == 0) | (own[w] == most)
                own[w] += 1
            if not small:
                continue
            for w in range(n_side):
                # Two parts that need no split have one label each, so two corners tell.
                if own[w] <= 1:
                    same = labels[places[1, w] + low[v]] == labels[places[2, w] + high[v]]
                    own[w] = 0 if same else 1
        for w in range(n_side):
            here = table[places[0, w] : places[0, w] + n]
            for v in range(n):
                here[v] = side[v, w]


@kernel()
def follow(table, labels, size, number, stride, cell_stride, begin, length, deep, out):
    """Write out the smallest tree of a box: feature, cut, left, right; a leaf has -1 and its label.

    Of the cuts of a smallest tree the one whose parts cost least together is taken, then the
    first. Where depth counts, a part may use what it is allowed. Returns the number of nodes, 0
    if they are more than fit ``out``.
    """
    n_columns = len(size)
    begins = np.empty((len(out) + 1, n_columns), dtype=np.int64)
    lengths = np.empty((len(out) + 1, n_columns), dtype=np.int64)
    allowed = np.empty(len(out) + 1, dtype=np.int64)
    begins[0], lengths[0] = begin, length
    n = 1
    at = 0
    for f in range(n_columns):
        at += stride[f] * (number[f, length[f]] + begin[f])
    allowed[0] = table[at]
    node = 0
    while node < n:
        at, cell = 0, 0
        for f in range(n_columns):
            at += stride[f] * (number[f, lengths[node, f]] + begins[node, f])
            cell += cell_stride[f] * begins[node, f]
        if table[at] == 0:
            out[node, 0], out[node, 1] = -1, labels[cell]
            out[node, 2] = out[node, 3] = -1
            node += 1
            continue
        best, best_f, best_k = 2**62, -1, -1
        for f in range(n_columns):
            a, m = begins[node, f], lengths[node, f]
            own = number[f, m] + a
            for k in range(1, m):
                one = np.int64(table[at + stride[f] * (number[f, k] + a - own)])
                other = np.int64(table[at + stride[f] * (number[f, m - k] + a + k - own)])
                if deep and max(one, other) >= allowed[node]:
                    continue
                if one + other < best:
                    best, best_f, best_k = one + other, f, k
        if n + 2 > len(out):
            return 0
        f = best_f
        out[node, 0], out[node, 1] = f, begins[node, f] + best_k - 1
        for side in range(2):
            begins[n], lengths[n] = begins[node], lengths[node]
            if side == 0:
                lengths[n, f] = best_k
            else:
                begins[n, f] += best_k
                lengths[n, f] -= best_k
            allowed[n] = allowed[node] - 1
            out[node, 2 + side] = n
            n += 1
        node += 1
    return n
