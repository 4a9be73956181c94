"""Regions of competence: which validation rows speak about a query."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint._soundness import check_positions, check_shape
from counterpoint._typing import DataLike, Seed, Target
from counterpoint._validation import check_choice, check_count
from counterpoint.dynamic._nearest import NearestRows, without_self

# Up to so many rows, and always with so many columns, trying every row beats a search tree.
_FEW_ROWS = 20_000
_MANY_COLUMNS = 15


@dataclass(frozen=True, kw_only=True)
class Neighbourhoods:
    """Validation rows near each of some queries.

    Attributes
    ----------
    start : ndarray of shape (n_queries + 1,), int64
        Query q owns ``rows[start[q]:start[q + 1]]``; where that is empty all members are
        taken for equal.
    rows : ndarray, int64
        Positions of validation rows, the nearest first.
    pull : ndarray, float64
        What each row counts.
    """

    start: NDArray
    rows: NDArray
    pull: NDArray


class Region(BaseEstimator, ABC):
    """Find validation rows near queries; subclass this for regions of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.dynamic import NeighbourRegion
    >>> region = NeighbourRegion(2, scale=False).fit(np.array([[0.0], [1.0], [5.0]]), [0, 0, 1])
    >>> region.near(np.array([[4.0]])).rows.tolist()
    [2, 1]
    """

    @abstractmethod
    def fit(self, X: DataLike, y: Target) -> "Region":
        """Take in the validation rows, numbers of shape (n_rows, n_features), and their labels."""

    @abstractmethod
    def near(self, X: NDArray) -> Neighbourhoods:
        """Return the rows that speak about each query."""

    def _check_rows(self, n_rows):
        """Raise unless all rows are among so many; asked when a region comes from a file."""


class NeighbourRegion(Region):
    """The k nearest validation rows.

    Parameters
    ----------
    k : int, default=7
        How many; all, if there are fewer.
    scale : bool, default=True
        Bring columns to unit spread first.
    by_distance : bool, default=False
        Let nearer rows count more, by 1 over their distance.
    metric : str, default="minkowski"
        Of scikit-learn's ``NearestNeighbors``.
    backend : {"exact", "pynndescent"}, default="exact"
        "pynndescent" is approximate and fast for many columns; it must be installed.
    n_jobs : int, default=None
        Threads of the search.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.dynamic import NeighbourRegion
    >>> region = NeighbourRegion(1).fit(np.array([[0.0], [2.0]]), [0, 1])
    >>> region.near(np.array([[0.4], [1.9]])).rows.tolist()
    [0, 1]
    """

    def __init__(
        self,
        k: int = 7,
        *,
        scale: bool = True,
        by_distance: bool = False,
        metric: str = "minkowski",
        backend: str = "exact",
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.scale = scale
        self.by_distance = by_distance
        self.metric = metric
        self.backend = backend
        self.n_jobs = n_jobs

    def fit(self, X: DataLike, y: Target) -> Self:
        """Index the rows."""
        self.index_: Any
        check_count(self.k, "k")
        check_choice(self.backend, "backend", ("exact", "pynndescent"))
        self.scaler_ = StandardScaler().fit(X) if self.scale else None
        X = self._scaled(X)
        k = min(int(self.k), len(X))
        self.points_ = X
        if self.backend == "exact":
            plain = self.metric in ("minkowski", "euclidean")
            if plain and (len(X) <= _FEW_ROWS or X.shape[1] > _MANY_COLUMNS):
                self.index_ = NearestRows(X)
            else:
                self.index_ = NearestNeighbors(metric=self.metric, n_jobs=self.n_jobs).fit(X)
        else:
            try:
                from pynndescent import PyNNDescentTransformer
            except ImportError as error:
                raise ImportError(
                    "backend='pynndescent' needs that package: pip install pynndescent, or leave "
                    "backend='exact'."
                ) from error
            metric = "euclidean" if self.metric == "minkowski" else self.metric
            self.index_ = PyNNDescentTransformer(n_neighbors=k, metric=metric, random_state=0)
            self.index_.fit(X)
        self.k_ = k
        return self

    def _check_rows(self, n_rows):
        rows: Any = self.index_.rows if isinstance(self.index_, NearestRows) else self.index_._fit_X
        check_shape(rows, "the rows of the region", (n_rows, *np.shape(rows)[1:]))

    def _scaled(self, X):
        return X if self.scaler_ is None else self.scaler_.transform(X)

    def near(self, X: NDArray) -> Neighbourhoods:
        """Return the k nearest rows."""
        if self.backend == "exact":
            return self._neighbourhoods(
                *self.index_.kneighbors(self._scaled(X), n_neighbors=self.k_)
            )
        graph = self.index_.transform(self._scaled(X))
        # Its graph counts one neighbour more; sort what there is.
        order = [np.argsort(row.data)[: self.k_] for row in graph]
        rows = np.stack([row.indices[o] for row, o in zip(graph, order, strict=True)])
        distance = np.stack([row.data[o] for row, o in zip(graph, order, strict=True)])
        return self._neighbourhoods(distance, rows)

    def near_rows(self) -> Neighbourhoods:
        """Return the k nearest other rows of each validation row; all others, if fewer."""
        k = min(self.k_, len(self.points_) - 1)
        if k == 0:
            raise ValueError("One validation row has no neighbours: give at least two.")
        if self.backend == "exact":
            distance, rows = self.index_.kneighbors(self.points_, n_neighbors=k + 1)
        else:
            index = NearestNeighbors(n_neighbors=k + 1, metric=self.metric).fit(self.points_)
            distance, rows = index.kneighbors(self.points_)
        return self._neighbourhoods(*without_self(distance, rows))

    def _neighbourhoods(self, distance, rows):
        pull = np.ones(rows.size)
        if self.by_distance:
            pull = 1.0 / np.maximum(distance.ravel(), 1e-12)
        start = np.arange(len(rows) + 1) * rows.shape[1]
        return Neighbourhoods(start=start, rows=rows.ravel().astype(np.int64), pull=pull)


class _Cells(Region):
    """Regions that are cells of a partition: all rows of the cell of the query."""

    @abstractmethod
    def _cell(self, X): ...

    def _index(self, cells):
        order = np.argsort(cells, kind="stable")
        names, first = np.unique(cells[order], return_index=True)
        self.order_, self.names_ = order, names
        self.first_ = np.append(first, len(order))
        return self

    def _check_rows(self, n_rows):
        check_positions(self.order_, "order_", n_rows)
        check_positions(self.first_, "first_", len(self.order_) + 1)
        check_shape(self.first_, "first_", (len(self.names_) + 1,))
        if (np.diff(self.first_) < 0).any():
            raise ValueError("first_ must not decrease.")

    def near(self, X: NDArray) -> Neighbourhoods:
        """Return the rows of the query's cell; all rows for a cell without any."""
        at = np.searchsorted(self.names_, cells := self._cell(X))
        at = np.minimum(at, len(self.names_) - 1)
        empty = self.names_[at] != cells
        begin, end = self.first_[at], self.first_[at + 1]
        begin, end = np.where(empty, 0, begin), np.where(empty, len(self.order_), end)
        sizes = end - begin
        start = np.concatenate([[0], np.cumsum(sizes)])
        rows = self.order_[np.repeat(begin - start[:-1], sizes) + np.arange(start[-1])]
        return Neighbourhoods(start=start, rows=rows, pull=np.ones(len(rows)))


class ClusterRegion(_Cells):
    """The rows of the query's cluster.

    Parameters
    ----------
    n_clusters : int, default=8
        How many; fewer, if there are fewer rows.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.dynamic import ClusterRegion
    >>> region = ClusterRegion(2, random_state=0).fit(np.array([[0.0], [0.1], [9.0]]), [0, 0, 1])
    >>> region.near(np.array([[8.0]])).rows.tolist()
    [2]
    """

    def __init__(self, n_clusters: int = 8, *, random_state: Seed = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target) -> Self:
        """Cluster the rows, columns brought to unit spread."""
        self.scaler_ = StandardScaler().fit(X)
        n = min(self.n_clusters, len(np.unique(X, axis=0)))
        self.clusters_ = KMeans(n, n_init=3, random_state=self.random_state)
        return self._index(self.clusters_.fit_predict(self.scaler_.transform(X)))

    def _cell(self, X):
        return self.clusters_.predict(self.scaler_.transform(X))


class LeafRegion(_Cells):
    """The rows of the query's leaf in a decision tree grown on the validation rows.

    Parameters
    ----------
    min_samples_leaf : int, default=15
        Fewest rows in a region.
    random_state : int, RandomState instance or None, default=None
        Of the tree.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.dynamic import LeafRegion
    >>> X = np.arange(6.0)[:, None]
    >>> region = LeafRegion(2).fit(X, [0, 0, 0, 1, 1, 1])
    >>> region.near(np.array([[9.0]])).rows.tolist()
    [3, 4, 5]
    """

    def __init__(self, min_samples_leaf: int = 15, *, random_state: Seed = None) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target) -> Self:
        """Grow the tree; of regression, where y is not whole numbers."""
        grower = (
            DecisionTreeRegressor if np.asarray(y).dtype.kind == "f" else DecisionTreeClassifier
        )
        self.estimator_ = grower(
            min_samples_leaf=min(self.min_samples_leaf, len(X)), random_state=self.random_state
        ).fit(X, y)
        return self._index(self.estimator_.apply(X))

    def _cell(self, X):
        return self.estimator_.apply(X)


def as_region(given, n_jobs=None) -> Region:
    """Return a copy of a region; None is the 7 nearest rows."""
    region = NeighbourRegion(n_jobs=n_jobs) if given is None else given
    if not isinstance(region, Region):
        raise TypeError(
            f"region is a {type(region).__name__}, expected a Region such as NeighbourRegion(7)."
        )
    return clone(region)
