"""Competence of members near queries; twins in ``tests/naive/dynamic.py``.

The region of query q is the validation rows ``near[start[q]:start[q + 1]]``, the nearest first,
with weights ``pull`` alike. ``right`` (n_rows, n_members) uint8 says who is right about a row, a
row of it lying together: all members of a row are read at once.
"""

import numpy as np
from numba import njit, prange


@njit(cache=True, parallel=True)
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


@njit(cache=True, parallel=True)
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


@njit(cache=True, parallel=True)
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


@njit(cache=True, parallel=True)
def weighted_vote(votes, weights, n_classes):
    """Sum of the weights of the members that say each class: (n_queries, n_classes)."""
    n, n_members = votes.shape
    tally = np.zeros((n, n_classes))
    for q in prange(n):
        for m in range(n_members):
            tally[q, votes[q, m]] += weights[q, m]
    return tally
