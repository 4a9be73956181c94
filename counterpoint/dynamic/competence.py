"""How competent members are for a query, and who is to decide (C5)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from sklearn.base import BaseEstimator

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs
from counterpoint.dynamic.regions import Neighbourhoods


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some queries: what is near them and what the members say of them.

    Attributes
    ----------
    near : Neighbourhoods or None
    votes : ndarray of shape (n_queries, n_members)
        Class codes.
    proba : ndarray of shape (n_queries, n_members, n_classes) or None
    """

    near: Neighbourhoods | None
    votes: NDArray
    proba: NDArray | None


class Competence(BaseEstimator, ABC):
    """Estimate how far each member can be trusted about each query; subclass for one's own.

    :meth:`estimate` gives the numbers, :meth:`weigh` turns them into the say of the members.
    """

    needs_proba = False
    needs_region = True

    def fit(self, outputs: MemberOutputs) -> "Competence":
        """Take in what the members say about the validation rows.

        Parameters
        ----------
        outputs : MemberOutputs
            With the truth.

        Returns
        -------
        Competence
        """
        # Rows first: all members of a row are read together.
        self.right_ = np.ascontiguousarray(outputs.correct.T).view(np.uint8)
        self.y_ = np.asarray(outputs.y)
        self.n_classes_ = outputs.n_classes
        return self

    @abstractmethod
    def estimate(self, batch: Batch) -> NDArray:
        """Return competences, (n_queries, n_members); higher is better."""

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say of each member, (n_queries, n_members), not negative.

        By default the most competent decides alone; equals share.
        """
        return best_only(competence)


def best_only(competence: NDArray) -> NDArray:
    """Give all say to the members with the highest competence; everybody where none is known."""
    known = np.where(np.isnan(competence), -np.inf, competence)
    return (known == known.max(axis=1, keepdims=True)).astype(float)


class OverallLocalAccuracy(Competence):
    """Share of the region that a member has right (OLA).

    Parameters
    ----------
    alpha : float or None, default=None
        Level of a test. A member decides alone only if it is better than the others at this
        level; else those that are not significantly worse than the best vote. None lets the best
        decide, equals together.

    References
    ----------
    .. [1] K. Woods, W. P. Kegelmeyer and K. Bowyer, "Combination of multiple classifiers using
       local accuracy estimates", IEEE TPAMI 19, 1997.
    """

    def __init__(self, alpha=None):
        self.alpha = alpha

    def estimate(self, batch):
        """Return local accuracies."""
        near = batch.near
        self._size = np.diff(near.start)
        with threads_for(len(near.rows) * self.right_.shape[1]):
            return kernels.overall(near.start, near.rows, near.pull, self.right_)

    def weigh(self, competence):
        """Return the say: the best alone, or all that may be as good."""
        if self.alpha is None:
            return best_only(competence)
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha={self.alpha!r}: give a level such as 0.05, or None.")
        best = competence.max(axis=1)
        # A member is worse if so few hits were improbable at the accuracy of the best one.
        size = self._size[:, None]
        hits = np.rint(competence * size)
        return (binom.cdf(hits, size, np.minimum(best, 1 - 1e-9)[:, None]) > self.alpha).astype(
            float
        )


class ClassLocalAccuracy(Competence):
    """Share right among the rows of the region that are of the class the member says (LCA).

    References
    ----------
    .. [1] K. Woods, W. P. Kegelmeyer and K. Bowyer, "Combination of multiple classifiers using
       local accuracy estimates", IEEE TPAMI 19, 1997.
    """

    def estimate(self, batch):
        """Return local class accuracies."""
        near = batch.near
        with threads_for(len(near.rows) * self.right_.shape[1]):
            return kernels.by_class(
                near.start, near.rows, near.pull, self.right_, self.y_, batch.votes
            )


class KnoraEliminate(Competence):
    """Members that have the nearest rows right without a miss, as far as any does (KNORA-E).

    References
    ----------
    .. [1] A. Ko, R. Sabourin and A. Britto, "From dynamic classifier selection to dynamic
       ensemble selection", Pattern Recognition 41, 2008.
    """

    def estimate(self, batch):
        """Return the number of nearest rows right in a row."""
        near = batch.near
        with threads_for(len(near.rows) * self.right_.shape[1]):
            return kernels.unbroken(near.start, near.rows, self.right_)


class KnoraUnion(OverallLocalAccuracy):
    """Members vote once for each row of the region they have right (KNORA-U).

    References
    ----------
    .. [1] A. Ko, R. Sabourin and A. Britto, "From dynamic classifier selection to dynamic
       ensemble selection", Pattern Recognition 41, 2008.
    """

    def __init__(self):
        super().__init__()

    def weigh(self, competence):
        """Return the competences themselves; equal say where all are 0."""
        nobody = ~(competence > 0).any(axis=1, keepdims=True)
        return np.where(nobody, 1.0, competence)


class Confidence(Competence):
    """The highest probability a member gives any class: the surest decides.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 2.5.1.
    """

    needs_proba = True
    needs_region = False

    def estimate(self, batch):
        """Return the members' highest probabilities."""
        return batch.proba.max(axis=2)


class Margin(Competence):
    """How far a member's first class is ahead of its second: the clearest decides.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 2.5.1.
    """

    needs_proba = True
    needs_region = False

    def estimate(self, batch):
        """Return the members' margins."""
        two = np.partition(batch.proba, -2, axis=2)[:, :, -2:]
        return two[:, :, 1] - two[:, :, 0]


METHODS = {
    "ola": OverallLocalAccuracy,
    "lca": ClassLocalAccuracy,
    "knora-e": KnoraEliminate,
    "knora-u": KnoraUnion,
    "confidence": Confidence,
    "margin": Margin,
}
