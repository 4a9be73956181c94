"""Any Bregman loss: bias, variance and diversity; the ambiguity of one trained ensemble.

Wood et al. (JMLR 2023), who say what takes the place of Krogh and Vedelsby's ambiguity beyond
squared loss.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import check_member_weight, check_sample_weight
from counterpoint.decomposition.inputs import check_noise
from counterpoint.decomposition.losses import DEFAULT_EPS, BregmanLoss, get_loss
from counterpoint.decomposition.parts import Parts

# parts of a sample need only that sample: taken in slices, temporary arrays stay small
_VALUES_AT_ONCE = 2**21


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AmbiguityParts(Parts):
    """Error of one trained ensemble: its members' mean error less their ambiguity.

    Attributes
    ----------
    member_error : ndarray of shape (n_samples,)
        Weighted mean of the members' own losses.
    ambiguity : ndarray of shape (n_samples,)
        Weighted mean divergence of the members from the ensemble; never negative.
    error : ndarray of shape (n_samples,)
        Loss of the ensemble.
    """

    member_error: NDArray
    ambiguity: NDArray

    identity: ClassVar[str] = "error = member_error - ambiguity"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DiversityParts(Parts):
    """Expected loss of an ensemble: noise, members' bias and variance, and diversity.

    Attributes
    ----------
    loss : str
        Name of the loss.
    n_members : int
        Number of members; the diversity of one is 0.
    noise : ndarray of shape (n_samples,)
        Expected loss of the best prediction; 0 where it is not known.
    bias, variance : ndarray of shape (n_samples,)
        Averages over the members.
    diversity : ndarray of shape (n_samples,)
        Expected divergence of the members from their centroid; never negative.
    error : ndarray of shape (n_samples,)
        Expected loss of the centroid of the members.
    """

    loss: str
    n_members: int
    noise: NDArray
    bias: NDArray
    variance: NDArray
    diversity: NDArray

    identity: ClassVar[str] = "error = noise + bias + variance - diversity"


def bias_variance_diversity(
    y: ArrayLike,
    outputs: ArrayLike,
    *,
    loss: str | BregmanLoss = "squared",
    noise: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    eps: float = DEFAULT_EPS,
    sample_weight: ArrayLike | None = None,
) -> DiversityParts:
    """Split the expected loss of an ensemble into bias, variance and diversity.

    With ``B`` the loss, ``q_i`` member i, ``c_i`` its centroid over the trials, ``c`` the
    centroid of the members within a trial, E the mean over trials, and N members::

        E B(y, c) = 1/N sum_i B(y, c_i) + 1/N sum_i E B(c_i, q_i) - 1/N sum_i E B(c, q_i)
         error    =        bias         +        variance         -      diversity

    It is exact for any finite set of outputs. It holds for the :func:`centroid` of the
    members, which is not how most libraries combine: a forest takes the arithmetic mean
    of probabilities, where cross-entropy asks for the geometric one.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_classes)
        Targets. For cross-entropy, labels or true class probabilities; for logistic loss,
        0 and 1 or true probabilities of 1. From probabilities the noise follows: it is
        their entropy.
    outputs : array-like of shape (n_trials, n_members, n_samples[, n_classes])
        What each member said after each training. With classes for cross-entropy and other
        vector losses; for logistic loss, the probabilities of 1.
    loss : {"squared", "cross-entropy", "poisson", "logistic"} or BregmanLoss, \
default="squared"
        ``(y - q)^2``; ``-log q_y`` in nats; ``y log(y/q) - y + q``, half the Poisson deviance;
        and ``-log`` of the probability given to the outcome, in nats.
    noise : float, array-like of shape (n_samples,) or None, default=None
        Expected loss of the best prediction, where known; ``y`` is then the expected target.
    classes : array-like of shape (n_classes,) or None, default=None
        Labels of the last axis, where ``y`` holds labels; None means 0, 1, ...
    eps : float, default=1e-12
        Outputs on the edge of the domain, such as zero probabilities, are moved inside by
        this much (and probabilities made to add up to one again). It bounds the loss of a
        single output, at 27.6 nats by default. What a zero costs is up to this choice, so
        choose it with thought where members give zeros often, as full-grown trees do.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the samples in the averages.

    References
    ----------
    .. [1] D. Wood, T. Mu, A. Webb, H. Reeve, M. Lujan, G. Brown, "A unified theory of
       diversity in ensemble learning", JMLR 24, 2023.
    .. [2] T. Heskes, "Bias-variance decompositions: the exclusive privilege of Bregman
       divergences", arXiv:2501.18581, 2025.

    Examples
    --------
    Two trials of two members at one sample; the second member varies:

    >>> parts = bias_variance_diversity([0.0], [[[0.0], [2.0]], [[0.0], [0.0]]])
    >>> parts.bias, parts.variance, parts.diversity, parts.error
    (array([0.5]), array([0.5]), array([0.5]), array([0.5]))
    """
    bregman = get_loss(loss)
    axes = ["n_trials", "n_members", "n_samples", "n_classes"][: 3 + bregman.vector]
    values = bregman.check_outputs(outputs, axes, eps)
    target = bregman.check_target(y, values, axes, classes)
    n_trials, n_members, n_samples = values.shape[:3]
    known_noise = bregman.noise(target) if noise is None else check_noise(noise, n_samples)
    bias, variance, diversity, loss_of_centroid = (np.empty(n_samples) for _ in range(4))
    step = max(1, _VALUES_AT_ONCE * n_samples // values.size)
    for start in range(0, n_samples, step):
        at = slice(start, start + step)
        here, theta = _coordinates(bregman, target[at], values[:, :, at])
        over_trials = bregman.centre(theta, axis=0)
        over_members = bregman.centre(theta, axis=1)
        bias[at] = bregman.from_target(here, over_trials).mean(axis=0)
        variance[at] = _spread(bregman, over_trials, theta, n_trials).mean(axis=(0, 1))
        diversity[at] = _spread(bregman, over_members[:, None], theta, n_members).mean(axis=(0, 1))
        loss_of_centroid[at] = bregman.from_target(here, over_members).mean(axis=0)
    return DiversityParts(
        sample_weight=check_sample_weight(sample_weight, n_samples),
        loss=bregman.name,
        n_members=n_members,
        noise=known_noise,
        bias=bias,
        variance=variance,
        diversity=diversity,
        error=loss_of_centroid + known_noise,
    )


def ambiguity_decomposition(
    y: ArrayLike,
    outputs: ArrayLike,
    *,
    loss: str | BregmanLoss = "squared",
    weights: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    eps: float = DEFAULT_EPS,
    sample_weight: ArrayLike | None = None,
) -> AmbiguityParts:
    """Split the loss of one trained ensemble into its members' mean loss and ambiguity.

    With ``c`` the centroid of the members ``q_i``, their weighted mean for squared loss, at
    every sample::

        B(y, c) = sum_i w_i B(y, q_i) - sum_i w_i B(c, q_i)

    so an ensemble is never worse than its average member, and better by their spread. The mean
    over the trials of :func:`bias_variance_diversity` is the diversity. What zero-one loss has
    instead is :func:`counterpoint.diversity.ambiguity`.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_classes)
        Targets, as for :func:`bias_variance_diversity`. Against true probabilities, losses
        are told in excess of the noise.
    outputs : array-like of shape (n_members, n_samples[, n_classes])
        What each member said.
    weights : array-like of shape (n_members,) or None, default=None
        Non-negative weights of the members, scaled to add up to one. None means equal.
    loss, classes, eps, sample_weight
        As for :func:`bias_variance_diversity`.

    References
    ----------
    .. [1] A. Krogh, J. Vedelsby, "Neural network ensembles, cross validation, and active
       learning", NIPS 1994, for squared loss.
    .. [2] D. Wood et al., "A unified theory of diversity in ensemble learning", JMLR 24, 2023.

    Examples
    --------
    >>> parts = ambiguity_decomposition([1.0, 2.0], [[0.0, 2.0], [2.0, 4.0]])
    >>> parts.error, parts.member_error, parts.ambiguity
    (array([0., 1.]), array([1., 2.]), array([1., 1.]))
    """
    bregman = get_loss(loss)
    axes = ["n_members", "n_samples", "n_classes"][: 2 + bregman.vector]
    values = bregman.check_outputs(outputs, axes, eps)
    target = bregman.check_target(y, values, axes, classes)
    share = check_member_weight(weights, len(values))
    target, theta = _coordinates(bregman, target, values)
    centre = bregman.centre(theta, axis=0, weights=share)
    return AmbiguityParts(
        sample_weight=check_sample_weight(sample_weight, len(target)),
        member_error=np.average(bregman.from_target(target, theta), axis=0, weights=share),
        ambiguity=np.average(_spread(bregman, centre, theta, len(values)), axis=0, weights=share),
        error=bregman.from_target(target, centre),
    )


def _coordinates(loss: BregmanLoss, target: NDArray, values: NDArray) -> tuple[NDArray, NDArray]:
    """Return the target and the outputs' coordinates, from the target where the loss allows."""
    if loss.shifts:
        values, target = values - target, np.zeros_like(target)
    return target, loss.gradient(values)


def _spread(loss: BregmanLoss, centre: NDArray, theta: NDArray, n: int) -> NDArray:
    """Return the divergences of ``n`` outputs from their centroid.

    Rounding may leave one a hair below zero, or a lone output a hair from itself.
    """
    away = loss.from_centre(centre, theta)
    return np.maximum(away, 0) if n > 1 else np.zeros_like(away)
