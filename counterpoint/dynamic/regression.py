"""A pool of regressors in which every query weighs the members anew (X15)."""

from typing import Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone, is_classifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import check_cv
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_array, gen_batches
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._members import is_fitted, is_pool, select_columns, select_rows
from counterpoint._outputs import member_predictions
from counterpoint.combiners._base import as_shares
from counterpoint.dynamic.regions import NeighbourRegion, Region
from counterpoint.exceptions import MemberError

_METHODS = ("best", "weighted", "both")


class DynamicSelectionRegressor(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """Let the regressors decide that err least near the query.

    Errors are those on validation rows: by default the training rows, about which members were
    asked by cross-fitting; members are then fitted on all of them. Members that are fitted already
    are asked as they are: give ``fit`` data they were not trained on.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Regressors, (name, regressor) pairs, a dict of regressors, or one ensemble, fitted or not.
        None is ridge regression, a tree and nearest neighbours.
    method : {"weighted", "best", "both"}, default="weighted"
        "weighted": all members, by 1 over their mean squared error nearby. "best": the one with
        the least. "both": by 1 over the error, but only members whose error is in the lower half
        of the range.
    region : Region, default=None
        What is near. None is the 7 nearest rows.
    columns : list, default=None
        For a list or dict: the columns each member sees; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit members that are not fitted.
    batch_size : int, default=4096
        Queries looked at in one go.
    n_jobs : int, default=None
        Members fitted or asked at a time.

    Attributes
    ----------
    pool_ : list of (name, regressor) pairs, or ensemble
        All fitted.
    names_ : list of str
        What members are called.
    errors_ : ndarray of shape (n_rows, n_members)
        Squared errors on the validation rows.
    region_ : Region
        Fitted.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] N. Rooney, D. Patterson, S. Anand and A. Tsymbal, "Dynamic integration of regression
       models", Multiple Classifier Systems 2004: "best", "weighted" and "both" are its dynamic
       selection, dynamic weighting, and dynamic weighting with selection.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.dynamic import DynamicSelectionRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DynamicSelectionRegressor().fit(X[::2], y[::2]).predict(X[1:3]).shape
    (2,)
    """

    def __init__(
        self,
        pool=None,
        *,
        method="weighted",
        region=None,
        columns=None,
        cv=5,
        batch_size=4096,
        n_jobs=None,
    ):
        self.pool = pool
        self.method = method
        self.region = region
        self.columns = columns
        self.cv = cv
        self.batch_size = batch_size
        self.n_jobs = n_jobs

    def fit(self, X, y) -> Self:
        """Fit members that are not, and learn where each errs.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        DynamicSelectionRegressor
        """
        if self.method not in _METHODS:
            raise ValueError(f"method={self.method!r}: choose {', '.join(_METHODS)}.")
        region = NeighbourRegion(n_jobs=self.n_jobs) if self.region is None else self.region
        if not isinstance(region, Region):
            raise TypeError(
                f"region is a {type(region).__name__}, expected a Region such as "
                "NeighbourRegion(7)."
            )
        X, y = self._read(X, y)
        told = self._fit_pool(X, y)
        self.errors_ = np.ascontiguousarray(((told - y) ** 2).T)
        self.region_ = clone(region).fit(check_array(X, dtype=np.float64), y)
        return self

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
                    "DynamicSelectionClassifier for classifiers."
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

    def _batches(self, X):
        check_is_fitted(self)
        X = X if hasattr(X, "shape") else np.asarray(X)
        if self.pool is None:
            X = validate_data(self, X, reset=False)
        else:
            validate_data(self, X, reset=False, skip_check_array=True)
        for part in gen_batches(X.shape[0], self.batch_size):
            rows = select_rows(X, np.arange(part.start, part.stop))
            near = self.region_.near(check_array(rows, dtype=np.float64))
            with threads_for(len(near.rows) * self.errors_.shape[1]):
                error = kernels.mean_near(near.start, near.rows, near.pull, self.errors_)
            yield part, self._ask(rows).T, error, as_shares(self._say(error))

    def _say(self, error):
        """Return the say of each member; equal where nothing is near."""
        known = np.where(np.isnan(error), 0.0, error)
        least = known.min(axis=1, keepdims=True)
        if self.method == "best":
            return (known == least).astype(float)
        # Members without any error decide alone.
        perfect = least == 0.0
        say = np.where(perfect, known == 0.0, 1.0 / np.where(perfect, 1.0, known))
        if self.method == "both":
            say = np.where(known <= (least + known.max(axis=1, keepdims=True)) / 2, say, 0.0)
        return say

    def predict(self, X) -> NDArray:
        """Return the weighted mean of the members, weights found anew for each query.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.concatenate([(told * say).sum(axis=1) for _, told, _, say in self._batches(X)])

    def explain_selection(self, X) -> pd.DataFrame:
        """Say who decided about each query, with what local error.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        DataFrame
            A row per query and member that had a say: "query", "member", "says" (its prediction),
            "error" (mean squared, nearby), "say" (its share) and "decision".
        """
        names = np.array(getattr(self, "names_", []), dtype=object)
        frames = []
        for part, told, error, say in self._batches(X):
            query, member = np.nonzero(say > 0)
            frames.append(
                pd.DataFrame(
                    {
                        "query": query + part.start,
                        "member": names[member],
                        "says": told[query, member],
                        "error": error[query, member],
                        "say": say[query, member],
                        "decision": (told * say).sum(axis=1)[query],
                    }
                )
            )
        return pd.concat(frames, ignore_index=True)


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
