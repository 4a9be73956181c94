"""Bagging of histogram trees by Poisson draws, which need no list of rows."""

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._reading import is_store, need_memory, train_on
from counterpoint._typing import Estimator, Seed
from counterpoint._validation import check_count
from counterpoint.base import (
    BaseEnsembleClassifier,
    draw_seed,
    encode_target,
    need_target,
    validate_data,
)
from counterpoint.large.crew import new_crew
from counterpoint.large.learners import ShardedLearner
from counterpoint.large.rows import DrawnRows, Job, draw_counts
from counterpoint.trees import HistTreeClassifier
from counterpoint.trees.growing.workspace import chunk_rows


class BaggedTreesClassifier(MetaEstimatorMixin, BaseEnsembleClassifier):
    """Bagged histogram trees, on a table in memory or on a store of any size.

    Each tree sees a row as often as a Poisson number of mean 1 says, drawn for each row by itself:
    what a bootstrap sample of very many rows comes to ([2]_, section 3), and nobody has to keep a
    list of rows. The answer is the mean of the members' probabilities.

    Parameters
    ----------
    estimator : HistTreeClassifier or None, default=None
        The trees; None is ``HistTreeClassifier(max_depth=12)``.
    n_estimators : int, default=20
        Number of trees.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws. A store gives the trees that the same rows give in memory, where the bins
        are the same.

    Attributes
    ----------
    estimators_ : list
        The trees.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    References
    ----------
    .. [1] L. Breiman, "Bagging predictors", Machine Learning 24, 1996.
    .. [2] N. Oza and S. Russell, "Online bagging and boosting", AISTATS 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.large import BaggedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bagged = BaggedTreesClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    >>> bool(bagged.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self, estimator: Estimator = None, *, n_estimators: int = 20, random_state: Seed = None
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _base(self):
        return HistTreeClassifier(max_depth=12) if self.estimator is None else self.estimator

    def _check(self):
        check_count(self.n_estimators, "n_estimators")
        if type(self._base()) is not HistTreeClassifier:
            raise TypeError(
                f"estimator={self.estimator!r} of BaggedTreesClassifier: give a "
                "HistTreeClassifier, or None. Other learners are bagged by scikit-learn's "
                "BaggingClassifier."
            )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or BinnedStore
            Numbers; NaN is missing. A store has the targets and weights too.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        client : distributed.Client, default=None
            For a store: the workers that add up its rows. None: this process.

        Returns
        -------
        object
            The fitted estimator.
        """
        if is_store(X):
            return train_on(X, self, y, sample_weight, client=client)
        need_memory(client)
        return super().fit(X, y, sample_weight)

    def _read(self, X, y):
        self._check()
        need_target(self, y)
        options = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
        X, y = validate_data(self, X, y, **options)
        self.classes_, codes = encode_target(self, y)
        return X, codes

    def _fit_members(self, X, y, sample_weight, rng):
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        if (weight == 0).any():  # as if these samples were not there
            X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        tree = clone(self._base())
        data = tree.prepare(X, y, classes=self.classes_)
        self.estimators_ = []
        for seed in _seeds(rng, self.n_estimators):
            drawn = weight * draw_counts(seed, 0, len(y), chunk_rows(len(y)))
            if not drawn.any():  # of few rows a draw may have none
                drawn = weight
            self.estimators_.append(copy(tree).fit_prepared(data, drawn))

    def _check_X(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False, ensure_all_finite="allow-nan")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _seeds(rng, n):
    return [draw_seed(rng) for _ in range(n)]


def fit_bagging(estimator, store, options):
    """Fit to a store."""
    estimator._check()
    base = estimator._base()
    if base.class_weight is not None:
        raise ValueError(
            f"class_weight={base.class_weight!r} is not for bagging on a store: weigh the rows "
            "by a column, weight=, when the store is written."
        )
    estimator.n_features_in_ = store.n_features
    estimator.feature_names_in_ = np.array(store.feature_names, dtype=object)
    estimator.classes_ = store.classes
    rng = check_random_state(estimator.random_state)
    with new_crew(store, lambda token: Job(token, DrawnRows), **options) as crew:
        learner = ShardedLearner(base, crew)
        del learner.template.feature_names_in_  # members are asked about plain numbers
        estimator.estimators_ = []
        for seed in _seeds(rng, estimator.n_estimators):
            crew.log.append(("draw", (seed,)))
            estimator.estimators_.append(learner.fit().model)
    return estimator
