"""DECORATE: members made to differ by artificial rows that contradict the ensemble.

Artificial rows and their labels are in ``artificial.py``. Here: the rule, which keeps the members
so far, the learner, which contradicts them, and the estimator.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from counterpoint._tables import select_rows
from counterpoint._typing import Estimator, Seed
from counterpoint._validation import check_count, check_number
from counterpoint.base import set_random_states
from counterpoint.boosting.artificial import ArtificialRows, drawn, opposed
from counterpoint.boosting.learners import Learner, MemberAnswer, member_proba
from counterpoint.boosting.rules import Rule, Verdict
from counterpoint.boosting.voting import ShareBoosting

_MOST_ROWS = 10**9  # of artificial ones for a member: no memory holds more


class DecorateRule(Rule):
    """A member stays if the training error of the members so far does not rise."""

    def __init__(self, n_estimators, max_trials):
        self.n_estimators, self.max_trials = n_estimators, max_trials
        self.models: list = []
        self.n_trials = 0

    def start(self, y, n_classes, weight):
        """Begin without members."""
        super().start(y, n_classes, weight)
        self.sum = np.zeros((len(y), n_classes))
        self.error = np.inf

    def judge(self, answer):
        """Compare the ensemble with and without the member."""
        error = self._error(self.sum + answer.proba)
        notes = {"error": self._error(answer.proba), "train_error": error}
        # Sums of weights are rounded: equal errors must not look like a rise.
        if error > self.error + 1e-12:
            return Verdict(1.0, "worse", notes)
        is_over = self.n_trials >= self.max_trials
        is_full = len(self.models) + 1 >= self.n_estimators
        return Verdict(1.0, "", notes, "exhausted" if is_over and not is_full else "")

    def update(self, answer, verdict):
        """Add the member."""
        self.models.append(answer.model)
        self.sum += answer.proba
        self.error = self._error(self.sum)
        return {"trials": self.n_trials}

    def _error(self, scores):
        return float(self.weight[scores.argmax(axis=1) != self.y].sum())


class DecorateLearner(Learner):
    """Trains members on the data and on artificial rows that contradict the members so far."""

    is_random = True

    def __init__(self, estimator, X, y, cases, classes, rule, *, artificial_size, rng):
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"{type(estimator).__name__} has no predict_proba, and DECORATE averages "
                "probabilities: wrap it in CalibratedClassifierCV."
            )
        self.estimator, self.X, self.y, self.cases = estimator, X, y, cases
        self.classes, self.rule, self.rng = classes, rule, rng
        size = float(artificial_size) * float(cases.sum())
        if size > _MOST_ROWS:
            raise ValueError(
                f"artificial_size={artificial_size!r} times {cases.sum():.6g} cases are {size:.3g} "
                f"artificial rows for each member: give less than {_MOST_ROWS / cases.sum():.3g}."
            )
        self.size = max(1, int(size))
        self.is_weighted = np.ptp(cases) > 1e-9 or cases[0] != 1.0
        self.resample = self.is_weighted and not has_fit_parameter(estimator, "sample_weight")
        if self.resample:
            warnings.warn(
                f"{type(estimator).__name__} takes no sample_weight: its members are trained on "
                "rows drawn by weight instead.",
                UserWarning,
                stacklevel=4,
            )
        self.rows = None

    def fit(self, weight, target=None):
        """Train one member, the first on the data alone."""
        self.rule.n_trials += 1
        model = set_random_states(clone(self.estimator), self.rng)
        X, y, cases = self.X, self.y, self.cases
        if self.rule.models:
            self.rows = self.rows or ArtificialRows(self.X, self.cases)
            rows = self.rows.draw(self.size, self.rng)
            labels = self._labels(rows)
            X, y = self.rows.join(rows), np.concatenate([y, labels])
            cases = np.concatenate([cases, np.ones(self.size)])
        if self.resample:
            chosen = self.rng.choice(len(y), size=len(y), p=cases / cases.sum())
            model.fit(select_rows(X, chosen), y[chosen])
        elif self.is_weighted:
            model.fit(X, y, sample_weight=cases)
        else:
            model.fit(X, y)
        return self.answer(model)

    def answer(self, model):
        """Return what a member predicts for the training samples."""
        proba = member_proba(model, self.X, self.classes)
        return MemberAnswer(model, votes=proba.argmax(axis=1), proba=proba)

    def recover(self, failure):
        """Draw other rows, as long as there are trials left."""
        return self.rule.n_trials < self.rule.max_trials

    def _labels(self, rows):
        models = self.rule.models
        proba = sum(member_proba(m, rows, self.classes) for m in models) / len(models)
        cumulated = np.cumsum(opposed(proba), axis=1)
        return self.classes[drawn(cumulated, self.rng.random_sample(len(rows)))]


class DecorateClassifier(ShareBoosting):
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
    stopping, warm_start, progress
        As in ``AdaBoostClassifier``.
    random_state : int, RandomState instance or None, default=None
        Seeds members and artificial rows.

    Attributes
    ----------
    estimators_, classes_
        As in ``AdaBoostClassifier``.
    estimator_weights_ : ndarray of shape (n_members,)
        All 1.
    n_rejected_ : int
        How many were dropped.
    history_ : DataFrame
        One row per member: its ``error`` and the ensemble's ``train_error`` on the training
        data (weighted), ``trials`` so far, and errors on ``eval_set``.
    stop_reason_ : str
        "complete", "exhausted" (no trial left), "interrupted", or what a stopping rule said.

    Notes
    -----
    Columns of a frame that are categories, strings or booleans are names. Sample weights that are
    whole numbers count as copies of a row; others are scaled so that they are 1 on average. An
    artificial row weighs 1.

    References
    ----------
    .. [1] Melville and Mooney, "Creating Diversity in Ensembles Using Artificial Data",
       Information Fusion 6, 2005.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University 2010, section 2.3.1, eq. 2.25.

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

    _takes_sparse = False

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 15,
        artificial_size: float = 1.0,
        max_trials: int = 50,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.artificial_size = artificial_size
        self.max_trials = max_trials
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    def make_rule(self) -> Rule:
        """Return the rule that keeps members which do no harm."""
        return DecorateRule(self.n_estimators, self.max_trials)

    def _make_learner(self, rule, X, codes, weight, rng):
        return DecorateLearner(
            self._base(),
            X,
            self.classes_[codes],
            self._cases(weight),
            self.classes_,
            rule,
            artificial_size=self.artificial_size,
            rng=rng,
        )

    def _finish(self, result):
        super()._finish(result)
        before = getattr(self, "n_rejected_", 0) if self.warm_start else 0
        self.n_rejected_ = before + result.n_fits - len(result.models)

    def _check_options(self):
        super()._check_options()
        hint = ", 1.0 for as many artificial rows as training rows"
        check_number(self.artificial_size, "artificial_size", low=0, open_low=True, hint=hint)
        check_count(self.max_trials, "max_trials")

    def _read_X(self, X, *, reset=False):
        return super()._read_X(_as_table(X), reset=reset)

    def _needs_proba(self):
        return True


def _as_table(X):
    X = X.to_pandas() if hasattr(X, "to_pandas") else X  # polars
    return X if isinstance(X, pd.DataFrame) or issparse(X) else np.asarray(X)
