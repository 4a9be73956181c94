"""Weights learnt from what members got right: for votes and for means."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from counterpoint._ballot import vote_shares, weighted_sum
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_choice
from counterpoint.combiners.combiner import (
    AdditiveCombiner,
    Combiner,
    answers,
    mean_loss,
    normalise,
)
from counterpoint.combiners.simplex import least_quadratic

_MEANS = ("accuracy", "least-squares", "cross-entropy", "best", "best-third")
_STEPS = 2000
# Below this a probability of the truth counts as this in the log-loss of a member.
_LEAST = 1e-6


class _LearntWeights(AdditiveCombiner):
    """A weighted sum of members, the weights learnt by ``_raw_weights``."""

    needs_truth = True

    def _learn(self, outputs):
        self.estimator_weights_ = self._weigh(outputs)

    def _weigh(self, outputs):
        return normalise(self._raw_weights(outputs))

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the weighted sum."""
        self.check(outputs)
        self.check_n_members(outputs, len(self.estimator_weights_))
        return self._sum(outputs)

    def keep(self, members: Any, outputs: MemberOutputs) -> "Combiner":
        """Return the rule for some of the members; their weights keep their proportions."""
        rule = clone(self)
        rule.estimator_weights_ = normalise(self.estimator_weights_[members])
        return rule


class WeightedVoteCombiner(_LearntWeights):
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
    estimator_weights_ : ndarray of shape (n_members,)
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
    >>> WeightedVoteCombiner("accuracy").fit(outputs).estimator_weights_.tolist()
    [0.375, 0.375, 0.25]
    """

    def __init__(self, by: str = "log-odds") -> None:
        self.by = by

    def _raw_weights(self, outputs):
        check_choice(self.by, "by", ("accuracy", "log-odds", "tandem"))
        if self.by == "tandem":
            counts = outputs.counts
            return least_quadratic(
                1.0 - (counts.right[:, None] + counts.right - counts.both) / counts.total
            )
        if self.by == "accuracy":
            return 1.0 - outputs.errors
        # As if half a sample more were right, and half a one wrong: no weight is infinite.
        error = (outputs.errors * outputs.n_samples + 0.5) / (outputs.n_samples + 1.0)
        raw = np.log((1 - error) / error) + np.log(max(outputs.n_classes - 1, 1))
        return np.maximum(raw, 0.0)

    def _sum(self, outputs):
        return vote_shares(outputs.votes, outputs.n_classes, self.estimator_weights_)


class WeightedMeanCombiner(_LearntWeights):
    """Average probabilities, or numbers of regressors, with weights learnt from the outputs.

    Parameters
    ----------
    by : str, default="least-squares"
        "least-squares" minimises the squared error of the weighted mean, which is the members'
        mean error less their ambiguity [1]_: a member is worth what it adds, not what it is
        alone. "cross-entropy" minimises that of the mean. "accuracy" is 1 less the error. "best"
        takes the member with the least log-loss alone, "best-third" the third of the members
        with the least, all the same. For numbers there are "least-squares", and "best" and
        "best-third" by the squared error.

    Attributes
    ----------
    estimator_weights_ : ndarray of shape (n_members,)
        Not negative; they add up to 1.

    References
    ----------
    .. [1] A. Krogh and J. Vedelsby, "Neural network ensembles, cross validation, and active
       learning", NIPS 1994.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import WeightedMeanCombiner
    >>> good, bad = [[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.5, 0.5]]
    >>> combiner = WeightedMeanCombiner().fit(MemberOutputs(proba=[good, bad], y=[1, 0]))
    >>> combiner.estimator_weights_.round(6).tolist()
    [1.0, 0.0]
    """

    needs_proba = True
    takes_numbers = True

    def __init__(self, by: str = "least-squares") -> None:
        self.by = by

    def _raw_weights(self, outputs):
        check_choice(self.by, "by", _MEANS)
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else weight
        weight = weight / weight.sum()
        if isinstance(outputs, MemberPredictions):
            check_choice(self.by, "by", ("least-squares", "best", "best-third"))
            if self.by != "least-squares":
                return self._best(outputs.errors)
            gap = (outputs.values - outputs.y) * np.sqrt(weight)
            return least_quadratic(gap @ gap.T)
        if self.by == "accuracy":
            return 1.0 - outputs.errors
        if self.by == "least-squares":
            truth = np.eye(outputs.n_classes)[outputs.y]
            gap = (outputs.proba - truth) * np.sqrt(weight)[:, None]
            gap = gap.reshape(outputs.n_members, -1)
            return least_quadratic(gap @ gap.T)
        if self.by == "cross-entropy":
            return _likeliest(outputs.proba[:, np.arange(outputs.n_samples), outputs.y], weight)
        return self._best([mean_loss(own, outputs, "log-loss", _LEAST) for own in outputs.proba])

    def _best(self, loss):
        n_best = 1 if self.by == "best" else -(-len(loss) // 3)
        best = np.argsort(loss, kind="stable")[:n_best]
        return np.isin(np.arange(len(loss)), best).astype(float)

    def _sum(self, outputs):
        return weighted_sum(self.estimator_weights_, answers(outputs))


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
