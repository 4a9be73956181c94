"""Zero-one loss: the definitions of Kohavi & Wolpert, Breiman, James, and Domingos.

No clean decomposition of zero-one loss exists (Heskes 2025), so these are four named
conventions, which split the same expected error in four ways. All of them add up exactly. M.
Eastwood sets them side by side in "Building well-performing classifier ensembles" (PhD thesis,
Bournemouth University, 2010), section 2.1.2.

Notation: ``P`` (n_samples, n_classes) are the true class probabilities and ``Q`` the shares of
the trials that predicted each class. The labels are drawn apart from the training sets, so
the expected error is ``1 - sum_k P_k Q_k``. ``argmax`` takes the first of equals:
a tie goes to the lowest class.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import check_sample_weight
from counterpoint._validation import check_flag
from counterpoint.decomposition.inputs import check_truth
from counterpoint.decomposition.parts import Parts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class KohaviWolpertParts(Parts):
    """Kohavi and Wolpert's noise, squared bias and variance.

    Attributes
    ----------
    noise, bias, variance : ndarray of shape (n_samples,)
        As defined in :func:`kohavi_wolpert`.
    error : ndarray of shape (n_samples,)
        Expected zero-one loss.
    """

    noise: NDArray
    bias: NDArray
    variance: NDArray

    identity: ClassVar[str] = "error = noise + bias + variance"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BreimanParts(KohaviWolpertParts):
    """Breiman's noise, bias and spread.

    Attributes
    ----------
    noise, bias, variance : ndarray of shape (n_samples,)
        As defined in :func:`breiman`; ``variance`` is what he calls spread.
    error : ndarray of shape (n_samples,)
        Expected zero-one loss.
    """


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JamesParts(Parts):
    """James' bias and variance, and what they do to the error.

    Attributes
    ----------
    noise : ndarray of shape (n_samples,)
        Error of the best prediction.
    bias, variance : ndarray of shape (n_samples,)
        What the classifier is like; they do not enter the sum.
    systematic_effect, variance_effect : ndarray of shape (n_samples,)
        SE and VE: what its bias and variance cost. The variance effect is negative where
        variation does the classifier good.
    error : ndarray of shape (n_samples,)
        Expected zero-one loss.
    """

    noise: NDArray
    bias: NDArray
    variance: NDArray
    systematic_effect: NDArray
    variance_effect: NDArray

    identity: ClassVar[str] = "error = noise + systematic_effect + variance_effect"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DomingosParts(Parts):
    """Domingos' noise, bias and variance, their coefficients, and the margin.

    Attributes
    ----------
    noise, bias, variance : ndarray of shape (n_samples,)
        As defined in :func:`domingos`.
    alpha1, alpha2 : ndarray of shape (n_samples,)
        Coefficients of noise and variance.
    margin : ndarray of shape (n_samples,)
        Share of trials for the best class less the largest share of another.
    error : ndarray of shape (n_samples,)
        Expected zero-one loss.
    """

    noise: NDArray
    bias: NDArray
    variance: NDArray
    alpha1: NDArray
    alpha2: NDArray
    margin: NDArray

    identity: ClassVar[str] = "error = alpha1 * noise + bias + alpha2 * variance"

    def terms(self) -> dict[str, NDArray]:
        """Return the signed terms of the identity, per sample."""
        return {
            "noise": self.alpha1 * self.noise,
            "bias": self.bias,
            "variance": self.alpha2 * self.variance,
        }

    @property
    def unbiased_variance(self) -> NDArray:
        """Variance where the main prediction is right: it adds to the error."""
        return np.where(self.bias == 0, self.variance, 0.0)

    @property
    def biased_variance(self) -> NDArray:
        """What variance takes off the error where the main prediction is wrong."""
        return np.where(self.bias == 0, 0.0, -self.alpha2 * self.variance)


def kohavi_wolpert(
    y: ArrayLike | None,
    labels: ArrayLike,
    *,
    y_proba: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    unbiased: bool = False,
    sample_weight: ArrayLike | None = None,
) -> KohaviWolpertParts:
    """Split expected zero-one loss as Kohavi and Wolpert do.

    At every sample, and with an exact sum::

        bias     = 1/2 sum_k (P_k - Q_k)^2
        variance = 1/2 (1 - sum_k Q_k^2)
        noise    = 1/2 (1 - sum_k P_k^2)

    Bias and variance move smoothly with the data and are never negative, but the bias of
    the best classifier need not be 0.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or None
        True labels; the noise is then 0. None when ``y_proba`` is given.
    labels : array-like of shape (n_trials, n_samples)
        Labels predicted after training on each of several training sets.
    y_proba : array-like of shape (n_samples, n_classes) or None, default=None
        True class probabilities, where known, in place of ``y``.
    classes : array-like of shape (n_classes,) or None, default=None
        All labels, in the order of the columns of ``y_proba``. None means all labels seen,
        sorted, or 0, 1, ... with ``y_proba``.
    unbiased : bool, default=False
        Correct for the finite number of trials. The plain bias is too large by the variance
        of ``Q``; this moves ``1/2 sum_k Q_k (1 - Q_k) / (n_trials - 1)`` from bias to
        variance at every sample. The sum stays exact, but a sample's bias may then fall
        below 0. Needs two trials.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the samples in the averages.

    References
    ----------
    .. [1] R. Kohavi, D. Wolpert, "Bias plus variance decomposition for zero-one loss
       functions", ICML 1996.

    Examples
    --------
    >>> parts = kohavi_wolpert(["a"], [["a"], ["a"], ["a"], ["b"]])
    >>> parts.bias, parts.variance, parts.error
    (array([0.0625]), array([0.1875]), array([0.25]))
    """
    check_flag(unbiased, "unbiased")
    P, Q, n_trials, shared = _shares(y, labels, y_proba, classes, sample_weight)
    # Q (1 - Q) summed, not 1 less a sum: small variances keep their digits
    bias, variance = ((P - Q) ** 2).sum(axis=1) / 2, (Q * (1 - Q)).sum(axis=1) / 2
    if unbiased:
        if n_trials < 2:
            raise ValueError(
                "unbiased=True needs at least 2 trials, but labels has 1: train more often, "
                "or leave the correction out."
            )
        moved = variance / (n_trials - 1)
        bias, variance = bias - moved, variance + moved
    return KohaviWolpertParts(
        noise=(P * (1 - P)).sum(axis=1) / 2,
        bias=bias,
        variance=variance,
        **shared,
    )


def breiman(
    y: ArrayLike | None,
    labels: ArrayLike,
    *,
    y_proba: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> BreimanParts:
    """Split expected zero-one loss as Breiman does.

    With ``b`` the truly most probable class and ``m`` the most frequent prediction::

        bias     = (P_b - P_m) Q_m
        variance = sum over k != m of (P_b - P_k) Q_k
        noise    = 1 - P_b

    The best classifier has no bias. A small change of the data that changes ``m`` may
    change bias and variance a lot. Ties for ``b`` and ``m`` go to the lowest class.

    Parameters
    ----------
    y, labels, y_proba, classes, sample_weight
        As for :func:`kohavi_wolpert`.

    Notes
    -----
    Eastwood says that this variance may be negative. As the formulas stand it is not: no
    ``P_k`` is above ``P_b``.

    References
    ----------
    .. [1] L. Breiman, "Arcing classifiers", Annals of Statistics 26(3), 1998.

    Examples
    --------
    >>> parts = breiman(["a"], [["b"], ["b"], ["b"], ["a"]])
    >>> parts.bias, parts.variance, parts.error
    (array([0.75]), array([0.]), array([0.75]))
    """
    P, Q, _, shared = _shares(y, labels, y_proba, classes, sample_weight)
    best, main = P.argmax(axis=1), Q.argmax(axis=1)
    excess = (_pick(P, best)[:, None] - P) * Q
    bias = _pick(excess, main)
    np.put_along_axis(excess, main[:, None], 0.0, axis=1)
    return BreimanParts(
        noise=1 - _pick(P, best),
        bias=bias,
        variance=excess.sum(axis=1),
        **shared,
    )


def james(
    y: ArrayLike | None,
    labels: ArrayLike,
    *,
    y_proba: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> JamesParts:
    """Split expected zero-one loss as James does: what it is, and what it costs.

    With ``b`` the truly most probable class and ``m`` the most frequent prediction::

        bias     = [b != m]               systematic_effect = P_b - P_m
        variance = 1 - Q_m                variance_effect   = sum_k Q_k (P_m - P_k)
        noise    = 1 - P_b

    The error is noise plus the two effects. Ties for ``b`` and ``m`` go to the lowest class.

    Parameters
    ----------
    y, labels, y_proba, classes, sample_weight
        As for :func:`kohavi_wolpert`.

    References
    ----------
    .. [1] G. James, "Variance and bias for general loss functions", Machine Learning 51,
       2003.

    Examples
    --------
    A classifier that is mostly wrong: its variance helps.

    >>> parts = james(["a"], [["b"], ["b"], ["b"], ["a"]])
    >>> parts.systematic_effect, parts.variance_effect, parts.error
    (array([1.]), array([-0.25]), array([0.75]))
    """
    P, Q, _, shared = _shares(y, labels, y_proba, classes, sample_weight)
    best, main = P.argmax(axis=1), Q.argmax(axis=1)
    P_best, P_main = _pick(P, best), _pick(P, main)
    return JamesParts(
        noise=1 - P_best,
        bias=(best != main).astype(float),
        variance=1 - _pick(Q, main),
        systematic_effect=P_best - P_main,
        variance_effect=(Q * (P_main[:, None] - P)).sum(axis=1),
        **shared,
    )


def domingos(
    y: ArrayLike | None,
    labels: ArrayLike,
    *,
    y_proba: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> DomingosParts:
    """Split expected zero-one loss as Domingos does: parts with coefficients.

    With ``b`` the truly most probable class, ``m`` the most frequent prediction, ``t`` the
    true and ``p`` the predicted label, for any number of classes::

        noise = 1 - P_b        bias = [b != m]        variance = 1 - Q_m
        error = alpha1 noise + bias + alpha2 variance
        alpha1 = Q_b - Pr(p != b) Pr(p = t | p != b, t != b)
        alpha2 = 1 where b = m, else -Pr(p = b | p != m)

    Variance adds to the error where the main prediction is right, and takes from it where
    it is wrong. A conditional probability whose condition cannot happen counts as 0; it is
    multiplied by 0 wherever that is the case. So ``alpha1`` is ``Q_b`` where there is no
    noise, and ``alpha2`` is 0 where a wrong prediction never varies. Ties for ``b`` and
    ``m`` go to the lowest class.

    For two classes the margin is ``(2 bias - 1)(2 variance - 1)``.

    Parameters
    ----------
    y, labels, y_proba, classes, sample_weight
        As for :func:`kohavi_wolpert`.

    Returns
    -------
    parts : DomingosParts
        ``contributions["variance"]`` is the net variance: unbiased less biased.

    Notes
    -----
    In Eastwood's reading two things had to be settled. In equation 2.20 the condition must
    hold the predicted label too (``p != b``), or the sum fails from three classes on. In
    equation 2.22 the sign turns on the label that the margin is measured against, not on
    whether the classifier is biased: it is plus for the best class ``b``, used here, and minus
    for the other one.

    References
    ----------
    .. [1] P. Domingos, "A unified bias-variance decomposition and its applications",
       ICML 2000.
    .. [2] G. Valentini, T. Dietterich, "Bias-variance analysis of support vector machines
       for the development of SVM-based ensemble methods", JMLR 5, 2004.

    Examples
    --------
    >>> parts = domingos(["a"], [["b"], ["b"], ["b"], ["a"]])
    >>> parts.bias, parts.variance, parts.alpha2, parts.error
    (array([1.]), array([0.25]), array([-1.]), array([0.75]))
    """
    P, Q, _, shared = _shares(y, labels, y_proba, classes, sample_weight)
    best, main = P.argmax(axis=1), Q.argmax(axis=1)
    P_best, Q_best = _pick(P, best), _pick(Q, best)
    noise, variance, biased = 1 - P_best, 1 - _pick(Q, main), best != main
    other_P, other_Q = P.copy(), Q.copy()
    np.put_along_axis(other_P, best[:, None], 0.0, axis=1)
    np.put_along_axis(other_Q, best[:, None], 0.0, axis=1)
    # Pr(p != b) Pr(p = t | p != b, t != b) = sum over k != b of Q_k P_k / Pr(t != b)
    lucky = _share_of((other_P * other_Q).sum(axis=1), noise)
    return DomingosParts(
        noise=noise,
        bias=biased.astype(float),
        variance=variance,
        alpha1=Q_best - lucky,
        alpha2=np.where(biased, -_share_of(Q_best, variance), 1.0),
        margin=Q_best - other_Q.max(axis=1),
        **shared,
    )


def _shares(y, labels, y_proba, classes, sample_weight):
    """Return P, Q, the number of trials, and the weights and error that all parts have."""
    codes, P, known = check_truth(y, labels, y_proba, classes, ["n_trials", "n_samples"])
    weight = check_sample_weight(sample_weight, codes.shape[1])
    Q = label_shares(codes, len(known))
    return P, Q, len(codes), {"sample_weight": weight, "error": (Q * (1 - P)).sum(axis=1)}


def label_shares(codes: NDArray, n_classes: int) -> NDArray[np.float64]:
    """Return the share of rows of (n_rows, n_samples) codes with each class, (n_samples, K)."""
    n_rows, n_samples = codes.shape
    cell = np.arange(n_samples) * n_classes + codes
    counts = np.bincount(cell.ravel(), minlength=n_samples * n_classes)
    return counts.reshape(n_samples, n_classes) / n_rows


def _pick(rows, column):
    return np.take_along_axis(rows, column[:, None], axis=1)[:, 0]


def _share_of(part, whole):
    """Divide, with 0 where the whole is 0 (see the docstring of domingos)."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
