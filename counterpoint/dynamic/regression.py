"""A pool of regressors in which every query weighs the members anew."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_array, gen_batches

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._tables import select_rows
from counterpoint._typing import DataLike, Pool
from counterpoint._validation import check_choice, check_count
from counterpoint.combiners.combiner import as_shares
from counterpoint.combiners.pool import BasePoolRegressor
from counterpoint.dynamic.regions import as_region
from counterpoint.dynamic.selection import selection_frame

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
        None is ridge regression, a tree and nearest neighbours (which take no weights and much
        time: left out where there are weights, or more than 50,000 rows).
    method : {"weighted", "best", "both"}, default="weighted"
        "weighted": all members, by 1 over their mean squared error nearby. "best": the one with
        the least. "both": by 1 over the error, but only members whose error is in the lower half
        of the range.
    region, columns, cv, batch_size, n_jobs
        As for :class:`DynamicSelectionClassifier`.

    Attributes
    ----------
    pool_ : list of (name, regressor) pairs, or ensemble
        All fitted.
    names_ : list of str
        What members are called.
    errors_ : ndarray of shape (n_members, n_rows)
        Squared errors on the validation rows.
    region_ : Region
        Fitted.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    A ridge regression, one of the default pool, adds up one row in another order than many:
    what a row gets may depend on the rows asked with it in the last digits.

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
        pool: Pool = None,
        *,
        method: str = "weighted",
        region: Any = None,
        columns: Any = None,
        cv: Any = 5,
        batch_size: int | None = 4096,
        n_jobs: int | None = None,
    ) -> None:
        self.pool = pool
        self.method = method
        self.region = region
        self.columns = columns
        self.cv = cv
        self.batch_size = batch_size
        self.n_jobs = n_jobs

    def _fit_members(self, X, y, sample_weight, rng):
        check_choice(self.method, "method", _METHODS)
        check_count(self.batch_size, "batch_size")
        region = as_region(self.region, self.n_jobs)
        outputs = self._fit_unseen(X, y, sample_weight)
        # A row lies together in memory: kernels read all members of it at once.
        self.errors_ = np.ascontiguousarray(((outputs.values - y) ** 2).T).T
        self.region_ = region.fit(check_array(X, dtype=np.float64), y)

    def _batches(self, X):
        """Yield the members' numbers, local errors and say, (n_members, n_queries) each."""
        X = self._check_X(X)
        for part in gen_batches(X.shape[0], self.batch_size):
            rows = select_rows(X, np.arange(part.start, part.stop))
            near = self.region_.near(check_array(rows, dtype=np.float64))
            with threads_for(len(near.rows) * len(self.errors_)):
                error = kernels.mean_near(near.start, near.rows, near.pull, self.errors_.T).T
            yield part, self.member_predict(rows), error, as_shares(self._say(error).T).T

    def _say(self, error):
        """Return the say of each member; equal where nothing is near."""
        known = np.where(np.isnan(error), 0.0, error)
        least = known.min(axis=0, keepdims=True)
        if self.method == "best":
            return (known == least).astype(float)
        # Members without any error decide alone.
        perfect = least == 0.0
        say = np.where(perfect, known == 0.0, 1.0 / np.where(perfect, 1.0, known))
        if self.method == "both":
            say = np.where(known <= (least + known.max(axis=0, keepdims=True)) / 2, say, 0.0)
        return say

    def _combined(self, X):
        return np.concatenate([_weigh(values, say) for _, values, _, say in self._batches(X)])

    def explain_selection(self, X: DataLike) -> pd.DataFrame:
        """Say who decided about each query, with what local error.

        A row per query and member that had a say: "query", "member", "says" (its prediction),
        "error" (mean squared, nearby), "say" (its share) and "decision".
        """
        names = np.array(getattr(self, "names_", []), dtype=object)
        frames = []
        for part, values, error, say in self._batches(X):
            columns = {"says": values, "error": error, "say": say}
            frames.append(selection_frame(part, names, columns, _weigh(values, say)))
        return pd.concat(frames, ignore_index=True)


def _weigh(values, say):
    return np.ascontiguousarray((values * say).T).sum(axis=1)
