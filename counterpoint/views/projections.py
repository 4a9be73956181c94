"""Members that see the data along different interesting directions.

Directions are found in whitened coordinates, where every direction has variance 1, each at right
angles to those before, by repeating a step that leads uphill from several starts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._typing import DataLike, Estimator, Seed
from counterpoint._validation import check_choice, check_count, check_list, check_share_or_count
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.scaling import centre_and_scale, whitening, within_reach
from counterpoint.views.view import TrainingSet, View, numeric_columns

_MOST_COMPONENTS = 10
_STARTS, _STEPS, _TOLERANCE = 5, 100, 1e-5
# The mean of log cosh of a standard normal variable.
_LOG_COSH_NORMAL = 0.37456720749000775


# -- what is interesting, and the step towards more of it ---------------------------------------


def _ica_step(Z, z, w):
    t = np.tanh(z)
    return Z.T @ t / len(z) - (1 - t**2).mean() * w


def _ica_index(z):
    return (np.logaddexp(z, -z).mean() - np.log(2) - _LOG_COSH_NORMAL) ** 2


def _best_cut(z):
    """Variance between the two sides of the best cut of z, and the upper side."""
    order = np.argsort(z, kind="stable")
    n = len(z)
    below = np.arange(1, n)
    sums = np.cumsum(z[order])[:-1]
    total = z.sum()
    between = (sums / below - (total - sums) / (n - below)) ** 2 * below * (n - below) / n**2
    at = int(between.argmax())
    upper = np.zeros(n, dtype=bool)
    upper[order[at + 1 :]] = True
    return between[at], upper


def _clusters_step(Z, z, w):
    # Of all directions the difference of the two means has most variance between these two groups,
    # as the variance is 1 everywhere.
    upper = _best_cut(z)[1]
    return Z[upper].mean(axis=0) - Z[~upper].mean(axis=0)


_PURSUITS = {
    "ica": (_ica_step, _ica_index),
    "kurtosis": (lambda Z, z, w: Z.T @ z**3 / len(z) - 3 * w, lambda z: abs((z**4).mean() - 3)),
    "skewness": (lambda Z, z, w: Z.T @ z**2 / len(z), lambda z: abs((z**3).mean())),
    "clusters": (_clusters_step, lambda z: _best_cut(z)[0]),
}
KINDS = ("pca", *_PURSUITS, "rotation")


def pursue(Z, kind, n_components, rng) -> NDArray:
    """Return orthogonal directions in whitened Z, the most interesting first: (rank, n)."""
    step, index = _PURSUITS[kind]
    rank = Z.shape[1]
    directions = np.zeros((0, rank))
    for _ in range(n_components):
        best, most = np.zeros(rank), -np.inf
        for _ in range(_STARTS if len(directions) < rank - 1 else 1):
            w = _climb(Z, step, _across(rng.standard_normal(rank), directions), directions)
            value = index(Z @ w)
            if value > most:
                best, most = w, value
        directions = np.vstack([directions, best])
    return directions.T


def _climb(Z, step, w, directions):
    for _ in range(_STEPS):
        moved = _across(step(Z, Z @ w, w), directions)
        if moved is None:  # nowhere to go: every direction is as good
            return w
        close = 1 - abs(moved @ w) < _TOLERANCE
        w = moved
        if close:
            break
    return w


def _across(w, directions):
    """Return w at right angles to these directions, of length 1; None if nothing is left of it."""
    size = float(np.linalg.norm(w))
    for _ in range(2):  # once is not enough for small remainders
        w = w - directions.T @ (directions @ w)
    length = float(np.linalg.norm(w))
    return None if length <= 1e-12 * max(size, 1e-300) or length == 0 else w / length


# -- views --------------------------------------------------------------------------------------


@dataclass
class ProjectionView(View):
    """The data along directions that are interesting by one criterion.

    Parameters
    ----------
    kind : {"pca", "ica", "kurtosis", "skewness", "clusters"}, default="pca"
        "pca": most variance, columns on a common scale. "ica": most independent (log cosh).
        "kurtosis", "skewness": farthest from a normal variable's. "clusters": most variance between
        the two sides of a cut.
    n_components : int or None, default=None
        Directions; None is as many as the data span, at most 10.
    max_samples : float or int, default=1.0
        Rows drawn without repeats to find the directions; the member sees all rows.

    Attributes
    ----------
    centre_ : ndarray of shape (n_features,)
    directions_ : ndarray of shape (n_features, n_components)

    References
    ----------
    .. [1] P. Huber, "Projection pursuit", Annals of Statistics 13, 1985.
    .. [2] A. Hyvarinen and E. Oja, "Independent component analysis: algorithms and applications",
       Neural Networks 13, 2000: fixed-point steps.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import numpy as np
    >>> from counterpoint.views import ProjectionView
    >>> X, y = load_iris(return_X_y=True)
    >>> view = ProjectionView("clusters", n_components=1)
    >>> data = view.fit(X, y, None, np.random.RandomState(0))
    >>> side = data.X[:, 0] > 0
    >>> len(set(side[y == 0])), bool(side[0] == side[-1])
    (1, False)
    """

    kind: str = "pca"
    n_components: int | None = None
    max_samples: float | int = 1.0

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Find the directions and project the rows on them."""
        X = numeric_columns(X, name=type(self).__name__)
        check_choice(self.kind, "kind", KINDS[:-1])
        n = check_share_or_count(self.max_samples, "max_samples", len(X), "rows")
        drawn = np.sort(rng.permutation(len(X))[:n]) if n < len(X) else slice(None)
        part = X[drawn]
        weight = None if sample_weight is None else sample_weight[drawn]
        self.centre_, axes, spread = whitening(part, weight)
        size = self._size(X.shape[1], len(spread))
        if self.kind == "pca":
            self.directions_ = axes[:, :size]
        else:
            whitener = axes / spread
            self.directions_ = whitener @ pursue(
                (part - self.centre_) @ whitener, self.kind, size, rng
            )
        self.directions_ = within_reach(self.directions_, X - self.centre_)
        return TrainingSet(self.transform(X), y, sample_weight)

    def _size(self, n_features, rank):
        if rank == 0:
            raise ValueError("All columns of X are constant: there is no direction to look along.")
        if self.n_components is None:
            return min(rank, _MOST_COMPONENTS)
        check_count(self.n_components, "n_components", hint=", or None")
        if self.n_components > rank:
            why = f"X has {n_features} columns"
            if rank < n_features:
                why += f" that span {rank} directions (others are constant or follow from these)"
            raise ValueError(
                f"n_components={self.n_components}, but {why}: ask for at most {rank}."
            )
        return self.n_components

    def transform(self, X: DataLike) -> NDArray:
        """Project new samples."""
        return (numeric_columns(X, name=type(self).__name__) - self.centre_) @ self.directions_


@dataclass
class RotationView(View):
    """Groups of columns, each turned to its own principal axes: the view of a rotation forest.

    Columns are dealt into random groups. The axes of a group come from rows drawn from some of the
    classes, other ones for each group; all axes are kept. The source is named at
    :class:`ProjectionEnsembleClassifier`.

    Parameters
    ----------
    group_size : int, default=3
        Columns in a group; the last may have fewer.
    max_samples : float or int, default=0.75
        Rows of the chosen classes drawn with replacement: a share, or a number.

    Attributes
    ----------
    groups_ : list of ndarray
        Columns of each group.
    rotation_ : ndarray of shape (n_features, n_features)
        Orthogonal. Columns are put on a common scale before.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import numpy as np
    >>> from counterpoint.views import RotationView
    >>> X, y = load_iris(return_X_y=True)
    >>> view = RotationView(2)
    >>> _ = view.fit(X, y, None, np.random.RandomState(0))
    >>> bool(np.allclose(view.rotation_ @ view.rotation_.T, np.eye(4)))
    True
    """

    group_size: int = 3
    max_samples: float | int = 0.75

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Find the axes of each group and turn the rows."""
        X = numeric_columns(X, name=type(self).__name__)
        d = X.shape[1]
        check_count(self.group_size, "group_size")
        self.centre_, self.scale_ = centre_and_scale(X, sample_weight)
        Z = (X - self.centre_) / self.scale_
        shuffled = rng.permutation(d)
        self.groups_ = [
            shuffled[start : start + self.group_size] for start in range(0, d, self.group_size)
        ]
        self.rotation_ = np.zeros((d, d))
        labels, codes = np.unique(y, return_inverse=True)
        for group in self.groups_:
            order = rng.permutation(len(labels))
            chosen = np.zeros(len(labels), dtype=bool)
            chosen[order[: 1 + rng.randint(len(labels))]] = True
            rows = np.flatnonzero(chosen[codes])
            size = check_share_or_count(self.max_samples, "max_samples", len(rows), "rows")
            part = Z[np.ix_(rng.choice(rows, size=size), group)]
            # As many axes as columns, however few rows there are; of many rows nothing is asked.
            few = len(part) < len(group)
            axes = np.linalg.svd(part - part.mean(axis=0), full_matrices=few)[2]
            self.rotation_[np.ix_(group, group)] = axes.T
        return TrainingSet(Z @ self.rotation_, y, sample_weight)

    def transform(self, X: DataLike) -> NDArray:
        """Turn new samples."""
        X = numeric_columns(X, name=type(self).__name__)
        return (X - self.centre_) / self.scale_ @ self.rotation_


# -- the ensemble -------------------------------------------------------------------------------


class ProjectionEnsembleClassifier(BaseViewClassifier):
    """Train members on projections found by different criteria, and combine them.

    With ``kinds="rotation"`` and trees this is a rotation forest.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is scikit-learn's ``DecisionTreeClassifier()``.
    kinds : str or sequence of str, default=("pca", "ica", "kurtosis", "skewness", "clusters", \
"rotation")
        Criteria; members take them in turn. See :class:`ProjectionView` and
        :class:`RotationView`.
    n_estimators : int or None, default=None
        Number of members; None is one for each of ``kinds``.
    n_components : int or None, default=None
        Directions; None is as many as the data span, at most 10. Rotations keep all.
    group_size : int, default=3
        Columns that are turned together, for "rotation".
    max_samples : float, default=0.75
        Share of rows from which directions are found, so that two members of one kind differ.
        Members are trained on all rows.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds rows, searches and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    kinds_ : list of str
        The criterion of each member.
    estimators_ : list of classifiers
        The members.
    views_ : list of ProjectionView and RotationView
        Their projections.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.3.1, "Linear and Non-linear Transformations".
    .. [2] J. Rodriguez, L. Kuncheva and C. Alonso, "Rotation forest: a new classifier ensemble
       method", IEEE PAMI 28, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import ProjectionEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = ProjectionEnsembleClassifier(random_state=0).fit(X, y)
    >>> ensemble.kinds_
    ['pca', 'ica', 'kurtosis', 'skewness', 'clusters', 'rotation']
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        kinds: Any = KINDS,
        n_estimators: int | None = None,
        n_components: int | None = None,
        group_size: int = 3,
        max_samples: float = 0.75,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.kinds = kinds
        self.n_estimators = n_estimators
        self.n_components = n_components
        self.group_size = group_size
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_views(self, X, y, sample_weight, rng):
        kinds = (
            [self.kinds]
            if isinstance(self.kinds, str)
            else check_list(self.kinds, "kinds", "kinds")
        )
        if not kinds:
            raise ValueError(f"kinds is empty: choose from {', '.join(KINDS)}.")
        for kind in kinds:
            check_choice(kind, "kinds", KINDS)
        n = len(kinds)
        if self.n_estimators is not None:
            n = check_count(self.n_estimators, "n_estimators", hint=", or None")
        self.kinds_ = [kinds[k % len(kinds)] for k in range(n)]
        return [self._view(kind) for kind in self.kinds_]

    def _view(self, kind):
        if kind == "rotation":
            return RotationView(self.group_size, self.max_samples)
        return ProjectionView(kind, self.n_components, self.max_samples)
