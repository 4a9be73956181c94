"""Competence from all validation rows, nearer ones counting more: RRC and DES-KL."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, xlogy
from sklearn.preprocessing import StandardScaler

from counterpoint._outputs import MemberOutputs
from counterpoint.dynamic.competence import Competence, Queries, above

# Distances held at a time: this, not queries x rows x members, bounds the memory.
_DISTANCES = 4_000_000
# More distinct probabilities than this are rounded to four digits.
_DISTINCT = 20_000


class _Potential(Competence):
    """A number per validation row and member, spread by exp(-distance^2)."""

    needs_proba = True
    needs_region = False
    needs_points = True

    def __init__(self, *, scale: bool = True, weighted: bool = True) -> None:
        self.scale = scale
        self.weighted = weighted

    def fit(
        self, outputs: MemberOutputs, *, region: Any = None, points: NDArray | None = None
    ) -> Self:
        """Find how competent each member is about each validation row."""
        super().fit(outputs)
        self.scaler_ = StandardScaler().fit(points) if self.scale else None
        self.points_ = self._scaled(points)
        self.squares_ = (self.points_**2).sum(axis=1)
        self.source_ = np.stack([self._source(p, outputs.y) for p in outputs.proba], axis=1).T
        return self

    def _scaled(self, X):
        return X if self.scaler_ is None else self.scaler_.transform(X)

    @abstractmethod
    def _source(self, proba: NDArray, y: NDArray) -> NDArray: ...

    @property
    @abstractmethod
    def _chance(self) -> float: ...

    def estimate(self, queries: Queries) -> NDArray:
        """Return the mean competence over all rows, by their potential."""
        points = self._scaled(queries.points)
        competence = np.empty((len(points), len(self.source_)))
        step = max(1, _DISTANCES // len(self.points_))
        for begin in range(0, len(points), step):
            part = points[begin : begin + step]
            far = self.squares_ - 2.0 * (part @ self.points_.T)
            # Potentials by the nearest row's: far from everything all would be 0.
            pull = np.exp(far.min(axis=1, keepdims=True) - far)
            mean = pull @ self.source_.T
            competence[begin : begin + step] = mean / pull.sum(axis=1, keepdims=True)
        return competence.T

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say of those better than chance; of all, if there is none."""
        return above(competence, self._chance, weighted=self.weighted)


class RandomReference(_Potential):
    """How often a classifier guessing around a member's probabilities would be right (RRC).

    The guesses for the classes are drawn from beta distributions whose means are the member's
    probabilities; the competence about a row is the chance that the true class gets most. It is
    spread from all validation rows by exp(-distance^2). Members above chance vote.

    Parameters
    ----------
    scale : bool, default=True
        Bring columns to unit spread before distances are taken.
    weighted : bool, default=True
        Let members vote by how far they are above chance.

    Notes
    -----
    The integral is taken over 20 points, as its authors did. Of more than 20 000 distinct
    probabilities four digits are used.

    References
    ----------
    .. [1] T. Woloszynski and M. Kurzynski, "A probabilistic model of classifier competence for
       dynamic ensemble selection", Pattern Recognition 44, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import DynamicSelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> DynamicSelectionClassifier(method="rrc").fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    @property
    def _chance(self):
        return 1.0 / self.n_classes_

    def _source(self, proba, y):
        n, k = proba.shape
        distinct, at = np.unique(proba, return_inverse=True)
        if len(distinct) > _DISTINCT:
            distinct, at = np.unique(np.round(proba, 4), return_inverse=True)
        at = at.reshape(n, k)
        a = np.clip(k * distinct, 1e-20, None)[:, None]
        b = np.clip(k - k * distinct, 1e-20, None)[:, None]
        below = betainc(a, b, np.linspace(0.0, 1.0, 20))
        rise, middle = np.diff(below, axis=1), (below[:, 1:] + below[:, :-1]) / 2
        others = np.ones((n, 19))
        for c in range(k):
            others *= np.where((y == c)[:, None], 1.0, middle[at[:, c]])
        return (rise[at[np.arange(n), y]] * others).sum(axis=1)


class DivergenceFromChance(_Potential):
    """How far a member's probabilities are from equal ones, less than 0 where it is wrong (DES-KL).

    The Kullback-Leibler divergence of the probabilities from equal ones, as a part of its largest
    value, with the sign turned for rows the member has wrong. It is spread from all validation
    rows by exp(-distance^2). Members above 0 vote.

    Parameters
    ----------
    scale, weighted : bool, default=True
        As for :class:`RandomReference`.

    Notes
    -----
    DESlib 0.3.7 adds the entropy for rows a member has right too, so that being right and unsure
    counts more there than being right and sure; here it counts less, as in [1]_.

    References
    ----------
    .. [1] T. Woloszynski, M. Kurzynski, P. Podsiadlo and G. W. Stachowiak, "A measure of
       competence based on random classification for dynamic ensemble selection", Information
       Fusion 13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import DynamicSelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> DynamicSelectionClassifier(method="des-kl").fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    _chance = 0.0

    def _source(self, proba, y):
        entropy = -xlogy(proba, proba).sum(axis=1)
        right = proba.argmax(axis=1) == y
        return np.where(right, 1.0, -1.0) * (1.0 - entropy / np.log(proba.shape[1]))
