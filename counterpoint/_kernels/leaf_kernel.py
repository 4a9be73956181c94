"""How often two rows share a leaf. Twins in ``tests/naive/subset_kernels.py``.

``leaves`` (n_trees, n_rows) holds numbers of leaves, from 0, counted anew in every tree. Two ways
to the same counts: rows of a leaf are listed, and each row walks through the lists of its
leaves (deep trees: short lists); or the numbers are compared, many at once (shallow trees).
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel
from counterpoint._kernels.parts import part

# Columns compared while their numbers are near the processor.
_TILE = 1024
# Trees whose matches still fit in a byte.
_BYTE = 255


@parallel()
def list_rows(leaves, first):
    """Rows of every leaf, one leaf after another, and where each leaf begins.

    first (n_trees + 1,) int64: leaf l of tree t has the number first[t] + l over all trees.
    Returns rows (n_trees, n_rows) int32 and begin (n_leaves + n_trees,) int64, in which leaf l of
    tree t begins at ``begin[first[t] + t + l]`` and ends where the next entry says.
    """
    n_trees, n = leaves.shape
    rows = np.empty((n_trees, n), dtype=np.int32)
    begin = np.zeros(first[-1] + n_trees, dtype=np.int64)
    for t in prange(n_trees):
        at = begin[first[t] + t : first[t + 1] + t + 1]
        for i in range(n):
            at[leaves[t, i] + 1] += 1
        for k in range(1, len(at)):
            at[k] += at[k - 1]
        place = at.copy()
        for i in range(n):
            leaf = leaves[t, i]
            rows[t, place[leaf]] = i
            place[leaf] += 1
    return rows, begin


@parallel()
def share_by_lists(asked, first, rows, begin, weights, shared):
    """Weight of the trees in which each asked row meets each listed one.

    asked (n_asked, n_trees) integers, the leaf of each row; rows and begin as
    :func:`list_rows` makes them; weights (n_trees,) float32. Fills shared (n_asked, n_rows),
    float32.
    """
    n_trees = len(weights)
    for i in prange(len(asked)):
        into = shared[i]
        into[:] = 0.0
        for t in range(n_trees):
            k = first[t] + t + asked[i, t]
            weight = weights[t]
            for p in range(begin[k], begin[k + 1]):
                into[rows[t, p]] += weight


@parallel()
def share_by_bytes(asked, leaves, shared):
    """As :func:`share_by_lists` for trees of weight 1 with at most 256 leaves.

    asked (n_asked, n_trees) and leaves (n_trees, n_rows), both uint8.
    """
    n_trees, n = leaves.shape
    for i in prange(len(asked)):
        count = np.empty(_TILE, dtype=np.uint8)
        for start in range(0, n, _TILE):
            stop = min(n, start + _TILE)
            into = shared[i, start:stop]
            into[:] = 0.0
            part = count[: stop - start]
            for done in range(0, n_trees, _BYTE):
                part[:] = 0
                for t in range(done, min(n_trees, done + _BYTE)):
                    own, others = asked[i, t], leaves[t, start:stop]
                    for j in range(len(part)):
                        part[j] += np.uint8(others[j] == own)
                for j in range(len(part)):
                    into[j] += np.float32(part[j])


@parallel()
def nearest_by_lists(asked, first, rows, begin, weights, k, found, shared):
    """Fill the k listed rows that each asked row meets most, in the order of their numbers.

    found (n_asked, k) int32 gets the rows, -1 where there are no more; shared (n_asked, k)
    float32 the weights of the trees. Of equals the lower number.
    """
    n_trees, n = rows.shape
    n_parts = min(len(asked), 64)  # room for all rows is made once for many asked ones
    for strip in prange(n_parts):
        weight_of = np.zeros(n, dtype=np.float32)
        met = np.empty(n, dtype=np.int32)
        for i in range(strip * len(asked) // n_parts, (strip + 1) * len(asked) // n_parts):
            n_met = 0
            for t in range(n_trees):
                leaf = first[t] + t + asked[i, t]
                for p in range(begin[leaf], begin[leaf + 1]):
                    row = rows[t, p]
                    if weight_of[row] == 0.0:
                        met[n_met] = row
                        n_met += 1
                    weight_of[row] += weights[t]
            _keep_heaviest(met, n_met, weight_of, k, found[i], shared[i])
            for m in range(n_met):
                weight_of[met[m]] = 0.0


@part()
def _keep_heaviest(met, n_met, weight_of, k, found, shared):
    # A heap with the lightest on top; of equals the higher number is lighter.
    size = 0
    for m in range(n_met):
        row = met[m]
        weight = weight_of[row]
        if size < k:
            at = size
            size += 1
            while at > 0:
                above = (at - 1) // 2
                if not _lighter(weight, row, shared[above], found[above]):
                    break
                found[at], shared[at] = found[above], shared[above]
                at = above
            found[at], shared[at] = row, weight
        elif _lighter(shared[0], found[0], weight, row):
            at = 0
            while 2 * at + 1 < k:
                below = 2 * at + 1
                if below + 1 < k and _lighter(
                    shared[below + 1], found[below + 1], shared[below], found[below]
                ):
                    below += 1
                if not _lighter(shared[below], found[below], weight, row):
                    break
                found[at], shared[at] = found[below], shared[below]
                at = below
            found[at], shared[at] = row, weight
    order = np.argsort(found[:size])
    found[:size] = found[:size][order]
    shared[:size] = shared[:size][order]
    found[size:] = -1
    shared[size:] = 0.0


@part()
def _lighter(weight, row, other_weight, other_row):
    return weight < other_weight or (weight == other_weight and row > other_row)
