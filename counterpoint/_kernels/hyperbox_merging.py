"""Boxes merged with the most similar ones of their class.

Sides that are not known are as in ``hyperboxes.py``. Twins in tests/naive/hyperboxes.py.
"""

from heapq import heapify, heappop

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.hyperboxes import sides_meet
from counterpoint._kernels.parts import part

SHORT, LONG, MID_MAX, MID_MIN = range(4)
_HAIR = 1e-9
_ENDLESS = 1e300  # beyond all data; unlike inf, it can be taken from inf
_BLOCK = 64  # boxes looked at together, so that the inner loops are vector instructions


@kernel()
def merge_passes(lower, upper, starts, order, theta, gamma, min_similarity, kind):
    """Merge boxes of a class until no two can be merged; return which went into which.

    Boxes (n_boxes, n_features), each with a known side, are sorted by class as in class_scores;
    order (n_boxes,) lists them as they came. lower and upper are changed in place: of two that
    are merged the later goes into the earlier. Returns (n_boxes,) int64: the box that each went
    into, itself if it is left.

    Passes go through the boxes as they came. Each is merged with the most similar one it may be
    merged with, the last of equals: of its class, together within theta, and together in no
    overlap with a box of another class. A pair that failed is not tried again before one of the
    two has changed, since boxes only grow.
    """
    n_boxes, n_features = lower.shape
    class_of = np.empty(n_boxes, dtype=np.int64)
    for c in range(len(starts) - 1):
        class_of[starts[c] : starts[c + 1]] = c
    own_lower, own_upper, wall_lower, wall_upper = _by_column(lower, upper, theta)
    into = np.arange(n_boxes)
    # When a box came to be as it is, and when it last found no partner.
    born = np.zeros(n_boxes, dtype=np.int64)
    scanned = np.full(n_boxes, -1, dtype=np.int64)
    # Merged boxes of each class in the order of their births, for boxes that know all others.
    news = np.empty(n_boxes, dtype=np.int64)
    news_born = np.empty(n_boxes, dtype=np.int64)
    n_news = starts[:-1].copy()
    near, alike = np.empty(n_boxes, dtype=np.int64), np.empty(n_boxes)
    walls = np.empty(n_boxes, dtype=np.int64)
    widest, distance, other = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    now, merged = 0, True
    while merged:
        merged = False
        for b in order:
            if into[b] != b or own_upper[0, b] == _ENDLESS:
                continue
            c = class_of[b]
            v, w = lower[b], upper[b]
            n_near = 0
            # In the first pass, of the boxes before this one only the merged ones have not met it:
            # go through the list of these as long as they are few, for blocks are faster.
            by_news = scanned[b] >= 0 or (
                born[b] == 0 and n_news[c] < starts[c] + (b - starts[c]) / 4
            )
            if scanned[b] < 0:
                start = b + 1 if by_news else starts[c]
                while start < starts[c + 1]:
                    n = min(_BLOCK, starts[c + 1] - start)
                    if _any_fit(own_lower, own_upper, start, n, v, w, theta, widest):
                        _distances(
                            own_lower, own_upper, wall_lower, wall_upper, start, n, v, w, gamma,
                            kind, distance, other,
                        )  # fmt: skip
                        for k in range(n):
                            a = 1.0 - min(1.0, distance[k])
                            if widest[k] <= theta and a >= min_similarity:
                                near[n_near], alike[n_near] = start + k, a
                                # To a box of which no side is known, even what is gone fits.
                                there = own_upper[0, start + k] != _ENDLESS
                                n_near += there and scanned[start + k] < born[b] and start + k != b
                    start += n
            if by_news:
                for e in range(n_news[c] - 1, starts[c] - 1, -1):
                    if news_born[e] <= scanned[b]:
                        break
                    k = news[e]
                    if (scanned[b] < 0 and k > b) or into[k] != k or born[k] != news_born[e]:
                        continue
                    if scanned[k] >= born[b] or not _fit(v, w, lower[k], upper[k], theta):
                        continue
                    near[n_near] = k
                    alike[n_near] = similarity(v, w, lower[k], upper[k], gamma, kind)
                    n_near += alike[n_near] >= min_similarity
            partner = -1
            if n_near > 0:
                n_walls = _walls_near(wall_lower, wall_upper, starts, c, v, w, theta, walls, widest)
                partner = _first_free(
                    near[:n_near], alike[:n_near], v, w, lower, upper, walls[:n_walls]
                )
            if partner < 0:
                scanned[b] = now
                continue
            now += 1
            merged = True
            first, second = min(b, partner), max(b, partner)
            for i in range(n_features):
                v_i = min(lower[first, i], lower[second, i])
                w_i = max(upper[first, i], upper[second, i])
                lower[first, i], upper[first, i] = v_i, w_i
                own_lower[i, first], own_upper[i, first] = v_i, w_i
                if v_i <= w_i:
                    wall_lower[i, first], wall_upper[i, first] = v_i, w_i
                own_lower[i, second], own_upper[i, second] = -_ENDLESS, _ENDLESS
                wall_lower[i, second], wall_upper[i, second] = _ENDLESS, -_ENDLESS
            into[second] = first
            born[first], scanned[first] = now, -1
            news[n_news[c]], news_born[n_news[c]] = first, now
            n_news[c] += 1
    for b in range(n_boxes):  # what it went into may have gone on, but always to an earlier one
        into[b] = into[into[b]]
    return into


@part()
def _by_column(lower, upper, theta):
    """Copy boxes by column, twice, so that the block tests need not ask what is known or there.

    As partners, boxes that are gone or too large are endless: they fit with nothing. As walls,
    sides that are not known are endless, and boxes that are gone are nowhere.
    """
    own_lower, own_upper = lower.T.copy(), upper.T.copy()
    wall_lower, wall_upper = lower.T.copy(), upper.T.copy()
    for b in range(len(lower)):
        for i in range(lower.shape[1]):
            if lower[b, i] > upper[b, i]:
                wall_lower[i, b], wall_upper[i, b] = -np.inf, np.inf
            elif upper[b, i] - lower[b, i] > theta:
                own_lower[:, b], own_upper[:, b] = -_ENDLESS, _ENDLESS
    return own_lower, own_upper, wall_lower, wall_upper


@part()
def _any_fit(lower, upper, start, n, v, w, theta, widest):
    """Whether any of n boxes stays within theta when joined with v, w; their widest sides."""
    widest[:n] = -np.inf
    for i in range(len(v)):
        v_i, w_i = v[i], w[i]
        lower_i, upper_i = lower[i, start : start + n], upper[i, start : start + n]
        n_left = 0
        for k in range(n):
            right, left = upper_i[k] - v_i, w_i - lower_i[k]
            wide = right if right > left else left
            wide = wide if wide > widest[k] else widest[k]
            widest[k] = wide
            n_left += wide <= theta
        if n_left == 0:
            return False
    return True


@part()
def _fit(v, w, other_v, other_w, theta):
    widest = -np.inf
    for i in range(len(v)):
        widest = max(widest, max(w[i], other_w[i]) - min(v[i], other_v[i]))
        if widest > theta:
            break
    return widest <= theta


@part()
def similarity(lower, upper, other_lower, other_upper, gamma, kind):
    """How alike two boxes are, all (n_features,): 1 - gamma times a distance, at least 0."""
    short, longest, stick_out, stick_in = 0.0, 0.0, 0.0, 0.0
    for i in range(len(lower)):
        v, w, ov, ow = lower[i], upper[i], other_lower[i], other_upper[i]
        if v > w or ov > ow:
            continue
        short = max(short, max(ov - w, v - ow) * gamma[i])
        longest = max(longest, max(ow - v, w - ov) * gamma[i])
        stick_out = max(stick_out, max(ow - w, v - ov) * gamma[i])
        stick_in = max(stick_in, max(w - ow, ov - v) * gamma[i])
    if kind == SHORT:
        distance = short
    elif kind == LONG:
        distance = longest
    elif kind == MID_MAX:
        distance = min(stick_out, stick_in)
    else:
        distance = max(stick_out, stick_in)
    return 1.0 - min(1.0, distance)


@part()
def _distances(
    own_lower, own_upper, wall_lower, wall_upper, start, n, v, w, gamma, kind, distance, other
):
    """Distances of n boxes to v, w, as in ``similarity``."""
    distance[:n] = 0.0
    other[:n] = 0.0
    block = slice(start, start + n)
    for i in range(len(v)):
        # Endless either way, so that differences with what is not known are -inf.
        wall_v, wall_w = (v[i], w[i]) if v[i] <= w[i] else (-np.inf, np.inf)
        if kind == SHORT:
            _farthest(
                wall_lower[i, block], wall_w, wall_v, wall_upper[i, block], gamma[i], distance
            )
        elif kind == LONG:
            _farthest(own_upper[i, block], v[i], w[i], own_lower[i, block], gamma[i], distance)
        else:
            _farthest(own_upper[i, block], wall_w, wall_v, own_lower[i, block], gamma[i], distance)
            _farthest(wall_lower[i, block], v[i], w[i], wall_upper[i, block], gamma[i], other)
    if kind == MID_MAX:
        for k in range(n):
            distance[k] = min(distance[k], other[k])
    elif kind == MID_MIN:
        for k in range(n):
            distance[k] = max(distance[k], other[k])


@part()
def _farthest(a, minus_a, b, minus_b, gamma, farthest):
    """Raise farthest to gamma times a - minus_a, and to gamma times b - minus_b."""
    for k in range(len(a)):
        right, left = a[k] - minus_a, b - minus_b[k]
        far = gamma * (right if right > left else left)
        farthest[k] = far if far > farthest[k] else farthest[k]


@part()
def _walls_near(lower, upper, starts, c, v, w, theta, walls, apart):
    """List boxes of other classes that may overlap with what v, w is joined with."""
    n_features = len(v)
    n_walls = 0
    for other in range(len(starts) - 1):
        if other == c:
            continue
        for start in range(starts[other], starts[other + 1], _BLOCK):
            n = min(_BLOCK, starts[other + 1] - start)
            apart[:n] = -np.inf
            n_left = n
            for i in range(n_features):
                # The union lies in here; and a hair more, for sums are rounded.
                low, high = w[i] - theta - _HAIR, v[i] + theta + _HAIR
                lower_i, upper_i = lower[i, start : start + n], upper[i, start : start + n]
                n_left = 0
                for k in range(n):
                    right, left = lower_i[k] - high, low - upper_i[k]
                    gap = right if right > left else left
                    gap = gap if gap > apart[k] else apart[k]
                    apart[k] = gap
                    n_left += gap <= 0.0
                if n_left == 0:
                    break
            if n_left > 0:
                for k in range(n):
                    if apart[k] <= 0.0:
                        walls[n_walls] = start + k
                        n_walls += 1
    return n_walls


@part()
def _first_free(near, alike, v, w, lower, upper, walls):
    """Return the most similar box that can be joined with v, w without an overlap, or -1."""
    # The first is mostly free. Only where some are not is it worth to put the rest in order.
    for _ in range(min(4, len(near))):
        best = 0
        for m in range(1, len(near)):
            if alike[m] > alike[best] or (alike[m] == alike[best] and near[m] > near[best]):
                best = m
        if _is_free(near[best], v, w, lower, upper, walls):
            return near[best]
        alike[best] = -1.0
    rest = [(-alike[m], -near[m]) for m in range(len(near)) if alike[m] >= 0.0]
    heapify(rest)
    while len(rest) > 0:
        k = -heappop(rest)[1]
        if _is_free(k, v, w, lower, upper, walls):
            return k
    return -1


@part()
def _is_free(k, v, w, lower, upper, walls):
    for m in range(len(walls)):
        o = walls[m]
        meets = True
        for i in range(len(v)):
            if not sides_meet(
                min(v[i], lower[k, i]), max(w[i], upper[k, i]), lower[o, i], upper[o, i]
            ):
                meets = False
                break
        if meets:
            # What was in the way once is likely to be again: look at it first.
            walls[m], walls[0] = walls[0], walls[m]
            return False
    return True
