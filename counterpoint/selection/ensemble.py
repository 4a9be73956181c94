"""A pool cut down to the members that are best together, as a scikit-learn estimator."""

from typing import Any

import numpy as np
import pandas as pd

from counterpoint._members import is_pool
from counterpoint._typing import Pool, Seed
from counterpoint._validation import check_choice
from counterpoint.combiners import MeanCombiner, VoteCombiner
from counterpoint.combiners.pool import BasePoolClassifier, BasePoolRegressor
from counterpoint.combiners.registry import as_combiner
from counterpoint.selection.registry import SEARCHES, run_search


class _EnsembleSelection:
    """Search, then combine those selected: for classes and for numbers."""

    pool_: Any
    _fit_unseen: Any
    _criterion: str
    _n_members: int | None = None

    def __init__(
        self,
        pool: Pool = None,
        *,
        search: str = "forward",
        criterion: Any = None,
        n_members: int | None = None,
        replace: bool = True,
        combiner: Any = None,
        columns: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.search = search
        self.criterion = criterion
        self.n_members = n_members
        self.replace = replace
        self.combiner = combiner
        self.columns = columns
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_members(self, X, y, sample_weight, rng):
        check_choice(self.search, "search", SEARCHES)
        rule = None if self.combiner is None else as_combiner(self.combiner)
        outputs = self._fit_unseen(X, y, sample_weight)
        n_members = self.n_members
        if n_members is None and self.search == "forward" and self.replace:
            n_members = self._n_members
        self.trace_ = run_search(
            self.search,
            outputs,
            self._criterion if self.criterion is None else self.criterion,
            n_members=n_members,
            replace=self.replace,
            random_state=rng,
        )
        self.selected_, self.estimator_weights_ = self.trace_.selected, self.trace_.weights
        chosen = outputs.take(self.selected_)
        if rule is None:
            mean = getattr(chosen, "votes", None) is None or chosen.proba is not None
            self.combiner_ = (MeanCombiner if mean else VoteCombiner)(self.estimator_weights_)
        else:
            self.combiner_ = rule.fit(chosen)
            self.estimator_weights_ = rule.shares(chosen)
        return outputs

    def _asked(self):
        """Return the pool to ask, its columns, and which of its answers count."""
        if not is_pool(self.pool_):
            return self.pool_, None, self.selected_
        columns = None if self.columns is None else [self.columns[k] for k in self.selected_]
        return [self.pool_[k] for k in self.selected_], columns, slice(None)


class EnsembleSelectionClassifier(_EnsembleSelection, BasePoolClassifier):
    """Keep the members of a pool that are best together.

    Members that are not fitted are cross-fitted, the selection looks only at what they say about
    rows they were not trained on, and members are then fitted on all rows. With the defaults
    this is greedy ensemble selection with replacement [1]_: the weight of a member is how often
    it was taken.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Estimators, (name, estimator) pairs, a dict of estimators, or one ensemble, fitted or
        not. None is logistic regression, naive Bayes and a tree.
    search : str, default="forward"
        "forward", "backward", "floating", "thinning", "exhaustive", "genetic"; an order in which
        members join: "error", "kappa", "margin", "complementarity"; "all" to keep everybody; or
        a name of your own in :data:`SEARCHES`.
    criterion : str, Criterion or Combiner, default=None
        What makes a subset good: "error" of the vote, "log-loss" of the mean, a measure of
        diversity, the name of a scikit-learn scorer, a combiner (its error), or a criterion of
        your own. None is "neg_log_loss".
    n_members : int, default=None
        Steps or size, as the search has it.
    replace : bool, default=True
        For "forward": whether a member may be taken more than once.
    combiner : Combiner or str, default=None
        How the selected are combined, or its name. None averages probabilities, weighted by how
        often a member was taken, or counts votes where there are none.
    columns : list, default=None
        For a list or dict: the columns each member sees; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit.
    n_jobs : int, default=None
        Members fitted or asked at a time.
    random_state : int, RandomState instance or None, default=None
        Seeds the genetic search.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    selected_ : ndarray of int
        Positions in the pool, in the order they joined: these are the members that
        ``member_predict`` and ``member_outputs`` speak of.
    estimator_weights_ : ndarray
        Of the selected; they add up to 1.
    trace_ : Trace
        The steps of the search.
    pool_ : list of (name, estimator) pairs, or ensemble
        All members of the pool, fitted.
    combiner_ : Combiner
        Fitted.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    A logistic regression, one of the default pool, adds up one row in another order than many on
    some processors: what a row gets may depend on the rows asked with it in the last digits.

    References
    ----------
    .. [1] R. Caruana et al., "Ensemble selection from libraries of models", ICML 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.selection import EnsembleSelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = EnsembleSelectionClassifier().fit(X, y)
    >>> bool(model.estimator_weights_.sum().round(9) == 1)
    True
    """

    _criterion = "neg_log_loss"


class EnsembleSelectionRegressor(_EnsembleSelection, BasePoolRegressor):
    """Keep and weigh the regressors of a pool that are best together.

    As :class:`EnsembleSelectionClassifier`, for numbers: by default members join one at a time,
    repeats allowed, each the one that makes the mean of those in best [1]_.
    ``search="all", combiner="weighted-mean"`` takes the weights, not negative and adding up to 1,
    with the least squared error, found from the covariances of the members' errors [2]_;
    ``search="all"`` with "mean" or "median" weighs nothing.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Regressors, (name, regressor) pairs, a dict of regressors, or one ensemble, fitted or not.
        None is ridge regression, a tree and nearest neighbours (which take no weights and much
        time: left out where there are weights, or more than 50,000 rows).
    search : str, default="forward"
        "forward", "backward", "floating", "exhaustive", "genetic"; "error", the order in which
        members join; or "all".
    criterion : str or Criterion, default=None
        What makes a subset good: the name of a scikit-learn scorer of regressors, or a criterion
        of your own. None is "neg_mean_squared_error".
    n_members : int, default=None
        Steps or size, as the search has it. None is 30 for "forward" with replacement.
    combiner : Combiner or str, default=None
        How the selected are combined: "mean", "median", "weighted-mean". None is the mean,
        weighted by how often a member was taken.
    replace, columns, cv, n_jobs, random_state
        As for the classifier.

    Attributes
    ----------
    selected_, estimator_weights_, combiner_, n_features_in_
        As for the classifier.
    trace_ : Trace
        The steps of the search; its errors are mean squared ones of the plain mean.
    pool_ : list of (name, regressor) pairs, or ensemble
        All members of the pool, fitted.
    names_ : list of str
        What members of the pool are called.
    leaderboard_ : DataFrame
        A row per member of the pool: "member", "mse" alone on rows it was not trained on,
        "weight".

    Notes
    -----
    A ridge regression, one of the default pool, adds up one row in another order than many:
    what a row gets may depend on the rows asked with it in the last digits.

    References
    ----------
    .. [1] R. Caruana et al., "Ensemble selection from libraries of models", ICML 2004.
    .. [2] A. Krogh and J. Vedelsby, "Neural network ensembles, cross validation, and active
       learning", NIPS 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.selection import EnsembleSelectionRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = EnsembleSelectionRegressor(search="all", combiner="weighted-mean").fit(X, y)
    >>> model.estimator_weights_.shape, bool(model.estimator_weights_.sum().round(9) == 1)
    ((3,), True)
    """

    _criterion = "neg_mean_squared_error"
    _n_members = 30

    def _fit_members(self, X, y, sample_weight, rng):
        outputs = super()._fit_members(X, y, sample_weight, rng)
        weight = np.zeros(outputs.n_members)
        weight[self.selected_] = self.estimator_weights_
        self.leaderboard_ = pd.DataFrame(
            {"member": self.names_, "mse": outputs.errors, "weight": weight}
        )
