"""The best split of one column from its histogram of exact sums.

Loops are kept apart so that each is either a running sum or plain arithmetic on arrays,
which the compiler turns into vector instructions. Twins in ``tests/naive/hist.py``.

These functions end up inside ``hist.grow``. Its cache on disk looks at the date of
``hist.py`` only: after a change here, touch that file.
"""

import math

import numpy as np

from counterpoint._kernels.compiling import lean, single
from counterpoint._kernels.hist_bounds import scan_bounded

GINI, ENTROPY, SQUARED_ERROR = 0, 1, 2
N_FLOATS, N_SUMS = 6, 4  # rows of the scratch arrays
IDENTITY = 2  # the row of sums that holds 0, 1, 2 ...
PLACES = 3  # and that of the bins to go through, where these are others
MAX_BINS = 256  # and their length
# Arrays are worked on in whole steps of so many numbers: what is left over would be done one by
# one and take longer than the rest.
_LANES = 16

# Added to minus the entropy of the children, at most log2(256), to have scores from 0.
_ABOVE_ZERO = 16.0
_MANTISSA = (1 << 52) - 1
_ONE = 1023 << 52
_ROOT_2 = math.sqrt(2.0)
_TWO_OVER_LN_2 = 2.0 / math.log(2.0)


@single
def _add_x_log_x(x, sign, out, exponent, mantissa):
    """Add ``sign * x * log2(x)`` to ``out``, 0 at 0; x in [0, 1], error below 1e-15.

    The library's logarithm is called one number at a time. This one is arithmetic only:
    exponent from the bits, then the series of atanh((m - 1) / (m + 1)).
    """
    for i in range(len(x)):
        bits = np.float64(x[i]).view(np.int64)
        exponent[i] = (bits >> 52) - 1023
        mantissa[i] = np.int64((bits & _MANTISSA) | _ONE).view(np.float64)
    for i in range(len(x)):
        big = mantissa[i] > _ROOT_2
        m = mantissa[i] * (0.5 if big else 1.0)
        e = exponent[i] + (1.0 if big else 0.0)
        s = (m - 1.0) / (m + 1.0)
        z = s * s
        series = 1.0 / 21 + z * (1.0 / 23)
        series = 1.0 / 17 + z * (1.0 / 19 + z * series)
        series = 1.0 / 13 + z * (1.0 / 15 + z * series)
        series = 1.0 / 9 + z * (1.0 / 11 + z * series)
        series = 1.0 / 5 + z * (1.0 / 7 + z * series)
        series = 1.0 + z * (1.0 / 3 + z * series)
        out[i] += sign * x[i] * (e + _TWO_OVER_LN_2 * s * series)


@lean
def _bins_in_use(hist, counts, first, stride, n, n_sums, min_samples, held, places):
    """List the bins that hold something; returns how many there are."""
    for b in range(n):
        held[b] = counts[first + b] if min_samples > 1 else 0
    for k in range(n_sums):
        row = hist[first + k * stride : first + k * stride + n]
        for b in range(n):
            held[b] |= row[b]
    used = np.uint64(0)
    for b in range(n):
        places[used] = b
        used += np.uint64(held[b] != 0)
    return np.int64(used)


@lean
def _cumulate(hist, places, n, start, out):
    """Sum up n bins; what lies beyond repeats the last sum."""
    running = start
    for b in range(n):
        running += hist[places[b]]
        out[b] = running
    for b in range(n, len(out)):
        out[b] = running


@lean
def _gini_of_two(hist, first, stride, n, n_bins, totals, missing_left, least, floats, sums, places):
    """Scores of two classes, the usual case, in one loop; -1 where a side is too light."""
    padded = (n + _LANES - 1) // _LANES * _LANES
    one, two, score = sums[0, :padded], sums[1, :padded], floats[3, :padded]
    for k in range(2):
        at = first + k * stride
        start = hist[at + n_bins] if missing_left else 0
        _cumulate(hist[at:], places, n, start, one if k == 0 else two)
    total = totals[0] + totals[1]
    all_one, all_two = np.float64(totals[0]), np.float64(totals[1])
    for b in range(padded):
        weight = one[b] + two[b]
        rest = total - weight
        a, c = np.float64(one[b]), np.float64(two[b])
        d, e = all_one - a, all_two - c
        lower, upper = np.float64(max(weight, 1)), np.float64(max(rest, 1))
        gain = ((a * a + c * c) * upper + (d * d + e * e) * lower) / (lower * upper)
        score[b] = gain if (weight >= least[0]) & (rest >= least[1]) else -1.0


@lean
def _class_scores(
    criterion, hist, first, stride, n, n_bins, totals, missing_left, least, floats, sums,
    places,
):  # fmt: skip
    padded = (n + _LANES - 1) // _LANES * _LANES
    cumulated, weights = sums[0, :padded], sums[1, :padded]
    left, right = floats[0, :padded], floats[1, :padded]
    x, score = floats[2, :padded], floats[3, :padded]
    total = np.int64(0)
    for k in range(len(totals)):
        total += totals[k]
    unit = 1.0 / total
    weights[:] = 0
    left[:] = 0.0
    right[:] = 0.0
    score[:] = _ABOVE_ZERO
    for k in range(len(totals)):
        at = first + k * stride
        _cumulate(hist[at:], places, n, hist[at + n_bins] if missing_left else 0, cumulated)
        own = totals[k]
        if criterion == GINI:
            everything = np.float64(own)
            for b in range(padded):
                weights[b] += cumulated[b]
                lower = np.float64(cumulated[b])
                upper = everything - lower
                left[b] += lower * lower
                right[b] += upper * upper
        else:
            for b in range(padded):
                weights[b] += cumulated[b]
            for side in range(2):
                for b in range(padded):
                    x[b] = (own - cumulated[b] if side else cumulated[b]) * unit
                _add_x_log_x(x, 1.0, score, floats[4, :padded], floats[5, :padded])
    if criterion == GINI:
        for b in range(padded):  # an empty side has nothing to divide, and is not allowed below
            lower = np.float64(max(weights[b], 1))
            upper = np.float64(max(total - weights[b], 1))
            score[b] = (left[b] * upper + right[b] * lower) / (lower * upper)
    else:
        for side in range(2):
            for b in range(padded):
                x[b] = (total - weights[b] if side else weights[b]) * unit
            _add_x_log_x(x, -1.0, score, floats[4, :padded], floats[5, :padded])
    _bar_light(weights, total, least, score)


@lean
def _bar_light(weights, total, least, score):
    for b in range(len(score)):
        heavy = (weights[b] >= least[0]) & (total - weights[b] >= least[1])
        score[b] = score[b] if heavy else -1.0


@lean
def _target_scores(
    hist, first, stride, n, n_bins, totals, missing_left, least, ridge, floats, sums, places
):
    padded = (n + _LANES - 1) // _LANES * _LANES
    cumulated, weights, score = sums[0, :padded], sums[1, :padded], floats[3, :padded]
    for k in range(2):
        at = first + k * stride
        start = hist[at + n_bins] if missing_left else 0
        _cumulate(hist[at:], places, n, start, weights if k == 0 else cumulated)
    total, target = totals[0], totals[1]
    unit = 1.0 / total
    more = ridge * unit
    for b in range(padded):
        left, right = cumulated[b] * unit, (target - cumulated[b]) * unit
        lower = max(weights[b], 1) * unit + more
        upper = max(total - weights[b], 1) * unit + more
        score[b] = (left * left * upper + right * right * lower) / (lower * upper)
    _bar_light(weights, total, least, score)


@lean
def scan_feature(
    criterion, hist, counts, first, stride, n_bins, n_sorted, totals, n_rows, absent,
    missing_left, min_samples, min_weight, ridge, limits, floats, sums,
):  # fmt: skip
    """Score every cut of a column and return (best score, last bin on the left).

    ``hist`` holds, from ``first``, the sums of ``n_bins`` bins and then of the missing, and the
    same ``stride`` further for the next class; ``absent`` is the weight of the missing. Of
    categories ``n_sorted`` bins are to be gone through as listed in ``sums``; else it is -1.
    ``limits`` are those of ``scan_bounded``.
    Scores, per unit of the node's weight: for Gini the sum of squares of class weights over
    side weights, for entropy minus the children's entropy, for squared error the sum of
    squares of the sides' targets over side weights plus ``ridge``. All are to be large. -inf and -1
    if no cut leaves ``min_samples`` rows and ``min_weight`` on both sides.
    """
    # With missing values on the right, all that is there may go left.
    n = n_bins if absent > 0 and not missing_left else n_bins - 1
    places = sums[IDENTITY]
    if n_sorted >= 0:
        places = sums[PLACES]
        n += n_sorted - n_bins
    elif n_rows < n:  # most bins are empty
        places = sums[PLACES]
        n_sums = 1 if criterion == SQUARED_ERROR else len(totals)
        n = _bins_in_use(hist, counts, first, stride, n, n_sums, min_samples, sums[0], places)
    if n < 1:
        return -np.inf, -1
    # Missing values alone on the left: the other direction has tried the same cut.
    least = (max(min_weight, absent + 1) if missing_left else min_weight, min_weight)
    if limits[0]:
        return scan_bounded(
            hist, counts, first, stride, n, n_bins, totals, n_rows, missing_left, min_samples,
            least, ridge, limits, places,
        )  # fmt: skip
    if criterion == SQUARED_ERROR:
        _target_scores(
            hist, first, stride, n, n_bins, totals, missing_left, least, ridge, floats, sums,
            places,
        )  # fmt: skip
    elif criterion == GINI and len(totals) == 2:
        _gini_of_two(
            hist, first, stride, n, n_bins, totals, missing_left, least, floats, sums, places
        )
    else:
        _class_scores(
            criterion, hist, first, stride, n, n_bins, totals, missing_left, least, floats, sums,
            places,
        )  # fmt: skip
    score = floats[3, :n]
    if min_samples > 1:
        rows = np.int64(counts[first + n_bins]) if missing_left else 0
        for b in range(n):
            rows += counts[first + places[b]]
            if rows < min_samples or n_rows - rows < min_samples:
                score[b] = -1.0
    # Numbers from 0 are in the order of their bits, and the largest integer is found faster. Bins
    # that hold nothing repeat the score before them, so the first of equals is a bin in use.
    top = np.int64(-1)
    for b in range(n):
        top = max(top, np.float64(score[b]).view(np.int64))
    if top < 0:
        return -np.inf, -1
    at = 0
    while np.float64(score[at]).view(np.int64) != top:
        at += 1
    if criterion == ENTROPY:
        return score[at] - _ABOVE_ZERO, places[at]
    if criterion == GINI:
        total = np.int64(0)
        for k in range(len(totals)):
            total += totals[k]
        return score[at] / total, places[at]
    return score[at], places[at]
