"""Rules as boxes, ``lower < x <= upper``: what they cover, and which can be joined.

Callers have checked the arrays; twins in tests/naive/rule_merging.py.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel


@kernel()
def cover(lower, upper, X):
    """Say which samples each box covers.

    lower, upper (n_rules, n_features) float64, X (n_samples, n_features) float; returns
    (n_rules, n_samples) bool.
    """
    n_rules, n_features = lower.shape
    covered = np.empty((n_rules, len(X)), dtype=np.bool_)
    asked = np.empty(n_features, dtype=np.int64)
    for r in range(n_rules):
        n_asked = 0
        for j in range(n_features):  # most columns have no edge
            if lower[r, j] > -np.inf or upper[r, j] < np.inf:
                asked[n_asked] = j
                n_asked += 1
        for i in range(len(X)):
            held = True
            for k in range(n_asked):
                x = X[i, asked[k]]
                if not (lower[r, asked[k]] < x <= upper[r, asked[k]]):
                    held = False
                    break
            covered[r, i] = held
    return covered


@kernel()
def shared_weight(covered, rows, weight):
    """Add up the weight of some samples in each rule.

    covered (n_rules, n_samples) bool, rows numbers of samples, weight (n_samples,); returns
    (n_rules,).
    """
    total = np.zeros(len(covered))
    for r in range(len(covered)):
        for i in rows:
            if covered[r, i]:
                total[r] += weight[i]
    return total


@kernel()
def join(lower, upper, label):
    """Replace boxes by the hull of two of a class where it meets no box of another class.

    Changes lower and upper; returns which boxes are left, (n_rules,) bool. A box tries those
    after it in turn. It need not try again: a hull only grows, and what met it still does.
    """
    n_rules, n_features = lower.shape
    left = np.ones(n_rules, dtype=np.bool_)
    for k in range(n_rules):
        if not left[k]:
            continue
        for c in range(k + 1, n_rules):
            if not left[c] or label[c] != label[k]:
                continue
            is_free = True
            for o in range(n_rules):
                if not left[o] or label[o] == label[k]:
                    continue
                meets = True
                for j in range(n_features):
                    low, high = min(lower[k, j], lower[c, j]), max(upper[k, j], upper[c, j])
                    if not (lower[o, j] < high and low < upper[o, j]):
                        meets = False
                        break
                if meets:
                    is_free = False
                    break
            if is_free:
                for j in range(n_features):
                    lower[k, j] = min(lower[k, j], lower[c, j])
                    upper[k, j] = max(upper[k, j], upper[c, j])
                left[c] = False
    return left
