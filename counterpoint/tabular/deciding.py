"""From probabilities to a label: thresholds that suit costs or a metric, kept with the model.

The most probable class is the right answer only if all mistakes cost the same. A decision is a
matrix: the label is the argmax of ``probabilities @ decision``; for two classes it is a threshold.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from counterpoint._interrupts import whole
from counterpoint.auto.metric import Metric, class_metric, labels_of
from counterpoint.tabular.columns import text_labels
from counterpoint.tabular.reader import read_table

DECIDED_BY = ("balanced-error", "g-mean", "f1")
"""Metrics that a threshold can be set for, whatever the method."""

_FOLDS = 5
_MOST_THRESHOLDS = 1000


class DecidedClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier that answers by a decision of its own.

    Parameters
    ----------
    estimator : classifier
        Fitted, with ``predict_proba``.
    decision : array-like of shape (n_classes, n_classes)
        The label is the argmax of probabilities @ decision.
    metric : str or array-like of shape (n_classes, n_classes)
        What it was made for: a metric, or costs.
    chosen_on : str
        In words, on which rows.
    """

    def __init__(
        self,
        estimator: Any = None,
        decision: Any = None,
        metric: Any = None,
        chosen_on: str = "",
    ) -> None:
        self.estimator = estimator
        self.decision = decision
        self.metric = metric
        self.chosen_on = chosen_on

    @property
    def classes_(self) -> NDArray:
        """Labels, sorted."""
        return self.estimator.classes_

    @property
    def decision_(self) -> NDArray:
        """The decision as an array."""
        return np.asarray(self.decision, dtype=float)

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return self.estimator.n_features_in_

    def __sklearn_is_fitted__(self) -> bool:
        return self.estimator is not None

    def fit(self, X: Any, y: Any) -> "DecidedClassifier":
        """Fit the estimator anew; the decision stays."""
        self.estimator = clone(self.estimator).fit(X, y)
        return self

    def predict_proba(self, X: Any) -> NDArray:
        """Return the probabilities, as they are without the decision."""
        check_is_fitted(self)
        return self.estimator.predict_proba(X)

    def predict(self, X: Any) -> NDArray:
        """Return the labels decided on."""
        return self.classes_[labels_of(self.predict_proba(X), self.decision_)]

    @property
    def _decided_model(self) -> Any:
        return self.estimator

    def _check_sound(self) -> None:
        n = len(self.classes_)
        if self.decision_.shape != (n, n) or not np.isfinite(self.decision_).all():
            raise ValueError("its decision is not one for its classes")
        class_metric(self.metric, self.classes_)


def parse_costs(text: str) -> Any:
    """Return costs as they are typed: "fn=10,fp=1", or the file of a table."""
    if "=" not in text:
        return read_table(text).frame
    costs = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            costs[name.strip()] = float(value)
        except ValueError:
            raise ValueError(
                f"cost={text!r}: {part.strip()!r} is no cost; write fn=10,fp=1, or name the file "
                "of a table."
            ) from None
    return costs


def read_costs(
    given: Any, classes: list[str], counts: Mapping[str, int], positive: str | None = None
) -> NDArray:
    """Return costs as a matrix: a row for each true class, a column for each answer.

    Parameters
    ----------
    given : mapping, DataFrame or array-like
        For two classes "fn" and "fp", and "tp" and "tn" where right answers cost (or, below zero,
        bring) something; or a table with the classes as its columns and as its index or first
        column; or a matrix in the order of the classes.
    classes : list of str
        Sorted.
    counts : mapping of str to int
        Rows of each class.
    positive : str or None, default=None
        For "fn" and "fp", the class to be found. None: the rarer one.
    """
    if isinstance(given, Mapping):
        return _two_costs(dict(given), classes, counts, positive)
    if positive is not None:
        raise ValueError("positive= is for costs of fn and fp; a table names its classes itself.")
    if hasattr(given, "columns"):
        given = _table_costs(given, classes)
    matrix = np.asarray(given, dtype=float)
    if matrix.shape != (len(classes), len(classes)) or not np.isfinite(matrix).all():
        raise ValueError(
            f"cost= has shape {matrix.shape}: {len(classes)} classes need a number for each truth "
            f"(a row) and each answer (a column), in the order {classes[:8]}."
        )
    return matrix


def _two_costs(
    given: dict[str, Any], classes: list[str], counts: Mapping[str, int], positive: str | None
) -> NDArray:
    known = {"fn", "fp", "tp", "tn"}
    strange = sorted(set(given) - known)
    if strange or not {"fn", "fp"} <= set(given):
        raise ValueError(
            f"cost= names {', '.join(sorted(given)) or 'nothing'}: give fn (a row of the class to "
            "be found that was not) and fp (one taken for it), and tp and tn if these count too."
        )
    if len(classes) != 2:
        raise ValueError(
            f"cost= with fn and fp is for two classes, and there are {len(classes)}: give a table "
            "with a row for each truth and a column for each answer."
        )
    at = int(np.argmin([counts[label] for label in classes]))
    if positive is not None:
        if positive not in classes:
            raise ValueError(f"positive={positive!r} is none of the classes {classes}.")
        at = classes.index(positive)
    value = {name: float(given.get(name, 0.0)) for name in known}
    matrix = np.empty((2, 2))
    matrix[at, at], matrix[at, 1 - at] = value["tp"], value["fn"]
    matrix[1 - at, at], matrix[1 - at, 1 - at] = value["fp"], value["tn"]
    if not np.isfinite(matrix).all():
        raise ValueError("cost= holds a number that is missing or infinite.")
    return matrix


def _table_costs(table: Any, classes: list[str]) -> NDArray:
    names = [str(name) for name in table.columns]
    if len(names) == len(classes) + 1:  # the first column says the truth
        index, table = text_labels(table.iloc[:, 0]).tolist(), table.iloc[:, 1:]
        names = names[1:]
    else:
        index = [str(v) for v in table.index]
    if sorted(names) != sorted(classes) or sorted(index) != sorted(classes):
        raise ValueError(
            f"cost= has rows {index[:8]} and columns {names[:8]}: it needs a row (the truth) and a "
            f"column (the answer) for each of {classes[:8]}."
        )
    rows, columns = [index.index(c) for c in classes], [names.index(c) for c in classes]
    return np.asarray(table.to_numpy()[np.ix_(rows, columns)], dtype=float)


def decide(
    model: Pipeline,
    X: Any,
    y: NDArray,
    metric: Any,
    *,
    random_state: int,
    n_jobs: int | None = None,
    fit_options: dict[str, Any] | None = None,
) -> Pipeline:
    """Choose the decision of a fitted pipeline on training rows that models like it did not see.

    The pipeline is fitted again on four fifths of the rows at a time. For costs of two classes the
    threshold is the one that costs least there; for more classes the answer is the one with the
    least expected cost. Returns the pipeline with its last step inside a DecidedClassifier.
    """
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            "A threshold needs probabilities, and this method gives none: choose another, or "
            "leave cost= and metric= out."
        )
    classes = np.asarray(model.classes_)
    codes = np.searchsorted(classes, y)
    folds = int(min(_FOLDS, np.bincount(codes).min()))
    if folds < 2:
        raise ValueError("A class has one training row only: no threshold can be tried out on it.")
    parts = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    with whole():
        proba = cross_val_predict(
            clone(model), X, y, cv=parts, method="predict_proba", n_jobs=n_jobs,
            params=fit_options or None,
        )  # fmt: skip
    judge = class_metric(metric, classes)
    if len(classes) == 2 and not isinstance(metric, str):
        decision = _cheapest_threshold(proba, codes, judge)
    else:
        decision = judge.decide(proba, codes, None)
    told = f"{len(y)} training rows, in {folds} parts, by models that had not seen them"
    kept = np.asarray(metric, dtype=float) if not isinstance(metric, str) else metric
    step = DecidedClassifier(model[-1], np.asarray(decision, dtype=float), kept, told)
    return Pipeline([*model.steps[:-1], (model.steps[-1][0], step)])


def _cheapest_threshold(proba: NDArray, codes: NDArray, judge: Metric) -> NDArray:
    plain = judge.decide(proba, codes, None)  # what costs say if probabilities are what they seem
    best, least = plain, judge.loss(proba, codes, None, plain)
    tried = np.unique(proba[:, 1])
    if len(tried) > _MOST_THRESHOLDS:
        tried = np.unique(np.quantile(tried, np.linspace(0, 1, _MOST_THRESHOLDS)))
    for t in [*((tried[1:] + tried[:-1]) / 2), 0.0, 1.0]:
        made = threshold_decision(float(t))
        loss = judge.loss(proba, codes, None, made)
        if loss < least - 1e-12:
            best, least = made, loss
    return best


def threshold_decision(threshold: float) -> NDArray:
    """Return the decision that says the second of two classes from a probability on."""
    return np.diag([threshold, 1.0 - threshold])


def find_decision(model: Any) -> tuple[Any, NDArray, str] | None:
    """Return what a model's answers were made for, its decision and on which rows it was chosen.

    None for a model that says the most probable class.
    """
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    decision, metric = getattr(last, "decision_", None), getattr(last, "metric", None)
    if decision is None or metric is None:
        return None
    decision = np.asarray(decision, dtype=float)
    if isinstance(metric, str) and np.array_equal(decision, np.eye(len(decision))):
        return None
    told = getattr(last, "chosen_on", "") or "the training rows, by members that had not seen them"
    return metric, decision, told


def undecided(model: Any) -> Any:
    """Return a model without the decision: it says the most probable class."""
    if isinstance(model, Pipeline) and isinstance(model[-1], DecidedClassifier):
        return Pipeline([*model.steps[:-1], (model.steps[-1][0], model[-1].estimator)])
    return model
