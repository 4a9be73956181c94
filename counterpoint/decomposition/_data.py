"""The data of a decomposition: checked, and split into a training and a test part."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets

from counterpoint._arrays import check_floats, check_sample_weight
from counterpoint.decomposition.inputs import check_probabilities


@dataclass(frozen=True)
class Data:
    """Training part, test part, and what is known about the test samples."""

    X: Any
    y: NDArray
    X_test: Any
    y_test: NDArray | None
    proba: NDArray | None
    weight: NDArray | None
    classes: NDArray
    test_index: NDArray | None

    @property
    def truth(self) -> NDArray:
        """True class probabilities where known, else labels or values."""
        if self.proba is not None:
            return self.proba
        assert self.y_test is not None
        return self.y_test


def split(X, y, X_test, y_test, test_size, proba, weight, for_classes: bool, rng) -> Data:
    """Check the data and, where no test part is given, split one off."""
    check_consistent_length(X, y)
    target = _check_y(y, "y", for_classes)
    given = X_test is not None
    if given and y_test is None and proba is None:
        raise ValueError("X_test is given without y_test: pass y_test, or y_proba_test.")
    if not given and y_test is not None:
        raise ValueError("y_test is given without X_test: pass both or neither.")
    test_target = None if y_test is None else _check_y(y_test, "y_test", for_classes)
    rows = len(target)
    if given:
        rows = X_test.shape[0] if hasattr(X_test, "shape") else len(X_test)
        check_consistent_length(*(part for part in (X_test, test_target) if part is not None))
    known = [part for part in (target, test_target) if part is not None]
    classes = np.unique(np.concatenate(known)) if for_classes else np.empty(0)
    proba = _check_truth_proba(proba, rows, classes, for_classes)
    weight = check_sample_weight(weight, rows)
    if given:
        return Data(X, target, X_test, test_target, proba, weight, classes, None)
    counts = np.unique(target, return_counts=True)[1]
    X_fit, X_rest, y_fit, y_rest, _, rest = train_test_split(
        X,
        target,
        np.arange(rows),
        test_size=test_size,
        # a class of one sample cannot be on both sides
        stratify=target if for_classes and counts.min() > 1 else None,
        random_state=rng,
    )
    proba, weight = (None if part is None else part[rest] for part in (proba, weight))
    return Data(X_fit, y_fit, X_rest, y_rest, proba, weight, classes, rest)


def train_rows(train_size, resample, n_rows: int) -> int:
    """Return the number of rows of a draw."""
    if train_size is None:
        return max(1, n_rows // 2) if resample == "subsample" else n_rows
    share = isinstance(train_size, float | np.floating)
    count = round(train_size * n_rows) if share else int(train_size)
    if count < 1 or (share and train_size > 1) or (resample == "subsample" and count > n_rows):
        raise ValueError(
            f"train_size={train_size!r} of {n_rows} training samples: give a share above 0 and "
            "at most 1, or a number of samples from 1 on (without replacement, up to all)."
        )
    return count


def _check_y(y, name: str, for_classes: bool) -> NDArray:
    if not for_classes:
        return check_floats(y, name, ["n_samples"])
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError(f"{name} has shape {labels.shape}: expected labels, (n_samples,).")
    if pd.isna(labels).any():
        raise ValueError(f"{name} has missing labels: every label must be known.")
    check_classification_targets(labels)
    return labels


def _check_truth_proba(proba, rows: int, classes: NDArray, for_classes: bool) -> NDArray | None:
    if proba is None:
        return None
    if not for_classes:
        raise ValueError("y_proba_test is for classifiers: leave it out for this loss.")
    values = check_probabilities(proba, "y_proba_test", ["n_samples", "n_classes"])
    if values.shape != (rows, len(classes)):
        raise ValueError(
            f"y_proba_test has shape {values.shape}: expected (n_samples, n_classes) = "
            f"{(rows, len(classes))}, columns in the order {classes.tolist()}."
        )
    return values
