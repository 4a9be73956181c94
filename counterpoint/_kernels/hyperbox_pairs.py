"""Boxes merged pair by pair, the most similar pair of all first.

Sides that are not known are as in ``hyperboxes.py``. Twins in tests/naive/hyperboxes.py.
"""

from heapq import heappop, heappush

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.hyperbox_merging import _fit, similarity
from counterpoint._kernels.hyperboxes import overlap
from counterpoint._kernels.parts import part


@kernel()
def list_pairs(lower, upper, codes, theta, gamma, min_similarity, kind, first, second, alike):
    """List pairs of a class that fit together and are similar enough; return their number.

    Boxes (n_boxes, n_features) in the order they came. Pairs that have no place in ``first``,
    ``second`` and ``alike`` are counted only.
    """
    n, n_pairs = len(lower), 0
    for i in range(n):
        for k in range(i + 1, n):
            if codes[i] != codes[k] or not _fit(lower[i], upper[i], lower[k], upper[k], theta):
                continue
            a = similarity(lower[i], upper[i], lower[k], upper[k], gamma, kind)
            if a < min_similarity:
                continue
            if n_pairs < len(first):
                first[n_pairs], second[n_pairs], alike[n_pairs] = i, k, a
            n_pairs += 1
    return n_pairs


@kernel()
def merge_pairs(lower, upper, codes, theta, gamma, min_similarity, kind, first, second, alike):
    """Merge pairs, the best first, until none is left; return which box went into which.

    ``first``, ``second`` and ``alike`` are the pairs of ``list_pairs``, the best last. The best is
    the most similar; of equals that with the last first box, then with the last second one. Of two
    boxes that are merged the later goes into the earlier, which is changed in place. A pair that
    would overlap with a box of another class is dropped, since boxes only grow; but where that
    box may grow out of the way (see ``_may_part``), the pair waits for it to change. Returns
    (n_boxes,) int64: the box that each went into, itself if it is left.
    """
    n, n_features = lower.shape
    into = np.arange(n)
    born = np.zeros(n, dtype=np.int64)  # merges before a box came to be as it is
    blocker = np.full(n, -1)  # the box that was in the way last
    v, w = np.empty(n_features), np.empty(n_features)
    fresh = [(0.0, 0, 0, 0)]  # pairs of merged boxes: the best is the least
    heappop(fresh)
    waiting = [(0.0, 0, 0, 0)]  # pairs, and below who waits for the same box, and the last of each
    after, last = [-1], np.full(n, -1)
    left, now = len(first) - 1, 0
    while True:
        while left >= 0 and born[first[left]] + born[second[left]] > 0:
            left -= 1
        while len(fresh) > 0 and _is_old(fresh[0], into, born):
            heappop(fresh)
        if left < 0 and len(fresh) == 0:
            break
        if len(fresh) == 0 or (
            left >= 0 and (-alike[left], -first[left], -second[left]) < fresh[0][:3]
        ):
            pair = (-alike[left], -np.int64(first[left]), -np.int64(second[left]), 0)
            left -= 1
        else:
            pair = heappop(fresh)
        i, k = -pair[1], -pair[2]
        for f in range(n_features):
            v[f], w[f] = min(lower[i, f], lower[k, f]), max(upper[i, f], upper[k, f])
        other = _in_the_way(v, w, codes[i], lower, upper, codes, into, blocker, i, k)
        if other >= 0:
            if _may_part(v, w, lower[other], upper[other]):
                waiting.append(pair)
                after.append(last[other])
                last[other] = len(waiting) - 1
            continue
        now += 1
        lower[i], upper[i] = v, w
        into[k] = i
        born[i], born[k] = now, now
        for box in (i, k):
            at = last[box]
            while at >= 0:
                heappush(fresh, waiting[at])
                at = after[at]
            last[box] = -1
        for m in range(n):
            if into[m] != m or m == i or codes[m] != codes[i]:
                continue
            if not _fit(v, w, lower[m], upper[m], theta):
                continue
            a = similarity(v, w, lower[m], upper[m], gamma, kind)
            if a >= min_similarity:
                heappush(fresh, (-a, -min(i, m), -max(i, m), now))
    for b in range(n):  # what it went into may have gone on, but always to an earlier one
        into[b] = into[into[b]]
    return into


@part()
def _is_old(pair, into, born):
    """Whether one of a pair is gone, or has changed since it was listed."""
    i, k = -pair[1], -pair[2]
    return into[i] != i or into[k] != k or max(born[i], born[k]) > pair[3]


@part()
def _in_the_way(v, w, code, lower, upper, codes, into, blocker, i, k):
    """Return a box of another class that v, w overlaps with, or -1; ``blocker`` remembers it."""
    for box in (i, k):
        other = blocker[box]
        if other >= 0:
            while into[other] != other:
                other = into[other]
            if overlap(v, w, lower[other], upper[other]):
                return other
    for other in range(len(lower)):
        if codes[other] == code or into[other] != other:
            continue
        if overlap(v, w, lower[other], upper[other]):
            blocker[i] = blocker[k] = other
            return other
    return -1


@part()
def _may_part(v, w, other_lower, other_upper):
    """Whether two boxes that overlap may not any more once the other has grown.

    A side that is not known meets every side until it is known, and two sides of length 0 at one
    place do until one of them is a length that only touches the other.
    """
    for f in range(len(v)):
        if v[f] > w[f]:
            continue
        if other_lower[f] > other_upper[f] or (v[f] == w[f] and other_lower[f] == other_upper[f]):
            return True
    return False
