"""B8: DECORATE, members made to differ by artificial rows that contradict the ensemble.

Artificial rows and their labels are in ``_artificial.py``. Here: the committee that rule and
learner share, the two of them, the estimator.
"""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from counterpoint.boosting._artificial import ArtificialRows, drawn, opposed
from counterpoint.boosting._engine import Rule, Said, Verdict
from counterpoint.boosting._learners import Learner, member_proba, seed
from counterpoint.boosting._weighted import BaseVoteBoosting, EvaluationWatcher, evaluation_sets
from counterpoint.boosting.adaboost import default_learner

__all__ = ["DecorateClassifier"]


class Committee:
    """The members so far, which the learner contradicts and the rule counts."""

    def __init__(self, classes, n_estimators, max_trials):
        self.classes, self.n_estimators, self.max_trials = classes, n_estimators, max_trials
        self.models: list = []
        self.n_trials = 0

    def proba(self, X):
        """Mean probabilities of the members."""
        return sum(member_proba(m, X, self.classes) for m in self.models) / len(self.models)


class DecorateLearner(Learner):
    """Trains members on the data and on artificial rows that contradict the committee."""

    is_random = True

    def __init__(self, estimator, X, y, cases, committee, *, artificial_size, rng):
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"{type(estimator).__name__} has no predict_proba, and DECORATE averages "
                "probabilities: wrap it in CalibratedClassifierCV."
            )
        self.estimator, self.X, self.y, self.cases = estimator, X, y, cases
        self.committee, self.rng = committee, rng
        self.size = max(1, int(artificial_size * cases.sum()))
        self.is_weighted = np.ptp(cases) > 1e-9 or cases[0] != 1.0
        self.resample = self.is_weighted and not has_fit_parameter(estimator, "sample_weight")
        if self.resample:
            warnings.warn(
                f"{type(estimator).__name__} takes no sample_weight: its members are trained on "
                "rows drawn by weight instead.",
                UserWarning,
                stacklevel=3,
            )
        self.rows = None

    def fit(self, weight, target=None):
        """Train one member, the first on the data alone."""
        self.committee.n_trials += 1
        model = seed(clone(self.estimator), self.rng)
        X, y, cases = self.X, self.y, self.cases
        if self.committee.models:
            self.rows = self.rows or ArtificialRows(self.X, self.cases)
            rows = self.rows.draw(self.size, self.rng)
            labels = self._labels(rows)
            X, y = self.rows.join(rows), np.concatenate([y, labels])
            cases = np.concatenate([cases, np.ones(self.size)])
        if self.resample:
            chosen = self.rng.choice(len(y), size=len(y), p=cases / cases.sum())
            model.fit(X.iloc[chosen] if isinstance(X, pd.DataFrame) else X[chosen], y[chosen])
        elif self.is_weighted:
            model.fit(X, y, sample_weight=cases)
        else:
            model.fit(X, y)
        return self.ask(model)

    def ask(self, model):
        """Say what a member says about the training samples."""
        proba = member_proba(model, self.X, self.committee.classes)
        return Said(model, votes=proba.argmax(axis=1), proba=proba)

    def failed(self, failure):
        """Draw other rows, as long as there are trials left."""
        return self.committee.n_trials < self.committee.max_trials

    def _labels(self, rows):
        cumulated = np.cumsum(opposed(self.committee.proba(rows)), axis=1)
        return self.committee.classes[drawn(cumulated, self.rng.random_sample(len(rows)))]


class DecorateRule(Rule):
    """A member stays if the training error of the committee does not rise."""

    def __init__(self, committee):
        self.committee = committee

    def start(self, y, n_classes, weight):
        """Begin without members."""
        self.y, self.weight = y, weight
        self.sum = np.zeros((len(y), n_classes))
        self.error = np.inf

    def ask(self):
        """Train on the data as it is: the learner changes it."""
        return self.weight, None

    def judge(self, said):
        """Compare the committee with and without the member."""
        error = self._error(self.sum + said.proba)
        notes = {"error": self._error(said.proba), "train_error": error}
        # Sums of weights are rounded: equal errors must not look like a rise.
        if error > self.error + 1e-12:
            return Verdict(1.0, "worse", notes)
        committee = self.committee
        is_over = committee.n_trials >= committee.max_trials
        is_full = len(committee.models) + 1 >= committee.n_estimators
        return Verdict(1.0, "", notes, "exhausted" if is_over and not is_full else "")

    def count_in(self, said, verdict):
        """Add the member."""
        self.committee.models.append(said.model)
        self.sum += said.proba
        self.error = self._error(self.sum)
        return {"trials": self.committee.n_trials}

    def reset(self):
        """Forget nothing: samples keep their weights, and the next artificial rows are others."""

    def _error(self, scores):
        return float(self.weight[scores.argmax(axis=1) != self.y].sum())


class DecorateClassifier(BaseVoteBoosting):
    """DECORATE: each member also learns artificial rows labelled against the ensemble.

    The first member learns the data. For each of the others, artificial rows are drawn: numbers
    from a normal distribution with mean and standard deviation of their column, names by their
    frequency in it (each counted once more than it occurs, so that categories not seen are
    possible). A row gets label k with probability inverse to what the ensemble says of k,

        P_new(k) = (1 / P(k)) / sum over j of 1 / P(j),

    where P below 1e-12 counts as 1e-12. The member learns data and artificial rows together. It
    is dropped if the training error of the ensemble rises with it. The answer is the mean of the
    members' probabilities. Good where training data are few.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner, a strong one with ``predict_proba``; None is
        ``PrunedTreeClassifier(grower="hist")``, which stands in for C4.5. It must take the
        columns as they are: for names put an encoder in front, as in
        ``make_pipeline(TabularEncoder(), DecisionTreeClassifier())``.
    n_estimators : int, default=15
        Number of members.
    artificial_size : float, default=1.0
        Artificial rows per member, as a multiple of the training rows; at least one row.
    max_trials : int, default=50
        Most members trained in one fit, dropped ones and the first included.
    stopping : stopping rule, list of them or None, default=None
        When to stop before ``n_estimators``: see ``DiversityStopping``, ``ErrorStopping``.
    warm_start : bool, default=False
        Go on from the members there are, on the same data.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds members and artificial rows.

    Attributes
    ----------
    estimators_ : list
        The members.
    estimator_weights_ : ndarray of shape (n_members,)
        All 1.
    n_rejected_ : int
        How many were dropped.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    history_ : DataFrame
        One row per member: its ``error`` and the ensemble's ``train_error`` on the training
        data (weighted), ``trials`` so far, and errors on ``eval_set``.
    stop_reason_ : str
        "complete", "exhausted" (no trial left), "interrupted", or what a stopping rule said.

    References
    ----------
    .. [1] Melville and Mooney, "Creating Diversity in Ensembles Using Artificial Data",
       Information Fusion 6, 2005.
    .. [2] Eastwood's thesis, section 2.3.1 and equation 2.25.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import DecorateClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = DecorateClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> ensemble.predict_proba(X).shape
    (150, 3)
    >>> ensemble.history_["train_error"].is_monotonic_decreasing
    True
    """

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=15,
        artificial_size=1.0,
        max_trials=50,
        stopping=None,
        warm_start=False,
        progress=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.artificial_size = artificial_size
        self.max_trials = max_trials
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, *, eval_set=None):
        """Train the members one after another.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers and names, as the base learner takes them. Columns of a frame that are
            categories, strings or booleans are names.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. Whole numbers count as copies of a row; others are scaled so
            that they are 1 on average. An artificial row weighs 1.
        eval_set : (X, y), list or dict of such pairs, default=None
            Data to follow the ensemble on, in ``history_``.

        Returns
        -------
        DecorateClassifier
            The fitted estimator.
        """
        self._check_n_estimators()
        self._check_options()
        X, y, codes, weight = self._check_data(X, y, sample_weight)
        committee = Committee(self.classes_, self.n_estimators, self.max_trials)
        rng = self._generator()
        cases = weight * self._n_cases
        if np.allclose(cases, np.round(cases), rtol=0, atol=1e-9):
            cases = np.round(cases)  # whole numbers again, as they were given
        learner = DecorateLearner(
            self._base(), X, y, cases, committee, artificial_size=self.artificial_size, rng=rng
        )
        watchers = [
            EvaluationWatcher(name, X_other, y_other, self.classes_, True)
            for name, (X_other, y_other) in evaluation_sets(eval_set).items()
        ]
        before = getattr(self, "n_rejected_", 0) if self.warm_start else 0
        result = self._run(
            DecorateRule(committee),
            learner,
            codes,
            len(self.classes_),
            weight,
            watchers=watchers,
            rng=rng,
        )
        self.n_rejected_ = before + committee.n_trials - len(result.models)
        return self

    def _base(self):
        return default_learner() if self.estimator is None else self.estimator

    def _check_options(self):
        size = self.artificial_size
        if not isinstance(size, Real) or not 0 < float(size) < np.inf:
            raise ValueError(
                f"artificial_size={size!r}: give a number above 0, 1.0 for as many artificial "
                "rows as training rows."
            )
        if not isinstance(self.max_trials, Integral) or self.max_trials < 1:
            raise ValueError(f"max_trials={self.max_trials!r}: give a whole number from 1.")

    def _look(self, X, *, reset=False):
        X = X.to_pandas() if hasattr(X, "to_pandas") else X  # polars
        if not isinstance(X, pd.DataFrame) and not issparse(X):
            X = np.asarray(X)
        return super()._look(X, reset=reset)

    # The vote is the mean of probabilities, and needs no scaling.

    def _needs_proba(self):
        return True

    def _as_score(self, share):
        return share

    def _as_proba(self, scores):
        return scores

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
