"""Rules that need no training: vote, mean, min, max, median, product and their kin."""

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from counterpoint._arrays import check_member_weight
from counterpoint._ballot import vote_shares, weighted_sum
from counterpoint._outputs import MemberOutputs
from counterpoint.combiners.combiner import (
    AdditiveCombiner,
    Combiner,
    answers,
    as_shares,
    mean_loss,
)

# Probabilities of 0 in products and logarithms: one member's certainty is no veto for ever.
_LEAST = 1e-12
# The mean of a larger power differs from the largest by less than a rounding.
_AS_GOOD_AS_INFINITE = 1e15


class VoteCombiner(AdditiveCombiner):
    """Count votes; weighted, if weights are given.

    Parameters
    ----------
    weights : array-like of shape (n_members,), default=None
        Not negative. None takes the weights of the outputs, and equal ones if they have none.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import VoteCombiner
    >>> outputs = MemberOutputs([["a", "b"], ["a", "b"], ["b", "a"]])
    >>> VoteCombiner([1, 1, 3]).predict(outputs).tolist()
    ['b', 'a']
    """

    def __init__(self, weights: ArrayLike | None = None) -> None:
        self.weights = weights

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the share of the vote each class gets."""
        self.check(outputs)
        if self.weights is None:
            return outputs.tally
        weights = check_member_weight(self.weights, outputs.n_members)
        return vote_shares(outputs.votes, outputs.n_classes, weights)


class MeanCombiner(AdditiveCombiner):
    """Average the probabilities, or the numbers of regressors; weighted, if weights are given.

    Parameters
    ----------
    weights : array-like of shape (n_members,), default=None
        Not negative. None takes the weights of the outputs, and equal ones if they have none.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import MeanCombiner
    >>> MeanCombiner().combine(MemberOutputs(proba=[[[0.2, 0.8]], [[0.6, 0.4]]])).round(3).tolist()
    [[0.4, 0.6]]
    """

    needs_proba = True
    takes_numbers = True

    def __init__(self, weights: ArrayLike | None = None) -> None:
        self.weights = weights

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the weighted mean."""
        self.check(outputs)
        return weighted_sum(self.shares(outputs), answers(outputs))


class _Reduced(Combiner):
    needs_proba = True

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the reduced probabilities."""
        self.check(outputs)
        return self._reduce(answers(outputs), axis=0)


class MinCombiner(_Reduced):
    """Take the least probability that any member gives a class: all must agree."""

    _reduce = staticmethod(np.min)


class MaxCombiner(_Reduced):
    """Take the highest probability that any member gives a class: the surest decides."""

    _reduce = staticmethod(np.max)


class MedianCombiner(_Reduced):
    """Take the median probability, or number: a few wild members do no harm."""

    takes_numbers = True
    _reduce = staticmethod(np.median)


class ProductCombiner(_Reduced):
    """Multiply the probabilities, as independent members ask for.

    Probabilities below 1e-12 count as that.
    """

    @staticmethod
    def _reduce(proba, axis):
        logs = np.log(np.maximum(proba, _LEAST)).sum(axis=axis)
        return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


class GeometricMeanCombiner(Combiner):
    """Average the logarithms of probabilities: the centroid of cross-entropy.

    With this rule the loss of the ensemble is the mean loss of the members less their diversity,
    exactly, when the loss is the Kullback-Leibler divergence [1]_; averaging keeps the bias and
    takes off variance [2]_.

    Parameters
    ----------
    weights : array-like of shape (n_members,), default=None
        Not negative. None takes the weights of the outputs, and equal ones if they have none.

    References
    ----------
    .. [1] D. Wood et al., "A unified theory of diversity in ensemble learning", JMLR 24, 2023.
    .. [2] N. Gupta et al., "Ensembles of classifiers: a bias-variance perspective", TMLR 2022.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import GeometricMeanCombiner
    >>> outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.5, 0.5]]])
    >>> GeometricMeanCombiner().combine(outputs).round(4).tolist()
    [[0.3333, 0.6667]]
    """

    needs_proba = True

    def __init__(self, weights: ArrayLike | None = None) -> None:
        self.weights = weights

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the normalised geometric mean."""
        self.check(outputs)
        logs = np.log(np.maximum(outputs.proba, _LEAST))
        logs = weighted_sum(self.shares(outputs), logs)
        return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


class GeneralizedMeanCombiner(Combiner):
    """Average powers of the probabilities: from the minimum over the mean to the maximum.

    Parameters
    ----------
    power : float or "fit", default="fit"
        1 is the mean, 0 the geometric mean, large the maximum, very negative the minimum. "fit"
        takes, from a grid between -16 and 16, the power with the least cross-entropy on the
        outputs the rule is fitted on.

    Attributes
    ----------
    power_ : float
        The power used.
    losses_ : dict
        For "fit", the cross-entropy at each power tried.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, eq. 2.28.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import GeneralizedMeanCombiner
    >>> outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.6, 0.4]]])
    >>> GeneralizedMeanCombiner(2.0).combine(outputs).round(4).tolist()
    [[0.4472, 0.6325]]
    """

    needs_proba = True
    _GRID = (-16.0, -8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0)

    def __init__(self, power: float | str = "fit") -> None:
        self.power = power

    @property
    def needs_truth(self) -> bool:  # type: ignore[override]
        """Whether fit looks at the truth."""
        return isinstance(self.power, str) and self.power == "fit"

    def _learn(self, outputs):
        if not self.needs_truth:
            self.power_ = self._given()
            return
        self.losses_ = {
            power: mean_loss(as_shares(_power_mean(outputs.proba, power)), outputs, "log-loss")
            for power in self._GRID
        }
        self.power_ = min(self.losses_, key=self.losses_.__getitem__)

    def _given(self):
        if not isinstance(self.power, Real) or self.power != self.power:
            raise ValueError(f"power={self.power!r}: give a number, or 'fit'.")
        return float(self.power)

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the generalised mean."""
        self.check(outputs)
        if self.needs_truth and not hasattr(self, "power_"):
            raise ValueError("power='fit' must be fitted first: call fit(outputs) with the truth.")
        return _power_mean(outputs.proba, self.power_ if self.needs_truth else self._given())


def _power_mean(proba, power):
    if abs(power) > _AS_GOOD_AS_INFINITE:
        return proba.max(axis=0) if power > 0 else proba.min(axis=0)
    logs = np.log(np.maximum(proba, _LEAST))
    if power == 0:
        return np.exp(logs.mean(axis=0))
    return np.exp((logsumexp(power * logs, axis=0) - np.log(len(proba))) / power)
