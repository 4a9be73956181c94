"""One round of AdaBoost and AdaBoost.NC on votes; twins in ``tests/naive/boosting.py``.

State of the samples: ``weight`` adds up to 1, ``right`` counts the members so far that are right,
``tally`` (n_samples, n_classes) counts their votes (unused for two classes, where ``right`` says
it all), ``score`` holds the weighted votes: (n_samples, 1) for and against the second class, or
(n_samples, n_classes). Sums are taken over blocks of fixed size, so that they are the same at any
thread count.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel
from counterpoint._kernels.parts import part

BLOCK = 4096

# What judge sums up, in this order.
(
    RIGHT,  # weight * penalty of the samples the member has right
    WRONG,  # weight * penalty of the others
    ERROR,  # weight of the others
    PENALTY,  # penalty without its exponent, over samples
    AMBIGUITY,  # signed ambiguity, over samples
    HITS,  # samples the member has right
    BEFORE,  # samples that the vote of the members before has right
    BOTH,  # samples that both have right
    WINS,  # samples that the vote with the member has right
) = range(9)


@part(forceinline=True)
def _wins_two(right, n_members, truth):
    # Two classes: the vote is right when more than half are; a tie goes to class 0.
    return (2 * right > n_members) | ((2 * right == n_members) & (truth == 0))


@part(forceinline=True)
def _wins_many(tally, extra, truth):
    # ``extra`` is one more vote, or -1. The first of the classes with most votes wins.
    best, most = 0, -1
    for c in range(len(tally)):
        cast = tally[c] + (c == extra)
        if cast > most:
            best, most = c, cast
    return best == truth


def judge(votes, y, weight, right, tally, n_before, power):
    """Sum up what a candidate member would do, without counting it in.

    votes, y (n_samples,) class codes; ``n_before`` members are counted in; ``power``
    (2, n_before + 2) float64 holds p ** lambda for the vote lost (row 0) or won (row 1) with k
    members right. Returns (9,) float64, see the names above.
    """
    many, mass = new_kinds(n_before)
    add_kinds(many, mass, *count_kinds(votes, y, weight, right, tally, n_before))
    return sum_kinds(many, mass, power)


def new_kinds(n_before):
    """Return number and weight of the samples of each kind, to begin with: none."""
    n_kinds = 8 * (n_before + 2)
    return np.zeros(n_kinds, dtype=np.int64), np.zeros(n_kinds)


@parallel()
def count_kinds(votes, y, weight, right, tally, n_before):
    """Count the samples of each kind, and add up their weights, block by block.

    Samples alike in (won now, won before, right by the member, members right) count alike, so that
    number and weight of each kind say it all. Returns both, (n_blocks, n_kinds).
    """
    n = len(y)
    n_classes = tally.shape[1]
    n_now = n_before + 1
    size = n_now + 1
    n_blocks = (n + BLOCK - 1) // BLOCK
    n_kinds = 8 * size
    number = np.zeros((n_blocks, n_kinds), dtype=np.int64)
    heavy = np.zeros((n_blocks, n_kinds))
    kind_of = np.empty((n_now, 2, 2) if n_classes == 0 else (0, 2, 2), dtype=np.int32)
    for count in range(len(kind_of)):
        for truth in range(2):
            for hit in range(2):
                won = np.int32(_wins_two(count + hit, n_now, truth))
                before = np.int32(_wins_two(count, n_before, truth) & (n_before > 0))
                kind_of[count, truth, hit] = ((won * 2 + before) * 2 + hit) * size + count + hit
    for block in prange(n_blocks):
        numbers, weights = number[block], heavy[block]
        start, stop = block * BLOCK, min(n, (block + 1) * BLOCK)
        # The kinds first, many at a time; adding up is one after the other.
        kinds = np.empty(BLOCK, dtype=np.int32)
        if n_classes == 0:
            for i in range(start, stop):
                kinds[i - start] = kind_of[right[i], y[i], np.int32(votes[i] == y[i])]
        else:
            for i in range(start, stop):
                hit = np.int32(votes[i] == y[i])
                won = np.int32(_wins_many(tally[i], votes[i], y[i]))
                before = np.int32(_wins_many(tally[i], -1, y[i]) and n_before > 0)
                kinds[i - start] = ((won * 2 + before) * 2 + hit) * size + right[i] + hit
        for i in range(start, stop):
            kind = kinds[i - start]
            numbers[kind] += 1
            weights[kind] += weight[i]
    return number, heavy


@kernel()
def add_kinds(many, mass, number, heavy):
    """Add the kinds of some blocks, in place: blocks come in the order of their samples."""
    for kind in range(len(many)):
        for block in range(len(number)):
            many[kind] += number[block, kind]
            mass[kind] += heavy[block, kind]


@kernel()
def sum_kinds(many, mass, power):
    """Sum up number and weight of each kind, given p ** lambda: what ``judge`` returns."""
    n_now = power.shape[1] - 1
    size = n_now + 1
    sums = np.zeros(9)
    for kind in range(8 * size):
        if many[kind] == 0:
            continue
        won, before, hit = kind // (4 * size), kind // (2 * size) % 2, kind // size % 2
        count = kind % size
        ambiguity = won - count / n_now
        sums[RIGHT if hit else WRONG] += mass[kind] * power[won, count]
        sums[ERROR] += 0.0 if hit else mass[kind]
        sums[PENALTY] += many[kind] * (1.0 - abs(ambiguity))
        sums[AMBIGUITY] += many[kind] * ambiguity
        sums[HITS] += many[kind] * hit
        sums[BEFORE] += many[kind] * before
        sums[BOTH] += many[kind] * (hit and before)
        sums[WINS] += many[kind] * won
    return sums


def new_total(sums, alpha):
    """Z: what the weights add up to once the member that ``judge`` summed up is counted in."""
    return sums[RIGHT] * np.exp(-alpha / 2) + sums[WRONG] * np.exp(alpha / 2)


@parallel()
def count_in(votes, y, weight, right, tally, score, n_before, power, alpha, z):
    """Count a member in, with weight ``alpha``, and reweigh the samples, all in place.

    A sample's weight is multiplied by its p ** lambda and by exp(-alpha / 2) or exp(alpha / 2) as
    the member has it right or wrong, and divided by ``z``, what all then add up to: the sums of
    ``judge`` tell it beforehand (``new_total``), and spare a second pass. Returns how many samples
    the weighted vote now has wrong; its ties go to the first class.
    """
    n = len(y)
    n_classes = tally.shape[1]
    n_now = n_before + 1
    n_blocks = (n + BLOCK - 1) // BLOCK
    size = n_now + 1
    factor = np.empty(4 * size)  # by whether the member is right, the vote, and members right
    place = np.empty((n_now, 2, 2) if n_classes == 0 else (0, 2, 2), dtype=np.int32)
    for count in range(len(place)):
        for truth in range(2):
            for hit in range(2):
                won = np.int32(_wins_two(count + hit, n_now, truth))
                place[count, truth, hit] = (2 * hit + won) * size + count + hit
    for won in range(2):
        for count in range(size):
            factor[won * size + count] = power[won, count] * (np.exp(alpha / 2.0) / z)
            factor[(2 + won) * size + count] = power[won, count] * (np.exp(-alpha / 2.0) / z)
    wrongs = np.zeros(n_blocks, dtype=np.int64)
    for block in prange(n_blocks):
        start, stop = block * BLOCK, min(n, (block + 1) * BLOCK)
        kinds = np.empty(BLOCK, dtype=np.int32)
        wrong = 0
        if n_classes == 0:
            for i in range(start, stop):
                hit = np.int32(votes[i] == y[i])
                kinds[i - start] = place[right[i], y[i], hit]
                right[i] += hit
                score[i, 0] += alpha * (2 * votes[i] - 1)
                wrong += np.int64((score[i, 0] > 0.0) != (y[i] == 1))
        else:
            for i in range(start, stop):
                hit = np.int32(votes[i] == y[i])
                right[i] += hit
                tally[i, votes[i]] += 1
                won = np.int32(_wins_many(tally[i], -1, y[i]))
                kinds[i - start] = (2 * hit + won) * size + right[i]
                score[i, votes[i]] += alpha
                said = 0
                for c in range(1, n_classes):
                    if score[i, c] > score[i, said]:
                        said = c
                wrong += np.int64(said != y[i])
        for i in range(start, stop):
            weight[i] *= factor[kinds[i - start]]
        wrongs[block] = wrong
    return wrongs.sum()
