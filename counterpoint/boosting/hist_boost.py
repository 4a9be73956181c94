"""Gradient boosting of histogram trees: many small Newton steps, ended in time."""

from copy import copy
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.boosting.additive import (
    AdditiveClassifier,
    AdditiveRegressor,
    ColumnsLearner,
)
from counterpoint.boosting.in_time import StopsInTime
from counterpoint.boosting.learners import MemberAnswer, PreparedLearner
from counterpoint.boosting.newton import REGRESSION_LOSSES, NewtonClassLoss
from counterpoint.trees import HistTreeRegressor

# So many rows are enough for trees to be right at larger steps.
_MANY = 100_000


class SampledLearner(PreparedLearner):
    """Grow trees on rows drawn anew for each; leaves are set by the loss if it asks for that."""

    def __init__(self, estimator, X, *, share, loss, cases, rng):
        super().__init__(estimator, X, None, None, proba=False, cases=cases, rng=rng)
        self.share, self.loss, self.cases = share, loss, cases
        self.is_random = self.is_random or share < 1

    def _copy(self):
        # It draws from ours: to seed a generator takes as long as to grow a small tree.
        model = copy(self.template)
        model.random_state = self.rng
        return model

    def fit(self, weight, target=None):
        """Train one member."""
        model, rows = self._copy(), None
        if self.share < 1:
            n = len(self.data.X)
            rows = np.flatnonzero(self.rng.permutation(n) < max(1, round(self.share * n)))
        model.fit_prepared(self.data, weight, target=target, rows=rows)
        model.random_state = None
        if not hasattr(self.loss, "leaf_values"):
            return self.answer(model)
        leaf = self.data.leaves(model.tree_)
        values = self.loss.leaf_values(leaf, self.cases, model.tree_.node_count)
        model.tree_ = replace(model.tree_, value=values[:, None])
        return MemberAnswer(model, values=values[leaf])


class _HistBoost(StopsInTime):
    """Parameters of both, the rows held out, and what columns are worth."""

    resample = False
    stopping = None

    def __init__(
        self,
        *,
        n_estimators=1000,
        learning_rate="auto",
        max_leaf_nodes="auto",
        max_depth=None,
        min_samples_leaf=1,
        min_weight_leaf=0.1,
        l2_regularization=1.0,
        subsample=0.8,
        max_features=0.8,
        max_bins=255,
        early_stopping="auto",
        patience=20,
        validation_fraction=0.1,
        warm_start=False,
        progress=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_leaf = min_weight_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    def _is_auto(self, name):
        value = getattr(self, name)
        return isinstance(value, str) and value == "auto"

    def _rate(self):
        return self.learning_rate_

    def _set_aside(self, X, y, weight, rng):
        if not self._goes_on():
            found = self._sizes(len(y))
            for name, size in found.items():
                setattr(self, f"{name}_", size if self._is_auto(name) else getattr(self, name))
        return super()._set_aside(X, y, weight, rng)

    def _sizes(self, n):
        """Return what suits a table of so many rows: docs/hist_boost.md says how it was found."""
        leaves, rate = self._size_for(n)
        return {"max_leaf_nodes": int(np.clip(round(leaves), 8, 255)), "learning_rate": rate}

    def _for_folds(self):
        return {"max_leaf_nodes": self.max_leaf_nodes_, "learning_rate": self.learning_rate_}

    def _base(self):
        return HistTreeRegressor(
            max_leaf_nodes=getattr(self, "max_leaf_nodes_", self.max_leaf_nodes),
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_leaf=self.min_weight_leaf,
            l2_regularization=self.l2_regularization,
            max_features=self.max_features,
            max_bins=self.max_bins,
        )

    def _check_options(self):
        super()._check_options()
        check_number(self.subsample, "subsample", low=0, high=1, open_low=True)
        check_choice(self.early_stopping, "early_stopping", (True, False, "auto"))
        check_count(self.patience, "patience")
        share = self.validation_fraction
        check_number(share, "validation_fraction", low=0, high=1, open_low=True, open_high=True)
        if self.early_stopping is True and self.warm_start:
            raise ValueError(
                "early_stopping=True and warm_start=True: rows held out once would be trained on "
                "the next time. Set one of them to False."
            )

    def make_rule(self):
        """Return the rule that takes Newton steps."""
        rule = super().make_rule()
        rule.notes = False
        return rule

    def _make_learner(self, rule, X, y, weight, rng):
        learner = SampledLearner(
            self._base(),
            X,
            share=self.subsample,
            loss=rule.loss,
            cases=self._cases(weight),
            rng=rng,
        )
        return ColumnsLearner(learner)

    @property
    def feature_importances_(self):
        """Share of each column in what all splits lowered the loss by, (n_features,)."""
        check_is_fitted(self)
        gained = np.zeros(self.n_features_in_)
        for member in self.estimators_:
            for model in member if isinstance(member, list) else [member]:
                tree = model.tree_
                spread = tree.impurity * tree.weighted_n_node_samples
                split = np.flatnonzero(~tree.is_leaf)
                left, right = tree.children_left[split], tree.children_right[split]
                lowered = np.maximum(spread[split] - spread[left] - spread[right], 0.0)
                np.add.at(gained, tree.feature[split], lowered)
        return gained / gained.sum() if gained.any() else gained


class HistBoostClassifier(_HistBoost, AdditiveClassifier):
    """Gradient boosting of histogram trees, for classes.

    Scores start from the classes' shares. Each round fits a tree to the slope of the log-loss
    over its curvature, weighted by curvature, so that a leaf adds the Newton step
    sum(y - p) / (sum(p (1 - p)) + l2) ([1]_, [2]_ eq. 5), times ``learning_rate``; K > 2 classes
    have a tree each. Trees grow leaf by leaf, the split that lowers the loss most first ([3]_).
    With ``early_stopping`` some rows are held out, and the ensemble ends where it is best for them.
    The same seed gives the same bytes at any number of threads.

    Parameters
    ----------
    n_estimators : int, default=1000
        Most rounds.
    learning_rate : float or "auto", default="auto"
        Shrinkage: factor of each tree's values. "auto" is 0.1, from 100,000 rows on 0.2.
    max_leaf_nodes : int, None or "auto", default="auto"
        Most leaves of a tree. "auto" is n ** 0.75 / 15 for n rows, from 8 to 255: 8 up to 600
        rows, 67 at 10,000, 255 from 60,000 on.
    max_depth : int or None, default=None
        Most splits on a path.
    min_samples_leaf : int, default=1
        Fewest rows in a leaf. Above 1 rows are counted, which takes a quarter longer.
    min_weight_leaf : float, default=0.1
        Least sum of curvatures in a leaf: p (1 - p) of its rows, times their weights.
    l2_regularization : float, default=1.0
        Added to the sum of curvatures: draws values of small leaves towards 0.
    subsample : float, default=0.8
        Share of the rows, drawn anew for each tree, that it is grown on.
    max_features : float, default=0.8
        Share of the columns, drawn anew for each tree, that it may split on.
    max_bins : int, default=255
        Most bins of a column.
    early_stopping : bool or "auto", default="auto"
        Hold rows out and stop when their loss has not fallen for ``patience`` rounds; the trees up
        to the best round are kept. "auto": so from 2000 rows on; with fewer all rows are trained
        on, for as many rounds as are best for a fifth of them and a fifth more, or, where rows
        times trees a round are below 1000, as three folds say. Not with ``warm_start``.
    patience : int, default=20
        Rounds without a better loss on the rows held out.
    validation_fraction : float, default=0.1
        Share of the rows held out, at most 20,000; every class keeps a row to train on.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with ``sample_weight``.
    warm_start : bool, default=False
        Go on from the trees there are; not with ``early_stopping=True``.
    progress : bool or None, default=None
        Show a bar; None: if it takes long and there is a terminal.
    random_state : int, RandomState instance or None, default=None
        Draws rows, columns and what is held out.

    Attributes
    ----------
    estimators_ : list
        The trees; for more than two classes a list of one for each class a round.
    estimator_weights_ : ndarray of shape (n_members,)
        All ``learning_rate_``.
    learning_rate_ : float
        Learning rate in use.
    max_leaf_nodes_ : int or None
        Most leaves, as used.
    start_ : ndarray of shape (1,) or (n_classes,)
        Where scores start: logarithms of odds or of shares.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in what all splits lowered the loss by.
    history_ : DataFrame
        One row per round: ``held_error`` and ``held_log_loss`` if rows were held out, and the same
        on ``eval_set``.
    stop_reason_ : str
        "complete", "interrupted", or what ended training early.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29, 2001.
    .. [2] T. Chen and C. Guestrin, "XGBoost: A scalable tree boosting system", KDD 2016.
    .. [3] G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree",
       NIPS 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import HistBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = HistBoostClassifier(n_estimators=50, random_state=0).fit(X[::2], y[::2])
    >>> bool(boosted.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        n_estimators=1000,
        learning_rate="auto",
        max_leaf_nodes="auto",
        max_depth=None,
        min_samples_leaf=1,
        min_weight_leaf=0.1,
        l2_regularization=1.0,
        subsample=0.8,
        max_features=0.8,
        max_bins=255,
        early_stopping="auto",
        patience=20,
        validation_fraction=0.1,
        class_weight=None,
        warm_start=False,
        progress=None,
        random_state=None,
    ):
        super().__init__(
            n_estimators=n_estimators,
            learning_rate=learning_rate,
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            min_weight_leaf=min_weight_leaf,
            l2_regularization=l2_regularization,
            subsample=subsample,
            max_features=max_features,
            max_bins=max_bins,
            early_stopping=early_stopping,
            patience=patience,
            validation_fraction=validation_fraction,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def _make_loss(self):
        return NewtonClassLoss(len(self.classes_))

    def _size_for(self, n):
        return n**0.75 / 15, 0.1 if n < _MANY else 0.2

    def predict_log_proba(self, X):
        """Return the logarithm of ``predict_proba``, exact where that is tiny."""
        scores = self._scores(X)
        return self._loss.log_proba(scores)

    def _strata(self, y, n_held):
        counts = np.bincount(y)
        return y if counts.min() >= 2 and len(counts) <= min(n_held, len(y) - n_held) else None

    def _as_given(self, y):
        return self.classes_[y]

    def _trees_a_round(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _with_every_class(self, y, kept, held):
        # A class of which all rows were held out is trained on what is there of it.
        lost = held[~np.isin(y[held], y[kept])]
        return np.sort(np.append(kept, lost))


class HistBoostRegressor(_HistBoost, AdditiveRegressor):
    """Gradient boosting of histogram trees, for numbers.

    As ``HistBoostClassifier``, by the slope and curvature of ``loss``. Losses without curvature
    take 1 for it, and their leaves are set to the step that lowers the loss most (Friedman 2001,
    algorithm 4: see the references of ``HistBoostClassifier``): the median or another quantile of
    what is left over.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile", "poisson"}, default="squared_error"
        What is lowered. "absolute_error" predicts medians, "quantile" the ``quantile``-th
        quantiles, "poisson" the mean of counts, by its logarithm.
    quantile : float, default=0.5
        For ``loss="quantile"``.
    n_estimators : int, default=1000
        Most rounds.
    learning_rate : float or "auto", default="auto"
        Shrinkage: factor of each tree's values. "auto" is 0.1.
    max_leaf_nodes : int, None or "auto", default="auto"
        Most leaves of a tree. "auto" is sqrt(n) / 4 for n rows, from 8 to 63: 8 up to 1000 rows,
        25 at 10,000, 63 from 63,000 on.
    max_depth, min_samples_leaf, min_weight_leaf
        As in ``HistBoostClassifier``; the curvature of the squared error is 1.
    l2_regularization, subsample, max_features, max_bins, early_stopping, patience
        Likewise.
    validation_fraction, warm_start, progress, random_state
        Likewise.

    Attributes
    ----------
    estimators_ : list
        The trees.
    estimator_weights_, learning_rate_, max_leaf_nodes_, feature_importances_, stop_reason_
        As in ``HistBoostClassifier``.
    start_ : ndarray of shape (1,)
        Where scores start: the mean, quantile or logarithm of the mean of y.
    history_ : DataFrame
        One row per round: ``held_error``, the loss on the rows held out, and the same on
        ``eval_set``; squared error, pinball loss or Poisson deviance.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.boosting import HistBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> boosted = HistBoostRegressor(max_leaf_nodes=4, random_state=0).fit(X[::2], y[::2])
    >>> bool(boosted.score(X[1::2], y[1::2]) > 0.3)
    True
    """

    def __init__(
        self,
        *,
        loss="squared_error",
        quantile=0.5,
        n_estimators=1000,
        learning_rate="auto",
        max_leaf_nodes="auto",
        max_depth=None,
        min_samples_leaf=1,
        min_weight_leaf=0.1,
        l2_regularization=1.0,
        subsample=0.8,
        max_features=0.8,
        max_bins=255,
        early_stopping="auto",
        patience=20,
        validation_fraction=0.1,
        warm_start=False,
        progress=None,
        random_state=None,
    ):
        super().__init__(
            n_estimators=n_estimators,
            learning_rate=learning_rate,
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            min_weight_leaf=min_weight_leaf,
            l2_regularization=l2_regularization,
            subsample=subsample,
            max_features=max_features,
            max_bins=max_bins,
            early_stopping=early_stopping,
            patience=patience,
            validation_fraction=validation_fraction,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.loss = loss
        self.quantile = quantile

    def _check_options(self):
        super()._check_options()
        check_choice(self.loss, "loss", tuple(REGRESSION_LOSSES))
        check_number(self.quantile, "quantile", low=0, high=1, open_low=True, open_high=True)

    def _make_loss(self):
        return REGRESSION_LOSSES[self.loss](self.quantile)

    def _size_for(self, n):
        return min(n**0.5 / 4, 63), 0.1
