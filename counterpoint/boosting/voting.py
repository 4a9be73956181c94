"""Classifiers whose members vote: the estimator around rules for votes, and what it records."""

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels.threads import threads_for
from counterpoint._kernels.votes import add_votes
from counterpoint._typing import ClassWeight, Estimator, Seed
from counterpoint._validation import check_choice
from counterpoint.boosting.learners import (
    make_learner,
    member_proba,
    member_votes,
    stacked_members,
    tree_proba,
)
from counterpoint.boosting.rules import Rule
from counterpoint.boosting.staged import StagedClassifier
from counterpoint.trees import HistTreeClassifier, PrunedTreeClassifier
from counterpoint.trees.binning import BinnedData
from counterpoint.trees.ensemble import predict_trees


class EvaluationWatcher:
    """Follow the ensemble on data it is not trained on."""

    def __init__(self, name, X, y, classes, confidence):
        self.name, self.X, self.y = name, X, y
        self.classes, self.confidence = classes, confidence
        n, k = len(y), len(classes)
        self.tally, self.score, self.n_members = np.zeros((n, k)), np.zeros((n, k)), 0

    def __call__(self, model, alpha):
        """Count a member in and note errors, ambiguity and covariance."""
        votes = member_votes(model, self.X, self.classes)
        rows = np.arange(len(self.y))
        hit = votes == self.y
        before = self.tally.argmax(axis=1) == self.y
        covariance = np.mean(hit & before) - hit.mean() * before.mean()
        self.tally[rows, votes] += 1
        self.n_members += 1
        if self.confidence:
            self.score += alpha * member_proba(model, self.X, self.classes)
        else:
            self.score[rows, votes] += alpha
        wins = self.tally.argmax(axis=1) == self.y
        share = self.tally[rows, self.y] / self.n_members
        return {
            f"{self.name}_error": float(np.mean(self.score.argmax(axis=1) != self.y)),
            f"{self.name}_member_error": float(1.0 - hit.mean()),
            f"{self.name}_ambiguity": float(np.mean(wins - share)),
            f"{self.name}_covariance": float(covariance) if self.n_members > 1 else np.nan,
        }


class BaseBoostingClassifier(StagedClassifier, metaclass=ABCMeta):
    r"""Classifier whose members vote, each with its weight: base class of boosting methods.

    A method is a subclass with ``make_rule``, and with an ``__init__`` if it has parameters of its
    own. Scores are the weighted vote, scaled by the sum of the weights.

    Parameters
    ----------
    confidence : bool, default=False
        Let members vote with their probabilities; the rule has them in ``answer.proba``.
    on_failure : {"restart", "stop"}, default="restart"
        What to do with a member that the rule does not take in.
    estimator, n_estimators, resample, class_weight, calibrate, stopping, warm_start, progress, \
            random_state
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_, estimator_weights_, classes_
        As in ``AdaBoostClassifier``.
    history_ : DataFrame
        One row per member: ``alpha``, what the rule notes, and errors on ``eval_set``.
    stop_reason_ : str
        Why training ended: "complete", a failure, "interrupted", or what a stopping rule said.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import BaseBoostingClassifier, Rule, Verdict
    >>> class Doubling(Rule):
    ...     def judge(self, answer):
    ...         return Verdict(alpha=1.0)
    ...     def update(self, answer, verdict):
    ...         self.weight = np.where(answer.votes == self.y, 1.0, 2.0) * self.weight
    ...         self.weight /= self.weight.sum()
    >>> class DoublingClassifier(BaseBoostingClassifier):
    ...     def make_rule(self):
    ...         return Doubling()
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(DoublingClassifier(n_estimators=10).fit(X, y).score(X, y) > 0.95)
    True
    """

    confidence = False
    resample = False

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 50,
        confidence: bool = False,
        resample: bool = False,
        on_failure: str = "restart",
        class_weight: ClassWeight = None,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.confidence = confidence
        self.resample = resample
        self.on_failure = on_failure
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    @abstractmethod
    def make_rule(self) -> Rule:
        """Return the rule of this method, made of its parameters; ``fit`` calls it once."""

    def _watcher(self, name, X, y):
        return EvaluationWatcher(name, X, self._encode(y), self.classes_, self._needs_proba())

    def _base(self):
        # `is None`, not `or`: an ensemble as a base learner has a length.
        return PrunedTreeClassifier(grower="hist") if self.estimator is None else self.estimator

    def _make_learner(self, rule, X, codes, weight, rng):
        return make_learner(
            self._base(),
            X,
            codes,
            self.classes_,
            resample=self.resample,
            proba=self._needs_proba(),
            cases=self._cases(weight),
            rng=rng,
            among=self._kept,
        )

    def _check_options(self):
        """Check parameters of the method."""
        super()._check_options()
        check_choice(getattr(self, "on_failure", "stop"), "on_failure", ("restart", "stop"))

    def _finish(self, result):
        # Trees of ours are asked all at once if each knows all classes: drawn rows may lack one.
        own, known = self.classes_, [getattr(model, "classes_", ()) for model in self.estimators_]
        alike = all(classes is own or np.array_equal(classes, own) for classes in known)
        self._stacked = stacked_members(self.estimators_) if alike else None

    def _needs_proba(self):
        return bool(self.confidence)

    def _answers_bins(self):
        if self._needs_proba():
            return all(type(model) is HistTreeClassifier for model in self.estimators_)
        return self._stacked is not None

    # -- answers ---------------------------------------------------------------------------------

    def _member_votes(self, X):
        check_is_fitted(self)
        if self._stacked is not None:
            rows = X if isinstance(X, BinnedData) else self._check_numbers(X)
            return predict_trees(self._stacked, rows)
        X = self._check_X(X)
        return np.stack([member_votes(m, X, self.classes_) for m in self.estimators_])

    def _staged_scores(self, X):
        """Yield the weighted vote for every class, from -1/(K-1) to 1, as members join."""
        if self._needs_proba():
            X = X if isinstance(X, BinnedData) else self._check_X(X)
            ask = tree_proba if isinstance(X, BinnedData) else member_proba
            cast = (ask(m, X, self.classes_) for m in self.estimators_)
        else:
            members = self._member_votes(X)
            rows = np.eye(len(self.classes_))
            cast = (rows[votes] for votes in members)
        votes, total = 0.0, 0.0
        for member, alpha in zip(cast, self.estimator_weights_, strict=True):
            votes, total = votes + alpha * member, total + alpha
            yield self._as_score(votes / total)

    def _as_score(self, share):
        # A vote for one class is a vote of -1/(K-1) for each of the others, as in SAMME.
        return share - (1.0 - share) / (len(self.classes_) - 1.0)

    def _scores(self, X):
        if self._needs_proba():
            *_, last = self._staged_scores(X)
            return last
        votes = self._member_votes(X)
        tally = np.zeros((votes.shape[1], len(self.classes_)))
        with threads_for(votes.size):
            add_votes(tally, votes, self.estimator_weights_)
        return self._as_score(tally / self.estimator_weights_.sum())

    def _as_decision(self, scores):
        # For two classes one number, positive for the second, as in scikit-learn.
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _as_sums(self, scores, n_members):
        k = len(self.classes_)
        return n_members * (k - 1.0) / k * scores  # n times the share, up to a constant

    def _as_proba(self, scores):
        scaled = scores / (len(self.classes_) - 1.0)
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


class ShareBoosting(BaseBoostingClassifier):
    """Voting classifier whose probabilities are the shares of the classes in the weighted vote."""

    def _as_score(self, share):
        return share

    def _as_sums(self, scores, n_members):
        return n_members * scores

    def _as_proba(self, scores):
        return scores
