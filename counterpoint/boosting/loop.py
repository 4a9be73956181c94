"""The boosting loop: reweigh, fit, weigh, stop or restart.

A method is a ``Rule`` (``rules.py``): what members are trained on, what a member is worth, what
becomes of the samples. A ``Learner`` (``learners.py``) trains them. ``boost`` runs the loop;
``BaseBoosting`` is the scikit-learn estimator around it. Recorders fill ``history_``; stopping
rules (``stopping.py``) look at it.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import MetaEstimatorMixin, is_classifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from counterpoint._arrays import count_cases
from counterpoint._interrupts import counted, keep_partial, whole
from counterpoint._kernels.threads import threads_for
from counterpoint._options import check_shared_options
from counterpoint._progress import track
from counterpoint._reading import is_store, need_memory, train_on
from counterpoint._tables import select_rows
from counterpoint._validation import check_count, check_learner
from counterpoint.base import BaseEnsemble, check_weights, read_table, validate_data
from counterpoint.boosting.learners import takes_rows
from counterpoint.boosting.rules import Verdict
from counterpoint.exceptions import ClusterLostError

# Failures in a row after which a restart is given up.
_MAX_FAILURES = 10
# Weight of a perfect member that ends training: as if it had one error in a million.
_CERTAIN = float(np.log(1e6))


@dataclass
class Result:
    """Members, their weights and history, and why training ended."""

    models: list
    alphas: list
    history: list
    reason: str
    n_fits: int


def boost(
    rule, learner, n_members, *, on_failure, stops=(), watchers=(), progress=None, name="", done=0
):
    """Run the loop until there are ``n_members`` members, ``done`` of them already there.

    ``on_failure`` is "restart" (drop the member, forget the weights, go on; give up after ten
    failures in a row, at once if nothing is random) or "stop". A perfect member ends it with
    that member alone if there is no other, and so does one no better than chance.
    """
    result = Result([], [], [], "", 0)
    with counted(), threads_for(0 if learner.is_small else np.inf):
        _boost(result, rule, learner, n_members, on_failure, stops, watchers, progress, name, done)
    return result


def _boost(result, rule, learner, n_members, on_failure, stops, watchers, progress, name, done):
    failures = restarts = 0
    rounds = track(range(done, n_members), total=n_members - done, description=name, show=progress)
    wanted = iter(rounds)
    try:
        for _ in wanted:
            while True:
                weight, target = rule.request()
                with whole():  # of a member cut short nothing is known
                    answer = learner.fit(weight, target)
                result.n_fits += 1
                verdict = rule.judge(answer)
                if not verdict.failure:
                    break
                failures += 1
                can_go_on = learner.recover(verdict.failure)
                if can_go_on is None:
                    tries = _MAX_FAILURES if learner.is_random else 2
                    if on_failure == "stop" or failures >= tries:
                        result.reason = verdict.failure
                        break
                    rule.reset()
                    restarts += 1
                elif not can_go_on:
                    result.reason = "exhausted"
                    break
            if result.reason:
                if not result.models and not done:
                    _take_in(rule, result, answer, Verdict(1.0, "", verdict.notes), watchers)
                elif verdict.failure == "perfect" and on_failure == "stop":
                    _take_in(rule, result, answer, Verdict(_CERTAIN, "", verdict.notes), watchers)
                break
            verdict.notes["restarts"] = restarts
            failures = restarts = 0
            _take_in(rule, result, answer, verdict, watchers)
            reasons = (stop(result.history, answer) for stop in stops)
            why = next(filter(None, reasons), verdict.last)
            if why:
                result.reason = why
                break
    except (KeyboardInterrupt, ClusterLostError) as error:
        if not result.models and not done:
            raise
        keep_partial()
        result.reason = "cluster lost" if isinstance(error, ClusterLostError) else "interrupted"
    result.reason = result.reason or "complete"


def _take_in(rule, result, answer, verdict, watchers):
    more = rule.update(answer, verdict) or {}
    row = {"alpha": verdict.alpha, **verdict.notes, **more}
    for watcher in watchers:
        row.update(watcher(answer.model, verdict.alpha))
    result.models.append(answer.model)
    result.alphas.append(verdict.alpha)
    result.history.append(row)


class BaseBoosting(MetaEstimatorMixin, BaseEnsemble):
    """Scikit-learn estimator around the loop.

    A subclass makes rule and learner (``make_rule``, ``_make_learner``), follows evaluation data
    (``_watcher``) and combines its members. It has the parameters
    ``estimator``, ``n_estimators``, ``random_state``, ``warm_start``, ``progress``, ``stopping``.
    With metadata routing, ``sample_weight`` is the ensemble's own: the loop starts from it, and
    members get the loop's weights whether they ask for weights or not.
    """

    estimator: Any = None
    _takes_sparse = True
    _kept: Any = None  # while X is read: the rows to train on where others are held out

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        client: Any = None,
    ) -> Self:
        """Train the members one after another.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Whatever the base learner takes. Or a :class:`counterpoint.large.BinnedStore`, which has
            the targets and weights too: docs/large.md says which methods take one.
        y : array-like of shape (n_samples,)
            Labels, or numbers for regression.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights the samples start from, and go back to after a restart. Whole numbers count as
            copies of a sample (up to a million in all or a hundred a sample), others only say
            which samples count for more.
        eval_set : (X, y), list or dict of such pairs, default=None
            Data to follow the ensemble on, in ``history_``.
        client : distributed.Client, default=None
            For a store: the workers that add up its rows. None: this process.

        Returns
        -------
        object
            The fitted estimator.
        """
        if is_store(X):
            return train_on(X, self, y, sample_weight, eval_set=eval_set, client=client)
        need_memory(client)
        self._check_options()
        X, y, weight = self._check_data(X, y, sample_weight)
        rng, self._kept = self._generator(), None
        X, y, weight, apart = self._set_aside(X, y, weight, rng)
        rule = self.make_rule()
        watchers = [self._watcher(name, *pair) for name, pair in evaluation_sets(eval_set).items()]
        watchers += apart
        with self._naming_text(X):
            learner = self._make_learner(rule, X, y, weight, rng)
            rule = self._tuned(rule, learner, X, y, weight)
            self._kept = None
            self._run(rule, learner, y, weight, watchers)
        self._calibrate(X, y, weight, learner)
        return self

    def _set_aside(self, X, y, weight, rng):
        """Return the data to train on, and watchers of what is held out."""
        return X, y, weight, []

    def _only(self, X, rows):
        """Return some rows of X; X itself where the learner can take them from there."""
        if not takes_rows(self._base()) or getattr(self, "resample", False):
            return select_rows(X, rows)
        self._kept = rows
        return X

    def _tuned(self, rule, learner, X, y, weight):
        """Return the rule to train by, where a trial is to choose one."""
        return rule

    def _calibrate(self, X, y, weight, learner):
        """Learn what the members' sums say of probabilities, where there are any."""

    def _run(self, rule, learner, y, weight, watchers):
        n_classes = len(self.classes_) if is_classifier(self) else None
        start = self._start(rule, learner, y, n_classes, weight, watchers)
        stops = self._stopping()
        stops = () if stops is None else stops
        stops = stops if isinstance(stops, (list, tuple)) else (stops,)
        for stop in stops:
            if isinstance(stop, type) or not hasattr(stop, "begin"):
                raise TypeError(
                    f"stopping={self.stopping!r}: give a rule of counterpoint.boosting, such as "
                    "ErrorStopping(), a list of rules, or None."
                )
        result = boost(
            rule,
            learner,
            self._most_rounds(),
            on_failure=getattr(self, "on_failure", "stop"),
            stops=[stop.begin(y, n_classes) for stop in stops],
            watchers=watchers,
            progress=self.progress,
            name=type(self).__name__,
            done=start,
        )
        if not start:
            self.estimators_, self.estimator_weights_, self._history = [], np.empty(0), []
        self.estimators_.extend(result.models)
        self.estimator_weights_ = np.append(self.estimator_weights_, result.alphas)
        self._history.extend(result.history)
        self.stop_reason_ = result.reason
        self._finish(result)
        if result.reason in ("interrupted", "cluster lost"):
            kept = "the Dask scheduler is gone. " if result.reason == "cluster lost" else ""
            kept += (
                f"{type(self).__name__} keeps the {len(self.estimators_)} members trained so far."
            )
            if "warm_start" in self.get_params(deep=False):
                kept += " Fit again with warm_start=True to go on from them."
            keep_partial(kept, stacklevel=5)

    def _most_rounds(self):
        """Return how many rounds the loop runs; each trains a member unless a method says else."""
        return self.n_estimators

    def _stopping(self):
        return self.stopping

    def _goes_on(self):
        """Whether this fit goes on from the members there are."""
        return self.warm_start and hasattr(self, "estimators_")

    def _finish(self, result):
        """Prepare for questions, now that members have joined."""

    def _start(self, rule, learner, y, n_classes, weight, watchers):
        """Begin anew, or replay the members there are; return how many that are."""
        rule.start(y, n_classes, weight)
        if not self._goes_on():
            return 0
        if len(self.estimators_) > self.n_estimators:
            raise ValueError(
                f"warm_start: n_estimators={self.n_estimators}, but there are "
                f"{len(self.estimators_)} members already. Raise n_estimators."
            )
        for model, row in zip(self.estimators_, self._history, strict=True):
            if row.get("restarts"):
                rule.reset()
            rule.update(learner.answer(model), Verdict(row["alpha"], "", row))
            for watcher in watchers:  # members from before count too
                watcher(model, row["alpha"])
        return len(self.estimators_)

    @property
    def history_(self) -> pd.DataFrame:
        """One row per member: error, weight, what the recorders noted; index from 1."""
        check_is_fitted(self)
        frame = pd.DataFrame(self._history)
        frame.index = pd.RangeIndex(1, len(frame) + 1, name="members")
        return frame

    def _check_options(self):
        """Check the parameters."""
        check_shared_options(self)
        check_learner(self.estimator, owner=type(self).__name__, count="n_estimators")
        check_count(self.n_estimators, "n_estimators")

    def _read_X(self, X, *, reset=False):
        """Return data as the learner wants them: it checks the values."""
        return read_table(self, X, reset=reset)

    def _check_X(self, X):
        check_is_fitted(self)
        return self._read_X(X)

    @contextmanager
    def _naming_text(self, X):
        """Let a learner's error about text in X name the column, and the way out for this model."""
        try:
            yield
        except ValueError as error:
            if "could not convert" in str(error) or "takes numbers" in str(error):
                validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
            raise

    def _check_numbers(self, X):
        """Return the data of a question to members that are trees of ours."""
        member = np.ravel(self.estimators_[0]).item(0)
        dtype = member._input_dtype
        if hasattr(member, "_code_categories"):
            X = member._code_categories(X)
        return validate_data(self, X, reset=False, dtype=dtype, ensure_all_finite="allow-nan")

    def _start_weights(self, X, y, sample_weight, class_factor=None):
        """Return X and y of the samples that count, and weights that add up to 1."""
        if X.shape[0] != len(y):
            raise ValueError(
                f"X has {X.shape[0]} rows and y {len(y)}: inconsistent numbers of samples."
            )
        weight = check_weights(sample_weight, np.empty((len(y), 1)))
        weight = np.ones(len(y)) if weight is None else weight
        if weight.sum() <= 0:
            raise ValueError("sample_weight are all zero: at least one sample must count.")
        if class_factor is not None:
            weight = weight * class_factor
        if (weight == 0).any():  # as if these samples were not there
            rows = np.flatnonzero(weight)
            X, y, weight = select_rows(X, rows), y[rows], weight[rows]
        # Other weights than numbers of cases only say which count for more.
        self._n_cases = float(count_cases(weight) or len(weight))
        return X, y, weight / weight.sum()

    def _cases(self, weight):
        """Return weights that add up to 1 as numbers of cases, whole where they were given so."""
        cases = weight * self._n_cases
        whole = np.round(cases)
        return np.where(np.abs(cases - whole) < 1e-9 * whole, whole, cases)

    def _generator(self):
        """Return the source of randomness; a warm start goes on where the last fit stopped."""
        if self.warm_start and hasattr(self, "_random"):
            return self._random
        self._random = check_random_state(self.random_state)
        return self._random

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self._base(), "__sklearn_tags__"):  # else fit says what is wrong
            base = get_tags(self._base()).input_tags
            tags.input_tags.allow_nan = base.allow_nan
            tags.input_tags.sparse = base.sparse and self._takes_sparse
            tags.input_tags.categorical = base.categorical
        return tags


def evaluation_sets(eval_set):
    """Return evaluation data by name: a pair (X, y), a list of pairs, or a dict of pairs."""
    if eval_set is None or isinstance(eval_set, dict):
        return eval_set or {}
    pairs = [eval_set] if isinstance(eval_set, tuple) else eval_set
    if len(pairs) == 1:
        return {"eval": pairs[0]}
    return {f"eval{k}": pair for k, pair in enumerate(pairs)}
