"""Boxes around the samples that a member gets wrong, as a map of its incompetence."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from counterpoint._arrays import check_correct
from counterpoint._kernels import hyperboxes as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs
from counterpoint._reading import check_rows
from counterpoint._soundness import check_positions, check_shape
from counterpoint._typing import DataLike
from counterpoint.hyperboxes.base import as_intervals, check_theta, data_range, from_unit, to_unit
from counterpoint.hyperboxes.learning import grow_online


class MisclassificationBoxes:
    """Map where each member of an ensemble errs, by boxes around its mistakes.

    The samples that a member gets wrong are put into boxes with sides of at most ``theta``, one
    after the other as in :class:`HyperboxClassifier`; there is nothing to be cut off, for the
    boxes of a member may overlap. The competence of a member at a point is its distance to the
    nearest such box, divided by the diagonal of the data: 0 inside a box, 1 as far away as can be
    (and for a member without mistakes). A few boxes take the place of the neighbours of a query
    among all samples. After FH-DES [1]_, which selects members by such maps.

    Parameters
    ----------
    theta : float, default=0.1
        Longest side of a box, above 0 and at most 1, as a share of the range of the data.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_boxes, n_features)
        Corners, in the units of the data.
    box_members_ : ndarray of shape (n_boxes,)
        Whose mistakes are in the box; sorted.
    box_weights_ : ndarray of shape (n_boxes,)
        How many.
    n_members_ : int
        Number of members.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] R. Davtalab, R. M. O. Cruz and R. Sabourin, "A scalable dynamic ensemble selection
       using fuzzy hyperboxes", Information Fusion 102, 2024.

    Examples
    --------
    >>> from counterpoint.hyperboxes import MisclassificationBoxes
    >>> X = [[0.0], [1.0], [2.0], [10.0]]
    >>> correct = [[False, False, True, True], [True, True, True, True]]
    >>> regions = MisclassificationBoxes(theta=0.1).fit(X, correct)
    >>> regions.competence([[0.5], [6.0]]).tolist()
    [[0.0, 0.5], [1.0, 1.0]]
    """

    def __init__(self, theta: float = 0.1) -> None:
        self.theta = theta

    def fit(self, X: DataLike, correct: ArrayLike) -> Self:
        """Put the mistakes of each member into boxes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples that no member was trained on; NaN is not known.
        correct : array-like of shape (n_members, n_samples)
            Whether each member is right about each of them.

        Returns
        -------
        MisclassificationBoxes
        """
        theta = check_theta(self.theta)
        X = check_rows(X, owner=type(self).__name__, allow_nan=True)
        self.n_features_in_ = X.shape[1]
        wrong = ~check_correct(correct, n_samples=len(X))
        lower, upper = as_intervals(X, None)
        self.data_min_, self.data_range_ = data_range(lower, upper, None)
        lower, upper = to_unit(lower, upper, self.data_min_, self.data_range_)
        self.n_members_ = len(wrong)
        gamma = np.ones(X.shape[1])
        grown = []
        for member in wrong:
            v, w = lower[member], upper[member]
            codes, ones = np.zeros(len(v), dtype=np.int64), np.ones(len(v))
            grown.append(grow_online(v, w, codes, ones, theta=theta, gamma=gamma))
        sizes = [len(boxes.codes) for boxes in grown]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._lower = np.concatenate([boxes.lower for boxes in grown])
        self._upper = np.concatenate([boxes.upper for boxes in grown])
        self.box_members_ = np.repeat(np.arange(len(wrong)), sizes)
        self.box_weights_ = np.concatenate([boxes.weights for boxes in grown])
        scale = self.data_min_, self.data_range_
        self.lower_, self.upper_ = from_unit(self._lower, self._upper, *scale)
        return self

    def _check_sound(self):
        if hasattr(self, "_starts"):
            n = len(self._lower)
            check_positions(self._starts, "_starts", n + 1, shape=(self.n_members_ + 1,))
            if (np.diff(self._starts) < 0).any():
                raise ValueError("_starts must not decrease.")
            for name in ("_lower", "_upper"):
                check_shape(getattr(self, name), name, (n, self.n_features_in_))

    def competence(self, X: DataLike) -> NDArray:
        """Return how far samples are from what each member gets wrong, from 0 to 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is not known, and counts as inside.

        Returns
        -------
        ndarray of shape (n_members, n_samples)
            Euclidean distance to the nearest box in units of the data's range, divided by the
            square root of the number of columns; at most 1.
        """
        if not hasattr(self, "box_members_"):
            raise NotFittedError("These MisclassificationBoxes are empty: call fit first.")
        X = check_rows(X, owner=type(self).__name__, allow_nan=True)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} columns, but the boxes were made in {self.n_features_in_}."
            )
        lower, upper = as_intervals(X, None)
        lower, upper = to_unit(lower, upper, self.data_min_, self.data_range_)
        with threads_for(X.size * len(self._lower)):
            squared = kernels.nearest_boxes(lower, upper, self._lower, self._upper, self._starts)
        return np.sqrt(np.minimum(squared / X.shape[1], 1.0)).T.copy()


def competence_regions(
    correct: MemberOutputs | ArrayLike, X: ArrayLike, *, theta: float = 0.1
) -> MisclassificationBoxes:
    """Put the mistakes of each member into boxes.

    Parameters
    ----------
    correct : MemberOutputs, or array-like of shape (n_members, n_samples)
        What the members said, or whether they were right.
    X : array-like of shape (n_samples, n_features)
        The samples.
    theta : float, default=0.1
        Longest side of a box, as a share of the range of the data.

    Returns
    -------
    MisclassificationBoxes
        Fitted; ask ``competence``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.hyperboxes import competence_regions
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=1, random_state=0).fit(X[::2], y[::2])
    >>> outputs = MemberOutputs.from_estimator(forest, X[1::2], y[1::2])
    >>> competence_regions(outputs, X[1::2]).competence(X[:3]).shape
    (5, 3)
    """
    right: Any = getattr(correct, "correct", correct)
    return MisclassificationBoxes(theta=theta).fit(X, right)
