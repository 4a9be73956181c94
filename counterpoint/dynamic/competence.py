"""How competent members are for a query, and who is to decide; members first on every axis."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from sklearn.base import BaseEstimator

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_choice, check_number


@dataclass(frozen=True, kw_only=True)
class Queries:
    """Some queries: what is near them and what the members say of them.

    Attributes
    ----------
    near : Neighbourhoods or None
        The validation rows near each, where the competence has ``needs_region``.
    votes : ndarray of shape (n_members, n_queries)
        Class codes.
    proba : ndarray of shape (n_members, n_queries, n_classes) or None
        Where it has ``needs_proba``.
    points : ndarray of shape (n_queries, n_features) or None
        The queries themselves, where it has ``needs_points``.
    """

    near: Any  # Neighbourhoods, to those who need them
    votes: NDArray
    proba: Any  # an array, to those who need it
    points: NDArray | None = None


class Competence(BaseEstimator, ABC):
    """Estimate how far each member can be trusted about each query; subclass for one's own.

    :meth:`estimate` gives the numbers, :meth:`weigh` turns them into the say of the members.
    What the members said about the validation rows is in ``right_`` (n_members, n_rows), 1 where
    a member is right, and ``y_``; ``n_classes_`` is the number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import Competence, DynamicSelectionClassifier
    >>> class Anybody(Competence):
    ...     needs_region = False
    ...     def estimate(self, queries):
    ...         return np.ones(queries.votes.shape)
    >>> X, y = load_iris(return_X_y=True)
    >>> DynamicSelectionClassifier(method=Anybody()).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    # What queries must hold: probabilities, neighbourhoods, the queries themselves.
    needs_proba = False
    needs_region = True
    needs_points = False

    def fit(
        self, outputs: MemberOutputs, *, region: Any = None, points: NDArray | None = None
    ) -> "Competence":
        """Take in what the members say about the validation rows.

        Parameters
        ----------
        outputs : MemberOutputs
            With the truth.
        region : Region, default=None
            Fitted to the validation rows, where ``needs_region`` is set.
        points : ndarray of shape (n_rows, n_features), default=None
            The validation rows, where ``needs_points`` is set.

        Returns
        -------
        Competence
        """
        # A row lies together in memory: kernels read all members of it at once.
        self.right_ = np.ascontiguousarray(outputs.correct.T).view(np.uint8).T
        self.y_ = np.asarray(outputs.y)
        self.n_classes_ = outputs.n_classes
        return self

    @abstractmethod
    def estimate(self, queries: Queries) -> NDArray:
        """Return competences, (n_members, n_queries); higher is better."""

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say (n_members, n_queries), not negative: the best decides, equals share."""
        return best_only(competence)


def best_only(competence: NDArray, ties: str = "share") -> NDArray:
    """Give all say to the most competent, equals or the first; to all where none is known (NaN)."""
    check_choice(ties, "ties", ("share", "first"))
    rows = np.ascontiguousarray(competence.T, dtype=np.float64)
    return kernels.best(rows, ties == "first").T


def above(competence: NDArray, level: float, *, weighted: bool) -> NDArray:
    """Give a say to members above a level, equal or by their competence; else to everybody."""
    chosen = competence > level
    say = np.where(chosen, competence - (level if weighted else 0.0), 0.0)
    say = say if weighted else chosen.astype(float)
    return np.where(chosen.any(axis=0, keepdims=True), say, 1.0)


def not_worse(competence: NDArray, size: NDArray, alpha: float) -> NDArray:
    """Give a say to members whose share right of ``size`` rows is not significantly below the best.

    A member is worse if so few hits were improbable, at level ``alpha``, at the accuracy of the
    best one.
    """
    check_number(alpha, "alpha", low=0, high=1, open_low=True, open_high=True,
                 hint=", such as 0.05, or None")  # fmt: skip
    best = competence.max(axis=0)
    hits = np.rint(competence * size)
    worse = binom.cdf(hits, size, np.minimum(best, 1 - 1e-9)) <= alpha
    return (~worse).astype(float)


class OverallLocalAccuracy(Competence):
    """Share of the region that a member has right (OLA).

    Parameters
    ----------
    alpha : float or None, default=None
        Level of a test. A member decides alone only if it is better than the others at this
        level; else those that are not significantly worse than the best vote. None lets the best
        decide.
    ties : {"share", "first"}, default="share"
        Whether members that are equally good vote, or the first of them decides, as in DESlib.

    References
    ----------
    .. [1] K. Woods, W. P. Kegelmeyer and K. Bowyer, "Combination of multiple classifiers using
       local accuracy estimates", IEEE TPAMI 19, 1997.
    """

    def __init__(self, alpha: float | None = None, *, ties: str = "share") -> None:
        self.alpha = alpha
        self.ties = ties

    def estimate(self, queries: Queries) -> NDArray:
        """Return local accuracies."""
        near = queries.near
        self._size = np.diff(near.start)
        with threads_for(len(near.rows) * len(self.right_)):
            return kernels.overall(near.start, near.rows, near.pull, self.right_.T).T

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say: the best alone, or all that may be as good."""
        if self.alpha is None:
            return best_only(competence, self.ties)
        return not_worse(competence, self._size, self.alpha)


class ClassLocalAccuracy(Competence):
    """Share right among the rows of the region that are of the class the member says (LCA).

    From the same article as :class:`OverallLocalAccuracy`.

    Parameters
    ----------
    alpha : float or None, default=None
        Level of a test, as in :class:`OverallLocalAccuracy`. Members have different numbers of
        rows here, those of the class each says: of few, chance explains more. One that says a
        class of which no row is near has a say only if that holds for all.
    ties : {"share", "first"}, default="share"
        Whether members that are equally good vote, or the first of them decides, as in DESlib.
    """

    def __init__(self, alpha: float | None = None, *, ties: str = "share") -> None:
        self.alpha = alpha
        self.ties = ties

    def estimate(self, queries: Queries) -> NDArray:
        """Return local class accuracies."""
        near, right = queries.near, self.right_.T
        votes = np.ascontiguousarray(queries.votes.T)
        if self.alpha is not None:
            there = np.zeros((len(votes), self.n_classes_))
            query = np.repeat(np.arange(len(votes)), np.diff(near.start))
            np.add.at(there, (query, self.y_[near.rows]), 1.0)
            self._size = np.take_along_axis(there, votes, axis=1).T
        with threads_for(len(near.rows) * len(self.right_)):
            return kernels.by_class(near.start, near.rows, near.pull, right, self.y_, votes).T

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say: the best alone, equals together or the first; or all as good."""
        if self.alpha is None:
            return best_only(competence, self.ties)
        known = self._size > 0
        say = not_worse(competence, self._size, self.alpha) * known
        return np.where(known.any(axis=0), say, 1.0)


class KnoraEliminate(Competence):
    """Members that have the nearest rows right without a miss, as far as any does (KNORA-E).

    References
    ----------
    .. [1] A. Ko, R. Sabourin and A. Britto, "From dynamic classifier selection to dynamic
       ensemble selection", Pattern Recognition 41, 2008.
    """

    def estimate(self, queries: Queries) -> NDArray:
        """Return the number of nearest rows right in a row."""
        near = queries.near
        with threads_for(len(near.rows) * len(self.right_)):
            return kernels.unbroken(near.start, near.rows, self.right_.T).T


class KnoraUnion(OverallLocalAccuracy):
    """Members vote once for each row of the region they have right (KNORA-U).

    From the same article as :class:`KnoraEliminate`.
    """

    def __init__(self) -> None:
        super().__init__()

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the numbers of rows right; equal say where all are 0."""
        nobody = ~(competence > 0).any(axis=0, keepdims=True)
        votes = competence * self._size
        # Whole numbers again, where each row counts 1: sums of them are exact, so a tie is a tie.
        whole = np.rint(votes)
        votes = np.where(np.abs(votes - whole) < 1e-9, whole, votes)
        return np.where(nobody, 1.0, votes)


class BetterThanChance(OverallLocalAccuracy):
    """Members with more of the region right than guessing would have (DES-P).

    Parameters
    ----------
    weighted : bool, default=False
        Let them vote by how much more.

    References
    ----------
    .. [1] T. Woloszynski, M. Kurzynski, P. Podsiadlo and G. W. Stachowiak, "A measure of
       competence based on random classification for dynamic ensemble selection", Information
       Fusion 13, 2012.
    """

    def __init__(self, *, weighted: bool = False) -> None:
        super().__init__()
        self.weighted = weighted

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say of those above 1 over the number of classes; of all, if there is none."""
        return above(competence, 1.0 / self.n_classes_, weighted=self.weighted)


class Confidence(Competence):
    """The highest probability a member gives any class: the surest decides.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 2.5.1.
    """

    needs_proba = True
    needs_region = False

    def estimate(self, queries: Queries) -> NDArray:
        """Return the members' highest probabilities."""
        return queries.proba.max(axis=2)


class Margin(Competence):
    """How far a member's first class is ahead of its second: the clearest decides.

    From the same section as :class:`Confidence`.
    """

    needs_proba = True
    needs_region = False

    def estimate(self, queries: Queries) -> NDArray:
        """Return the members' margins."""
        two = np.partition(queries.proba, -2, axis=2)[:, :, -2:]
        return two[:, :, 1] - two[:, :, 0]
