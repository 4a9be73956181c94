"""When to stop adding members, for any method that trains them one after another."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_count
from counterpoint.diversity.measures import get_measure


class _Patience:
    """Say why to stop when a value has not become better for a number of rounds, else nothing."""

    def __init__(self, name, sign, patience, tolerance, least):
        check_count(patience, "patience")
        self.name, self.sign, self.patience, self.tolerance = name, sign, patience, tolerance
        self.best, self.since, self.least = -np.inf, 0, least

    def __call__(self, value, n_members):
        if n_members < self.least or np.isnan(value):
            return ""
        if self.sign * value > self.best + self.tolerance:
            self.best, self.since = self.sign * value, 0
        else:
            self.since += 1
        if self.since < self.patience:
            return ""
        return f"{self.name} did not improve for {self.patience} rounds"


class DiversityStopping:
    """Stop when the members stop becoming more diverse.

    Boosting makes diverse members at first; when Q stops falling, new ones repeat what is
    there.

    Parameters
    ----------
    measure : str, default="q"
        Any name of ``diversity.MEASURES`` that has a direction.
    patience : int, default=5
        Rounds without a better value before training stops.
    tolerance : float, default=0.0
        A value must be better by this much to count.
    min_members : int, default=3
        Look at the measure from this many members on.

    References
    ----------
    .. [1] Meddouri, Khoufi and Maddouri, "Diversity Analysis on Boosting Nominal Concepts",
       PAKDD 2012, sections 4 and 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import AdaBoostClassifier, DiversityStopping
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stump = HistTreeClassifier(max_depth=1)
    >>> boosted = AdaBoostClassifier(stump, n_estimators=500, stopping=DiversityStopping("q"))
    >>> boosted.fit(X, y).stop_reason_
    'q did not improve for 5 rounds'
    """

    def __init__(
        self, measure: str = "q", *, patience: int = 5, tolerance: float = 0.0, min_members: int = 3
    ) -> None:
        self.measure = measure
        self.patience = patience
        self.tolerance = tolerance
        self.min_members = min_members

    def begin(self, y: NDArray, n_classes: int | None) -> Callable[..., str]:
        """Start watching a fit to class codes; return what the loop asks after every round."""
        measure = get_measure(self.measure)
        if not measure.more_diverse:
            raise ValueError(
                f"measure={self.measure!r} has no direction: it is not a measure of diversity. "
                "Try 'q', 'disagreement' or 'entropy'."
            )
        if n_classes is None:
            raise ValueError("DiversityStopping is for classifiers: their members vote.")
        sign = 1.0 if measure.more_diverse == "higher" else -1.0
        why = _Patience(self.measure, sign, self.patience, self.tolerance, self.min_members)
        votes: list = []

        def stop(history, answer):
            votes.append(answer.votes)
            if len(votes) < 2:
                return ""
            outputs = MemberOutputs(np.stack(votes), y, classes=np.arange(n_classes))
            value = measure.function(outputs)
            history[-1][self.measure] = value
            return why(value, len(votes))

        return stop


class ErrorStopping:
    """Stop when an error in the history stops falling.

    Parameters
    ----------
    column : str, default="eval_error"
        A column of ``history_``: "train_error", or the error on an ``eval_set``.
    patience : int, default=10
        Rounds without a better value before training stops.
    tolerance : float, default=0.0
        The error must fall by this much to count.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import AdaBoostClassifier, ErrorStopping
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stump = HistTreeClassifier(max_depth=1)
    >>> boosted = AdaBoostClassifier(stump, n_estimators=500, stopping=ErrorStopping())
    >>> boosted.fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2])).stop_reason_
    'eval_error did not improve for 10 rounds'
    """

    def __init__(
        self, column: str = "eval_error", *, patience: int = 10, tolerance: float = 0.0
    ) -> None:
        self.column = column
        self.patience = patience
        self.tolerance = tolerance

    def begin(self, y: NDArray, n_classes: int | None) -> Callable[..., str]:
        """Start watching a fit; return what the loop asks after every round."""
        why = _Patience(self.column, -1.0, self.patience, self.tolerance, 1)

        def stop(history, answer):
            row = history[-1]
            if self.column not in row:
                raise ValueError(
                    f"ErrorStopping(column={self.column!r}): the history has only "
                    f"{', '.join(row)}. Pass eval_set to fit, or name one of these."
                )
            return why(row[self.column], len(history))

        return stop
