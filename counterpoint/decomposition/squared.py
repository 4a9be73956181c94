"""Squared loss: bias and variance; bias, variance and covariance.

Both are exact identities for any finite set of predictions, with expectations read as means over
the trials given. The ambiguity of one ensemble is in ``bregman``, for squared and other losses.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import check_sample_weight
from counterpoint.decomposition.inputs import check_distances
from counterpoint.decomposition.parts import Parts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiasVarianceParts(Parts):
    """Expected squared error of one model: noise, squared bias and variance.

    Attributes
    ----------
    noise : ndarray of shape (n_samples,)
        Known variance of the target; 0 where it was not given.
    bias : ndarray of shape (n_samples,)
        Squared distance of the mean prediction from the target.
    signed_bias : ndarray of shape (n_samples,)
        Mean prediction less target, for information.
    variance : ndarray of shape (n_samples,)
        Mean squared distance of the predictions from their mean.
    error : ndarray of shape (n_samples,)
        Expected squared error.
    """

    noise: NDArray
    bias: NDArray
    signed_bias: NDArray
    variance: NDArray

    identity: ClassVar[str] = "error = noise + bias + variance"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CovarianceParts(Parts):
    """Expected squared error of an average of members: bias, variance and covariance.

    Attributes
    ----------
    n_members : int
        N in the identity.
    noise : ndarray of shape (n_samples,)
        Known variance of the target; 0 where it was not given.
    bias : ndarray of shape (n_samples,)
        Square of the members' mean bias.
    signed_bias : ndarray of shape (n_samples,)
        The members' mean bias, for information.
    variance : ndarray of shape (n_samples,)
        Mean of the members' variances.
    covariance : ndarray of shape (n_samples,)
        Mean covariance of two different members; NaN for one member, which has none.
    error : ndarray of shape (n_samples,)
        Expected squared error of the average of the members.
    """

    n_members: int
    noise: NDArray
    bias: NDArray
    signed_bias: NDArray
    variance: NDArray
    covariance: NDArray

    identity: ClassVar[str] = "error = noise + bias + variance / N + (1 - 1/N) covariance"

    def terms(self) -> dict[str, NDArray]:
        """Return the signed terms of the identity, per sample."""
        n = self.n_members
        # a lone member's covariance is undefined, but its weight in the sum is zero
        covariance = self.covariance * (1 - 1 / n) if n > 1 else np.zeros_like(self.error)
        return {
            "noise": self.noise,
            "bias": self.bias,
            "variance": self.variance / n,
            "covariance": covariance,
        }


def bias_variance(
    y: ArrayLike,
    predictions: ArrayLike,
    *,
    noise: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> BiasVarianceParts:
    """Split the expected squared error of a model into squared bias and variance.

    Expectations are means over the trials, so variances divide by ``n_trials``: the
    identity is then exact for any number of trials. One trial has variance 0.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets; their expected values where ``noise`` is given.
    predictions : array-like of shape (n_trials, n_samples)
        What the model predicted after training on each of several training sets.
    noise : float, array-like of shape (n_samples,) or None, default=None
        Variance of the targets, where known. None counts it as none: with single noisy
        targets, their noise is then inside the bias.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the samples in the averages.

    References
    ----------
    .. [1] S. Geman, E. Bienenstock, R. Doursat, "Neural networks and the bias/variance
       dilemma", Neural Computation 4(1), 1992.

    Examples
    --------
    >>> parts = bias_variance([1.0], [[1.0], [3.0]])
    >>> parts.bias, parts.variance, parts.error
    (array([1.]), array([1.]), array([2.]))
    """
    away, known_noise = check_distances(y, predictions, ["n_trials", "n_samples"], noise)
    bias = away.mean(axis=0)
    return BiasVarianceParts(
        sample_weight=check_sample_weight(sample_weight, len(known_noise)),
        noise=known_noise,
        bias=bias**2,
        signed_bias=bias,
        variance=((away - bias) ** 2).mean(axis=0),
        error=(away**2).mean(axis=0) + known_noise,
    )


def bias_variance_covariance(
    y: ArrayLike,
    predictions: ArrayLike,
    *,
    noise: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> CovarianceParts:
    """Split the expected squared error of an averaging ensemble into three.

    With N members, means over the trials for expectations, and averages over members::

        error = bias^2 + variance / N + (1 - 1/N) covariance

    One member has no covariance: it is NaN, and counts nothing in the sum.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets; their expected values where ``noise`` is given.
    predictions : array-like of shape (n_trials, n_members, n_samples)
        What each member predicted after each training; member i of one trial is the
        counterpart of member i of another.
    noise, sample_weight
        As for :func:`bias_variance`.

    References
    ----------
    .. [1] N. Ueda, R. Nakano, "Generalization error of ensemble estimators", ICNN 1996.

    Examples
    --------
    Two members that err against each other: their average never errs.

    >>> parts = bias_variance_covariance([0.0], [[[1.0], [-1.0]], [[-1.0], [1.0]]])
    >>> parts.variance, parts.covariance, parts.error
    (array([1.]), array([-1.]), array([0.]))
    """
    axes = ["n_trials", "n_members", "n_samples"]
    away, known_noise = check_distances(y, predictions, axes, noise)
    n_members = away.shape[1]
    member_bias = away.mean(axis=0)
    deviation = away - member_bias
    member_variance = (deviation**2).mean(axis=0)
    covariance = np.full(len(known_noise), np.nan)
    if n_members > 1:
        # the square of the sum holds every ordered pair once, and every member with itself
        with_itself = member_variance.sum(axis=0)
        pairs = (deviation.sum(axis=1) ** 2).mean(axis=0) - with_itself
        covariance = pairs / (n_members * (n_members - 1))
    bias = member_bias.mean(axis=0)
    return CovarianceParts(
        sample_weight=check_sample_weight(sample_weight, len(known_noise)),
        n_members=n_members,
        noise=known_noise,
        bias=bias**2,
        signed_bias=bias,
        variance=member_variance.mean(axis=0),
        covariance=covariance,
        error=(away.mean(axis=1) ** 2).mean(axis=0) + known_noise,
    )
