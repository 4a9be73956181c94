"""Competence of members near queries; twins in ``tests/naive/dynamic.py``.

The region of query q is the validation rows ``near[start[q]:start[q + 1]]``, the nearest first,
with weights ``pull`` alike. ``right`` (n_rows, n_members) uint8 says who is right about a row, a
row of it lying together: all members of a row are read at once.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel


@parallel()
def overall(start, near, pull, right):
    """Weighted share of the region that each member has right: (n_queries, n_members)."""
    n, n_members = len(start) - 1, right.shape[1]
    found = np.empty((n, n_members))
    for q in prange(n):
        mine = found[q]
        mine[:] = 0.0
        total = 0.0
        for k in range(start[q], start[q + 1]):
            row, w = right[near[k]], pull[k]
            total += w
            for m in range(n_members):
                mine[m] += w * row[m]
        for m in range(n_members):
            mine[m] = mine[m] / total if total > 0.0 else np.nan
    return found


@parallel()
def by_class(start, near, pull, right, y, votes):
    """Weighted share right among the rows of the class each member says: (n_queries, n_members).

    y (n_rows,) classes of the rows, votes (n_queries, n_members) what members say of the query.
    A member with no such row in the region has 0.
    """
    n, n_members = len(start) - 1, right.shape[1]
    found = np.zeros((n, n_members))
    for q in prange(n):
        total = np.zeros(n_members)
        for k in range(start[q], start[q + 1]):
            row, label, w = right[near[k]], y[near[k]], pull[k]
            for m in range(n_members):
                if votes[q, m] == label:
                    total[m] += w
                    found[q, m] += w * row[m]
        for m in range(n_members):
            if total[m] > 0.0:
                found[q, m] /= total[m]
    return found


@parallel()
def unbroken(start, near, right):
    """How many rows, from the nearest on, each member has right without a miss.

    (n_queries, n_members) float64.
    """
    n, n_members = len(start) - 1, right.shape[1]
    found = np.zeros((n, n_members))
    for q in prange(n):
        going = np.ones(n_members, dtype=np.uint8)
        for k in range(start[q], start[q + 1]):
            row = right[near[k]]
            alive = 0
            for m in range(n_members):
                going[m] &= row[m]
                found[q, m] += going[m]
                alive += going[m]
            if alive == 0:
                break
    return found


@kernel()
def best(competence, first):
    """Say 1 for the best of each query, 0 for the others: (n_queries, n_members).

    Of equals all, or only the ``first``; NaN is unknown, and where all are, all have a say.
    """
    n, n_members = competence.shape
    say = np.empty((n, n_members))
    for q in range(n):
        mine, own = say[q], competence[q]
        top = -np.inf
        for m in range(n_members):
            top = own[m] if own[m] > top else top
        known = 0
        for m in range(n_members):
            mine[m] = own[m] == top
            known += mine[m] > 0.0
        if known == 0:
            mine[:] = 1.0
        elif first:
            m = 0
            while mine[m] == 0.0:
                m += 1
            mine[m + 1 :] = 0.0
    return say


@parallel()
def weighted_vote(votes, weights, n_classes):
    """Sum of the weights of the members that say each class: (n_queries, n_classes)."""
    n, n_members = votes.shape
    tally = np.zeros((n, n_classes))
    for q in prange(n):
        for m in range(n_members):
            tally[q, votes[q, m]] += weights[q, m]
    return tally


@parallel()
def trust(near, alike, right, truth, sure, share, weights, offset):
    """Log-odds that a member is right, linear in tenths of what is known: (n_queries, n_members).

    near (n_queries, k) and alike (n_queries, p) rows, nearest first; truth (n_rows, n_members)
    tenths of the true class, sure (n_queries, n_members) of the query; share (k + 1,) tenths of
    so many right. weights (2 k + 1 + p + 1,) in the order: right, truth, share, right, sure.
    """
    n, k = near.shape
    p, n_members = alike.shape[1], right.shape[1]
    found = np.empty((n, n_members))
    for q in prange(n):
        mine = found[q]
        count = np.zeros(n_members, dtype=np.int64)
        for m in range(n_members):
            mine[m] = offset + weights[2 * k + 1 + p] * sure[q, m]
        for j in range(k):
            row, told = right[near[q, j]], truth[near[q, j]]
            a, b = 10.0 * weights[j], weights[k + j]
            for m in range(n_members):
                mine[m] += a * row[m] + b * told[m]
                count[m] += row[m]
        for j in range(p):
            row, a = right[alike[q, j]], 10.0 * weights[2 * k + 1 + j]
            for m in range(n_members):
                mine[m] += a * row[m]
        for m in range(n_members):
            mine[m] += weights[2 * k] * share[count[m]]
    return found


@parallel()
def mean_near(start, near, pull, table):
    """Weighted mean over the region of ``table`` (n_rows, n_members): (n_queries, n_members)."""
    n, n_members = len(start) - 1, table.shape[1]
    found = np.zeros((n, n_members))
    for q in prange(n):
        mine = found[q]
        total = 0.0
        for k in range(start[q], start[q + 1]):
            row, w = table[near[k]], pull[k]
            total += w
            for m in range(n_members):
                mine[m] += w * row[m]
        for m in range(n_members):
            mine[m] = mine[m] / total if total > 0.0 else np.nan
    return found
