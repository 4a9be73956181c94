"""Regressors kept and weighed by how good they are together (X13, X15)."""

from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import check_scoring

from counterpoint.combiners._regressors import BasePoolRegressor
from counterpoint.combiners.simplex import least_quadratic

_METHODS = ("greedy", "simplex", "mean", "median")


class EnsembleSelectionRegressor(BasePoolRegressor):
    """Keep and weigh the regressors of a pool that are best together.

    Members that are not fitted are cross-fitted; weights are learnt from what they say about
    rows they were not trained on, and the members are then fitted on all rows.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Regressors, (name, regressor) pairs, a dict of regressors, or one ensemble, fitted or not.
        None is ridge regression, a tree and nearest neighbours.
    method : {"greedy", "simplex", "mean", "median"}, default="greedy"
        "greedy": members join one at a time, repeats allowed, each the one that makes the mean of
        those in best; a member's weight is how often it joined [1]_. "simplex": the weights, not
        negative and adding up to 1, with the least squared error, found from the covariances of
        the members' errors [2]_. "mean" and "median" weigh nothing.
    scoring : str or callable, default="neg_mean_squared_error"
        For "greedy": what makes predictions good, a scikit-learn scorer of regressors.
    n_rounds : int, default=30
        For "greedy": members that join; the best number of them is kept.
    columns : list, default=None
        For a list or dict: the columns each member sees; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit members that are not fitted.
    n_jobs : int, default=None
        Members fitted or asked at a time.

    Attributes
    ----------
    pool_ : list of (name, regressor) pairs, or ensemble
        All fitted.
    names_ : list of str
        What members are called.
    weights_ : ndarray of shape (n_members,)
        They add up to 1; equal for "mean" and "median".
    trace_ : DataFrame
        For "greedy", a row per round: "member" that joined, and "score" after it. Rounds after
        the best one are in it, too.
    leaderboard_ : DataFrame
        A row per member: "member", "mse" alone on rows it was not trained on, "weight".
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, "Ensemble selection from
       libraries of models", ICML 2004.
    .. [2] A. Krogh and J. Vedelsby, "Neural network ensembles, cross validation, and active
       learning", NIPS 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.selection import EnsembleSelectionRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = EnsembleSelectionRegressor().fit(X, y)
    >>> model.weights_.shape, bool(model.weights_.sum().round(9) == 1)
    ((3,), True)
    """

    def __init__(
        self,
        pool=None,
        *,
        method="greedy",
        scoring="neg_mean_squared_error",
        n_rounds=30,
        columns=None,
        cv=5,
        n_jobs=None,
    ):
        self.pool = pool
        self.method = method
        self.scoring = scoring
        self.n_rounds = n_rounds
        self.columns = columns
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X, y) -> Self:
        """Fit members that are not, and weigh them.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        EnsembleSelectionRegressor
        """
        if self.method not in _METHODS:
            raise ValueError(f"method={self.method!r}: choose {', '.join(_METHODS)}.")
        if self.n_rounds < 1:
            raise ValueError(f"n_rounds={self.n_rounds}: at least one member must join.")
        X, y = self._read(X, y)
        told = self._fit_pool(X, y)
        if self.method == "greedy":
            self.weights_ = self._greedy(told, y)
        elif self.method == "simplex":
            gaps = told - y
            self.weights_ = least_quadratic(gaps @ gaps.T / len(y))
        else:
            self.weights_ = np.full(len(told), 1 / len(told))
        self.leaderboard_ = pd.DataFrame(
            {
                "member": self.names_,
                "mse": ((told - y) ** 2).mean(axis=1),
                "weight": self.weights_,
            }
        )
        return self

    def _greedy(self, told, y):
        score = check_scoring(_Said(), self.scoring)
        total, joined, scores = np.zeros(len(y)), [], []
        for k in range(1, self.n_rounds + 1):
            found = [score(_Said(), ((total + own) / k)[:, None], y) for own in told]
            best = int(np.argmax(found))
            total = total + told[best]
            joined.append(best)
            scores.append(found[best])
        self.trace_ = pd.DataFrame({"member": [self.names_[m] for m in joined], "score": scores})
        # Of equals the first: fewer members.
        kept = joined[: int(np.argmax(scores)) + 1]
        return np.bincount(kept, minlength=len(told)) / len(kept)

    def predict(self, X) -> NDArray:
        """Return the weighted mean of the members, or their median.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        told = self.member_predict(X)
        return np.median(told, axis=0) if self.method == "median" else self.weights_ @ told


class _Said(RegressorMixin, BaseEstimator):
    """A regressor whose predictions are its input, for scorers, which ask estimators."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]
