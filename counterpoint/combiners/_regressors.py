"""A pool of regressors inside an estimator: fitted or to be fitted, each with its own columns."""

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone, is_classifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import check_cv
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from counterpoint._members import is_fitted, is_pool, select_columns, select_rows
from counterpoint._outputs import member_predictions
from counterpoint.exceptions import MemberError


class BasePoolRegressor(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """What regressors around a pool share.

    Subclasses have the parameters ``pool``, ``columns``, ``cv`` and ``n_jobs``.
    """

    def _read(self, X, y):
        # Frames go to the members as they are: they may want names, or strings.
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        X = X if hasattr(X, "shape") else np.asarray(X)
        if self.pool is None:
            return validate_data(self, X, y, y_numeric=True)
        validate_data(self, X, skip_check_array=True)
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64)
        return X, y

    def _fit_pool(self, X, y):
        """Fit the members; return what they say about rows they were not trained on."""
        pool = _default_pool() if self.pool is None else self.pool
        if not is_pool(pool):
            if is_fitted(pool):
                self.pool_ = pool
                told = self._ask(X)
            else:
                splits = self._splits(X, y)
                parts = [
                    member_predictions(clone(pool).fit(select_rows(X, a), y[a]), select_rows(X, b))
                    for a, b in splits
                ]
                told = _in_order(parts, splits)
                self.pool_ = clone(pool).fit(X, y)
            self.names_ = [f"member {k}" for k in range(len(told))]
            return told
        items = pool.items() if isinstance(pool, dict) else pool
        named = [
            item if isinstance(item, tuple) else (f"{type(item).__name__} {k}", item)
            for k, item in enumerate(items)
        ]
        if not named:
            raise MemberError("The list of members is empty: pass at least one regressor.")
        columns = [None] * len(named) if self.columns is None else list(self.columns)
        if len(columns) != len(named):
            raise ValueError(
                f"columns has {len(columns)} entries for {len(named)} members: give one a member, "
                "None for all columns."
            )
        for name, member in named:
            if is_classifier(member) or not hasattr(member, "predict"):
                raise MemberError(
                    f"{name} is a {type(member).__name__}, which is no regressor: use "
                    f"{type(self).__name__.replace('Regressor', 'Classifier')} for classifiers."
                )
        splits = None
        if not all(is_fitted(member) for _, member in named):
            splits = self._splits(X, y)
        done = Parallel(n_jobs=self.n_jobs)(
            delayed(_cross_fit)(member, select_columns(X, c), y, splits)
            for (_, member), c in zip(named, columns, strict=True)
        )
        self.pool_ = [(name, fitted) for (name, _), (fitted, _) in zip(named, done, strict=True)]
        self.names_ = [name for name, _ in named]
        return np.stack([told for _, told in done])

    def _splits(self, X, y):
        splits = list(check_cv(self.cv, y, classifier=False).split(X, y))
        asked = np.sort(np.concatenate([test for _, test in splits]))
        if not np.array_equal(asked, np.arange(len(y))):
            raise ValueError(
                "cv must ask about every sample exactly once, as KFold does; this one leaves some "
                "out or repeats them."
            )
        return splits

    def _ask(self, X):
        columns = self.columns if isinstance(self.pool_, list) else None
        return member_predictions(self.pool_, X, columns=columns, n_jobs=self.n_jobs)

    def _checked(self, X):
        """Return X as the members want it."""
        check_is_fitted(self)
        X = X if hasattr(X, "shape") else np.asarray(X)
        if self.pool is None:
            return validate_data(self, X, reset=False)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def member_predict(self, X) -> NDArray:
        """Return the predictions of the members, (n_members, n_samples)."""
        return self._ask(self._checked(X))


def _default_pool():
    return [
        ("ridge regression", Ridge()),
        ("tree", DecisionTreeRegressor(max_depth=6, random_state=0)),
        ("nearest neighbours", KNeighborsRegressor()),
    ]


def _cross_fit(member, X, y, splits):
    """Return the member fitted on all rows, and what it says of rows it was not fitted on."""
    if is_fitted(member):
        return member, np.asarray(member.predict(X), dtype=float)
    parts = [
        clone(member).fit(select_rows(X, a), y[a]).predict(select_rows(X, b)) for a, b in splits
    ]
    return clone(member).fit(X, y), _in_order(parts, splits)


def _in_order(parts, splits):
    back = np.argsort(np.concatenate([test for _, test in splits]))
    return np.concatenate([np.asarray(p, dtype=float) for p in parts], axis=-1)[..., back]
