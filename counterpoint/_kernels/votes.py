"""Counting votes; twins in ``tests/naive/votes.py``."""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import kernel, parallel

# Samples a thread takes at a time: its part of the tally stays in cache while all members vote.
_BLOCK = 4096


@parallel()
def add_votes(tally, votes, weights):
    """Add members' votes to ``tally`` (n_samples, n_classes) float64, in place.

    votes (n_members, n_samples) integers below n_classes; weights (n_members,) float64.
    """
    n_members, n_samples = votes.shape
    for block in prange((n_samples + _BLOCK - 1) // _BLOCK):
        start = block * _BLOCK
        stop = min(n_samples, start + _BLOCK)
        for m in range(n_members):
            weight = weights[m]
            for s in range(start, stop):
                tally[s, votes[m, s]] += weight


@parallel()
def votes_of_leaves(labels, leaf):
    """Return ``labels[leaf]``: the class of the leaf that each sample is in."""
    votes = np.empty(len(leaf), dtype=labels.dtype)
    for s in prange(len(leaf)):
        votes[s] = labels[leaf[s]]
    return votes


@parallel()
def read_tally(tally, y, right, other, winner):
    """Per sample: votes for the truth, for the best other class, and the winning class.

    tally (n_samples, n_classes) float64, y (n_samples,) integers; writes right and other
    (float64) and winner (int64), all (n_samples,). A tie goes to the lowest class.
    """
    n_samples, n_classes = tally.shape
    for s in prange(n_samples):
        best, most, rival = 0, -1.0, 0.0
        for c in range(n_classes):
            cast = tally[s, c]
            if cast > most:
                best, most = c, cast
            if c != y[s] and cast > rival:
                rival = cast
        right[s], other[s], winner[s] = tally[s, y[s]], rival, best


@kernel()
def prefix_histograms(correct, sample_weight):
    """Weight of the samples that k of the first t members have right, for every t and k.

    correct (n_members, n_samples) bool, sample_weight (n_samples,) float64; returns
    (n_members, n_members + 1) float64, row t - 1 for the first t members.
    """
    n_members, n_samples = correct.shape
    histograms = np.zeros((n_members, n_members + 1))
    right = np.zeros(n_samples, dtype=np.int64)
    for m in range(n_members):
        for s in range(n_samples):
            right[s] += correct[m, s]
            histograms[m, right[s]] += sample_weight[s]
    return histograms
