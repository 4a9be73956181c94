"""What estimators share that make one model out of a pool: members given, fitted or not."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import check_random_state

from counterpoint import _members
from counterpoint._options import check_shared_options
from counterpoint._typing import DataLike, Target, Weights
from counterpoint._validation import check_pool
from counterpoint.base import (
    LearnersMixin,
    fit_member,
    read_labels,
    set_random_states,
    validate_data,
)
from counterpoint.trees.growing.growers import case_weights


class PoolMixin(LearnersMixin, MetaEstimatorMixin):
    """A parameter ``pool``: a fitted pool is taken as it is, another is copied and fitted.

    A class writes ``_check``, for its options, and ``_make(X, y, sample_weight, rng)``.
    """

    pool: Any
    random_state: Any
    classes_: NDArray
    n_features_in_: int

    def fit(self, X: DataLike, y: Target, sample_weight: Weights = None) -> Self:
        """Fit the pool unless it is fitted, and make one model of it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers.
        y : array-like of shape (n_samples,)
            Labels, or numbers for a regressor.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Whole numbers count as copies, up to a million in all or a hundred a
            sample; others are scaled to sum to the number of samples.

        Returns
        -------
        self
        """
        check_pool(self.pool, owner=type(self).__name__)
        check_shared_options(self)
        self._check()
        self._make(X, y, sample_weight, check_random_state(self.random_state))
        return self

    def _is_prefit(self) -> bool:
        return not hasattr(self.pool, "fit") or _members.is_fitted(self.pool)

    def _learners(self) -> dict[str, Any]:
        return {} if self._is_prefit() else {"pool": self.pool}

    def _fitted_pool(self, X, y, rng, sample_weight=None, **params) -> Any:
        """Return the pool if it is fitted, else a fitted copy, seeded where it has no seeds."""
        if self._is_prefit():
            return self.pool
        if sample_weight is not None and (sample_weight == sample_weight[0]).all():
            sample_weight = None
        pool = set_random_states(clone(self.pool), rng, only_missing=True)
        return fit_member(pool, X, y, **self._fit_params(sample_weight, **params)["pool"])

    def _read_cases(self, X, y, sample_weight) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return the rows with a weight, their labels, positions of these, and weights."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        y = read_labels(self, y)
        weight = case_weights(X, y, sample_weight, None)
        held = weight > 0
        self.classes_, codes = np.unique(y[held], return_inverse=True)
        return X[held], y[held], codes, weight[held]

    def _check_pool(self, y, classes, n_features) -> None:
        """Compare the pool with the data, and take over its classes."""
        unknown = np.setdiff1d(y, classes)
        if len(unknown):
            raise ValueError(
                f"y holds {unknown.tolist()[0]!r}, which the pool does not know; its classes are "
                f"{np.asarray(classes).tolist()}. Fit it on all classes."
            )
        if n_features is not None and n_features != self.n_features_in_:
            raise ValueError(
                f"X has {self.n_features_in_} columns, but the pool was fitted on {n_features}: "
                "pass the columns it was fitted on."
            )
        self.classes_ = np.asarray(classes)
