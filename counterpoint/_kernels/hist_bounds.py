"""Trees whose answers rise or fall with a column: values of nodes are kept within bounds.

A split on such a column must have its children's values in order, and no value below it may
cross the middle of the two. Gains are those of the values within the bounds. Numbers are in units
of the fixed point. Twins in ``tests/naive/hist.py``. After a change here touch ``hist.py``, as
``hist_scan.py`` says.
"""

import numpy as np

from counterpoint._kernels.compiling import brief, lean

LOWER, UPPER = 0, 1


@lean
def bounded_value(target, weight, low, high):
    """Value of a node by its sum of targets and weight, penalty included, within the bounds."""
    return min(max(np.float64(target) / weight, low), high)


@lean
def fit_of(target, weight, value):
    """How much a value lowers the squared error, penalty included, against 0."""
    return value * (2.0 * np.float64(target) - weight * value)


@brief
def scan_bounded(
    hist, counts, first, stride, n, n_bins, totals, n_rows, missing_left, min_samples, least, ridge,
    limits, places,
):  # fmt: skip
    """Return the best score and the last bin on the left, as ``scan_feature`` does.

    ``limits`` are whether there are any, 1 or -1 if values must rise or fall with the column, else
    0, and the bounds of the node.
    """
    _, sign, low, high = limits
    weight = target = np.int64(0)
    rows = 0
    if missing_left:
        weight, target = hist[first + n_bins], hist[first + stride + n_bins]
        rows = np.int64(counts[first + n_bins]) if min_samples > 1 else 0
    best, last = -np.inf, -1
    for i in range(n):
        at = first + places[i]
        weight += hist[at]
        target += hist[at + stride]
        if min_samples > 1:
            rows += counts[at]
            if rows < min_samples or n_rows - rows < min_samples:
                continue
        if weight < least[0] or totals[0] - weight < least[1]:
            continue
        rest = totals[1] - target
        lower, upper = np.float64(weight) + ridge, np.float64(totals[0] - weight) + ridge
        left = bounded_value(target, lower, low, high)
        right = bounded_value(rest, upper, low, high)
        if sign * left > sign * right:
            continue
        score = fit_of(target, lower, left) + fit_of(rest, upper, right)
        if score > best:
            best, last = score, places[i]
    return best / np.float64(totals[0]), last


@brief
def own_fit(totals, ridge, own):
    """Score of a node that is not split, in units of ``scan_bounded``."""
    weight = np.float64(totals[0]) + ridge
    value = bounded_value(totals[1], weight, own[LOWER], own[UPPER])
    return fit_of(totals[1], weight, value) / np.float64(totals[0])


@brief
def bound_children(node, left, sign, totals, ridge, bounds):
    """Give the children of a split their parent's bounds, and the middle between them."""
    low, high = bounds[node, LOWER], bounds[node, UPPER]
    for child in range(left, left + 2):
        bounds[child, LOWER], bounds[child, UPPER] = low, high
    if sign == 0:
        return
    middle = 0.0
    for child in range(left, left + 2):
        weight = np.float64(totals[child, 0]) + ridge
        middle += bounded_value(totals[child, 1], weight, low, high) / 2
    rising = left if sign > 0 else left + 1
    bounds[rising, UPPER] = middle
    bounds[2 * left + 1 - rising, LOWER] = middle
