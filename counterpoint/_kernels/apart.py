"""Cells of the grid of thresholds that no one box of a single decision can hold.

Callers have checked the arrays; twins in tests/naive/equivalent.py.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part
from counterpoint._kernels.within_box import row_at, winner


@part()
def _label(nodes, roots, table, exact, order, offset, start, slack, cell, rows, total):
    """Decide in one cell; ``rows`` and ``total`` are scratch."""
    for c in range(len(total)):
        total[c] = start[c]
    for t in range(len(roots)):
        rows[t] = row_at(nodes, roots[t], cell)
        for c in range(len(total)):
            total[c] += table[rows[t], c]
    return winner(total, rows, exact, order, offset, slack)


@kernel()
def label_points(nodes, roots, table, exact, order, offset, start, slack, cells):
    """Decide in every cell given, (n, n_columns) int64; returns (n,) int64."""
    rows = np.empty(len(roots), dtype=np.int64)
    total = np.empty(table.shape[1], dtype=np.int64)
    out = np.empty(len(cells), dtype=np.int64)
    for i in range(len(cells)):
        out[i] = _label(
            nodes, roots, table, exact, order, offset, start, slack, cells[i], rows, total
        )
    return out


@kernel()
def keep_apart(
    nodes, roots, table, exact, order, offset, start, slack,
    cells, labels, mixes, kept, n_kept, begin, end,
):  # fmt: skip
    """Keep cells ``begin`` to ``end`` that are apart from all kept ones with their label.

    Two are apart if a cell between them has another label: one of them with a column of the other,
    or with the columns that a row of ``mixes`` (bool) names. ``kept`` (n,) int64 are places in
    ``cells``; returns how many are kept then.
    """
    rows = np.empty(len(roots), dtype=np.int64)
    total = np.empty(table.shape[1], dtype=np.int64)
    n_columns = cells.shape[1]
    between = np.empty(n_columns, dtype=np.int64)
    for i in range(begin, end):
        fits = True
        for k in range(n_kept):
            j = kept[k]
            if labels[i] != labels[j]:
                continue
            apart = False
            for side in range(2):
                one, other = (i, j) if side == 0 else (j, i)
                between[:] = cells[one]
                for f in range(n_columns):
                    if cells[other, f] == cells[one, f]:
                        continue
                    between[f] = cells[other, f]
                    apart = labels[i] != _label(
                        nodes, roots, table, exact, order, offset, start, slack,
                        between, rows, total,
                    )  # fmt: skip
                    if apart:
                        break
                    between[f] = cells[one, f]
                if apart:
                    break
            for m in range(len(mixes)):
                if apart:
                    break
                for f in range(n_columns):
                    between[f] = cells[i, f] if mixes[m, f] else cells[j, f]
                apart = labels[i] != _label(
                    nodes, roots, table, exact, order, offset, start, slack, between, rows, total
                )
            if not apart:
                fits = False
                break
        if fits:
            kept[n_kept] = i
            n_kept += 1
    return n_kept


@kernel()
def climb(nodes, roots, table, exact, order, offset, start, slack, cells, n_cells, n_turns):
    """Move cells in place to where decisions change in as many columns as possible.

    In turn, each column is moved to where most columns have a cell of another label, the label of
    the cell itself staying as it is. ``n_cells`` (n_columns,) int64. Returns that number of columns
    for each cell in the end, (n,) int64.
    """
    rows = np.empty(len(roots), dtype=np.int64)
    total = np.empty(table.shape[1], dtype=np.int64)
    n_columns = cells.shape[1]
    found = np.zeros(len(cells), dtype=np.int64)
    for i in range(len(cells)):
        at = cells[i]
        label = _label(nodes, roots, table, exact, order, offset, start, slack, at, rows, total)
        for turn in range(n_turns + 1):
            for moved in range(n_columns):
                if turn == n_turns and moved > 0:
                    break
                own, best, most = at[moved], at[moved], -1
                for x in range(n_cells[moved]):
                    if turn == n_turns and x != own:
                        continue
                    at[moved] = x
                    if label != _label(
                        nodes, roots, table, exact, order, offset, start, slack, at, rows, total
                    ):
                        continue
                    count = 0
                    for f in range(n_columns):
                        held = at[f]
                        for step in (-1, 1):
                            if 0 <= held + step < n_cells[f]:
                                at[f] = held + step
                                if label != _label(
                                    nodes, roots, table, exact, order, offset, start, slack,
                                    at, rows, total,
                                ):  # fmt: skip
                                    count += 1
                                    break
                        at[f] = held
                    if count > most or (count == most and x == own):
                        best, most = x, count
                at[moved] = best
                found[i] = most
    return found
