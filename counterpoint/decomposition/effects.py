"""Zero-one loss of a vote: the effects of bias, variance and diversity (Wood et al. 2023)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import check_sample_weight
from counterpoint.decomposition.inputs import check_truth
from counterpoint.decomposition.parts import Parts
from counterpoint.decomposition.zero_one import label_shares


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EffectParts(Parts):
    """Expected zero-one loss of a vote: what members' bias, variance and diversity do to it.

    Attributes
    ----------
    n_members : int
        Number of members; the diversity effect of one is 0.
    noise : ndarray of shape (n_samples,)
        Error of the best prediction.
    bias_effect, variance_effect : ndarray of shape (n_samples,)
        Averages over the members of James' systematic effect and variance effect.
    diversity_effect : ndarray of shape (n_samples,)
        Mean error of the members less that of the vote. Negative where voting harms.
    error : ndarray of shape (n_samples,)
        Expected zero-one loss of the vote.
    """

    n_members: int
    noise: NDArray
    bias_effect: NDArray
    variance_effect: NDArray
    diversity_effect: NDArray

    identity: ClassVar[str] = "error = noise + bias_effect + variance_effect - diversity_effect"


def zero_one_diversity_effect(
    y: ArrayLike | None,
    labels: ArrayLike,
    *,
    combined: ArrayLike | None = None,
    y_proba: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> EffectParts:
    """Split the expected zero-one loss of a vote into effects on it.

    With ``P`` the true class probabilities, ``b`` the truly most probable class, ``m_i`` the
    most frequent label of member i over the trials, ``l_i`` its label and ``v`` the vote in a
    trial, E the mean over trials, and N members::

        noise            = 1 - P_b
        bias_effect      = 1/N sum_i (P_b - P_(m_i))
        variance_effect  = 1/N sum_i E (P_(m_i) - P_(l_i))
        diversity_effect = E (P_v - 1/N sum_i P_(l_i))

    All but the noise depend on the label: unlike diversity under a Bregman loss, the effect
    may be negative, where a majority is wrong together. Ties, in votes and over trials, go
    to the lowest class.

    Parameters
    ----------
    y, y_proba, classes, sample_weight
        As for :func:`kohavi_wolpert`.
    labels : array-like of shape (n_trials, n_members, n_samples)
        Label of each member after each training.
    combined : array-like of shape (n_trials, n_samples) or None, default=None
        Label of the ensemble in each trial, where it does not take a plain plurality vote
        of its members, as None assumes. The identity holds for any way to combine.

    References
    ----------
    .. [1] D. Wood, T. Mu, A. Webb, H. Reeve, M. Lujan, G. Brown, "A unified theory of
       diversity in ensemble learning", JMLR 24, 2023, section on 0/1 loss.

    Examples
    --------
    Three members, each wrong in another trial: the vote is always right.

    >>> labels = [[["b"], ["a"], ["a"]], [["a"], ["b"], ["a"]], [["a"], ["a"], ["b"]]]
    >>> parts = zero_one_diversity_effect(["a"], labels)
    >>> parts.variance_effect.round(3), parts.diversity_effect.round(3), parts.error
    (array([0.333]), array([0.333]), array([0.]))
    """
    axes = ["n_trials", "n_members", "n_samples"]
    given = np.asarray(labels)
    if combined is not None and given.ndim == 3:
        own = np.asarray(combined)
        expected = (given.shape[0], given.shape[2])
        if own.shape != expected:
            raise ValueError(
                f"combined has shape {own.shape}: expected (n_trials, n_samples) = {expected}, "
                f"to go with labels of shape {given.shape}."
            )
        # as one more member, so that it is read by the same classes
        given = np.concatenate([given, own[:, None]], axis=1)
    codes, P, known = check_truth(y, given, y_proba, classes, axes)
    if combined is not None:
        codes, vote = codes[:, :-1], codes[:, -1]
    else:
        vote = np.array([label_shares(trial, len(known)).argmax(axis=1) for trial in codes])
    n_members, n_samples = codes.shape[1:]
    sample = np.arange(n_samples)
    # one member's modes at a time: shares of (n_samples, n_classes) stay small
    modes = np.array(
        [label_shares(codes[:, i], len(known)).argmax(axis=1) for i in range(n_members)]
    )
    P_best, P_vote = P.max(axis=1), P[sample, vote]
    P_mode, P_label = P[sample, modes], P[sample, codes]
    return EffectParts(
        sample_weight=check_sample_weight(sample_weight, n_samples),
        n_members=n_members,
        noise=1 - P_best,
        bias_effect=(P_best - P_mode).mean(axis=0),
        variance_effect=(P_mode - P_label).mean(axis=(0, 1)),
        diversity_effect=(P_vote - P_label.mean(axis=1)).mean(axis=0),
        error=(1 - P_vote).mean(axis=0),
    )
