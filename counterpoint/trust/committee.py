"""Which labels should I ask for? Query by committee: those that members disagree on.

Seung, Opper and Sompolinsky (1992). A committee is any pool; what is asked is where its members
disagree most, in batches that are spread over the rows, until they stop disagreeing.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr, rel_entr
from sklearn.base import clone
from sklearn.tree import ExtraTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from counterpoint._members import is_pool
from counterpoint._outputs import MemberOutputs
from counterpoint._tables import select_rows
from counterpoint._typing import Pool, Seed
from counterpoint._validation import check_choice, check_count, check_number, check_pool
from counterpoint.base import need_target, read_table
from counterpoint.combiners import MeanCombiner, VoteCombiner
from counterpoint.combiners.pool import BasePoolClassifier
from counterpoint.trust.inputs import disagreement, ensemble_proba, need_outputs

_TREES = 10
_CANDIDATES = 10  # a diverse batch is chosen among so many times as many rows


def vote_entropy(outputs: MemberOutputs) -> NDArray:
    """Return the entropy of the members' votes on each sample (Dagan and Engelson 1995)."""
    return entr(outputs.tally).sum(axis=1)


def divergence_from_mean(outputs: MemberOutputs) -> NDArray:
    """Return the mean divergence of members from their mean (McCallum and Nigam 1998).

    Kullback and Leibler's, of the probabilities; of votes where there are none.
    """
    proba = outputs.proba
    if proba is None:
        return vote_entropy(outputs)
    mean = ensemble_proba(MemberOutputs(proba=proba, weights=outputs.weights))
    share = outputs.say / outputs.say.sum()
    away = [w * rel_entr(own, mean).sum(axis=1) for w, own in zip(share, proba, strict=True)]
    return np.maximum(np.sum(away, axis=0), 0.0)


def consensus_entropy(outputs: MemberOutputs) -> NDArray:
    """Return the entropy of the members' mean probabilities: unsure, alone or together."""
    return entr(ensemble_proba(outputs)).sum(axis=1)


def least_margin(outputs: MemberOutputs) -> NDArray:
    """Return one minus the gap between the two likeliest classes of the mean."""
    top = np.sort(ensemble_proba(outputs), axis=1)
    return 1.0 - (top[:, -1] - top[:, -2] if top.shape[1] > 1 else top[:, -1])


#: How much an answer would teach, by name: a function of outputs without truth.
QUERY_MEASURES: dict[str, Callable[[MemberOutputs], NDArray]] = {
    "vote-entropy": vote_entropy,
    "divergence": divergence_from_mean,
    "consensus": consensus_entropy,
    "margin": least_margin,
}


class QueryByCommittee(BasePoolClassifier):
    """A committee that says which rows it would learn most from.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        The committee: estimators, (name, estimator) pairs, a dict, or one ensemble. None means ten
        trees with random thresholds.
    measure : {"vote-entropy", "divergence", "consensus", "margin"} or callable, \
default="margin"
        What to ask for: rows with the largest entropy of votes, mean divergence of members from
        their mean, entropy of the mean, or smallest margin; or your own function of
        ``MemberOutputs``.
    batch : {"diverse", "top"}, default="diverse"
        A batch of several rows: spread over the rows most disagreed on, each next one far from
        those chosen, or simply the first.
    tol : float, default=0.02
        Members have stopped disagreeing when two of them differ on the rows they ask for less than
        this share of the most that they ever did, whatever the measure.
    patience : int, default=3
        For so many queries in a row, before ``stopped_`` is True.
    columns : list, default=None
        For a list or dict: the columns each member sees.
    n_jobs : int, default=None
    random_state : int, RandomState instance or None, default=None
        Draws among rows that are disagreed on alike.

    Attributes
    ----------
    pool_ : list of (name, estimator) pairs, or ensemble
        The fitted committee.
    combiner_ : Combiner
        The mean of probabilities, or the vote where a member has none.
    classes_ : ndarray of shape (n_classes,)
    n_labelled_ : int
        Rows learnt from.
    history_ : DataFrame
        A row per query: "n_labelled" rows learnt from, the "disagreement" on the rows asked for,
        which is the chance that two members differ, and its "mean" over all rows offered. It goes
        on through further calls of ``fit``.
    stopped_ : bool
        Whether members have stopped disagreeing.

    References
    ----------
    .. [1] H. S. Seung, M. Opper and H. Sompolinsky, "Query by committee", COLT 1992.
    .. [2] A. K. McCallum and K. Nigam, "Employing EM and pool-based active learning for text
       classification", ICML 1998, for the divergence.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trust import QueryByCommittee
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.zeros(150, dtype=bool)
    >>> known[[0, 60, 120]] = True
    >>> committee = QueryByCommittee(random_state=0)
    >>> for _ in range(8):
    ...     committee.fit(X[known], y[known])
    ...     ask = np.flatnonzero(~known)[committee.query(X[~known], n_queries=3)]
    ...     known[ask] = True
    QueryByCommittee(random_state=0)...
    >>> bool(committee.fit(X[known], y[known]).score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        pool: Pool = None,
        *,
        measure: str | Callable[..., Any] = "margin",
        batch: str = "diverse",
        tol: float = 0.02,
        patience: int = 3,
        columns: list | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.measure = measure
        self.batch = batch
        self.tol = tol
        self.patience = patience
        self.columns = columns
        self.n_jobs = n_jobs
        self.random_state = random_state

    @staticmethod
    def _default_pool():
        # Their thresholds are drawn by lot: they differ without leaving out any of few rows.
        return [(f"tree {k}", ExtraTreeClassifier(random_state=k)) for k in range(_TREES)]

    def _fit_members(self, X, y, sample_weight, rng):
        self._check_options()
        self._fit_pool(X, y, sample_weight)
        self._begin(len(y))

    def _begin(self, n_labelled):
        self.combiner_ = VoteCombiner() if self._without_proba() else MeanCombiner()
        self.n_labelled_ = n_labelled
        if not hasattr(self, "history_"):
            self.history_ = pd.DataFrame(
                columns=["n_labelled", "disagreement", "mean"], dtype=float
            )

    def _check_options(self):
        if not callable(self.measure):
            check_choice(self.measure, "measure", QUERY_MEASURES)
        check_choice(self.batch, "batch", ("diverse", "top"))
        check_number(self.tol, "tol", low=0)
        check_count(self.patience, "patience")

    def _learns_in_parts(self):
        listed = self._listed(self._given_pool()) if is_pool(self.pool) and self.pool else []
        return bool(listed) and all(hasattr(m.estimator, "partial_fit") for m in listed)

    @available_if(lambda committee: committee._learns_in_parts())
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from more rows without those learnt before, where every member can.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All labels there will be: needed by the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "pool_")
        check_pool(self.pool, owner="QueryByCommittee")
        need_target(self, y)
        X, y = read_table(self, X, reset=first), column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        if first:
            self._check_options()
            if classes is None:
                raise ValueError("classes=None: the first partial_fit needs all labels there are.")
            self.classes_ = np.unique(classes)
            self.pool_ = [(m.name, clone(m.estimator)) for m in self._listed(self.pool)]
        strange = ~np.isin(y, self.classes_)
        if strange.any():
            label = y[strange][0]
            raise ValueError(f"y has {label!r}, which is not in classes={self.classes_.tolist()}.")
        for _, model in self.pool_:
            model.partial_fit(X, y, classes=self.classes_)
        self._begin(len(y) + (0 if first else self.n_labelled_))
        return self

    def disagreement(self, X: Any) -> NDArray:
        """Return how much each row would teach, by ``measure``, (n_samples,)."""
        return self._rate(self._asked_members(X))

    def _asked_members(self, X):
        check_is_fitted(self)
        outputs = self.member_outputs(X)
        need_outputs(outputs, "members")
        return outputs

    def _rate(self, outputs):
        rate = self.measure if callable(self.measure) else QUERY_MEASURES[self.measure]
        value = np.asarray(rate(outputs), dtype=float)
        if value.shape != (outputs.n_samples,) or not np.isfinite(value).all():
            raise ValueError(
                f"measure={self.measure!r} gave an array of shape {value.shape}: it must give a "
                f"finite number for each of {outputs.n_samples} samples."
            )
        return value

    def query(self, X: Any, n_queries: int = 1) -> NDArray:
        """Choose the rows to ask for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows without a label.
        n_queries : int, default=1
            How many to choose, all if there are fewer.

        Returns
        -------
        ndarray of shape (n_queries,)
            Their positions, the one to ask first in front.
        """
        outputs = self._asked_members(X)
        value, apart = self._rate(outputs), disagreement(outputs)
        n_queries = min(check_count(n_queries, "n_queries"), len(value))
        rng = check_random_state(self.random_state)
        order = rng.permutation(len(value))  # of equals any one, not always the first
        order = order[np.argsort(-value[order], kind="stable")]
        chosen = order[:n_queries]
        if self.batch == "diverse" and n_queries > 1:
            few = order[: _CANDIDATES * n_queries]
            rows = _as_numbers(select_rows(X, few))
            chosen = few[_spread_out(rows, value[few], n_queries)]
        row = [float(self.n_labelled_), float(apart[chosen].mean()), float(apart.mean())]
        self.history_.loc[len(self.history_)] = row
        return chosen

    @property
    def stopped_(self) -> bool:
        """Whether members have stopped disagreeing."""
        check_is_fitted(self)
        asked = self.history_["disagreement"].to_numpy(dtype=float)
        if len(asked) < self.patience:
            return False
        return bool((asked[-self.patience :] <= self.tol * max(asked.max(), 1e-12)).all())


def _as_numbers(X):
    """Return rows as numbers, to tell how far apart they are: categories as flags, gaps as 0."""
    if sparse.issparse(X):
        X = X.toarray()
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    return pd.get_dummies(frame).to_numpy(dtype=float, na_value=0.0)


def _spread_out(rows, value, n):
    """Choose n rows of much value, each far from those before: value times distance, greedily."""
    spread = rows.std(axis=0)
    rows = (rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1)
    chosen = [0]  # candidates come sorted
    near = np.linalg.norm(rows - rows[0], axis=1)
    worth = value - value.min() + 1e-12
    for _ in range(n - 1):
        score = np.where(np.isin(np.arange(len(rows)), chosen), -1.0, worth * near)
        best = int(score.argmax())
        chosen.append(best)
        near = np.minimum(near, np.linalg.norm(rows - rows[best], axis=1))
    return np.array(chosen)
