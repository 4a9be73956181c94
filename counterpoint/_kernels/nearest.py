"""Nearest rows by Euclidean distance, exactly; twin in ``tests/naive/dynamic.py``.

The caller multiplies queries and rows in float32, which is fast but rounds. Here the best of
these are looked at again in float64, and where rounding might have hidden a nearer row, all that
may be as near are.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part

_CHUNK = 64
# So many more rows than asked for are looked at again, so that rounding seldom matters.
_MORE = 1


@part()
def _floor(mine, tops, width):
    """Return a score that at least ``width`` rows reach: of the best of each group, the width-th.

    Group g is every len(tops)-th row from g on, so that neighbours in memory are compared with
    neighbours and the processor takes many at once.
    """
    n_groups = len(tops)
    for g in range(n_groups):
        tops[g] = mine[g]
    for start in range(n_groups, len(mine), n_groups):
        part = mine[start : start + n_groups]
        for g in range(len(part)):
            tops[g] = part[g] if part[g] > tops[g] else tops[g]
    best = np.full(width, -np.inf, dtype=np.float32)
    for g in range(n_groups):
        if tops[g] > best[width - 1]:
            k = width - 1
            while k > 0 and best[k - 1] < tops[g]:
                best[k] = best[k - 1]
                k -= 1
            best[k] = tops[g]
    return best[width - 1]


@part()
def _distance(a, b):
    total = 0.0
    for f in range(len(a)):
        step = a[f] - b[f]
        total += step * step
    return total


@part()
def _put_near(far, row, value, at):
    """Insert into the sorted list of distances; of equals the lower row first."""
    k = len(far) - 1
    if value > far[k] or (value == far[k] and at > row[k]):
        return
    while k > 0 and (far[k - 1] > value or (far[k - 1] == value and row[k - 1] > at)):
        far[k], row[k] = far[k - 1], row[k - 1]
        k -= 1
    far[k], row[k] = value, at


@kernel(nogil=True)
def nearest(score, slack, norm, queries, rows, distance, found):
    """Fill in squared distances and numbers of the nearest rows, of equals the lower first.

    score (n_queries, n_rows) float32 is query times row less half the row's square, wrong by at
    most ``slack`` (n_queries,), both taken from a middle; norm (n_queries,) squares of the queries
    from there; queries, rows as they are, float64; distance, found (n_queries, k).
    """
    n, n_rows = score.shape
    k = found.shape[1]
    n_groups = (n_rows + _CHUNK - 1) // _CHUNK
    width = k + _MORE
    most = 4 * width + 2 * _CHUNK
    tops = np.empty(n_groups, dtype=np.float32)
    kept = np.empty(most + _CHUNK, dtype=np.int64)
    for q in range(n):
        mine, own, far, near = score[q], queries[q], distance[q], found[q]
        far[:], near[:] = np.inf, n_rows
        sure = False
        if n_groups >= width:
            floor = _floor(mine, tops, width)
            size = 0
            for g in range(n_groups):
                if size <= most and tops[g] >= floor:
                    for j in range(g, n_rows, n_groups):
                        kept[size] = j
                        size += mine[j] >= floor
            for j in range(size):
                _put_near(far, near, _distance(own, rows[kept[j]]), kept[j])
            # What was left out has a lower score than the floor: is it surely farther away?
            sure = size <= most and norm[q] - 2.0 * (np.float64(floor) + slack[q]) > far[k - 1]
        if not sure:
            # Whoever may be as near as the farthest found so far is looked at again.
            limit = (norm[q] - far[k - 1]) / 2.0 - slack[q]
            far[:], near[:] = np.inf, n_rows
            for j in range(n_rows):
                if not mine[j] < limit:
                    _put_near(far, near, _distance(own, rows[j]), j)


@kernel(nogil=True)
def most_alike(votes, rows, count, found):
    """Fill in the rows that most members speak of as of the query, of equals the lower first.

    votes (n_queries, n_members) and rows (n_members, n_rows) int8, count (n_rows,) to work in,
    uint8 or wider if there are more than 255 members; found (n_queries, k).
    """
    n, k = found.shape
    n_rows = rows.shape[1]
    for q in range(n):
        count[:] = 0
        for m in range(len(rows)):
            own, vote = rows[m], votes[q, m]
            for j in range(n_rows):
                count[j] += own[j] == vote
        best, near = np.full(k, -1, dtype=np.int64), found[q]
        for start in range(0, n_rows, _CHUNK):
            part = count[start : min(n_rows, start + _CHUNK)]
            top = part[0]
            for j in range(1, len(part)):
                top = max(top, part[j])
            if np.int64(top) <= best[k - 1]:
                continue
            for j in range(len(part)):
                alike = np.int64(part[j])
                if alike > best[k - 1]:
                    at = k - 1
                    while at > 0 and best[at - 1] < alike:
                        best[at], near[at] = best[at - 1], near[at - 1]
                        at -= 1
                    best[at], near[at] = alike, start + j
