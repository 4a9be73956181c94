"""Votes of subsets of members; twins in ``tests/naive/subsets.py``."""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel
from counterpoint._kernels.pairs import _popcount


@parallel()
def right_if_added(tally, y, sign):
    """Whether the vote is right once one vote for each class is added (or taken, sign -1).

    tally (n_samples, n_classes) float64, y (n_samples,) integers; returns
    (n_samples, n_classes) bool. A tied vote goes to the lowest class.
    """
    n, k = tally.shape
    right = np.empty((n, k), dtype=np.bool_)
    for s in prange(n):
        for extra in range(k):
            best, most = 0, -np.inf
            for c in range(k):
                cast = tally[s, c] + (sign if c == extra else 0.0)
                if cast > most:
                    best, most = c, cast
            right[s, extra] = best == y[s]
    return right


@parallel()
def weight_right(votes, right, weight, members):
    """For each of ``members`` the weight of the samples that ``right`` says are won by its vote.

    votes (n_members, n_samples), right (n_samples, n_classes) bool, weight (n_samples,).
    """
    found = np.empty(len(members))
    for k in prange(len(members)):
        m = members[k]
        total = 0.0
        for s in range(votes.shape[1]):
            if right[s, votes[m, s]]:
                total += weight[s]
        found[k] = total
    return found


@parallel()
def count_right(words, right):
    """For each member the number of samples that ``right`` says are won by its vote.

    words (n_classes, n_members, n_words) holds who votes for the class, one bit a sample;
    right (n_classes, n_words) whether a vote for it wins. Both uint64.
    """
    n_classes, n_members, n_words = words.shape
    found = np.zeros(n_members, dtype=np.int64)
    for m in prange(n_members):
        total = np.uint64(0)
        for c in range(n_classes):
            cast, won = words[c, m], right[c]
            for w in range(n_words):
                total += _popcount(cast[w] & won[w])
        found[m] = total
    return found


@parallel()
def best_subset_of_two(right, y, fewest, most, n_fixed):
    """As ``best_subset``, for two classes and samples of equal weight.

    right (n_members, n_samples) is 1 where a member is right, else -1, int8. Twice the margin,
    plus 1 for the class that wins ties and less 1 for the other, is above zero where the vote
    is right: one small number a sample, many of which are added at once. Returns errors as
    counts.
    """
    n_members, n = right.shape
    n_free = n_members - n_fixed
    n_parts = 1 << n_fixed
    errors = np.full(n_parts, n + 1, dtype=np.int64)
    subsets = np.zeros(n_parts, dtype=np.int64)
    for part in prange(n_parts):
        margin = np.empty(n, dtype=np.int8)
        for s in range(n):
            margin[s] = 1 if y[s] == 0 else -1
        chosen, size = np.int64(0), 0
        for m in range(n_fixed):
            if part >> m & 1:
                chosen |= np.int64(1) << m
                size += 1
                own = right[m]
                for s in range(n):
                    margin[s] += np.int8(2) * own[s]
        best, best_size = n + 1, 0
        for step in range(1 << n_free):
            if step:
                bit = 0
                while not step >> bit & 1:
                    bit += 1
                m = n_fixed + bit
                add = np.int8(2 - 4 * (chosen >> m & 1))
                chosen ^= np.int64(1) << m
                size += 1 if add > 0 else -1
                own = right[m]
                for s in range(n):
                    margin[s] += add * own[s]
            if size < fewest or size > most:
                continue
            error = 0
            for s in range(n):
                error += margin[s] < 0
            if error < best or (
                error == best
                and (size < best_size or (size == best_size and chosen < subsets[part]))
            ):
                best, best_size = error, size
                subsets[part] = chosen
        errors[part] = best
    return errors, subsets


@parallel()
def best_subset(votes, y, weight, n_classes, fewest, most, n_fixed):
    """Try all subsets: the one with the least weight of errors of its plain vote.

    votes (n_members, n_samples), y (n_samples,), weight (n_samples,). Only subsets of
    ``fewest`` to ``most`` members count. Returns (error, subset as bits); of equals the smaller
    subset, then the lower number. Threads share the settings of the first ``n_fixed`` members;
    within one, neighbours in Gray's order differ by one member, so that a step costs one pass.
    """
    n_members, n = votes.shape
    n_free = n_members - n_fixed
    n_parts = 1 << n_fixed
    errors = np.full(n_parts, np.inf)
    subsets = np.zeros(n_parts, dtype=np.int64)
    for part in prange(n_parts):
        tally = np.zeros((n, n_classes), dtype=np.int16)
        chosen, size = np.int64(0), 0
        for m in range(n_fixed):
            if part >> m & 1:
                chosen |= np.int64(1) << m
                size += 1
                for s in range(n):
                    tally[s, votes[m, s]] += 1
        best, best_size = np.inf, 0
        for step in range(1 << n_free):
            if step:
                # The lowest bit that is set in the step is the one to flip.
                bit = 0
                while not step >> bit & 1:
                    bit += 1
                m = n_fixed + bit
                add = 1 - 2 * (chosen >> m & 1)
                chosen ^= np.int64(1) << m
                size += add
                for s in range(n):
                    tally[s, votes[m, s]] += add
            if size < fewest or size > most:
                continue
            error = 0.0
            for s in range(n):
                winner = 0
                for c in range(1, n_classes):
                    if tally[s, c] > tally[s, winner]:
                        winner = c
                if winner != y[s]:
                    error += weight[s]
                    if error > best:
                        break
            better = error < best or (
                error == best
                and (size < best_size or (size == best_size and chosen < subsets[part]))
            )
            if better:
                best, best_size = error, size
                subsets[part] = chosen
        errors[part] = best
    return errors, subsets
