"""The rows and members that an assessment looks at: checked, drawn, asked, named."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from counterpoint import _members, _tables
from counterpoint._arrays import as_labels
from counterpoint._outputs import MemberOutputs
from counterpoint.exceptions import MemberError

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
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.ndim != 1 or n_rows != len(labels):
        raise ValueError(
            f"X has {n_rows} rows and y has shape {labels.shape}: give one label for each row."
        )
    if n_rows == 0:
        raise ValueError("X has no rows: give some that the model was not trained on.")
    if (X_train is None) != (y_train is None):
        raise ValueError("X_train and y_train go together: give both or neither.")
    known = np.asarray(getattr(model, "classes_", labels))
    strange = labels[~np.isin(labels, known)]
    if len(strange):
        raise ValueError(
            f"y has the label {strange[0].item()!r}, which the model never saw: it knows "
            f"{known.tolist()}. Is y the right column, coded as it was in fit?"
        )
    return labels


def draw_rows(
    model: Any, X: Any, labels: NDArray, most: int | None, rng: Any
) -> tuple[Any, NDArray]:
    """Draw rows where there are too many to hold the answers of all members."""
    n_members = 1
    with suppress(MemberError, ValueError):  # said later, where they are asked in earnest
        n_members = MemberOutputs.from_estimator(model, _tables.select_rows(X, [0])).n_members
    n_classes = len(getattr(model, "classes_", [0, 1]))
    budget = max(_MOST_ANSWERS // (n_members * n_classes), 200)
    most = budget if most is None else min(most, budget)
    if len(labels) <= most:
        return X, labels
    kept = np.sort(rng.permutation(len(labels))[:most])
    return _tables.select_rows(X, kept), labels[kept]


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
