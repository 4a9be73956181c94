"""Votes with weights: sums that no order of the members changes, and ties that stay ties.

Weights of 0.1 add up to a little more or less, by the order in which they come: three of six such
members would win or lose by rounding. So weights are first cut to whole numbers of a unit in which
all sums are exact, and shares of the vote that lie within ``TIE`` of the largest count as equal to
it. Everything that counts weighted votes of ``MemberOutputs`` counts them here.
"""

import numpy as np

from counterpoint._kernels import votes as _votes
from counterpoint._kernels.threads import threads_for

# Weights that are fractions, such as 1/6 + 1/3 and 1/2, miss a tie by their own rounding.
TIE = 1e-12


def exact_weights(weights):
    """Return weights whose sums are exact: whole numbers of a 2**-52th of their total.

    Whole numbers, halves and the like stay what they are.
    """
    unit = np.ldexp(1.0, int(np.frexp(weights.sum())[1]) - 52)
    return np.rint(weights / unit) * unit


def even(shares, tie=TIE):
    """Return shares (..., n_classes) with those that tie with the largest made equal to it."""
    top = shares.max(axis=-1, keepdims=True)
    return np.where(shares >= top - tie, top, shares)


def add_votes(tally, votes, say):
    """Add the votes (n_members, n_samples) of members to a tally (n_samples, n_classes)."""
    with threads_for(votes.size):
        _votes.add_votes(tally, votes, say)


def vote_shares(votes, n_classes, weights=None):
    """Return the share of the vote that each class gets, (n_samples, n_classes)."""
    say = np.ones(len(votes)) if weights is None else exact_weights(weights)
    tally = np.zeros((votes.shape[1], n_classes))
    add_votes(tally, votes, say)
    return even_if(tally / say.sum(), weights)


def right_shares(correct, weights=None):
    """Return the share of the vote that is right, (n_samples,): 1/2 where it is a tie."""
    say = np.ones(len(correct)) if weights is None else exact_weights(weights)
    return half_if(say @ correct / say.sum(), weights)


def weighted_sum(weights, values):
    """Return the sum of weights times values (n_members, n_samples, ...) over members.

    One member after the other: a matrix product adds up in another order for one sample than for
    many, and what a sample gets must not depend on the others.
    """
    total = weights[0] * values[0]
    for weight, own in zip(weights[1:], values[1:], strict=True):
        total += weight * own
    return total


def member_mean(values, weights=None):
    """Return the mean of values (n_members, n_samples, ...) over members, each sample by itself."""
    # In the type of the values: single precision stays what it is.
    kind = np.result_type(values, np.float32) if values.dtype.kind == "f" else np.float64
    weights = np.ones(len(values)) if weights is None else np.asarray(weights)
    return weighted_sum(weights.astype(kind), values) / weights.sum(dtype=kind)


def even_if(shares, weights):
    """Return shares that are even where they tie; sums of whole votes are exact as they are."""
    return shares if weights is None else even(shares)


def half_if(right, weights):
    """Return shares of right votes, 1/2 where they tie."""
    return right if weights is None else np.where(np.abs(right - 0.5) <= TIE, 0.5, right)
