"""Choosing among whole ensembles: the one that decides the query most clearly."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import dynamic as kernels
from counterpoint._outputs import MemberOutputs
from counterpoint._typing import Seed
from counterpoint.dynamic.competence import Competence, Queries
from counterpoint.selection import select_genetic


class EnsembleMargin(Competence):
    """The ensemble of a population whose vote has the largest margin decides.

    The margin is the share of the first class less that of the second. Of ensembles with equal
    margins the first decides; put the best first.

    Parameters
    ----------
    ensembles : list of array-like of int, default=None
        Members of each ensemble, by position in the pool. None is what a genetic search for the
        lowest error of the vote goes through, the best first.
    random_state : int, RandomState instance or None, default=None
        Seeds the genetic search.

    Attributes
    ----------
    ensembles_ : list of ndarray

    References
    ----------
    .. [1] E. M. dos Santos, R. Sabourin and P. Maupin, "A dynamic overproduce-and-choose strategy
       for the selection of classifier ensembles", Pattern Recognition 41, 2008.
    .. [2] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 2.5.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import DynamicSelectionClassifier, EnsembleMargin
    >>> X, y = load_iris(return_X_y=True)
    >>> method = EnsembleMargin([[0, 1], [1, 2], [0, 1, 2]])
    >>> DynamicSelectionClassifier(method=method).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    needs_region = False

    def __init__(self, ensembles: list[Any] | None = None, *, random_state: Seed = None) -> None:
        self.ensembles = ensembles
        self.random_state = random_state

    def fit(
        self, outputs: MemberOutputs, *, region: Any = None, points: NDArray | None = None
    ) -> Self:
        """Check the ensembles, or search for them."""
        super().fit(outputs)
        if self.ensembles is None:
            trace = select_genetic(outputs, random_state=self.random_state)
            steps = dict.fromkeys(tuple(sorted(step.tolist())) for step in reversed(trace.steps))
            self.ensembles_ = [np.array(members) for members in steps]
        else:
            self.ensembles_ = [_members(e, outputs.n_members) for e in self.ensembles]
            if not self.ensembles_:
                raise ValueError("ensembles is empty: give at least one list of members.")
        return self

    def estimate(self, queries: Queries) -> NDArray:
        """Return the margin of the chosen ensemble for its members, NaN for the others."""
        n_members, n = queries.votes.shape
        best, chosen = np.full(n, -1.0), np.zeros(n, dtype=np.int64)
        for k, members in enumerate(self.ensembles_):
            own = np.ascontiguousarray(queries.votes[members].T)
            tally = kernels.weighted_vote(own, np.ones(own.shape), self.n_classes_)
            two = np.partition(tally, -2, axis=1)[:, -2:]
            margin = (two[:, 1] - two[:, 0]) / len(members)
            # A hair: equal shares of ensembles of different sizes are equal.
            better = margin > best + 1e-12
            best[better], chosen[better] = margin[better], k
        inside = np.zeros((n_members, len(self.ensembles_)), dtype=bool)
        for k, members in enumerate(self.ensembles_):
            inside[members, k] = True
        return np.where(inside[:, chosen], best, np.nan)

    def weigh(self, competence: NDArray) -> NDArray:
        """Return one vote for each member of the chosen ensemble."""
        return (~np.isnan(competence)).astype(float)


def _members(given, n_members):
    members = np.asarray(given)
    fine = members.ndim == 1 and len(members) > 0 and members.dtype.kind in "iu"
    if not fine or len(np.unique(members)) < len(members):
        raise ValueError(f"ensembles holds {given!r}: give distinct positions of members.")
    if members.min() < 0 or members.max() >= n_members:
        raise ValueError(
            f"ensembles holds {given!r}, but the pool has {n_members} members: positions go from "
            f"0 to {n_members - 1}."
        )
    return members
