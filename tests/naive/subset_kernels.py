"""Boxes, the filters of stochastic discrimination, and leaf kernels, in plain Python."""

from bisect import bisect_left, bisect_right


def boxes_in_bins(middles, features, start, width):
    """One list of (column, low, high) per box; None for an empty box."""
    models = []
    for m, boxes in enumerate(features):
        model = []
        for b, columns in enumerate(boxes):
            sides = []
            for j, f in enumerate(columns):
                ranks = list(middles[f])
                low = bisect_left(ranks, start[m][b][j])
                high = bisect_right(ranks, start[m][b][j] + width[m][b][j]) - 1
                sides.append((f, low, high))
            model.append(None if any(low > high for _, low, high in sides) else sides)
        models.append(model)
    return models


def hold(rows, models):
    """rows are lists of bins; for each model and row whether some box holds it."""
    return [
        [
            any(box is not None and all(a <= row[f] <= b for f, a, b in box) for box in model)
            for row in rows
        ]
        for model in models
    ]


def accept(held, is_own, patience, coverage, wanted):
    """Positions let in, whether by force; coverage is a list that is changed."""
    n_own = sum(is_own)
    n_rest = len(is_own) - n_own
    taken, failed = [], []
    for m, row in enumerate(held):
        if len(taken) == wanted:
            break
        own = sum(1 for i, inside in enumerate(row) if inside and is_own[i])
        rest = sum(row) - own
        mean_own = sum(c for c, o in zip(coverage, is_own) if o) / n_own
        mean_rest = sum(c for c, o in zip(coverage, is_own) if not o) / n_rest
        found = sum(c for c, inside in zip(coverage, row) if inside)
        expected = own * mean_own + rest * mean_rest
        passes = found <= expected + 1e-6
        failed.append(((found - expected) / (own + rest), m))
        if passes or len(failed) == patience:
            best = m if passes else min(failed)[1]
            for i, inside in enumerate(held[best]):
                coverage[i] += inside
            taken.append((best, not passes))
            failed = []
    return taken


def chi(inside, captured, captured_rest):
    if captured == captured_rest:
        return 0.0
    return 2 * (inside - captured_rest) / (captured - captured_rest) - 1


def leaf_kernel(ours, theirs, weights=None):
    """ours and theirs are lists of leaves, one list a tree."""
    weights = weights or [1] * len(ours)
    n, m = len(ours[0]), len(theirs[0])
    return [
        [
            sum(w for a, b, w in zip(ours, theirs, weights) if a[i] == b[j]) / sum(weights)
            for j in range(m)
        ]
        for i in range(n)
    ]


def nearest(kernel, k):
    """For each row a dict of its k largest values above 0, of equals the first."""
    found = []
    for row in kernel:
        order = sorted(range(len(row)), key=lambda j: (-row[j], j))[:k]
        found.append({j: row[j] for j in order if row[j] > 0})
    return found


def random_tree(n_columns, time, rng):
    """Leaves of a purely random tree, as lists of (low, high): each is split at its own time."""
    leaves, waiting = [], [([(0.0, 1.0)] * n_columns, rng.exponential())]
    while waiting:
        box, when = waiting.pop()
        if when > time:
            leaves.append(box)
            continue
        column = rng.integers(n_columns)
        low, high = box[column]
        cut = rng.uniform(low, high)
        for part in ((low, cut), (cut, high)):
            side = list(box)
            side[column] = part
            waiting.append((side, when + rng.exponential()))
    return leaves


def share_a_leaf(leaves, points):
    """Whether each two of the points are in one leaf."""
    import numpy as np

    at = [
        next(k for k, box in enumerate(leaves) if all(a <= x <= b for x, (a, b) in zip(p, box)))
        for p in points
    ]
    return np.array([[int(a == b) for b in at] for a in at])
