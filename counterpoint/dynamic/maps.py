"""Competence read off a map of the input space, such as boxes around mistakes."""

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from counterpoint._interrupts import whole
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_number
from counterpoint.dynamic.competence import Competence, Queries


@runtime_checkable
class CompetenceMap(Protocol):
    """Anything that learns where members err, and tells how far they can be trusted elsewhere.

    :class:`counterpoint.hyperboxes.MisclassificationBoxes` is one; a map of your own needs these
    two methods, and no base class.

    Examples
    --------
    >>> from counterpoint.dynamic import CompetenceMap
    >>> from counterpoint.hyperboxes import MisclassificationBoxes
    >>> isinstance(MisclassificationBoxes(), CompetenceMap)
    True
    """

    def fit(self, X: NDArray, correct: NDArray) -> Self:
        """Take in samples and who is right about them, (n_members, n_samples)."""
        ...

    def competence(self, X: NDArray) -> NDArray:
        """Return competences at samples, (n_members, n_samples); not negative, higher is better."""
        ...


class MappedCompetence(Competence):
    """Competence read off a map; members near the best one vote.

    With boxes around the mistakes of each member as the map, this is dynamic selection without
    neighbours, after FH-DES [1]_: a few boxes are kept instead of all validation rows.
    ``DynamicSelectionClassifier(method=some_map)`` means this with the default share.

    Parameters
    ----------
    map : CompetenceMap
        Such as ``counterpoint.hyperboxes.MisclassificationBoxes()``; copied, then fitted.
    share : float, default=0.8
        Members with at least this share of the highest competence at the query vote, by their
        competence. 1 leaves the decision to the best alone, 0 lets all vote. Where the highest is
        0 (the query is among mistakes of everybody) all have equal say.

    Attributes
    ----------
    map_ : CompetenceMap
        Fitted.

    References
    ----------
    .. [1] R. Davtalab, R. M. O. Cruz and R. Sabourin, "A scalable dynamic ensemble selection
       using fuzzy hyperboxes", Information Fusion 102, 2024. The share that takes part is our
       rule.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.dynamic import DynamicSelectionClassifier, MappedCompetence
    >>> from counterpoint.hyperboxes import MisclassificationBoxes
    >>> X, y = load_iris(return_X_y=True)
    >>> method = MappedCompetence(MisclassificationBoxes(theta=0.2))
    >>> DynamicSelectionClassifier(method=method).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    needs_region = False
    needs_points = True

    def __init__(self, map: Any, *, share: float = 0.8) -> None:
        self.map = map
        self.share = share

    def fit(
        self, outputs: MemberOutputs, *, region: Any = None, points: NDArray | None = None
    ) -> Self:
        """Draw the map."""
        super().fit(outputs)
        if not isinstance(self.map, CompetenceMap):
            raise TypeError(
                f"map is a {type(self.map).__name__}, expected an object with fit(X, correct) and "
                "competence(X), such as counterpoint.hyperboxes.MisclassificationBoxes()."
            )
        check_number(self.share, "share", low=0, high=1)
        with whole():
            self.map_ = clone(self.map, safe=False).fit(points, outputs.correct)
        return self

    def estimate(self, queries: Queries) -> NDArray:
        """Return what the map says."""
        competence = np.asarray(self.map_.competence(queries.points), dtype=float)
        if competence.shape != queries.votes.shape:
            raise ValueError(
                f"{type(self.map_).__name__}.competence returned shape {competence.shape}, "
                f"expected {queries.votes.shape}: (n_members, n_samples)."
            )
        return competence

    def weigh(self, competence: NDArray) -> NDArray:
        """Return the competence of those near the best, 0 for the others."""
        best = competence.max(axis=0, keepdims=True)
        say = np.where(competence >= self.share * best, competence, 0.0)
        return np.where(best > 0, say, 1.0)
