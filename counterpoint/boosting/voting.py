"""Classifiers whose members vote: the estimator around rules for votes, and what it records."""

from abc import ABCMeta, abstractmethod

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels.threads import threads_for
from counterpoint._kernels.votes import add_votes
from counterpoint._validation import check_choice
from counterpoint.base import BaseEnsembleClassifier, encode_target, need_target
from counterpoint.boosting.learners import (
    make_learner,
    member_proba,
    member_votes,
    stacked_members,
)
from counterpoint.boosting.loop import BaseBoosting
from counterpoint.trees import PrunedTreeClassifier
from counterpoint.trees.ensemble import predict_trees

ON_FAILURE = ("restart", "stop")


class EvaluationWatcher:
    """Follow the ensemble on data it is not trained on."""

    def __init__(self, name, X, y, classes, confidence):
        self.name, self.X, self.classes, self.confidence = name, X, classes, confidence
        self.y = np.searchsorted(classes, y)
        n, k = len(self.y), len(classes)
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


def evaluation_sets(eval_set):
    """Return evaluation data by name: a pair (X, y), a list of pairs, or a dict of pairs."""
    if eval_set is None:
        return {}
    if isinstance(eval_set, dict):
        return eval_set
    if isinstance(eval_set, tuple):
        return {"eval": eval_set}
    if len(eval_set) == 1:
        return {"eval": eval_set[0]}
    return {f"eval{k}": pair for k, pair in enumerate(eval_set)}


class BaseBoostingClassifier(BaseBoosting, BaseEnsembleClassifier, metaclass=ABCMeta):
    """Classifier whose members vote, each with its weight: base class of boosting methods.

    A method is a subclass with ``make_rule``, and with an ``__init__`` if it has parameters of its
    own.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``.
    n_estimators : int, default=50
        Number of members.
    resample : bool, default=False
        Train on rows drawn by weight, rather than on weights.
    on_failure : {"restart", "stop"}, default="restart"
        What to do with a member that the rule does not take in.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes that the samples start from.
    stopping : stopping rule, list of them or None, default=None
        When to stop before ``n_estimators``: see ``DiversityStopping``, ``ErrorStopping``.
    warm_start : bool, default=False
        Go on from the members there are, on the same data.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds members and draws.

    Attributes
    ----------
    estimators_ : list
        The members.
    estimator_weights_ : ndarray of shape (n_members,)
        Their say.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
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
    class_weight = None

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=50,
        resample=False,
        on_failure="restart",
        class_weight=None,
        stopping=None,
        warm_start=False,
        progress=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.resample = resample
        self.on_failure = on_failure
        self.class_weight = class_weight
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    @abstractmethod
    def make_rule(self):
        """Return the rule of this method, made of its parameters; ``fit`` calls it once."""

    def fit(self, X, y, sample_weight=None, *, eval_set=None):
        """Train the members one after another.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Whatever the base learner takes.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights the samples start from, and go back to after a restart. Whole numbers count as
            copies of a sample, others only say which samples count for more.
        eval_set : (X, y), list or dict of such pairs, default=None
            Data to follow the ensemble on, in ``history_``.

        Returns
        -------
        object
            The fitted estimator.
        """
        self._check_options()
        X, codes, weight = self._check_data(X, y, sample_weight)
        rng = self._generator()
        rule = self.make_rule()
        watchers = [
            EvaluationWatcher(name, *pair, self.classes_, self._needs_proba())
            for name, pair in evaluation_sets(eval_set).items()
        ]
        if self._goes_on():
            for watcher in watchers:  # members from before count too
                for model, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
                    watcher(model, alpha)
        with self._naming_text(X):
            learner = self._make_learner(rule, X, codes, weight, rng)
            self._run(rule, learner, codes, len(self.classes_), weight, watchers=watchers)
        return self

    def _base(self):
        # `is None`, not `or`: an ensemble as a base learner has a length.
        return PrunedTreeClassifier(grower="hist") if self.estimator is None else self.estimator

    def _make_learner(self, rule, X, codes, weight, rng):
        return make_learner(
            self._base(),
            X,
            self.classes_[codes],
            codes,
            self.classes_,
            resample=self.resample,
            proba=self._needs_proba(),
            cases=self._cases(weight),
            rng=rng,
        )

    def _check_options(self):
        """Check parameters of the method."""
        super()._check_options()
        check_choice(getattr(self, "on_failure", "stop"), "on_failure", ON_FAILURE)

    def _finish(self, result):
        # Trees of ours are asked all at once if each knows all classes: drawn rows may lack one.
        known = [getattr(model, "classes_", ()) for model in self.estimators_]
        alike = all(np.array_equal(classes, self.classes_) for classes in known)
        self._stacked = stacked_members(self.estimators_) if alike else None

    def _needs_proba(self):
        return bool(self.confidence)

    def _check_data(self, X, y, sample_weight):
        """Return data, class codes and weights that add up to 1, of the samples that count."""
        need_target(self, y)
        going_on = self._goes_on()
        X = self._read_X(X)
        classes, codes = encode_target(self, y)
        if going_on and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start: the classes were {self.classes_.tolist()} and now are "
                f"{classes.tolist()}. Fit with warm_start=False for other data."
            )
        self.classes_ = classes
        factor = None
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, classes[codes])
        return self._start_weights(X, codes.astype(np.int32), sample_weight, factor)

    # -- answers ---------------------------------------------------------------------------------

    def member_predict(self, X):
        """Labels of every member.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples)
        """
        votes = self._member_votes(X)
        return self.classes_[votes]

    def _member_votes(self, X):
        """Class codes of every member, (n_members, n_samples)."""
        check_is_fitted(self)
        if self._stacked is not None:
            return predict_trees(self._stacked, self._check_numbers(X))
        X = self._check_X(X)
        return np.stack([member_votes(m, X, self.classes_) for m in self.estimators_])

    def _staged_scores(self, X):
        """Yield the weighted vote for every class, from -1/(K-1) to 1, as members join."""
        if self._needs_proba():
            X = self._check_X(X)
            cast = (member_proba(m, X, self.classes_) for m in self.estimators_)
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

    def decision_function(self, X):
        """Weighted vote for every class, scaled by the sum of the weights.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number per sample for two classes, positive for the second.
        """
        return self._as_decision(self._scores(X))

    def staged_decision_function(self, X):
        """Yield ``decision_function`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_decision(scores)

    def predict(self, X):
        """Label with the most weighted votes; a tie goes to the first class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def staged_predict(self, X):
        """Yield ``predict`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X):
        """Class probabilities: a softmax of the weighted vote, as in scikit-learn's AdaBoost.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._as_proba(self._scores(X))

    def staged_predict_proba(self, X):
        """Yield ``predict_proba`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_proba(scores)

    def _as_proba(self, scores):
        scaled = scores / (len(self.classes_) - 1.0)
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """Logarithm of ``predict_proba``."""
        return np.log(self.predict_proba(X))


class ShareBoosting(BaseBoostingClassifier):
    """Voting classifier whose shares of the vote are its probabilities."""

    def _as_score(self, share):
        return share

    def _as_proba(self, scores):
        return scores

    def predict_proba(self, X):
        """Class probabilities: the share of each class in the members' weighted vote.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    def predict_log_proba(self, X):
        """Logarithm of ``predict_proba``; -inf where no member speaks for the class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
