"""The rows and members that an assessment looks at: checked, drawn, asked, named."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from counterpoint import _members, _tables
from counterpoint._arrays import as_labels
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_count
from counterpoint.exceptions import MemberError

UNKNOWN_RULE = (
    "How this model combines its members is not known from outside (it may choose among them row "
    "by row), so what each of them adds is not told."
)
"""Note on a model whose members can be asked but not weighed."""

_MOST_ANSWERS = 30_000_000  # members x rows x classes held at once


def check_inputs(model: Any, X: Any, y: Any, X_train: Any, y_train: Any) -> NDArray:
    """Return the labels; raise unless model and rows go together."""
    if _members.is_pool(model) or not hasattr(model, "predict"):
        raise TypeError(
            f"A {type(model).__name__} was given, expected a fitted classifier. To look at "
            "several models together, put them into a VotingClassifier."
        )
    if not is_classifier(_members.strip(model)[1]):
        raise TypeError(f"{type(model).__name__} is neither a classifier nor a regressor.")
    check_is_fitted(model)
    labels = as_labels(y, "y")
    check_shapes(X, labels, X_train, y_train, "label")
    known = np.asarray(getattr(model, "classes_", labels))
    strange = labels[~np.isin(labels, known)]
    if len(strange):
        raise ValueError(
            f"y has the label {strange[0].item()!r}, which the model never saw: it knows "
            f"{known.tolist()}. Is y the right column, coded as it was in fit?"
        )
    return labels


def check_shapes(X: Any, y: NDArray, X_train: Any, y_train: Any, what: str) -> None:
    """Raise unless there is a truth for each row, and training rows come whole or not at all."""
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if y.ndim != 1 or n_rows != len(y):
        raise ValueError(
            f"X has {n_rows} rows and y has shape {y.shape}: give one {what} for each row."
        )
    if n_rows == 0:
        raise ValueError("X has no rows: give some that the model was not trained on.")
    if (X_train is None) != (y_train is None):
        raise ValueError("X_train and y_train go together: give both or neither.")


def check_limits(max_members: Any, max_rows: Any) -> None:
    """Raise unless limits of what is looked at are whole numbers."""
    check_count(max_members, "max_members", low=2)
    if max_rows is not None:
        check_count(max_rows, "max_rows")


def draw_rows(
    X: Any, y: NDArray, most: int | None, rng: Any, n_answers: Callable[[Any], int]
) -> tuple[Any, NDArray]:
    """Draw rows where there are too many to hold the answers of all members.

    ``n_answers`` returns how many numbers all members together answer about a row.
    """
    size = 1
    with suppress(MemberError, ValueError):  # said later, where they are asked in earnest
        size = n_answers(_tables.select_rows(X, [0]))
    budget = max(_MOST_ANSWERS // max(size, 1), 200)
    most = budget if most is None else min(most, budget)
    if len(y) <= most:
        return X, y
    kept = np.sort(rng.permutation(len(y))[:most])
    return _tables.select_rows(X, kept), y[kept]


def describe_rows(answers: NDArray, y: NDArray, n_given: int) -> list[str]:
    """Say what to know about the rows that were looked at."""
    notes = []
    if len(y) < n_given:
        notes.append(
            f"Of the {n_given} rows given, {len(y)} drawn at random are looked at; all numbers are "
            "of these."
        )
    if np.array_equal(answers, y):
        notes.append(
            "Not one error: are these rows the model learnt from? What is said here holds only for "
            "rows it had not seen."
        )
    return notes


def ask_members(model: Any, X: Any, labels: NDArray, names: list[str] | None) -> MemberOutputs:
    """Ask the members, and call them by the names given."""
    outputs = MemberOutputs.from_estimator(model, X, labels)
    if names is not None and len(names) == outputs.n_members:
        outputs.names = [str(name) for name in names]
    elif names:
        raise ValueError(f"{len(names)} names for {outputs.n_members} members: give one each.")
    return outputs


def name_columns(X: Any, model: Any, given: list[str] | None) -> list[str]:
    """Return the names of the columns; numbered where nobody knows them."""
    width = n_columns(X, model) or 0
    if given is not None:
        if len(given) != width:
            raise ValueError(f"{len(given)} feature_names for {width} columns: give one each.")
        return [str(name) for name in given]
    known = getattr(X, "columns", None)
    if known is None:
        known = getattr(model, "feature_names_in_", None)
    if known is None or len(known) != width:
        return [f"x{k}" for k in range(width)]
    return [str(name) for name in known]


def n_columns(X: Any, model: Any) -> int | None:
    """Return the number of columns, if there is one."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else getattr(model, "n_features_in_", None)
