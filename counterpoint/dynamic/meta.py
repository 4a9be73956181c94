"""Learning from validation rows when a member can be trusted: META-DES."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB

from counterpoint._asking import said
from counterpoint._interrupts import whole
from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs
from counterpoint._typing import Estimator
from counterpoint.dynamic._nearest import NearestRows, NearestVotes, without_self
from counterpoint.dynamic.competence import Competence, Queries, above

_TENTHS = np.linspace(0.1, 1.0, 10)
# Numbers of meta-features held at a time.
_FEATURES = 4_000_000


class MetaLearned(Competence):
    """A classifier that has learned when members are right says whom to trust (META-DES).

    About a member and a query it knows, in this order: whether the member has each of the k
    nearest rows right; what probability it gives their true classes; the share of them it has
    right; whether it has the rows right about which the pool speaks most as it does about the
    query; and how sure it is of the query.

    Parameters
    ----------
    n_profiles : int, default=5
        Rows with the most similar outputs of the pool.
    threshold : float, default=0.5
        Members with a higher chance of being right than this vote; all, if there is none.
    consensus : float, default=1.0
        Learn only from validation rows whose most frequent vote has at most this share.
    meta_classifier : classifier, default=None
        With ``predict_proba``. None is multinomial naive Bayes on tenths, as in DESlib; it is
        evaluated in one kernel.
    weighted : bool, default=False
        Let members vote by how far they are above the threshold.

    Attributes
    ----------
    meta_classifier_ : classifier
        Fitted; None where members are all right, or all wrong, about all rows.

    References
    ----------
    .. [1] R. M. O. Cruz, R. Sabourin, G. D. C. Cavalcanti and T. I. Ren, "META-DES: a dynamic
       ensemble selection framework using meta-learning", Pattern Recognition 48, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import DynamicSelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> DynamicSelectionClassifier(method="meta-des").fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    needs_proba = True

    def __init__(
        self,
        *,
        n_profiles: int = 5,
        threshold: float = 0.5,
        consensus: float = 1.0,
        meta_classifier: Estimator = None,
        weighted: bool = False,
    ) -> None:
        self.n_profiles = n_profiles
        self.threshold = threshold
        self.consensus = consensus
        self.meta_classifier = meta_classifier
        self.weighted = weighted

    def fit(
        self, outputs: MemberOutputs, *, region: Any = None, points: NDArray | None = None
    ) -> Self:
        """Learn from the validation rows, each described by the others."""
        super().fit(outputs)
        if not hasattr(region, "near_rows"):
            raise ValueError(
                f"META-DES needs k nearest rows, but the region is a {type(region).__name__}: "
                "use NeighbourRegion."
            )
        rows = np.arange(len(self.y_))
        # Within this file rows come first: a row of a table of meta-features is a query.
        proba = outputs.proba.transpose(1, 0, 2)
        truth = np.take_along_axis(proba, self.y_[:, None, None].astype(np.int64), axis=2)[:, :, 0]
        self.truth_ = np.ascontiguousarray(truth)
        self.profiles_ = NearestRows(self._profile(proba))
        # Members that are always sure: then profiles are compared by votes, which is fast.
        self.votes_ = None
        if _is_sure(proba) and outputs.n_classes < 128:
            self.votes_ = NearestVotes(outputs.votes.T)
        near = region.near_rows()
        self.k_ = int(near.start[1])
        self.n_profiles_ = min(self.n_profiles, len(rows) - 1)
        alike = self._alike(proba, outputs.votes.T, self.n_profiles_ + 1)
        alike = without_self(alike, alike)[1]
        used = np.flatnonzero(outputs.tally.max(axis=1) <= self.consensus)
        used = rows if len(used) == 0 else used
        self._learn(near.rows.reshape(len(rows), -1)[used], alike[used], proba[used], used)
        return self

    def _alike(self, proba, votes, n_neighbors):
        if self.votes_ is not None and _is_sure(proba):
            return self.votes_.alike(votes, n_neighbors)
        return self.profiles_.kneighbors(self._profile(proba), n_neighbors)[1]

    def _profile(self, proba):
        # Two classes: one of them says all.
        shown = proba[:, :, :1] if proba.shape[2] == 2 else proba
        return np.ascontiguousarray(shown.reshape(len(proba), -1), dtype=np.float64)

    def _learn(self, near, alike, proba, used):
        target = self.right_.T[used]
        self.meta_classifier_, self.constant_ = None, float(target.flat[0])
        if target.min() == target.max():
            return
        n_members = target.shape[1]
        step = max(1, _FEATURES // (n_members * (2 * self.k_ + self.n_profiles_ + 2)))
        parts = [slice(k, k + step) for k in range(0, len(used), step)]
        if self.meta_classifier is None:
            self.meta_classifier_ = MultinomialNB()
            for part in parts:
                shown = np.digitize(self._features(near[part], alike[part], proba[part]), _TENTHS)
                self.meta_classifier_.partial_fit(shown, target[part].ravel(), classes=[0, 1])
            self.coef_ = np.diff(self.meta_classifier_.feature_log_prob_, axis=0)[0]
            self.intercept_ = float(np.diff(self.meta_classifier_.class_log_prior_)[0])
            self.truth_tenths_ = np.digitize(self.truth_, _TENTHS).astype(np.uint8)
            shares = np.arange(self.k_ + 1) / self.k_
            self.share_tenths_ = np.digitize(shares, _TENTHS).astype(np.float64)
        else:
            shown = np.concatenate([self._features(near[p], alike[p], proba[p]) for p in parts])
            with whole():
                self.meta_classifier_ = clone(self.meta_classifier).fit(shown, target.ravel())

    def _features(self, near, alike, proba):
        """Return a row per query and member."""
        right = self.right_.T[near].transpose(0, 2, 1).astype(float)
        truth = self.truth_[near].transpose(0, 2, 1)
        as_these = self.right_.T[alike].transpose(0, 2, 1).astype(float)
        sure = proba.max(axis=2)[:, :, None]
        every = [right, truth, right.mean(axis=2, keepdims=True), as_these, sure]
        return np.concatenate(every, axis=2).reshape(proba.shape[0] * proba.shape[1], -1)

    def estimate(self, queries: Queries) -> NDArray:
        """Return the chance that each member is right about each query."""
        if self.meta_classifier_ is None:
            return np.full(queries.votes.shape, self.constant_)
        sizes = np.diff(queries.near.start)
        near = queries.near.rows.reshape(len(sizes), -1)[:, : self.k_]
        proba = queries.proba.transpose(1, 0, 2)
        alike = self._alike(proba, queries.votes.T, self.n_profiles_)
        if self.meta_classifier is None:
            sure = np.digitize(proba.max(axis=2), _TENTHS).astype(np.uint8)
            with threads_for(near.size * len(self.right_) * 3):
                return expit(
                    kernels.trust(
                        near, alike, self.right_.T, self.truth_tenths_, sure, self.share_tenths_,
                        self.coef_, self.intercept_,
                    )
                ).T  # fmt: skip
        chance = np.empty(proba.shape[:2])
        step = max(1, _FEATURES // (chance.shape[1] * (2 * self.k_ + self.n_profiles_ + 2)))
        for begin in range(0, len(chance), step):
            part = slice(begin, begin + step)
            shown = self._features(near[part], alike[part], proba[part])
            right = said(self.meta_classifier_, shown)[:, 1]
            chance[part] = right.reshape(-1, chance.shape[1])
        return chance.T

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the say of those above the threshold; of all, if there is none."""
        return above(competence, self.threshold, weighted=self.weighted)


def _is_sure(proba):
    return bool(((proba == 0) | (proba == 1)).all())
