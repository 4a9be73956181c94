"""A pool of regressors in which every query weighs the members anew (X15)."""

from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array, gen_batches

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._members import select_rows
from counterpoint.combiners._base import as_shares
from counterpoint.combiners._regressors import BasePoolRegressor
from counterpoint.dynamic.regions import NeighbourRegion, Region

_METHODS = ("best", "weighted", "both")


class DynamicSelectionRegressor(BasePoolRegressor):
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

    def _batches(self, X):
        X = self._checked(X)
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
