"""Gradient boosting of histogram trees: many small Newton steps, ended in time."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._typing import ClassWeight, DataLike, Seed
from counterpoint._validation import check_choice, check_number
from counterpoint.boosting.additive import AdditiveClassifier, AdditiveRegressor
from counterpoint.boosting.calibration import Calibration
from counterpoint.boosting.hist_base import BaseHistBoost
from counterpoint.boosting.losses import log_softmax
from counterpoint.boosting.newton import REGRESSION_LOSSES, NewtonClassLoss
from counterpoint.boosting.refinement import Refinement

# So many rows are enough for trees to be right at larger steps and to see all rows and columns; and
# where so many are gone through in a round, by the trees of several classes, rounds are dear.
_MANY, _DEAR = 100_000, 250_000
# From so many rows on leaves are to be heavier.
_ENOUGH, _LIGHT, _HEAVY = 20_000, 0.1, 3.0
# Of so many rows, too few to hold some out, steps of half the size are better, and quick.
_SHORT_STEPS = 600
# Below so many rows fewer leaves than the root of their number.
_SMALL = 1500
# Where so many parts are asked they also try trees of so many leaves, if that is twice as many.
_LARGER, _PARTS_TRIED = 31, 3
# A tree that tells one of several classes from the rest finds its few rows with fewer leaves; and
# it splits other rows, whose curvatures are all but 0, without end if their number does not count.
_ONE_OF_SEVERAL, _ROWS_A_LEAF = 31, 150


class HistBoostClassifier(BaseHistBoost, AdditiveClassifier):
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
        Shrinkage: factor of each tree's values. "auto" is 0.1, from 100,000 rows on 0.2; with more
        than two classes 0.15 where rows times classes are 250,000 or more. For two classes and 600
        rows or more, of which none are held out, it is 0.05 if ``n_estimators`` are enough for
        that.
    max_leaf_nodes : int, None or "auto", default="auto"
        Most leaves of a tree. "auto" is the root of the number of rows, n, below 1500 rows
        times n / 1500, from 8 to 255: 8 up to 500 rows, 21 at 1000, 100 at 10,000, 255 from
        65,000 on. With more than two classes half of that where it is above 62, else 31 at most.
        Where rows times trees a round are below 1000, parts held out (see ``early_stopping``) also
        try 31, if that is twice as many, and take them if they are better beyond noise.
    max_depth : int or None, default=None
        Most splits on a path.
    min_samples_leaf : int or "auto", default="auto"
        Fewest rows in a leaf. "auto" is 1 for two classes; for more a 150th of the rows, from 1 to
        20. Above 1 rows are counted, which takes up to a quarter longer.
    min_weight_leaf : float or "auto", default="auto"
        Least sum of curvatures in a leaf: p (1 - p) of its rows, times their weights. "auto" is
        0.2 over the number of classes, from 20,000 rows on 6 over it.
    l2_regularization : float or "auto", default="auto"
        Added to the sum of curvatures: draws values of small leaves towards 0. "auto" is 2 over the
        number of classes.
    subsample : float or "auto", default="auto"
        Share of the rows, drawn anew for each round, that its trees are grown on. "auto" is 0.8,
        from 100,000 rows on 1.
    max_features : float or "auto", default="auto"
        Share of the columns, drawn anew for each tree, that it may split on. "auto" likewise.
    max_bins : int, default=255
        Most bins of a column.
    categorical_features : "from_dtype", array-like or None, default=None
        Which columns hold categories, and how they are numbered and parted: see
        :class:`counterpoint.trees.HistTreeRegressor`.
    monotonic_cst : array-like of int, dict or None, default=None
        For each column, or by names of columns: 1 if scores must rise with it or stay, -1 if they
        must fall or stay, 0 if they are free. Only for two classes, and not for categories.
    early_stopping : bool or "auto", default="auto"
        Hold rows out and stop when their loss has not fallen for ``patience`` rounds; the trees up
        to the best round are kept. "auto": with fewer than 2000 rows, or where rows times trees a
        round are below 10,000, all rows are trained on in the end. A fifth of them, or two or three
        such parts in turn where rounds are quick, say for how many rounds, by boosters that learn
        thrice as fast on the others. Not with ``warm_start``.
    patience : int, default=20
        Rounds without a better loss on the rows held out.
    validation_fraction : float, default=0.1
        Share of the rows held out, at most 20,000; every class keeps a row to train on.
    calibrate : bool, default=True
        With ``early_stopping``: go on while classes are told apart better, however sure the scores
        grow, and learn on the rows held out how sure they may be. The loss is then the log-loss at
        the temperature that suits these rows best, and probabilities have that temperature
        ([4]_). False: the log-loss itself, and bare probabilities.
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
    max_leaf_nodes_, min_samples_leaf_, min_weight_leaf_, l2_regularization_
        Sizes, as used.
    subsample_, max_features_
        Likewise.
    start_ : ndarray of shape (1,) or (n_classes,)
        Where scores start: logarithms of odds or of shares.
    calibration_ : Calibration or None
        The temperature of the probabilities; None without ``calibrate`` or ``early_stopping``.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in what all splits lowered the loss by.
    is_categorical_, categories_
        As in :class:`counterpoint.trees.HistTreeRegressor`.
    history_ : DataFrame
        One row per round: ``held_error`` and ``held_log_loss`` if rows were held out, and the same
        on ``eval_set``; with ``calibrate`` also ``held_temperature``, the one that suits these rows
        best, and ``held_refinement``, their log-loss at it.
    stop_reason_ : str
        "complete", "interrupted", or what ended training early.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29, 2001.
    .. [2] T. Chen and C. Guestrin, "XGBoost: A scalable tree boosting system", KDD 2016.
    .. [3] G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree",
       NIPS 2017.
    .. [4] E. Berta, D. Holzmüller, M. I. Jordan and F. Bach, "Rethinking early stopping: refine,
       then calibrate", arXiv:2501.19195, 2025, section 4.

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
        n_estimators: int = 1000,
        learning_rate: float | str = "auto",
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int | str = "auto",
        min_weight_leaf: float | str = "auto",
        l2_regularization: float | str = "auto",
        subsample: float | str = "auto",
        max_features: float | str = "auto",
        max_bins: int = 255,
        categorical_features: str | ArrayLike | None = None,
        monotonic_cst: ArrayLike | dict | None = None,
        early_stopping: bool | str = "auto",
        patience: int = 20,
        validation_fraction: float = 0.1,
        calibrate: bool = True,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
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
            categorical_features=categorical_features,
            monotonic_cst=monotonic_cst,
            early_stopping=early_stopping,
            patience=patience,
            validation_fraction=validation_fraction,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.calibrate = calibrate
        self.class_weight = class_weight

    def _make_loss(self):
        if self.monotonic_cst is not None and len(self.classes_) > 2:
            raise ValueError(
                f"monotonic_cst is given, and y holds {len(self.classes_)} classes: scores of more "
                "than two have no one direction. Leave it out, or tell one class from the rest."
            )
        return NewtonClassLoss(len(self.classes_))

    def _sizes(self, n):
        leaves, rate = usual_leaves(n, len(self.classes_)), 0.1
        several = len(self.classes_) > 2
        if n >= _MANY or n * self._trees_a_round() >= _DEAR:
            rate = 0.2 if n >= _MANY else 0.15
        found = self._sizes_of(leaves, rate)
        # Curvatures are p (1 - p) at most, and p is about 1 over the number of classes.
        share = 2.0 / len(self.classes_)
        found |= {"min_weight_leaf": _LIGHT * share, "l2_regularization": share}
        if several:
            found |= {"min_samples_leaf": int(np.clip(n // _ROWS_A_LEAF, 1, 20))}
        if n >= _ENOUGH:
            found |= {"min_weight_leaf": _HEAVY * share}
        if n >= _MANY:
            found |= {"subsample": 1.0, "max_features": 1.0}
        return found

    def _tuned(self, rule, learner, X, y, weight):
        rule = super()._tuned(rule, learner, X, y, weight)
        asked = self._rounds is not None and self._is_auto("learning_rate")
        small = len(y) < _SHORT_STEPS or self._trees_a_round() > 1
        if asked and not small and 2 * self._rounds <= self.n_estimators:
            self._rounds *= 2
            self.learning_rate_ /= 2
            rule.learning_rate = self.learning_rate_
        return rule

    def _larger_trees(self):
        asked = len(self._asked) >= _PARTS_TRIED and self._is_auto("max_leaf_nodes")
        return _LARGER if asked and 2 * self.max_leaf_nodes_ <= _LARGER else 0

    def _losses(self, y, loss, total, notes):
        scores, temperature = loss.scores(total), notes.get("held_temperature")
        if temperature is None:
            log_proba = loss.log_proba(scores)
        else:
            log_proba = log_softmax(loss.sums(scores) / temperature)
        return -log_proba[np.arange(len(y)), y]

    def predict_log_proba(self, X: DataLike) -> NDArray:
        """Return the logarithm of ``predict_proba``, exact where that is tiny."""
        scores = self._scores(X)
        if self.calibration_ is not None:
            return self._log_proba(scores, len(self.estimators_))
        return self._loss.log_proba(scores)

    def _as_sums(self, scores, n_members):
        return self._loss.sums(scores)

    def _judged(self, watcher, cases):
        if not self.calibrate:
            return super()._judged(watcher, cases)
        return Refinement(watcher, cases), Refinement.column

    def _calibrate(self, X, y, weight, learner):
        notes, self._best_notes = self._best_notes, []
        self.calibration_ = None
        if self.calibrate and len(notes):
            temperature = np.exp(np.mean([np.log(row["held_temperature"]) for row in notes]))
            # Rounds before the last were less sure: the first of all as their loss has it.
            more = (temperature - 1.0) / self._size(len(self.estimators_))
            self.calibration_ = Calibration(1.0, float(more))

    def _strata(self, y, n_held):
        counts = np.bincount(y)
        return y if counts.min() >= 2 and len(counts) <= min(n_held, len(y) - n_held) else None

    def _trees_a_round(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _with_every_class(self, y, kept, held):
        # A class of which all rows were held out is trained on what is there of it.
        lost = held[~np.isin(y[held], y[kept])]
        return np.sort(np.append(kept, lost))


def usual_leaves(n_samples: int, n_classes: int) -> float:
    """Return how many leaves a tree has where that is left to the booster, 8 and 255 aside."""
    leaves = n_samples**0.5 * min(1.0, n_samples / _SMALL)
    return max(leaves / 2, min(leaves, _ONE_OF_SEVERAL)) if n_classes > 2 else leaves


class HistBoostRegressor(BaseHistBoost, AdditiveRegressor):
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
    max_depth, min_samples_leaf, min_weight_leaf, l2_regularization
        As in ``HistBoostClassifier``; the curvature of the squared error is 1, and "auto" is 1,
        0.1 and 1.
    subsample, max_features, max_bins, categorical_features, monotonic_cst
        Likewise; "auto" is 0.8, and what is predicted rises or falls.
    early_stopping, patience, validation_fraction, warm_start, progress, random_state
        Likewise.

    Attributes
    ----------
    estimators_ : list
        The trees.
    estimator_weights_, learning_rate_, max_leaf_nodes_, min_samples_leaf_, min_weight_leaf_
        As in ``HistBoostClassifier``.
    l2_regularization_, subsample_, max_features_, feature_importances_
        Likewise.
    is_categorical_, categories_, stop_reason_
        Likewise.
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
        loss: str = "squared_error",
        quantile: float = 0.5,
        n_estimators: int = 1000,
        learning_rate: float | str = "auto",
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int | str = "auto",
        min_weight_leaf: float | str = "auto",
        l2_regularization: float | str = "auto",
        subsample: float | str = "auto",
        max_features: float | str = "auto",
        max_bins: int = 255,
        categorical_features: str | ArrayLike | None = None,
        monotonic_cst: ArrayLike | dict | None = None,
        early_stopping: bool | str = "auto",
        patience: int = 20,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
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
            categorical_features=categorical_features,
            monotonic_cst=monotonic_cst,
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

    def _sizes(self, n):
        return self._sizes_of(min(n**0.5 / 4, 63), 0.1)
