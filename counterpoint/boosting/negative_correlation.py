"""Negative correlation learning for boosted trees: boosters grown together."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from counterpoint._coupling import find_coupling
from counterpoint._typing import ClassWeight, Seed
from counterpoint._validation import check_count
from counterpoint.base import BaseEnsembleClassifier, BaseEnsembleRegressor, draw_seed
from counterpoint.boosting.coupled import CoupledClassLoss, CoupledLoss, MembersLearner
from counterpoint.boosting.hist_boost import HistBoostClassifier, HistBoostRegressor
from counterpoint.boosting.rules import Rule

# No worse than 0 at small rates, and most of the gain at large ones:
# docs/negative_correlation_boosting.md.
_DEFAULT_STRENGTH = 0.5
_NOT_THE_MEMBERS = {"n_estimators", "early_stopping", "random_state"}


class _CoupledBoosting:
    """N boosters, a tree each a round; what both estimators share."""

    _member_type: type

    def _check_options(self):
        super()._check_options()
        check_count(self.n_rounds, "n_rounds")

    def _coupling(self):
        """Return the coupling at this strength."""
        coupling = find_coupling(self.penalty, self._coupled_loss, classes=is_classifier(self))
        s, lam = coupling.resolve(self.strength, None, self.n_estimators, _DEFAULT_STRENGTH)
        return coupling.with_strength(s, lam, self._output_name())

    def _couple(self, loss_type):
        """Return the loss of all members; ``_make_loss`` of the parent is that of one."""
        return loss_type(super()._make_loss(), self._coupling(), self.n_estimators)

    def make_rule(self) -> Rule:
        """Return the rule that takes the coupled Newton steps."""
        rule = super().make_rule()  # type: ignore[misc]
        rule.notes = self.record  # type: ignore[attr-defined]
        return rule

    def _most_rounds(self):
        return self.n_rounds if self._rounds is None else self._rounds

    def _make_learner(self, rule, X, y, weight, rng):
        self._seeds = [draw_seed(rng) for _ in range(self.n_estimators)]
        draws = [np.random.RandomState(seed) for seed in self._seeds]
        one = super()._make_learner(rule, X, y, weight, rng).learner
        return MembersLearner(one, draws, rule.loss.own.n_outputs)

    def _finish(self, result):
        """Make a booster of the trees of each member."""
        super()._finish(result)
        k, rounds = self._loss.own.n_outputs, self.estimators_
        self.strength_ = self._loss.coupling.strength
        self.estimators_ = []
        for i, seed in enumerate(self._seeds):
            own = slice(i * k, (i + 1) * k)
            trees = [np.ravel(trees)[own].tolist() for trees in rounds]
            self.estimators_.append(
                self._as_member([t if k > 1 else t[0] for t in trees], self._stacked[own], seed)
            )
        self.estimator_weights_ = np.full(self.n_estimators, 1.0 / self.n_estimators)
        del self._stacked, self._seeds

    def _as_member(self, trees, stacked, seed):
        names = self._member_type._get_param_names()
        shared = {name: getattr(self, name) for name in names if name not in _NOT_THE_MEMBERS}
        member = self._member_type(
            n_estimators=len(trees), early_stopping=False, random_state=seed, **shared
        )
        member.estimators_, member._stacked = trees, stacked
        member.estimator_weights_ = np.full(len(trees), float(self._rate()))
        member._history = [{"alpha": self._rate()} for _ in trees]
        member._loss, member.start_ = self._loss.own, self._loss.own.start
        member.stop_reason_ = self.stop_reason_
        for name in (
            "learning_rate_",
            "max_leaf_nodes_",
            "classes_",
            "n_features_in_",
            "feature_names_in_",
            "is_categorical_",
            "categories_",
        ):
            if name in vars(self):
                setattr(member, name, getattr(self, name))
        return member

    @property
    def history_(self) -> pd.DataFrame:
        """One row per round: losses, errors and ambiguity; index from 1."""
        return super().history_.rename_axis("rounds")  # type: ignore[misc]

    @property
    def feature_importances_(self) -> NDArray:
        """Mean of the members' importances, (n_features,)."""
        check_is_fitted(self)
        return np.mean([member.feature_importances_ for member in self.estimators_], axis=0)

    def _check_X(self, X):
        checked = super()._check_X(X)
        return X if self._has_names else checked  # members number names by themselves

    def _scores(self, X):
        X = self._check_X(X)
        return np.hstack([member._scores(X) for member in self.estimators_])

    def _staged_scores(self, X):
        X = self._check_X(X)
        for parts in zip(*(member._staged_scores(X) for member in self.estimators_), strict=True):
            yield np.hstack(parts)


class NegativeCorrelationBoostingClassifier(_CoupledBoosting, HistBoostClassifier):
    """Classify by the mean of boosters that are grown together, a tree each a round.

    Negative correlation learning, with boosted trees for networks: the loss that a member lowers
    has a part s that is the loss of the members' mean. At ``strength`` 0 each is the
    ``HistBoostClassifier`` of its seed; at 1 all are one booster of N trees a round. Members
    differ by the rows and columns they draw, and by nothing else: without ``subsample`` or
    ``max_features`` below 1 they are all alike at any strength. The page on negative correlation
    for boosters in the documentation says when it pays.

    Parameters
    ----------
    n_estimators : int, default=5
        Number of boosters, N.
    n_rounds : int, default=100
        Most rounds: trees of each booster.
    strength : float in [0, 1] or None, default=None
        s: 0 grows every booster alone, 1 all as one. None is 0.5.
    penalty : {"ncl"}, registered name or Coupling, default="ncl"
        "ncl": ``(1 - s) CE(p_i) + s N CE(p)``, p the mean of the probabilities [2]_. Any
        ``counterpoint.networks.Coupling`` for the cross-entropy.
    learning_rate : float, default=0.1
        Shrinkage: factor of each tree's values.
    max_leaf_nodes, max_depth, min_samples_leaf, min_weight_leaf, l2_regularization
        As in ``HistBoostClassifier``.
    subsample : float, default=0.5
        Share of the rows, drawn anew for each member and round, that its trees are grown on.
    max_features : float, default=1.0
        Share of the columns, drawn anew for each tree, that it may split on.
    max_bins : int, default=255
        Most bins of a column. All members share them.
    categorical_features, monotonic_cst
        As in ``HistBoostClassifier``: columns of categories, and columns with which scores rise or
        fall, here those of every member.
    early_stopping : bool or "auto", default="auto"
        As in ``HistBoostClassifier``, by the loss of the ensemble; all members keep their trees up
        to the same round.
    patience, validation_fraction, class_weight
        As in ``HistBoostClassifier``.
    record : bool, default=False
        Note losses, errors and ambiguity on the training rows as well, in ``history_``.
    progress : bool or None, default=None
        Show a bar; None: if it takes long and there is a terminal.
    random_state : int, RandomState instance or None, default=None
        Draws what is held out and the members' seeds.

    Attributes
    ----------
    estimators_ : list of HistBoostClassifier
        The members, each with its trees, seed and staged answers.
    estimator_weights_ : ndarray of shape (n_estimators,)
        All 1 / N.
    strength_ : float
        Strength used.
    start_ : ndarray
        Where the scores of all members start, side by side.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances.
    is_categorical_, categories_
        As in ``HistBoostClassifier``.
    history_ : DataFrame
        One row per round: ``ensemble_error``, ``ensemble_loss``, ``member_error`` and
        ``member_loss`` (means over members) and ``ambiguity``, the mean of (p_i - p)^2; each
        after "train_" (with ``record``), "held_" (rows held out) or the name of an ``eval_set``.
    stop_reason_ : str
        "complete", "interrupted", or what ended training early.

    See Also
    --------
    HistBoostClassifier : One booster.
    counterpoint.networks.NegativeCorrelationClassifier : The same for networks.

    Notes
    -----
    A tree of member i is fitted by Newton steps: the slope is that of its coupled loss by its
    scores, the curvature that of its own loss, p_i (1 - p_i), whatever the strength. The coupled
    loss is not convex in the scores of a member, so that its own curvature would be no good.

    References
    ----------
    .. [1] Y. Liu and X. Yao, "Ensemble learning via negative correlation", Neural Networks 12,
       1999.
    .. [2] S. Buschjäger, L. Pfahler and K. Morik, "Generalized negative correlation learning for
       deep ensembling", arXiv:2011.02952, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import NegativeCorrelationBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = NegativeCorrelationBoostingClassifier(3, n_rounds=20, random_state=0)
    >>> bool(model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
    True
    >>> model.member_predict_proba(X).shape
    (3, 569, 2)
    """

    _member_type = HistBoostClassifier
    _coupled_loss = "cross-entropy"
    # Members are boosters, not the rounds of one.
    _member_votes = BaseEnsembleClassifier._member_votes

    def __init__(
        self,
        n_estimators: int = 5,
        *,
        n_rounds: int = 100,
        strength: float | None = None,
        penalty: str = "ncl",
        learning_rate: float = 0.1,
        max_leaf_nodes: int | str | None = 63,
        max_depth: int | None = None,
        min_samples_leaf: int | str = 1,
        min_weight_leaf: float | str = 1.0,
        l2_regularization: float | str = 1.0,
        subsample: float = 0.5,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: str | ArrayLike | None = None,
        monotonic_cst: ArrayLike | dict | None = None,
        early_stopping: bool | str = "auto",
        patience: int = 20,
        validation_fraction: float = 0.1,
        class_weight: ClassWeight = None,
        record: bool = False,
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
            calibrate=False,
            class_weight=class_weight,
            progress=progress,
            random_state=random_state,
        )
        self.n_rounds = n_rounds
        self.strength = strength
        self.penalty = penalty
        self.record = record

    def _make_loss(self):
        return self._couple(CoupledClassLoss)

    def _output_name(self):
        return "sigmoid" if len(self.classes_) == 2 else "softmax"

    def _as_decision(self, scores):
        logs = self._loss.log_proba(scores)
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs


class NegativeCorrelationBoostingRegressor(_CoupledBoosting, HistBoostRegressor):
    """Predict numbers by the mean of boosters that are grown together, a tree each a round.

    Negative correlation learning, with boosted trees for networks. The loss is squared: member i
    fits ``(1 - s) (y - f_i) + s (y - f)``, f the mean of the members ([1]_ of
    ``NegativeCorrelationBoostingClassifier``). At ``strength`` 0 each is the
    ``HistBoostRegressor`` of its seed; at 1 all are one booster of N trees a round, each fitted to
    what the ensemble leaves over. Members differ by the rows and columns they draw, and by nothing
    else.

    Parameters
    ----------
    n_estimators, n_rounds, strength, learning_rate, max_leaf_nodes, max_depth, min_samples_leaf
        As in ``NegativeCorrelationBoostingClassifier``.
    penalty : {"ncl", "root-quartic"}, registered name or Coupling, default="ncl"
        Any ``counterpoint.networks.Coupling`` for the squared error.
    min_weight_leaf, l2_regularization, subsample, max_features, max_bins
        As in ``NegativeCorrelationBoostingClassifier``; the curvature is 1 at any strength.
    categorical_features, monotonic_cst, early_stopping, patience, validation_fraction
        Likewise.
    record, progress, random_state
        Likewise.

    Attributes
    ----------
    estimators_ : list of HistBoostRegressor
        The members.
    estimator_weights_, strength_, start_, feature_importances_, stop_reason_
        As in ``NegativeCorrelationBoostingClassifier``.
    is_categorical_, categories_
        Likewise.
    history_ : DataFrame
        Likewise; losses are mean squared errors, errors their roots, and the ensemble's loss is
        the members' less the ambiguity.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.boosting import NegativeCorrelationBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = NegativeCorrelationBoostingRegressor(
    ...     4, n_rounds=30, max_leaf_nodes=4, record=True, random_state=0
    ... ).fit(X, y)
    >>> last = model.history_.iloc[-1]
    >>> gained = last.train_member_loss - last.train_ensemble_loss
    >>> bool(np.isclose(gained, last.train_ambiguity))
    True
    """

    _member_type = HistBoostRegressor
    _coupled_loss = "squared"
    _members_are_corrections = False
    _ask = BaseEnsembleRegressor._ask

    def __init__(
        self,
        n_estimators: int = 5,
        *,
        n_rounds: int = 100,
        strength: float | None = None,
        penalty: str = "ncl",
        learning_rate: float | str = 0.1,
        max_leaf_nodes: int | str | None = 63,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_leaf: float = 1.0,
        l2_regularization: float = 1.0,
        subsample: float = 0.5,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: str | ArrayLike | None = None,
        monotonic_cst: ArrayLike | dict | None = None,
        early_stopping: bool | str = "auto",
        patience: int = 20,
        validation_fraction: float = 0.1,
        record: bool = False,
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
            progress=progress,
            random_state=random_state,
        )
        self.n_rounds = n_rounds
        self.strength = strength
        self.penalty = penalty
        self.record = record

    def _make_loss(self):
        return self._couple(CoupledLoss)

    def _output_name(self):
        return "linear"
