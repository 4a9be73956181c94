"""A pool in which every query chooses its own members, as a scikit-learn classifier."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_array, gen_batches
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._soundness import check_shape
from counterpoint._tables import select_rows
from counterpoint._typing import DataLike, Pool
from counterpoint._validation import check_choice, check_count, did_you_mean
from counterpoint.combiners.combiner import as_shares
from counterpoint.combiners.pool import BasePoolClassifier
from counterpoint.dynamic._asking import Asker
from counterpoint.dynamic.competence import Competence, Queries
from counterpoint.dynamic.maps import CompetenceMap, MappedCompetence
from counterpoint.dynamic.methods import COMPETENCES
from counterpoint.dynamic.regions import as_region


class DynamicSelectionClassifier(BasePoolClassifier):
    """Let the members decide that are most competent near the query.

    What members say about validation rows tells where they can be trusted. By default these rows
    are the training rows, about which members were asked by cross-fitting; members are then
    fitted on all of them. Members that are fitted already are asked as they are: give ``fit``
    data they were not trained on.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Estimators, (name, estimator) pairs, a dict of estimators, or one ensemble, fitted or
        not. None is logistic regression, naive Bayes and a tree.
    method : str, Competence or CompetenceMap, default="knora-e"
        "ola", "lca": the most accurate nearby, overall or for the class it says. "knora-e",
        "knora-u": those right about all the nearest rows, or by how many. "des-p", "rrc",
        "des-kl": those better than chance, by three ways to tell. "meta-des": those that a
        classifier trusts. "confidence", "margin": the surest. "ensemble-margin": the most
        decided of several ensembles. Or an object, with options or of your own; or a map of
        competence such as :class:`counterpoint.hyperboxes.MisclassificationBoxes`.
    region : Region, default=None
        What is near. None is the 7 nearest rows.
    combine : {"vote", "mean"}, default="vote"
        Whether chosen members vote or average their probabilities.
    columns : list, default=None
        For a list or dict: the columns each member sees; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit members that are not fitted.
    batch_size : int, default=4096
        Queries looked at in one go: memory grows with it, not with the number of queries.
    n_jobs : int, default=None
        Members fitted or asked at a time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    pool_ : list of (name, estimator) pairs, or ensemble
        All fitted.
    competence_ : Competence
        Fitted.
    region_ : Region
        Fitted.
    outputs_ : MemberOutputs
        What the members said about the validation rows.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] A. Ko, R. Sabourin and A. Britto, "From dynamic classifier selection to dynamic
       ensemble selection", Pattern Recognition 41, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import DynamicSelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DynamicSelectionClassifier(method="knora-e").fit(X, y)
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(
        self,
        pool: Pool = None,
        *,
        method: str = "knora-e",
        region: Any = None,
        combine: str = "vote",
        columns: list | None = None,
        cv: Any = 5,
        batch_size: int = 4096,
        n_jobs: int | None = None,
    ) -> None:
        self.pool = pool
        self.method = method
        self.region = region
        self.combine = combine
        self.columns = columns
        self.cv = cv
        self.batch_size = batch_size
        self.n_jobs = n_jobs

    def _fit_members(self, X, y, sample_weight, rng):
        check_choice(self.combine, "combine", ("vote", "mean"))
        check_count(self.batch_size, "batch_size")
        competence, region = self._competence(), as_region(self.region, self.n_jobs)
        outputs = self._fit_unseen(X, y, sample_weight)
        if competence.needs_proba or self.combine == "mean":
            self._need_proba(type(competence).__name__ if competence.needs_proba else "The mean")
        self.outputs_ = outputs.over(self.classes_)
        points = _points(X, competence)
        near = None
        if competence.needs_region:
            near = self.region_ = region.fit(points, self.outputs_.y)
        self.competence_ = competence.fit(self.outputs_, region=near, points=points)

    def _competence(self):
        if isinstance(self.method, Competence):
            return clone(self.method)
        if isinstance(self.method, CompetenceMap):
            return MappedCompetence(self.method)
        if not isinstance(self.method, str) or self.method not in COMPETENCES:
            raise ValueError(
                f"method={self.method!r}: choose {', '.join(COMPETENCES)}, or pass a Competence "
                f"or a CompetenceMap.{did_you_mean(self.method, COMPETENCES)}"
            )
        return COMPETENCES[self.method]()

    def _check_sound(self):
        if not hasattr(self, "competence_"):
            return
        n_members, n_rows = self.outputs_.n_members, self.outputs_.n_samples
        check_shape(self.competence_.right_, "right_", (n_members, n_rows))
        check_shape(self.competence_.y_, "y_", (n_rows,))
        if hasattr(self, "region_"):
            self.region_._check_rows(n_rows)

    def _batches(self, X, *, disputed=False):
        """Yield the answers of the members and their say, some queries at a time.

        Yields the part of X, all votes, which queries are left (if ``disputed``, not those on which
        all members agree), and of these the queries, competences and say.
        """
        X = self._check_X(X)
        competence = self.competence_
        pool, columns, _ = self._asked()
        asker = Asker(pool, columns, self.classes_, self.n_jobs)
        points = _points(X, competence)
        proba = competence.needs_proba or self.combine == "mean"
        for part in gen_batches(X.shape[0], self.batch_size):
            votes, shares = asker.ask(select_rows(X, np.arange(part.start, part.stop)), proba=proba)
            at = np.arange(votes.shape[1])
            if disputed:
                at = np.flatnonzero((votes != votes[:1]).any(axis=0))
                if len(at) == 0:
                    yield part, votes, at, None, None, None
                    continue
            here: Any = None if points is None else points[part][at]
            queries = Queries(
                near=self.region_.near(here) if competence.needs_region else None,
                votes=votes.T[at].T,  # a query stays together in memory
                proba=None if shares is None else shares[:, at],
                points=here,
            )
            values = competence.estimate(queries)
            yield part, votes, at, queries, values, competence.weigh(values)

    def _decide(self, queries, weights):
        """Return the support for each class, (n_queries, n_classes)."""
        if self.combine == "mean":
            return np.einsum("qm,mqk->qk", as_shares(weights.T), queries.proba)
        votes, weights = np.ascontiguousarray(queries.votes.T), np.ascontiguousarray(weights.T)
        check_shape(weights, "the say of members", votes.shape)
        with threads_for(votes.size):
            return kernels.weighted_vote(votes, weights, len(self.classes_))

    def _combined(self, X):
        parts = []
        # What a mean comes to depends on the say even where all agree.
        for _, votes, at, queries, _, weights in self._batches(X, disputed=self.combine == "vote"):
            support = np.zeros((votes.shape[1], len(self.classes_)))
            support[np.arange(votes.shape[1]), votes[0]] = 1.0
            if len(at):
                support[at] = self._decide(queries, weights)
            parts.append(support)
        return as_shares(np.concatenate(parts))

    def explain_selection(self, X: DataLike) -> pd.DataFrame:
        """Say who decided about each query, with what competence.

        A row per query and member that had a say: "query", "member", "says" (its label),
        "competence", "say" (its share of the decision) and "decision" (the label decided).
        """
        check_is_fitted(self)
        names = np.array(self.outputs_.names, dtype=object)
        frames = []
        for part, _, _, queries, competence, weights in self._batches(X):
            share = as_shares(weights.T)
            decision = self.classes_[self._decide(queries, weights).argmax(axis=1)]
            says = self.classes_[queries.votes]
            columns = {"says": says, "competence": competence, "say": share.T}
            frames.append(selection_frame(part, names, columns, decision))
        return pd.concat(frames, ignore_index=True)


def selection_frame(part, names, columns, decision) -> pd.DataFrame:
    """Return a row per query and member with a "say"; ``columns`` are (n_members, n_queries)."""
    query, member = np.nonzero(columns["say"].T > 0)
    given = {name: values[member, query] for name, values in columns.items()}
    who = {"query": query + part.start, "member": names[member]}
    return pd.DataFrame({**who, **given, "decision": decision[query]})


def _points(X, competence):
    """Return X as numbers for distances, if they are needed, or say why that cannot be."""
    if not (competence.needs_region or competence.needs_points):
        return None
    try:
        return check_array(X, dtype=np.float64)
    except ValueError as error:
        raise ValueError(
            f"Regions of competence need numbers without gaps in X ({error}). Encode it first, "
            "for example with counterpoint.datasets.TabularEncoder in a pipeline, or choose "
            "method='confidence', which looks at the members only."
        ) from error
