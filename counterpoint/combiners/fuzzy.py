"""Fuzzy integrals: support and competence of groups of members weighed together."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from counterpoint._arrays import check_floats, check_vector
from counterpoint._outputs import MemberOutputs
from counterpoint.combiners.combiner import Combiner

_LARGEST = 709.0  # its exponential is still a float
_PRECISION = 4 * np.finfo(float).eps


def fuzzy_lambda(densities: ArrayLike) -> float:
    """Return the lambda of Sugeno's measure: the root of prod(1 + lambda g_i) = 1 + lambda.

    Parameters
    ----------
    densities : array-like of shape (n_members,)
        Competence of each member alone, above 0 and below 1.

    Returns
    -------
    float
        From -1; 0 if the densities add up to 1, negative if to more, positive if to less. Many
        competent members bring it so near to -1 that -1.0 is the nearest float.

    Notes
    -----
    Found as u = log(1 + lambda): then sum(log(1 + lambda g_i)) / u rises with u from 0 to the
    number of members and is 1 at the root, which is far from all limits wherever lambda is near
    one.

    References
    ----------
    .. [1] L. I. Kuncheva, "Combining pattern classifiers", 2004, section 5.2.4.

    Examples
    --------
    >>> from counterpoint.combiners import fuzzy_lambda
    >>> round(fuzzy_lambda([0.3, 0.1, 0.4]), 3)
    0.991
    """
    g = check_floats(densities, "densities", ("n_members",))
    if not ((g > 0) & (g < 1)).all():
        raise ValueError("densities must be numbers above 0 and below 1, one per member.")
    total = g.sum()
    if len(g) == 1 or abs(total - 1) < 1e-12:
        return 0.0

    def gap(u):
        # Divided by u: the root at 0, which always is one, is not wanted.
        return np.log1p(g * np.expm1(u)).sum() / u - 1.0 if u else total - 1.0

    if total > 1:
        low, high = min(np.log1p(-g).sum(), -1.0), 0.0
    else:
        low, high = 0.0, _LARGEST
    if gap(high) <= 0 and total < 1:
        raise ValueError(
            f"densities are too small, {g.min():g} the least: lambda would be beyond all floats."
        )
    return float(np.expm1(brentq(gap, low, high, xtol=1e-300, rtol=_PRECISION, maxiter=1000)))


class _FuzzyIntegral(Combiner):
    needs_proba = True
    needs_truth = True

    def __init__(self, densities: ArrayLike | None = None) -> None:
        self.densities = densities

    def fit(self, outputs: MemberOutputs) -> Self:
        """Take the members' accuracies for densities, unless they are given; find lambda."""
        self.check(outputs)
        if self.densities is None:
            outputs.need_truth()
            n = outputs.n_samples
            # Neither 0 nor 1: as if one sample more were half right.
            density = ((1.0 - outputs.errors) * n + 0.5) / (n + 1.0)
        else:
            density = check_vector(self.densities, "densities", outputs.n_members, "member")
        self.densities_ = density
        self.lambda_ = fuzzy_lambda(density)
        return self

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the integral of the support for each class."""
        self.check(outputs)
        self.check_n_members(outputs, len(self.densities_))
        order = np.argsort(-outputs.proba, axis=0, kind="stable")
        support = np.take_along_axis(outputs.proba, order, axis=0)
        density = self.densities_[order]
        measure = np.empty_like(support)
        measure[0] = density[0]
        for k in range(1, len(measure)):
            joined = density[k] + measure[k - 1] + self.lambda_ * density[k] * measure[k - 1]
            measure[k] = np.minimum(joined, 1.0)
        measure[-1] = 1.0  # by definition of lambda; rounding set aside
        return self._integral(support, measure)


class SugenoCombiner(_FuzzyIntegral):
    """Sugeno's fuzzy integral: the best compromise of support and competence.

    The support for a class is the highest ``min(a, g(members that give it at least a))``, where
    g is the fuzzy measure of the group [1]_.

    Parameters
    ----------
    densities : array-like of shape (n_members,), default=None
        Competence of each member alone, above 0 and below 1. None takes the accuracies on the
        outputs the rule is fitted on.

    Attributes
    ----------
    densities_ : ndarray of shape (n_members,)
    lambda_ : float
        Of the measure, see :func:`fuzzy_lambda`.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, eq. 2.29.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import SugenoCombiner
    >>> outputs = MemberOutputs(proba=[[[0.1, 0.9]], [[0.7, 0.3]], [[0.5, 0.5]]])
    >>> SugenoCombiner([0.3, 0.1, 0.4]).fit(outputs).combine(outputs).round(2).tolist()
    [[0.5, 0.5]]
    """

    @staticmethod
    def _integral(support: NDArray, measure: NDArray) -> NDArray:
        return np.minimum(support, measure).max(axis=0)


class ChoquetCombiner(_FuzzyIntegral):
    """Choquet's fuzzy integral: a mean whose weights are what each member adds to the group.

    Parameters and attributes are those of :class:`SugenoCombiner`; the source is that of
    :func:`fuzzy_lambda`.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import ChoquetCombiner
    >>> outputs = MemberOutputs(proba=[[[0.1, 0.9]], [[0.7, 0.3]], [[0.5, 0.5]]])
    >>> ChoquetCombiner([0.3, 0.1, 0.4]).fit(outputs).combine(outputs).round(3).tolist()
    [[0.336, 0.584]]
    """

    @staticmethod
    def _integral(support: NDArray, measure: NDArray) -> NDArray:
        below = np.concatenate([support[1:], np.zeros((1, *support.shape[1:]))])
        return ((support - below) * measure).sum(axis=0)
