"""The spectral meta-learner: who is better, read from the covariance of votes alone.

Where members err independently given the truth, the covariance of votes of plus and minus one has
rank one off its diagonal, and the entries of its leading eigenvector are proportional to the
members' balanced accuracies less a half [1]_, lemma 1. Their weighted vote is close to the most
likely truth. More than two classes are taken one against the rest.

References
----------
.. [1] F. Parisi, F. Strino, B. Nadler and Y. Kluger, "Ranking and combining multiple predictors
   without labeled data", PNAS 111, 2014.
"""

import numpy as np
from numpy.typing import NDArray

from counterpoint.trust.votes import VoteLog

_STEPS = 2000
MOST_CELLS = 100_000_000  # of members times samples


def spectral_weights(log: VoteLog, k: int) -> NDArray:
    """Return the weight of each member's vote on class k against the rest.

    In the units of the covariance: for two classes of share p and members with balanced accuracy b
    it is ``(2 b - 1) sqrt(4 p (1 - p))``. A negative one is of a member that is worse than chance.
    """
    covariance, shared = vote_covariance(log, k)
    if log.n_members < 3:
        return np.ones(log.n_members)
    known = shared > 1
    np.fill_diagonal(known, False)
    return rank_one(np.where(known, covariance, 0.0), known.astype(float))


def rank_one(matrix: NDArray, weight: NDArray) -> NDArray:
    """Return v that makes ``v v'`` close to a symmetric matrix where ``weight`` is not 0.

    Alternating least squares, each entry in turn by the others, damped; the sign makes the sum
    positive. The diagonal of ``weight`` is 0: how a member agrees with itself says nothing.
    """
    v = np.full(len(matrix), np.sqrt(max(float(np.abs(matrix).max()), 1e-300)))
    for _ in range(_STEPS):
        below = weight @ v**2
        new = np.where(below > 0, (weight * matrix) @ v / np.where(below > 0, below, 1), 0.0)
        new = (v + new) / 2
        if np.abs(new - v).max() <= 1e-12 * max(float(np.abs(v).max()), 1e-300):
            v = new
            break
        v = new
    return -v if v.sum() < 0 else v


def vote_covariance(log: VoteLog, k: int) -> tuple[NDArray, NDArray]:
    """Return the covariance of votes for class k, +1 or -1, and on how many samples both voted."""
    if log.n_members * log.n_samples > MOST_CELLS:
        raise ValueError(
            f"{log.n_members} members and {log.n_samples} samples are too many for a covariance of "
            "all pairs: take another method."
        )
    votes, weight = log.array(), log.weight()
    cast = (votes >= 0).astype(float)
    sign = np.where(votes == k, 1.0, -1.0) * cast
    share = cast * weight
    shared = share @ cast.T
    some = np.where(shared > 0, shared, 1.0)
    product = (sign * weight) @ sign.T / some
    mean = (sign * weight) @ cast.T / some  # of i, where both voted
    return product - mean * mean.T, cast @ cast.T


def spectral_shares(log: VoteLog) -> tuple[NDArray, NDArray]:
    """Return shares of the weighted vote (n_samples, n_classes), and weights of the last class."""
    n_classes = log.n_classes
    score = np.empty((log.n_samples, n_classes))
    weights = np.ones(log.n_members)
    for k in range(n_classes):
        # Of two classes, each is the rest of the other: the weights are the same.
        if k == 0 or n_classes > 2:
            weights = spectral_weights(log, k)
        signed = np.where(log.label == k, 1.0, -1.0) * weights[log.member]
        at = log.sample
        size = np.bincount(at, weights=np.abs(weights)[log.member], minlength=log.n_samples)
        cast = np.bincount(at, weights=signed, minlength=log.n_samples)
        score[:, k] = np.where(size > 0, cast / np.where(size > 0, size, 1), 0.0)
    share = (1 + score) / 2
    total = share.sum(axis=1, keepdims=True)
    return np.where(total > 0, share / np.where(total > 0, total, 1), 1 / n_classes), weights
