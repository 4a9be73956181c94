"""What boosters of histogram trees share: rows drawn for each tree, sizes by rows, categories."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.boosting.additive import ColumnsLearner
from counterpoint.boosting.in_time import StopsInTime
from counterpoint.boosting.learners import MemberAnswer, PreparedLearner, twin
from counterpoint.boosting.rules import Rule
from counterpoint.trees import HistTreeRegressor
from counterpoint.trees.growing.categories import CategoriesMixin
from counterpoint.trees.growing.monotone import keep_in_order


class SampledLearner(PreparedLearner):
    """Grow trees on rows drawn anew each round; leaves are set by the loss if it asks for that."""

    _rows = None

    def __init__(self, estimator, X, *, among, share, loss, cases, rng):
        super().__init__(estimator, X, None, None, proba=False, cases=cases, rng=rng, among=among)
        self.share, self.loss, self.cases = share, loss, cases
        self.is_random = self.is_random or share < 1

    def _copy(self):
        # It draws from ours: to seed a generator takes as long as to grow a small tree.
        model = twin(self.template)
        model.random_state = self.rng
        return model

    def some(self, rows, rng):
        """Return a learner on some of the rows, in the same bins."""
        made = super().some(rows, rng)
        if made is not None and self.cases is not None:
            made.cases = self.cases[rows]
        return made

    def begin_round(self):
        """Draw the rows that the trees of a round are grown on."""
        if self.share < 1:
            n = self.data.grower.n_samples
            self._rows = (self.rng.permutation(n) < max(1, round(self.share * n))).nonzero()[0]

    def fit(self, weight, target=None):
        """Train one member."""
        model = self._copy()
        model.fit_prepared(self.data, weight, target=target, rows=self._rows)
        model.random_state = None
        if not hasattr(self.loss, "leaf_values"):
            return self.answer(model)
        leaf = self.data.leaves(model.tree_)
        values = self.loss.leaf_values(leaf, self.cases, model.tree_.node_count)
        if self.data.directions is not None:
            values = keep_in_order(model.tree_, values, self.data.directions)
        model.tree_ = replace(model.tree_, value=values[:, None])
        return MemberAnswer(model, values=values[leaf])


class BaseHistBoost(CategoriesMixin, StopsInTime):
    """Parameters of both, the rows held out, and what columns are worth."""

    resample = False
    stopping = None
    _auto_hint = ", or 'auto'"

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
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
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
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
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

    def _sizes_of(self, leaves, rate):
        """Return what "auto" means, by its name: docs/hist_boost.md says how it was found."""
        return {
            "max_leaf_nodes": int(np.clip(round(leaves), 8, 255)),
            "learning_rate": rate,
            "min_samples_leaf": 1,
            "min_weight_leaf": 0.1,
            "l2_regularization": 1.0,
            "subsample": 0.8,
            "max_features": 0.8,
        }

    def _set_leaves(self, learner, most):
        """Let trees have so many leaves from here on, on all rows and on parts of them."""
        self.max_leaf_nodes_ = learner.learner.template.max_leaf_nodes = most

    def _in_use(self, name):
        """Return an option as used; before the first fit as given."""
        return getattr(self, f"{name}_", getattr(self, name))

    def _base(self):
        return HistTreeRegressor(
            max_leaf_nodes=self._in_use("max_leaf_nodes"),
            max_depth=self.max_depth,
            min_samples_leaf=self._in_use("min_samples_leaf"),
            min_weight_leaf=self._in_use("min_weight_leaf"),
            l2_regularization=self._in_use("l2_regularization"),
            max_features=self._in_use("max_features"),
            max_bins=self.max_bins,
            categorical_features=self.is_categorical_,
            monotonic_cst=self.monotonic_cst,
        )

    # Categories get their numbers here, once for all trees.

    def _read_X(self, X, *, reset=False):
        X = self._learn_categories(X) if reset else self._code_categories(X)
        return super()._read_X(X, reset=reset)

    def _check_numbers(self, X):
        return super()._check_numbers(self._code_categories(X))

    def _watcher(self, name, X, y):
        return super()._watcher(name, self._code_categories(X), y)

    def _check_options(self):
        super()._check_options()
        hint = self._auto_hint
        for name in ("subsample", "max_features"):
            if not self._is_auto(name):
                check_number(getattr(self, name), name, low=0, high=1, open_low=True, hint=hint)
        for name in ("min_weight_leaf", "l2_regularization"):
            if not self._is_auto(name):
                check_number(getattr(self, name), name, low=0, hint=hint)
        if not self._is_auto("min_samples_leaf"):
            check_count(self.min_samples_leaf, "min_samples_leaf", hint=hint)
        check_choice(self.early_stopping, "early_stopping", (True, False, "auto"))
        check_count(self.patience, "patience")
        share = self.validation_fraction
        check_number(share, "validation_fraction", low=0, high=1, open_low=True, open_high=True)
        if self.early_stopping is True and self.warm_start:
            raise ValueError(
                "early_stopping=True and warm_start=True: rows held out once would be trained on "
                "the next time. Set one of them to False."
            )

    def make_rule(self) -> Rule:
        """Return the rule that takes Newton steps."""
        rule = super().make_rule()  # type: ignore[misc]
        rule.notes = False
        return rule

    def _make_learner(self, rule, X, y, weight, rng):
        learner = SampledLearner(
            self._base(),
            X,
            among=self._kept,
            share=self.subsample_,
            loss=rule.loss,
            cases=self._cases(weight) if hasattr(rule.loss, "leaf_values") else None,
            rng=rng,
        )
        return ColumnsLearner(learner)

    @property
    def feature_importances_(self) -> NDArray:
        """Share of each column in what all splits lowered the loss by, (n_features,)."""
        check_is_fitted(self)
        gained = np.zeros(self.n_features_in_)  # type: ignore[attr-defined]
        for member in self.estimators_:
            for model in member if isinstance(member, list) else [member]:
                tree = model.tree_
                spread = tree.impurity * tree.weighted_n_node_samples
                split = np.flatnonzero(~tree.is_leaf)
                left, right = tree.children_left[split], tree.children_right[split]
                lowered = np.maximum(spread[split] - spread[left] - spread[right], 0.0)
                np.add.at(gained, tree.feature[split], lowered)
        return gained / gained.sum() if gained.any() else gained
