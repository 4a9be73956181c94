"""What a model is judged by, and how an answer is made of calibrated shares to suit it.

Members are weighed by a proper score whatever the metric: shares stay probabilities. The metric
decides between the ways to combine, and how labels (or one number) are made of what comes out:
the label is the argmax of ``shares @ decision``, the number the mean plus a shift.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer_names, roc_auc_score

from counterpoint._validation import check_number, did_you_mean

# Below this a share of the truth counts as this in log-losses.
LEAST = 1e-6
_THRESHOLDS = 99
# Nobody seeks a class of which more than this part of the rows are.
_COMMON = 0.75


class Metric(ABC):
    """A loss of answers, lower is better.

    Attributes
    ----------
    name : str
        For people.
    level : float or None
        Of the quantile that answers are to be; None for any other aim.
    """

    name: str
    level: float | None = None

    def check(self, y: NDArray, weight: NDArray | None, n_outputs: int) -> None:
        """Raise now if these targets cannot be judged, not when all members were tried."""
        return

    def decide(self, answer: NDArray, y: NDArray, weight: NDArray | None) -> Any:
        """Return what makes labels of shares (n_classes, n_classes), or the shift of numbers."""
        return np.eye(answer.shape[1]) if answer.ndim == 2 else 0.0

    def each(self, answer: NDArray, y: NDArray, decision: Any) -> NDArray | None:
        """Return the loss of each row; None if there is only one for all rows together."""
        return None

    @abstractmethod
    def loss(self, answer: NDArray, y: NDArray, weight: NDArray | None, decision: Any) -> float:
        """Return the loss of all rows together."""


class _Rows(Metric):
    """A mean over rows."""

    @abstractmethod
    def each(self, answer, y, decision) -> NDArray:
        """Return the loss of each row."""

    def loss(self, answer, y, weight, decision):
        return float(np.average(self.each(answer, y, decision), weights=weight))


# -- classes -----------------------------------------------------------------------------------


def labels_of(shares: NDArray, decision: NDArray) -> NDArray:
    """Return the code of the answer for each row, the first of equals."""
    return (shares @ decision).argmax(axis=1)


class _LogLoss(_Rows):
    name = "log-loss"

    def each(self, answer, y, decision):
        return -np.log(np.clip(answer[np.arange(len(y)), y], LEAST, 1.0))


class _Brier(_Rows):
    name = "Brier score"

    def each(self, answer, y, decision):
        return ((answer - np.eye(answer.shape[1])[y]) ** 2).sum(axis=1)


class _Error(_Rows):
    name = "error"

    def each(self, answer, y, decision):
        return (labels_of(answer, decision) != y).astype(float)


class _Cost(_Rows):
    """Mean cost: a row of the matrix for each true class, a column for each answer."""

    name = "cost"

    def __init__(self, matrix):
        self.matrix = matrix

    def decide(self, answer, y, weight):
        return -self.matrix

    def each(self, answer, y, decision):
        return self.matrix[y, labels_of(answer, decision)]


class _Recalls(Metric):
    """Made of the recall of each class: an answer is worth more where its class is rare."""

    def __init__(self, name):
        self.name = name

    def decide(self, answer, y, weight):
        prior = np.bincount(y, weights=weight, minlength=answer.shape[1])
        return np.diag(1.0 / np.maximum(prior / prior.sum(), 1e-12))

    def loss(self, answer, y, weight, decision):
        right = labels_of(answer, decision) == y
        weight = np.ones(len(y)) if weight is None else weight
        there = np.unique(y)
        recall = [np.average(right[y == k], weights=weight[y == k]) for k in there]
        if self.name == "G-mean":
            return 1.0 - float(np.prod(recall) ** (1 / len(there)))
        return 1.0 - float(np.mean(recall))


class _AUC(Metric):
    """1 less the area under the curve; for several classes, the mean over pairs of them."""

    name = "1 - AUC"

    def loss(self, answer, y, weight, decision):
        there = np.unique(y)
        if len(there) < 2:
            return 0.5
        if answer.shape[1] == 2:
            return 1.0 - roc_auc_score(y, answer[:, 1], sample_weight=weight)
        shares = answer[:, there] + 1e-12
        shares = shares / shares.sum(axis=1, keepdims=True)
        y = np.searchsorted(there, y)
        if len(there) == 2:
            return 1.0 - roc_auc_score(y, shares[:, 1], sample_weight=weight)
        return 1.0 - roc_auc_score(y, shares, multi_class="ovo")


class _F1(Metric):
    """1 less F1: of the second of two classes, with the best threshold; else the mean of all."""

    name = "1 - F1"

    def __init__(self, classes):
        self.classes = classes

    def check(self, y, weight, n_outputs):
        if n_outputs > 2:
            return
        first, last = self.classes.tolist()
        self.name = f"1 - F1 of class {last}"
        share = np.average(y, weights=weight)
        if share > _COMMON and last != 1:
            warnings.warn(
                f"metric='f1' is about {last!r}, the last of two classes by name, which "
                f"{share:.0%} of the rows are of: if you seek {first!r}, rename the "
                "labels, to 0 and 1 for instance, so that it comes last.",
                UserWarning,
                stacklevel=5,
            )

    def decide(self, answer, y, weight):
        if answer.shape[1] > 2:
            return np.eye(answer.shape[1])
        tried = np.unique(np.quantile(answer[:, 1], np.linspace(0.005, 0.995, _THRESHOLDS)))
        tried = np.append(np.clip(tried, 1e-6, 1 - 1e-6), 0.5)
        made = [np.diag([t, 1.0 - t]) for t in tried]
        return min(made, key=lambda d: self.loss(answer, y, weight, d))

    def loss(self, answer, y, weight, decision):
        told = labels_of(answer, decision)
        weight = np.ones(len(y)) if weight is None else weight
        n = answer.shape[1]
        both = np.bincount(y, weights=weight * (told == y), minlength=n)
        either = np.bincount(y, weights=weight, minlength=n)
        either = either + np.bincount(told, weights=weight, minlength=n)
        f1 = np.divide(2 * both, either, out=np.zeros(n), where=either > 0)
        return 1.0 - float(f1[1] if n == 2 else f1[either > 0].mean())


class _Scorer(Metric):
    """Any scorer of scikit-learn, its sign turned."""

    def __init__(self, scoring, classes=None):
        self.name = scoring if isinstance(scoring, str) else "score, its sign turned"
        self.classes = classes
        told: Any = _Told(classes) if classes is not None else _ToldNumbers()
        self.scorer, self.told = check_scoring(told, scoring), told

    def check(self, y, weight, n_outputs):
        answer, decision = y.astype(float), 0.0
        if self.classes is not None:
            answer, decision = (np.eye(n_outputs)[y] + 1 / n_outputs) / 2, np.eye(n_outputs)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loss = self.loss(answer, y, weight, decision)
        except Exception as why:
            raise ValueError(
                f"metric={self.name!r} cannot judge this target: {why}. Give one that can, such as "
                "sklearn.metrics.make_scorer with the options it needs (average, pos_label)."
            ) from why
        if not np.isfinite(loss):
            raise ValueError(
                f"metric={self.name!r} is {-loss} for right answers about this target: give "
                "another one."
            )

    def loss(self, answer, y, weight, decision):
        extra = {} if weight is None else {"sample_weight": weight}
        if self.classes is None:
            return -float(self.scorer(self.told, answer[:, None] + decision, y, **extra))
        return -float(self.scorer(self.told, answer, self.classes[y], **extra))


class _Told(ClassifierMixin, BaseEstimator):
    """A classifier whose data are its answers."""

    def __init__(self, classes=None):
        self.classes = classes
        self.classes_ = classes

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.classes[X.argmax(axis=1)]

    def predict_proba(self, X):
        return X


class _ToldNumbers(RegressorMixin, BaseEstimator):
    """A regressor whose data are its answers."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


_FOR_CLASSES: dict[str, Callable[..., Metric]] = {
    "log-loss": _LogLoss,
    "error": _Error,
    "brier": _Brier,
    "balanced-error": lambda: _Recalls("balanced error"),
    "g-mean": lambda: _Recalls("G-mean"),
    "auc": _AUC,
    "f1": _F1,
}


def class_metric(given: Any, classes: NDArray) -> Metric:
    """Return the metric for classes of a name, a matrix of costs or a scorer."""
    if isinstance(given, str) and given in _FOR_CLASSES:
        make = _FOR_CLASSES[given]
        return make(classes) if make is _F1 else make()
    if isinstance(given, str) and given in get_scorer_names():
        return _Scorer(given, classes)
    if callable(given):
        return _Scorer(given, classes)
    if not isinstance(given, str) and np.ndim(given) == 2:
        matrix = np.asarray(given, dtype=float)
        n = len(classes)
        if matrix.shape != (n, n) or not np.isfinite(matrix).all():
            raise ValueError(
                f"metric is a matrix of shape {matrix.shape}: costs for {n} classes are finite "
                f"numbers, {n} rows (the truth) by {n} columns (the answer), sorted by label."
            )
        return _Cost(matrix)
    raise ValueError(
        f"metric={given!r}: give one of {', '.join(_FOR_CLASSES)}, a matrix of costs, or a scorer "
        f"of scikit-learn.{did_you_mean(given, [*_FOR_CLASSES, *get_scorer_names()])}"
    )


# -- numbers -----------------------------------------------------------------------------------


class _Squared(_Rows):
    """Squared error; shown as its root."""

    name = "squared error"

    def each(self, answer, y, decision):
        return (answer + decision - y) ** 2


class _Pinball(_Rows):
    """The loss of a quantile; half of the absolute error at 0.5, where its name is that."""

    level: float

    def __init__(self, level, name):
        self.level, self.name = level, name

    def decide(self, answer, y, weight):
        gap = y - answer
        if weight is None:
            return float(np.quantile(gap, self.level))
        order = np.argsort(gap)
        share = np.cumsum(weight[order]) / weight.sum()
        return float(gap[order][min(np.searchsorted(share, self.level), len(gap) - 1)])

    def each(self, answer, y, decision):
        gap = y - answer - decision
        loss = np.maximum(self.level * gap, (self.level - 1) * gap)
        return 2 * loss if self.name == "absolute error" else loss


def number_metric(given: Any) -> Metric:
    """Return the metric for numbers of a name, a quantile or a scorer."""
    if isinstance(given, str) and given in ("rmse", "r2"):
        return _Squared()
    if isinstance(given, str) and given == "mae":
        return _Pinball(0.5, "absolute error")
    if isinstance(given, tuple) and len(given) == 2 and given[0] == "quantile":
        level = check_number(
            given[1], "level of the quantile", low=0, high=1, open_low=True, open_high=True
        )
        return _Pinball(float(level), f"loss of the {level:g} quantile")
    if (isinstance(given, str) and given in get_scorer_names()) or callable(given):
        return _Scorer(given)
    raise ValueError(
        f"metric={given!r}: give 'rmse', 'mae', 'r2', ('quantile', level), or a scorer of "
        f"scikit-learn.{did_you_mean(given, ['rmse', 'mae', 'r2', *get_scorer_names()])}"
    )
