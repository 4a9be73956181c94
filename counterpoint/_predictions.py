"""Member predictions: the numbers that the members of a regression ensemble said."""

import numpy as np

from counterpoint import _members
from counterpoint._arrays import (
    MEMBER_AXES,
    SQUARABLE,
    check_floats,
    check_member_weight,
    check_names,
    check_sample_weight,
    check_samples,
)
from counterpoint._options import check_jobs

__all__ = ["MemberPredictions", "member_predictions"]


class MemberPredictions:
    """What regressors said about some samples, and the truth: ``MemberOutputs`` for numbers.

    All numbers are finite, and none is beyond 1e150: squares of larger ones overflow.

    Parameters
    ----------
    values : array-like of shape (n_members, n_samples)
        The number each member gives each sample.
    y : array-like of shape (n_samples,), default=None
        The truth.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts.
    weights : array-like of shape (n_members,), default=None
        Say of each member in the ensemble's mean. None: equal.
    names : list of str, default=None
        What to call the members.

    Attributes
    ----------
    n_members, n_samples : int

    Examples
    --------
    >>> from counterpoint import MemberPredictions
    >>> MemberPredictions([[1.0, 2.0], [1.0, 4.0]], [1.0, 3.0]).errors.tolist()
    [0.5, 0.5]
    """

    def __init__(self, values, y=None, *, sample_weight=None, weights=None, names=None):
        values = check_floats(values, "values", MEMBER_AXES[:2], most=SQUARABLE)
        if y is not None:
            y = check_floats(y, "y", ("n_samples",), most=SQUARABLE)
            check_samples(values, "values", MEMBER_AXES[:2], len(y))
        self.values, self.y = values, y
        self.n_members, self.n_samples = values.shape
        self.sample_weight = check_sample_weight(sample_weight, self.n_samples)
        self.weights = check_member_weight(weights, self.n_members)
        self.names = [f"member {k}" for k in range(len(values))]
        if names is not None:
            self.names = check_names(names, len(values), "member")

    @property
    def errors(self):
        """Mean squared error of each member, (n_members,)."""
        self.need_truth()
        return np.average((self.values - self.y) ** 2, axis=1, weights=self.sample_weight)

    @property
    def say(self):
        """Say of each member in the mean, (n_members,): ``weights``, or all ones."""
        return np.ones(self.n_members) if self.weights is None else self.weights

    def take(self, members):
        """Keep some members, in the order given: positions, a slice or a boolean mask."""
        at = np.arange(self.n_members)[members]
        return MemberPredictions(
            self.values[at], self.y, sample_weight=self.sample_weight,
            weights=None if self.weights is None else self.weights[at],
            names=[self.names[k] for k in at],
        )  # fmt: skip

    def need_votes(self, what):
        """Raise: these are numbers."""
        raise ValueError(f"{what} needs classes, but these are predictions of regressors.")

    def need_truth(self):
        """Raise unless the truth is known."""
        if self.y is None:
            raise ValueError("An error needs the truth: build the MemberPredictions with y.")


def member_predictions(estimator, X, *, columns=None, n_jobs=None):
    """Predictions of the members of a fitted regression ensemble.

    Parameters
    ----------
    estimator : ensemble, pipeline, search, list or dict
        A fitted regressor with members, or a list or dict of fitted regressors.
    X : array-like or frame of shape (n_samples, n_features)
    columns : list, default=None
        For a list of estimators: the columns each one sees.
    n_jobs : int, default=None

    Returns
    -------
    ndarray of shape (n_members, n_samples)

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from counterpoint import member_predictions
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(n_estimators=7, random_state=0).fit(X, y)
    >>> member_predictions(forest, X).shape
    (7, 442)
    """
    check_jobs(n_jobs)
    return _members.values_of(estimator, X, columns=columns, n_jobs=n_jobs)
