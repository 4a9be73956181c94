"""Hyperboxes: how far samples are from boxes, and boxes grown sample by sample.

A side that is not known has lower = inf and upper = -inf, so that its union with a known side is
that side. Twins in tests/naive/hyperboxes.py.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel
from counterpoint._kernels.parts import part


@part(forceinline=True)
def sides_meet(v, w, other_v, other_w):
    """Whether what lies inside of two sides meets; a side of length 0 lies inside of itself."""
    if v > w or other_v > other_w:
        return True
    if v == w:
        if other_v == other_w:
            return v == other_v
        return other_v < v and v < other_w
    if other_v == other_w:
        return v < other_v and other_v < w
    return max(v, other_v) < min(w, other_w)


@part()
def overlap(lower, upper, other_lower, other_upper):
    """Whether two boxes, all arguments (n_features,), share more than faces."""
    for i in range(len(lower)):
        if not sides_meet(lower[i], upper[i], other_lower[i], other_upper[i]):
            return False
    return True


@parallel()
def class_scores(x_lower, x_upper, lower, upper, starts, certainty, gamma):
    """Best score of each class for each sample, and how far the centre of that box is.

    Samples (n_samples, n_features) are boxes themselves. Boxes (n_boxes, n_features) are sorted
    by class, those of class c from starts[c] to starts[c + 1]. The score of a box is its
    certainty times its membership, 1 - gamma times the most by which the sample sticks out. Of
    boxes with equal scores the one with the nearest centre counts (sum of absolute differences).
    Returns two arrays (n_samples, n_classes); the distance is inf where the score is 0.
    """
    n_samples, n_features = x_lower.shape
    n_classes = len(starts) - 1
    scores = np.zeros((n_samples, n_classes))
    distances = np.full((n_samples, n_classes), np.inf)
    for s in prange(n_samples):
        for c in range(n_classes):
            best, nearest = 0.0, np.inf
            for b in range(starts[c], starts[c + 1]):
                gap, score = 0.0, certainty[b]
                for i in range(n_features):
                    if score < best or gap >= 1.0:
                        break  # no further side brings it nearer
                    gap = max(gap, _stick_out(x_lower, x_upper, s, lower, upper, b, i, gamma))
                    score = certainty[b] * (1.0 - gap)
                if score < best or gap >= 1.0 or score == 0.0:
                    continue
                distance = _centre_distance(x_lower, x_upper, s, lower, upper, b)
                if score > best:
                    best, nearest = score, distance
                else:
                    nearest = min(nearest, distance)
            scores[s, c], distances[s, c] = best, nearest
    return scores, distances


@parallel()
def class_gaps(x_lower, x_upper, lower, upper, starts, gamma):
    """How far each sample is from the nearest box of each class: the worst side, times gamma.

    Arrays as in class_scores; returns (n_samples, n_classes), inf for classes without boxes.
    """
    n_samples, n_features = x_lower.shape
    n_classes = len(starts) - 1
    gaps = np.full((n_samples, n_classes), np.inf)
    for s in prange(n_samples):
        for c in range(n_classes):
            least = np.inf
            for b in range(starts[c], starts[c + 1]):
                gap = 0.0
                for i in range(n_features):
                    gap = max(gap, _stick_out(x_lower, x_upper, s, lower, upper, b, i, gamma))
                    if gap >= least:
                        break
                least = min(least, gap)
            gaps[s, c] = least
    return gaps


@parallel()
def nearest_boxes(x_lower, x_upper, lower, upper, starts):
    """Squared Euclidean distance of each sample to the nearest box of each group.

    Arrays as in class_scores, groups of boxes as its classes; returns (n_samples, n_groups), inf
    for groups without boxes. What is not known is no distance away.
    """
    n_samples, n_features = x_lower.shape
    n_groups = len(starts) - 1
    nearest = np.full((n_samples, n_groups), np.inf)
    gamma = np.ones(n_features)
    for s in prange(n_samples):
        for g in range(n_groups):
            least = np.inf
            for b in range(starts[g], starts[g + 1]):
                squared = 0.0
                for i in range(n_features):
                    out = _stick_out(x_lower, x_upper, s, lower, upper, b, i, gamma)
                    squared += max(0.0, out) ** 2
                    if squared >= least:
                        break
                least = min(least, squared)
            nearest[s, g] = least
    return nearest


@part(forceinline=True)
def _stick_out(x_lower, x_upper, s, lower, upper, b, i, gamma):
    if lower[b, i] > upper[b, i]:  # not known: nothing sticks out
        return 0.0
    return gamma[i] * max(x_upper[s, i] - upper[b, i], lower[b, i] - x_lower[s, i])


@part()
def _centre_distance(x_lower, x_upper, s, lower, upper, b):
    total = 0.0
    for i in range(x_lower.shape[1]):
        # Sides that are not known, or have no end, have no centre.
        if x_lower[s, i] <= x_upper[s, i] and -np.inf < lower[b, i] <= upper[b, i] < np.inf:
            total += abs((x_lower[s, i] + x_upper[s, i]) / 2 - (lower[b, i] + upper[b, i]) / 2)
    return total


@kernel()
def grow_online(
    x_lower, x_upper, codes, weights, theta, gamma, lower, upper, box_codes, counts, n_boxes
):
    """Learn samples one after the other; return the number of boxes.

    Samples (n_samples, n_features), their classes and weights (n_samples,). Boxes (capacity,
    n_features), box_codes and counts (capacity,) hold n_boxes boxes and room for as many more as
    there are samples; they are changed in place. A sample joins the box of its class that it
    sticks out of least, of those that stay within theta; the first of equals.
    """
    n_samples, n_features = x_lower.shape
    n_classes = 0
    if n_boxes:
        n_classes = box_codes[:n_boxes].max() + 1
    if n_samples:
        n_classes = max(n_classes, codes.max() + 1)
    # The boxes of each class, in one array: starts[c] is where those of class c begin.
    room = np.zeros(n_classes + 1, dtype=np.int64)
    for b in range(n_boxes):
        room[box_codes[b] + 1] += 1
    for s in range(n_samples):
        room[codes[s] + 1] += 1
    starts = np.cumsum(room)
    ends = starts.copy()
    members = np.empty(starts[-1], dtype=np.int64)
    for b in range(n_boxes):
        members[ends[box_codes[b]]] = b
        ends[box_codes[b]] += 1
    for s in range(n_samples):
        code = codes[s]
        chosen, least, inside = -1, np.inf, False
        for m in range(starts[code], ends[code]):
            b = members[m]
            gap, covers, fits = 0.0, True, True
            for i in range(n_features):
                v = min(lower[b, i], x_lower[s, i])
                w = max(upper[b, i], x_upper[s, i])
                if v != lower[b, i] or w != upper[b, i]:
                    covers = False
                    fits = fits and w - v <= theta
                elif w - v > theta:
                    fits = False  # too large already, but it may still cover the sample
                gap = max(gap, _stick_out(x_lower, x_upper, s, lower, upper, b, i, gamma))
                if not covers and (not fits or gap >= least):
                    break
            if covers:
                chosen, inside = b, True
                break
            if fits and gap < least:
                chosen, least = b, gap
        if inside:
            counts[chosen] += weights[s]
            continue
        is_point = True
        if chosen >= 0:
            counts[chosen] += weights[s]
            is_point = False
        else:
            chosen = n_boxes
            n_boxes += 1
            members[ends[code]] = chosen
            ends[code] += 1
            box_codes[chosen], counts[chosen] = code, weights[s]
            lower[chosen], upper[chosen] = np.inf, -np.inf
        for i in range(n_features):
            lower[chosen, i] = min(lower[chosen, i], x_lower[s, i])
            upper[chosen, i] = max(upper[chosen, i], x_upper[s, i])
            is_point = is_point and lower[chosen, i] >= upper[chosen, i]
        if is_point:
            continue  # a new point takes no room from others
        for b in range(n_boxes):
            if box_codes[b] != code and overlap(lower[chosen], upper[chosen], lower[b], upper[b]):
                _contract(lower[chosen], upper[chosen], lower[b], upper[b])
    return n_boxes


@part()
def _contract(lower, upper, other_lower, other_upper):
    """Take two boxes apart, along the side on which they overlap least."""
    least, side = np.inf, -1
    for i in range(len(lower)):
        v, w, ov, ow = lower[i], upper[i], other_lower[i], other_upper[i]
        if v > w or ov > ow or (v == w and ov == ow):
            continue  # nothing to be cut off here
        # One inside of the other: cut at the nearer end. Otherwise they share this much.
        if (v < ov and ow < w) or (ov < v and w < ow):
            shared = min(ow - v, w - ov)
        else:
            shared = min(w, ow) - max(v, ov)
        if shared < least:
            least, side = shared, i
    if side < 0:
        return
    v, w, ov, ow = lower[side], upper[side], other_lower[side], other_upper[side]
    if v < ov and ow < w:  # the other inside
        if ow - v <= w - ov:
            lower[side] = ow
        else:
            upper[side] = ov
    elif ov < v and w < ow:  # inside of the other
        if ow - v <= w - ov:
            other_upper[side] = v
        else:
            other_lower[side] = w
    elif v <= ov and w <= ow:
        upper[side] = other_lower[side] = (w + ov) / 2
    else:
        lower[side] = other_upper[side] = (v + ow) / 2


@parallel()
def count_inside(X, lower, upper):
    """Count the samples (n_samples, n_features) with lower < x <= upper, for each box."""
    counts = np.zeros(len(lower), dtype=np.int64)
    for b in prange(len(lower)):
        for s in range(len(X)):
            inside = True
            for i in range(X.shape[1]):
                if not (lower[b, i] < X[s, i] and X[s, i] <= upper[b, i]):
                    inside = False
                    break
            counts[b] += inside
    return counts
