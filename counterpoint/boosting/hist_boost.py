"""Gradient boosting of histogram trees: many small Newton steps, stopped in time."""

from dataclasses import replace

import numpy as np
from sklearn.model_selection import train_test_split

from counterpoint._members import select_rows
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.boosting.additive import (
    AdditiveClassifier,
    AdditiveRegressor,
    AdditiveRule,
    AdditiveWatcher,
    ColumnsLearner,
)
from counterpoint.boosting.learners import MemberAnswer, PreparedLearner
from counterpoint.boosting.newton import REGRESSION_LOSSES, NewtonClassLoss
from counterpoint.boosting.stopping import ErrorStopping
from counterpoint.trees import HistTreeRegressor

# With fewer rows than this "auto" holds none out: what it would learn from them is worth more.
_FEW = 2000
# Rows held out at most: more do not make the choice better, but take time.
_MANY_HELD = 20_000


class SampledLearner(PreparedLearner):
    """Grow trees on rows drawn anew for each, with leaves set by the loss if it wants that."""

    def __init__(self, estimator, X, *, share, loss, cases, rng):
        super().__init__(estimator, X, None, None, proba=False, cases=cases, rng=rng)
        self.share, self.loss, self.cases = share, loss, cases
        self.is_random = self.is_random or share < 1

    def fit(self, weight, target=None):
        """Train one member."""
        model = self._copy()
        rows = None
        if self.share < 1:
            n = len(self.data.X)
            rows = np.flatnonzero(self.rng.permutation(n) < max(1, round(self.share * n)))
        model.fit_prepared(self.data, weight, target=target, rows=rows)
        if hasattr(self.loss, "leaf_values"):
            leaf = self.data.leaves(model.tree_)
            values = self.loss.leaf_values(leaf, self.cases, model.tree_.node_count)
            model.tree_ = replace(model.tree_, value=values[:, None])
            return MemberAnswer(model, values=values[leaf])
        return self.answer(model)


class _HistBoost:
    """Parameters of both, and what is held out."""

    resample = False

    def __init__(
        self,
        *,
        n_estimators=1000,
        learning_rate=0.1,
        max_leaf_nodes=63,
        max_depth=None,
        min_samples_leaf=1,
        min_weight_leaf=1.0,
        l2_regularization=1.0,
        subsample=1.0,
        max_features=1.0,
        max_bins=255,
        early_stopping="auto",
        patience=30,
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

    stopping = None

    def _base(self):
        return HistTreeRegressor(
            max_leaf_nodes=self.max_leaf_nodes,
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
        check_number(
            self.validation_fraction, "validation_fraction", low=0, high=1, open_low=True,
            open_high=True,
        )  # fmt: skip
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

    # -- rows held out ---------------------------------------------------------------------------

    def _set_aside(self, X, y, weight, rng):
        self._stops_early = self._wants_to_stop_early(len(y))
        if not self._stops_early:
            return X, y, weight, []
        n_held = min(max(1, round(self.validation_fraction * len(y))), _MANY_HELD)
        kept, held = train_test_split(
            np.arange(len(y)), test_size=n_held, stratify=self._strata(y, n_held), random_state=rng
        )
        watcher = _LateWatcher(self, select_rows(X, held), y[held])
        weight = weight[kept]
        return select_rows(X, kept), y[kept], weight / weight.sum(), [watcher]

    def _wants_to_stop_early(self, n):
        if self.early_stopping != "auto":
            return self.early_stopping
        return n >= _FEW and not self.warm_start

    def _strata(self, y, n_held):
        return None

    def _stopping(self):
        column = f"held_{self._loss.score}"
        return ErrorStopping(column, patience=self.patience) if self._stops_early else None

    def _finish(self, result):
        if self._stops_early:
            column = [row[f"held_{self._loss.score}"] for row in self._history]
            best = int(np.argmin(column)) + 1
            self.estimators_ = self.estimators_[:best]
            self.estimator_weights_ = self.estimator_weights_[:best]
            self._history = self._history[:best]
        super()._finish(result)


class _LateWatcher:
    """Watch rows held out; the loss is there when training has begun."""

    def __init__(self, owner, X, y):
        self.owner, self.X, self.y, self.watcher = owner, X, y, None

    def __call__(self, model, alpha):
        if self.watcher is None:
            self.watcher = AdditiveWatcher("held", self.X, self.y, self.owner._loss)
        return self.watcher(model, alpha)


class HistBoostClassifier(_HistBoost, AdditiveClassifier):
    """Gradient boosting."""

    def __init__(
        self,
        *,
        n_estimators=1000,
        learning_rate=0.1,
        max_leaf_nodes=63,
        max_depth=None,
        min_samples_leaf=1,
        min_weight_leaf=1.0,
        l2_regularization=1.0,
        subsample=1.0,
        max_features=1.0,
        max_bins=255,
        early_stopping="auto",
        patience=30,
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

    def _strata(self, y, n_held):
        counts = np.bincount(y)
        return y if counts[counts > 0].min() >= 2 and len(counts) <= n_held else None


class HistBoostRegressor(_HistBoost, AdditiveRegressor):
    """Gradient boosting."""

    def __init__(
        self,
        *,
        loss="squared_error",
        quantile=0.5,
        n_estimators=1000,
        learning_rate=0.1,
        max_leaf_nodes=63,
        max_depth=None,
        min_samples_leaf=1,
        min_weight_leaf=1.0,
        l2_regularization=1.0,
        subsample=1.0,
        max_features=1.0,
        max_bins=255,
        early_stopping="auto",
        patience=30,
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
