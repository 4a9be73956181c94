"""Members trained on noisy copies of the data; the noise may follow the local density."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from counterpoint._arrays import LARGEST, SQUARABLE, check_vector
from counterpoint._reading import check_labels, check_rows
from counterpoint._typing import DataLike, Estimator, Seed, Target
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.scaling import centre_and_scale
from counterpoint.views.view import TrainingSet, View, numeric_columns

# Rows among which neighbours are sought.
_MOST_SOUGHT = 50_000


def noise_widths(
    X: DataLike,
    y: Target,
    width: str | float | dict | NDArray = "density",
    *,
    scale: float = 0.5,
    n_neighbors: int = 5,
) -> NDArray:
    """Return the width of the noise for each row.

    Widths are standard deviations per column, once columns have standard deviation 1. From the
    density: ``scale`` times the distance to the k-th neighbour, over the square root of the
    number of columns. The noise then moves a point, in the root of the mean square, ``scale`` times
    as far as its k-th neighbour is. In more than 50,000 rows neighbours are sought among so many of
    them, drawn by lot; all n would be nearer by the d-th root of n / 50,000 with d columns, and so
    distances are divided by it. The source is named at :class:`NoiseInjectionClassifier`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, columns already on a common scale.
    y : array-like of shape (n_samples,)
        Labels.
    width : "density", "class", float, dict or array, default="density"
        "density": every row by its own neighbours. "class": the median of these over a class.
        A number: the same for all. A dict: a number by label. An array: a number per row.
    scale : float, default=0.5
        Factor for "density" and "class".
    n_neighbors : int, default=5
        k, for "density" and "class". A row is not its own neighbour.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from counterpoint.views import noise_widths
    >>> X = [[0.0], [1.0], [2.0], [10.0]]
    >>> noise_widths(X, [0, 0, 1, 1], scale=1.0, n_neighbors=1).tolist()
    [1.0, 1.0, 1.0, 8.0]
    """
    X = check_rows(X, owner="noise_widths", most=SQUARABLE)
    n = len(X)
    y = check_labels(y, n)
    if isinstance(width, dict):
        labels = np.unique(y).tolist()
        missing = [label for label in labels if label not in width]
        if missing:
            raise ValueError(f"width has no entry for class {missing[0]!r}: give one for {labels}.")
        by_label = {
            k: check_number(v, f"width[{k!r}]", low=0, high=LARGEST) for k, v in width.items()
        }
        return np.array([by_label[label] for label in y.tolist()])
    if isinstance(width, list | tuple | np.ndarray) and np.ndim(width) == 1:
        return check_vector(width, "width", n, "row", low=0)
    if not isinstance(width, str):
        return np.full(n, check_number(width, "width", low=0, high=LARGEST))
    check_choice(width, "width", ("density", "class"))
    check_number(scale, "scale", low=0, high=SQUARABLE)
    check_count(n_neighbors, "n_neighbors")
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors={n_neighbors}, but there are {n} rows, so at most {n - 1} neighbours: "
            "choose fewer, or give the width as a number."
        )
    widths = scale * _kth_distance(X, n_neighbors) / np.sqrt(X.shape[1])
    if width == "class":
        for label in np.unique(y):
            widths[y == label] = np.median(widths[y == label])
    return widths


def _kth_distance(X, k):
    (n, d), most = X.shape, max(_MOST_SOUGHT, k + 1)
    if n <= most:
        return NearestNeighbors(n_neighbors=k).fit(X).kneighbors()[0][:, -1]
    there = np.zeros(n, dtype=bool)
    there[np.random.RandomState(0).permutation(n)[:most]] = True
    near = NearestNeighbors(n_neighbors=k + 1).fit(X[there]).kneighbors(X)[0]
    # A row that was drawn finds itself first.
    return np.where(there, near[:, k], near[:, k - 1]) * (most / n) ** (1 / d)


@dataclass
class NoiseView(View):
    """Training rows moved by Gaussian noise; new samples are seen as they are.

    Parameters
    ----------
    width, scale, n_neighbors
        See :func:`noise_widths`. Widths are in standard deviations of the columns; a column
        that is constant stays as it is.
    n_copies : int, default=1
        Noisy copies of every row.
    resample : bool, default=False
        Draw the rows with replacement before noise is added: bagging and noise in one.

    Attributes
    ----------
    widths_ : ndarray of shape (n_samples,)
        The width for each training row.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import NoiseView
    >>> X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 1])
    >>> NoiseView(0.1, n_copies=3).fit(X, y, None, np.random.RandomState(0)).X.shape
    (18, 2)
    """

    width: Any = "density"
    scale: float = 0.5
    n_neighbors: int = 5
    n_copies: int = 1
    resample: bool = False

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Make noisy copies of the rows."""
        X = numeric_columns(X, name=type(self).__name__)
        check_count(self.n_copies, "n_copies")
        scales = centre_and_scale(X)[1]
        self.widths_ = noise_widths(
            X / scales, y, self.width, scale=self.scale, n_neighbors=self.n_neighbors
        )
        n = len(y)
        rows = np.tile(np.arange(n), self.n_copies)
        if self.resample:
            rows = rng.randint(n, size=len(rows))
            lost = np.setdiff1d(y, y[rows])  # a member should know all classes
            rows = np.concatenate([rows, [np.flatnonzero(y == label)[0] for label in lost]])
            rows = rows.astype(np.intp)
        # A constant column has no scale, so nothing is known of how far noise may move it.
        moved = np.where(np.ptp(X, axis=0) > 0, scales, 0.0)
        noise = rng.standard_normal((len(rows), X.shape[1])) * self.widths_[rows, None] * moved
        weight = None if sample_weight is None else sample_weight[rows]
        return TrainingSet(X[rows] + noise, y[rows], weight)


class NoiseInjectionClassifier(BaseViewClassifier):
    """Train each member on the data with other random noise added.

    The noise is Gaussian and independent of direction once columns have standard deviation 1.
    Its width may be the same for all rows, the same for the rows of a class, or larger where
    data are sparse. More noise makes members differ more and each of them worse.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is scikit-learn's ``DecisionTreeClassifier()``.
    n_estimators : int, default=10
        Number of members.
    width : "density", "class", float or dict, default="density"
        "density": by the distance of each row to its ``n_neighbors``-th neighbour. "class": the
        median of these over the class. A number: for all rows, in standard deviations of the
        columns. A dict: such a number by label. See :func:`noise_widths`.
    scale : float, default=0.5
        Factor for "density" and "class".
    n_neighbors : int, default=5
        Which neighbour says how dense the data are.
    n_copies : int, default=1
        Noisy copies of every row.
    resample : bool, default=False
        Draw the rows with replacement first: bagging and noise in one.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds noise and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    widths_ : ndarray of shape (n_samples,)
        The width of the noise for each training row, in standard deviations of the columns.
    estimators_ : list of classifiers
        The members.
    views_ : list of NoiseView
        What each was trained on.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.2.1, "Adding Random Noise".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import NoiseInjectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = NoiseInjectionClassifier(random_state=0).fit(X, y)
    >>> ensemble.widths_.shape
    (150,)
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 10,
        width: str | float | dict = "density",
        scale: float = 0.5,
        n_neighbors: int = 5,
        n_copies: int = 1,
        resample: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.width = width
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.n_copies = n_copies
        self.resample = resample
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_views(self, X, y, sample_weight, rng):
        n = check_count(self.n_estimators, "n_estimators")
        # Once for all members: finding neighbours is most of the work.
        self.widths_ = noise_widths(
            X / centre_and_scale(X)[1],
            y,
            self.width,
            scale=self.scale,
            n_neighbors=self.n_neighbors,
        )
        return [NoiseView(self.widths_, n_copies=self.n_copies, resample=self.resample)] * n
