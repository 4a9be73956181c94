"""What one member sees: rows, columns, a transformed space, other labels; and views in a chain.

A view is asked twice. ``fit`` turns the training data into what its member is trained on,
``transform`` turns new samples into what the member is asked about.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from counterpoint._tables import select_columns, select_rows
from counterpoint._typing import DataLike
from counterpoint._validation import check_count, check_share_or_count


class TrainingSet(NamedTuple):
    """What a member is trained on.

    Attributes
    ----------
    X : array or frame of shape (n_rows, n_columns)
        The samples as the member sees them.
    y : ndarray of shape (n_rows,)
        Their labels as the member sees them.
    sample_weight : ndarray of shape (n_rows,) or None
        Their weights; None is the same for all.

    Examples
    --------
    >>> from counterpoint.views import TrainingSet
    >>> TrainingSet([[1.0]], ["a"]).sample_weight is None
    True
    """

    X: Any
    y: NDArray
    sample_weight: NDArray | None = None


class View(ABC):
    """What one member of an ensemble sees of the data.

    Subclass it, write :meth:`fit` and, if the member is to see new samples in another form
    too, :meth:`transform`. A view is copied for every member before it is fitted, and gets a
    random state of its own, so that results do not depend on the number of jobs. It must not
    write into the arrays it is given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import TrainingSet, View, ViewEnsembleClassifier
    >>> class Rounded(View):
    ...     def fit(self, X, y, sample_weight, rng):
    ...         self.digits = rng.randint(2)
    ...         return TrainingSet(self.transform(X), y, sample_weight)
    ...
    ...     def transform(self, X):
    ...         return np.round(X, self.digits)
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = ViewEnsembleClassifier(view=Rounded(), random_state=0).fit(X, y)
    >>> len(ensemble.views_)
    10
    """

    @abstractmethod
    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Learn the view and return what its member is trained on.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
        sample_weight : ndarray of shape (n_samples,) or None
        rng : numpy.random.RandomState
            The only source of chance.

        Returns
        -------
        TrainingSet
        """

    def transform(self, X: DataLike) -> NDArray:
        """Return new samples as the member sees them; as they are, unless overridden."""
        return X

    def targets(self, classes: Any) -> NDArray | None:
        """Return the label that stands for each class in this view; None if they are the same."""
        return None


@dataclass
class WholeView(View):
    """The data as they are.

    Examples
    --------
    >>> from counterpoint.views import WholeView
    >>> WholeView().fit([[1.0]], ["a"], None, None).y
    ['a']
    """

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Change nothing."""
        return TrainingSet(X, y, sample_weight)


@dataclass
class ChainedView(View):
    """Several views one after the other: each sees what the one before lets through.

    Parameters
    ----------
    views : list of View
        In the order in which they are applied. At most one may change labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import BootstrapView, ChainedView, NoiseView
    >>> from counterpoint.views import ViewEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> both = ChainedView([BootstrapView(), NoiseView(0.1)])
    >>> ViewEnsembleClassifier(view=both, random_state=0).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    views: list

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Fit one view after the other."""
        if not self.views:
            raise ValueError("views is empty: chain at least one View.")
        data = TrainingSet(X, y, sample_weight)
        for view in self.views:
            data = view.fit(*data, rng)
        return data

    def transform(self, X: DataLike) -> NDArray:
        """Pass new samples through all views."""
        for view in self.views:
            X = view.transform(X)
        return X

    def targets(self, classes: Any) -> NDArray | None:
        """Return the labels of the one view that changes them, if there is one."""
        changed = [t for t in (view.targets(classes) for view in self.views) if t is not None]
        if len(changed) > 1:
            raise ValueError(
                f"{len(changed)} views of a chain change labels: keep one, or write a View that "
                "does both."
            )
        return changed[0] if changed else None


@dataclass
class BootstrapView(View):
    """Rows drawn at random, as in bagging.

    Parameters
    ----------
    max_samples : float or int, default=1.0
        Rows to draw: a share of all, or a number.
    replace : bool, default=True
        Whether a row may be drawn more than once.
    as_weights : bool, default=False
        Give each row once, with the times it was drawn as a factor of its weight. Learners that
        take weights are then faster.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import BootstrapView
    >>> view = BootstrapView(max_samples=4, replace=False)
    >>> data = view.fit(np.arange(10.0)[:, None], np.zeros(10), None, np.random.RandomState(0))
    >>> data.X.ravel().tolist()
    [2.0, 8.0, 4.0, 9.0]
    """

    max_samples: float | int = 1.0
    replace: bool = True
    as_weights: bool = False

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Draw the rows; each class keeps at least one of its own."""
        n = len(y)
        size = check_share_or_count(self.max_samples, "max_samples", n, "rows")
        rows = rng.choice(n, size=size, replace=self.replace)
        rows = np.concatenate([rows, _of_lost_classes(y, rows, rng)])
        weight = sample_weight
        if self.as_weights:
            rows, times = np.unique(rows, return_counts=True)
            weight = times.astype(float)
            if sample_weight is not None:
                weight *= sample_weight[rows]
        elif sample_weight is not None:
            weight = sample_weight[rows]
        return TrainingSet(select_rows(X, rows), y[rows], weight)


def _of_lost_classes(y, rows, rng):
    """One row of every class that was not drawn: a member should know all classes."""
    lost = np.setdiff1d(y, y[rows])
    return np.array([rng.choice(np.flatnonzero(y == label)) for label in lost], dtype=rows.dtype)


@dataclass
class ColumnsView(View):
    """Fixed columns, by number or name.

    Parameters
    ----------
    columns : sequence of int or str

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import ColumnsView
    >>> ColumnsView([2, 0]).transform(np.array([[1, 2, 3]])).tolist()
    [[3, 1]]
    """

    columns: Any

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Take the columns."""
        chosen = list(self.columns)
        if not chosen:
            raise ValueError("columns is empty: give at least one.")
        if (
            not isinstance(chosen[0], str)
            and not -X.shape[1] <= min(chosen) <= max(chosen) < (X.shape[1])
        ):
            raise ValueError(f"columns={chosen}, but X has {X.shape[1]} columns, counted from 0.")
        return TrainingSet(self.transform(X), y, sample_weight)

    def transform(self, X: DataLike) -> NDArray:
        """Take the columns."""
        return select_columns(X, list(self.columns))


@dataclass
class SubspaceView(View):
    """Columns drawn at random without repeats, as in the random subspace method.

    Parameters
    ----------
    max_features : float or int, default=0.5
        Columns to draw: a share of all, or a number.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import SubspaceView
    >>> view = SubspaceView(2)
    >>> data = view.fit(np.ones((3, 5)), np.arange(3), None, np.random.RandomState(0))
    >>> data.X.shape, view.columns_.tolist()
    ((3, 2), [0, 2])
    """

    max_features: float | int = 0.5

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Draw the columns."""
        size = check_share_or_count(self.max_features, "max_features", X.shape[1], "columns")
        self.columns_ = np.sort(rng.choice(X.shape[1], size=size, replace=False))
        return TrainingSet(self.transform(X), y, sample_weight)

    def transform(self, X: DataLike) -> NDArray:
        """Take the columns drawn."""
        return select_columns(X, self.columns_)


@dataclass
class LabelsView(View):
    """Classes merged into super-classes: the member learns a coarser problem.

    Parameters
    ----------
    groups : dict
        From every label to the label the member is to learn for it.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import LabelsView
    >>> view = LabelsView({"cat": "pet", "dog": "pet", "wolf": "wild"})
    >>> view.targets(np.array(["cat", "dog", "wolf"])).tolist()
    ['pet', 'pet', 'wild']
    """

    groups: dict

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Rename the labels."""
        classes, codes = np.unique(y, return_inverse=True)
        return TrainingSet(X, self.targets(classes)[codes], sample_weight)

    def targets(self, classes: Any) -> NDArray:
        """Return the group of each class."""
        missing = [label for label in classes.tolist() if label not in self.groups]
        if missing:
            raise ValueError(
                f"groups says nothing of class {missing[0]!r}: give a group for each of "
                f"{classes.tolist()}."
            )
        return np.array([self.groups[label] for label in classes.tolist()])


def numeric_columns(X, *, name):
    """Return X as a float array without missing values, for views that calculate with columns."""
    return check_array(X, dtype=np.float64, input_name="X", estimator=name)


def check_views(view, n_estimators):
    """Return a list of views, one a member, from one View or a list of them."""
    if isinstance(view, View):
        check_count(n_estimators, "n_estimators")
        return [view] * n_estimators
    if isinstance(view, list | tuple) and view and all(isinstance(v, View) for v in view):
        return list(view)
    raise TypeError(
        f"view is {view!r}, expected a View such as BootstrapView(), or a list of Views, one for "
        "each member."
    )
