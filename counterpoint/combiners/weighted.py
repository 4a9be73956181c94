"""Weights learnt from what members got right: for votes and for means."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.combiners._base import Combiner, check_n_members
from counterpoint.combiners.simplex import least_quadratic

_VOTE_BY = ("accuracy", "log-odds", "tandem")
_MEAN_BY = ("accuracy", "least-squares", "cross-entropy")
_STEPS = 2000


class WeightedVoteCombiner(Combiner):
    """Vote with weights learnt from the members' errors.

    Parameters
    ----------
    by : {"log-odds", "accuracy", "tandem"}, default="log-odds"
        "log-odds" is log((1 - e) / e) + log(K - 1), best for independent members; members worse
        than chance get none. "accuracy" is 1 - e. "tandem" minimises the second-order bound of
        the vote's error, four times the weighted share of samples that pairs of members have
        wrong together [1]_: it takes into account who fails with whom.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        They add up to 1.

    References
    ----------
    .. [1] A. Masegosa, S. Lorenzen, C. Igel and Y. Seldin, "Second order PAC-Bayesian bounds for
       the weighted majority vote", NeurIPS 2020, theorem 1.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import WeightedVoteCombiner
    >>> outputs = MemberOutputs([[0, 1, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1]], [0, 1, 1, 1])
    >>> WeightedVoteCombiner("accuracy").fit(outputs).weights_.tolist()
    [0.375, 0.375, 0.25]
    """

    needs_truth = True

    def __init__(self, by="log-odds"):
        self.by = by

    def fit(self, outputs):
        """Learn the weights."""
        self.check(outputs)
        outputs.need_truth()
        if self.by not in _VOTE_BY:
            raise ValueError(f"by={self.by!r}: choose {', '.join(_VOTE_BY)}.")
        error, n = outputs.errors, outputs.n_samples
        if self.by == "accuracy":
            raw = 1.0 - error
        elif self.by == "log-odds":
            # As if half a sample more were right, and half a one wrong: no weight is infinite.
            error = (error * n + 0.5) / (n + 1.0)
            raw = np.log((1 - error) / error) + np.log(max(outputs.n_classes - 1, 1))
            raw = np.maximum(raw, 0.0)
        else:
            counts = outputs.counts
            raw = least_quadratic(
                1.0 - (counts.right[:, None] + counts.right - counts.both) / counts.total
            )
        self.weights_ = raw / raw.sum() if raw.sum() > 0 else np.full(len(raw), 1.0 / len(raw))
        return self

    def combine(self, outputs):
        """Return the share of the weighted vote."""
        self.check(outputs)
        check_n_members(outputs, len(self.weights_), type(self).__name__)
        rows = np.arange(outputs.n_samples)
        tally = np.zeros((outputs.n_samples, outputs.n_classes))
        for votes, weight in zip(outputs.votes, self.weights_, strict=True):
            tally[rows, votes] += weight
        return tally


class WeightedMeanCombiner(Combiner):
    """Average probabilities with weights learnt from the members' outputs.

    Parameters
    ----------
    by : {"least-squares", "cross-entropy", "accuracy"}, default="least-squares"
        "least-squares" minimises the squared error of the weighted mean, which is the members'
        mean error less their ambiguity: a member is worth what it adds, not what it is alone.
        "cross-entropy" minimises that of the mean. "accuracy" is 1 less the error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Not negative; they add up to 1.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import WeightedMeanCombiner
    >>> good, bad = [[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.5, 0.5]]
    >>> combiner = WeightedMeanCombiner().fit(MemberOutputs(proba=[good, bad], y=[1, 0]))
    >>> combiner.weights_.round(6).tolist()
    [1.0, 0.0]
    """

    needs_proba = True
    needs_truth = True

    def __init__(self, by="least-squares"):
        self.by = by

    def fit(self, outputs):
        """Learn the weights."""
        self.check(outputs)
        outputs.need_truth()
        if self.by not in _MEAN_BY:
            raise ValueError(f"by={self.by!r}: choose {', '.join(_MEAN_BY)}.")
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else weight
        weight = weight / weight.sum()
        if self.by == "accuracy":
            raw = 1.0 - outputs.errors
        elif self.by == "least-squares":
            truth = np.eye(outputs.n_classes)[outputs.y]
            gap = (outputs.proba - truth) * np.sqrt(weight)[:, None]
            gap = gap.reshape(outputs.n_members, -1)
            raw = least_quadratic(gap @ gap.T)
        else:
            raw = _likeliest(outputs.proba[:, np.arange(outputs.n_samples), outputs.y], weight)
        self.weights_ = raw / raw.sum() if raw.sum() > 0 else np.full(len(raw), 1.0 / len(raw))
        return self

    def combine(self, outputs):
        """Return the weighted mean."""
        self.check(outputs)
        check_n_members(outputs, len(self.weights_), type(self).__name__)
        return np.tensordot(self.weights_, outputs.proba, axes=1)


def _likeliest(truth: NDArray, weight: NDArray) -> NDArray:
    """EM for mixture weights: the mean's likelihood of the truth never falls."""
    share = np.full(len(truth), 1.0 / len(truth))
    truth = np.maximum(truth, 1e-12)
    for _ in range(_STEPS):
        part = share[:, None] * truth
        new = (part / part.sum(axis=0)) @ weight
        if np.abs(new - share).max() < 1e-8:
            break
        share = new
    return share
