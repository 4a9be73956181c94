"""Ensembles that are sums: every member corrects the scores of those before it.

Scores are ``start + learning_rate * (sum of the members' values)``, with a column for each class
(one for two classes and for regression). A loss (``losses.py``) says what the next members are
fitted to; one regressor is fitted to each column.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted, column_or_1d

from counterpoint._kernels.threads import threads_for
from counterpoint._typing import DataLike
from counterpoint._validation import check_number
from counterpoint.base import BaseEnsembleRegressor, need_target, read_numbers, read_table
from counterpoint.boosting.learners import Learner, MemberAnswer, make_learner, stacked_members
from counterpoint.boosting.loop import BaseBoosting
from counterpoint.boosting.rules import Rule, Verdict
from counterpoint.boosting.staged import StagedClassifier
from counterpoint.exceptions import DivergenceError
from counterpoint.trees import HistTreeRegressor
from counterpoint.trees.binning import BinnedData
from counterpoint.trees.ensemble import leaves_of, predict_trees

# Squares of larger scores overflow.
_MOST = 1e100

# -- the loop's parts ----------------------------------------------------------------------------


class AdditiveRule(Rule):
    """Fit what the loss asks for, and add it; ``line_search``: by the step that lowers it most.

    ``cases`` turns weights into numbers of cases, which members are trained on: learners that weigh
    data against a penalty (ridge) see as many cases as there are. ``votes``: say what class each
    member speaks for, in case a stopping rule looks at it. ``notes``: note errors on the training
    samples, which takes a while where trees do not.
    """

    notes = True

    def __init__(self, loss, learning_rate, line_search, cases, votes):
        self.loss, self.learning_rate, self.line_search = loss, learning_rate, line_search
        # Exactly whole where they were: then equally good splits are equal after repeats as well.
        self.cases, self.votes = cases, votes

    def start(self, y, n_classes, weight):
        """Begin from the loss's start."""
        self.y, self.n_classes = y, n_classes
        self.first_weight = self.weight = self.cases(weight)  # which never change
        # Column after column: a learner takes one at a time, and sums over classes are quicker.
        self.target = np.asfortranarray(self.loss.begin(y, weight))
        self.total = np.zeros_like(self.target)
        self.scores = self.loss.scores(self.total)

    def request(self):
        """Return weights and targets, with a column for each output if there are several."""
        factor, self.aim = self.loss.request(self.target, self.scores)
        weight = self.weight
        if factor is not None:
            weight = weight[:, None] * factor
        if self.aim.shape[1] == 1:
            return weight.reshape(-1), self.aim[:, 0]
        return weight, self.aim

    def judge(self, answer):
        """Take the learning rate for weight, times the best step under line search."""
        values = np.asfortranarray(as_columns(answer.values))
        answer.values = values
        step = 1.0
        if self.line_search:
            size = self.weight @ (values**2).sum(axis=1)
            step = float(self.weight @ (self.aim * values).sum(axis=1) / size) if size > 0 else 0.0
        alpha = self.learning_rate * step
        if self.votes:
            answer.votes = self.loss.votes(alpha * values)
        return Verdict(alpha)

    def update(self, answer, verdict):
        """Add the member to the scores."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.total += verdict.alpha * as_columns(answer.values)
        check_size(self.total.min(), self.total.max(), self.learning_rate)
        self.scores = self.loss.scores(self.total)
        if not self.notes:
            return {}
        return {f"train_{k}": v for k, v in self.loss.notes(self.y, self.scores).items()}


def check_size(least, largest, learning_rate):
    """Raise if sums are no more numbers to go on with."""
    if not -_MOST < least <= largest < _MOST:
        raise DivergenceError(
            f"learning_rate={learning_rate!r}: the scores have grown beyond {_MOST:g}. "
            "Give a smaller one, from 0.01 to 1."
        )


class ColumnsLearner(Learner):
    """Train a regressor for each column of targets; several columns make a list of them."""

    def __init__(self, learner):
        self.learner = learner
        self.is_random, self.is_small = learner.is_random, learner.is_small

    def fit(self, weight, target=None):
        """Train a model per column of the target."""
        self.learner.begin_round()
        if target.ndim == 1:
            return self.learner.fit(weight, target)
        return self._join(self.learner.fit(*column) for column in self._columns(weight, target))

    def some(self, rows, rng):
        """Return a learner on some of the rows, where that of a column has one."""
        learner = self.learner.some(rows, rng)
        return None if learner is None else ColumnsLearner(learner)

    def bins(self, rows):
        """Return some of the rows as bins, where the learner of a column has them."""
        return self.learner.bins(rows)

    def _columns(self, weight, target):
        """Yield the weights and targets of each column."""
        weights = np.broadcast_to(as_columns(weight), target.shape)
        for w, column in zip(weights.T, target.T, strict=True):
            yield np.ascontiguousarray(w), np.ascontiguousarray(column)

    def answer(self, model):
        """Return what a model, or the models of several columns, predict for the samples."""
        if not isinstance(model, list):
            return self.learner.answer(model)
        return self._join(self.learner.answer(m) for m in model)

    def _join(self, answers):
        models, values = zip(*((a.model, a.values) for a in answers), strict=True)
        # Laid out column after column, as the rule's sums are.
        return MemberAnswer(list(models), values=np.stack(values).T)


class AdditiveWatcher:
    """Follow the ensemble on data it is not trained on."""

    def __init__(self, name, X, y, loss):
        self.name, self.X, self.y, self.loss = name, X, y, loss
        self.total = np.zeros((len(y), loss.n_outputs))
        self.rows = self.names = None

    def __call__(self, model, alpha):
        """Count a member in and note errors."""
        self.total += alpha * self._values(model)
        notes = self.loss.notes(self.y, self.loss.scores(self.total))
        return {f"{self.name}_{k}": v for k, v in notes.items()}

    def _values(self, model):
        """Return what a member adds; trees of ours have the data read once for all of them."""
        models = model if isinstance(model, list) else [model]
        if any(type(m) is not HistTreeRegressor for m in models):
            return member_values(model, self.X)
        return np.stack([tree_values(m.tree_, self._read(m)) for m in models], axis=1)

    def _read(self, model):
        # Trees trained on rows of their own may have other numbers for the names of categories.
        if self.rows is None or model.categories_ is not self.names:
            self.rows, self.names = model.read_rows(self.X), model.categories_
        return self.rows


class BinnedWatcher(AdditiveWatcher):
    """The same on rows that have the bins of the trees."""

    def _read(self, model):
        return self.X


def as_columns(array):
    """Return (n_samples, n_outputs) of (n_samples,) or (n_samples, n_outputs)."""
    return array[:, None] if array.ndim == 1 else array


def member_values(model, X):
    """Return what a member adds, a model or one for each output: (n_samples, n_outputs)."""
    models = model if isinstance(model, list) else [model]
    return np.stack([np.asarray(m.predict(X), dtype=float).ravel() for m in models], axis=1)


def tree_values(tree, X):
    """Return what a tree that was just grown adds, (n_samples,); X are numbers or bins."""
    return tree.value[:, 0].take(leaves_of(tree, X))


# -- estimators ----------------------------------------------------------------------------------


class BaseAdditiveBoosting(BaseBoosting):
    """Estimator whose members add up.

    A method supplies ``_make_loss``. Parameters as in ``BaseBoosting``, with ``learning_rate`` and
    ``resample``.
    """

    line_search = False
    _default_depth = 3
    _auto_hint = ""  # what ends a message about an option that may be "auto"

    def _base(self):
        # `is None`, not `or`: an ensemble as a base learner has a length.
        if self.estimator is None:
            return HistTreeRegressor(max_depth=self._default_depth)
        return self.estimator

    def _check_options(self):
        super()._check_options()
        if not self._is_auto("learning_rate"):
            limits = {"low": 0, "high": np.inf, "open_low": True, "hint": self._auto_hint}
            check_number(self.learning_rate, "learning_rate", **limits)
        if is_classifier(self._base()):
            raise ValueError(
                f"{type(self._base()).__name__} is a classifier, and {type(self).__name__} fits "
                "its members to numbers: pass a regressor as `estimator`."
            )

    def _is_auto(self, name):
        """Whether a parameter is left to the estimator."""
        return False

    def _rate(self):
        """Return the learning rate in use."""
        return self.learning_rate

    def make_rule(self) -> Rule:
        """Return the rule that fits what the loss asks for, and adds it."""
        self._loss = self._make_loss()
        votes = self.stopping is not None
        return AdditiveRule(self._loss, self._rate(), self.line_search, self._cases, votes)

    def _make_learner(self, rule, X, y, weight, rng):
        learner = make_learner(
            self._base(),
            X,
            resample=self.resample,
            cases=self._cases(weight),
            rng=rng,
            among=self._kept,
            weighted=rule.loss.weighs or np.ptp(weight) > 0,
        )
        return ColumnsLearner(learner)

    def _watcher(self, name, X, y):
        return AdditiveWatcher(name, read_table(self, X), self._encode(y), self._loss)

    def _scores(self, X):
        """Return the scores of the whole sum, (n_samples, n_outputs)."""
        check_is_fitted(self)
        if not self._stacked:
            *_, last = self._staged_scores(X)
            return last
        X = self._check_numbers(X)
        say = self.estimator_weights_
        with threads_for(X.shape[0] * sum(trees.depths.sum() for trees in self._stacked)):
            total = [predict_trees(t, X, kind="value_sum", weights=say) for t in self._stacked]
        return self._loss.scores(np.hstack(total))

    def _finish(self, result):
        self.start_ = self._loss.start
        # The trees of each column laid end to end; empty if they cannot be asked as one.
        members = [m if isinstance(m, list) else [m] for m in self.estimators_]
        stacked = [stacked_members(column) for column in zip(*members, strict=True)]
        self._stacked = [] if any(trees is None for trees in stacked) else stacked

    def _staged_scores(self, X):
        """Yield the scores as members join."""
        total = 0.0
        for part in self._parts(X):
            total = total + part
            yield self._loss.scores(total)

    def _parts(self, X):
        """Yield what each member adds before the loss makes scores of the sum."""
        if isinstance(X, BinnedData):
            for model, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
                models = model if isinstance(model, list) else [model]
                yield alpha * np.stack([tree_values(m.tree_, X) for m in models], axis=1)
            return
        X = self._check_X(X)
        for model, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            yield alpha * member_values(model, X)


class AdditiveClassifier(BaseAdditiveBoosting, StagedClassifier):
    """Classifier by scores that add up."""

    def _answers_bins(self):
        return bool(self._stacked)

    def _as_codes(self, scores):
        return self._loss.votes(scores)

    def _as_decision(self, scores):
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _as_sums(self, scores, n_members):
        return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores

    def _size(self, n_members):
        return float(np.sqrt(n_members))

    def _as_proba(self, scores):
        return self._loss.proba(scores)

    def _member_votes(self, X):
        # What the corrections of each member alone speak for.
        return np.stack([self._loss.votes(part) for part in self._parts(X)])


class AdditiveRegressor(BaseAdditiveBoosting, BaseEnsembleRegressor):
    """Regressor whose members add up."""

    _members_are_corrections = True

    def _check_data(self, X, y, sample_weight):
        need_target(self, y)
        X = self._read_X(X, reset=not self._goes_on())
        return self._start_weights(X, self._encode(y), sample_weight)

    def _encode(self, y):
        y = column_or_1d(read_numbers(y), dtype=np.float64, warn=True)
        assert_all_finite(y, input_name="y")
        return y

    def _combined(self, X):
        return self._loss.answers(self._scores(X))

    def staged_predict(self, X: DataLike) -> Iterator[NDArray]:
        """Yield ``predict`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._loss.answers(scores)

    def _ask(self, X):
        # What each round adds: with ``start_`` this adds up to ``predict``.
        return np.stack([part[:, 0] for part in self._parts(X)])
