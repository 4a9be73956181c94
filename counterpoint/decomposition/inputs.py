"""Checks of the arrays handed to a decomposition: which axis is which, and what may be in them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import (
    SQUARABLE,
    as_array,
    as_floats,
    check_axes,
    check_floats,
    check_proba,
    check_samples,
    first_place,
)


def check_distances(
    y: ArrayLike, predictions: ArrayLike, axes: Sequence[str], noise: ArrayLike | None
) -> tuple[NDArray, NDArray]:
    """Return predictions, samples on their last axis, less the target, and the known noise."""
    values = check_floats(predictions, "predictions", axes, most=SQUARABLE)
    target = check_floats(y, "y", ["n_samples"], most=SQUARABLE)
    check_samples(values, "predictions", axes, len(target))
    return values - target, check_noise(noise, len(target))


def check_noise(noise: ArrayLike | None, n_samples: int) -> NDArray:
    """Return the known noise of each sample; None is none."""
    if noise is None:
        return np.zeros(n_samples)
    values = as_floats(noise, "noise", ["n_samples"])
    if values.ndim == 0:
        values = np.full(n_samples, values)
    values = check_floats(values, "noise", ["n_samples"])
    if len(values) != n_samples:
        raise ValueError(
            f"noise has {len(values)} values for {n_samples} samples: give one number, or one "
            "for each sample."
        )
    if (values < 0).any():
        raise ValueError(f"noise is an expected loss, so never negative; got {values.min():g}.")
    return values


def check_probabilities(array: ArrayLike, name: str, axes: Sequence[str]) -> NDArray:
    """Return probabilities whose last axis is the class, or say which row is wrong."""
    return check_proba(check_floats(array, name, axes), name, axes)


def check_truth(
    y: ArrayLike | None,
    labels: ArrayLike,
    y_proba: ArrayLike | None,
    classes: ArrayLike | None,
    axes: Sequence[str],
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray]:
    """Return label codes, true class probabilities (n_samples, n_classes), and the classes."""
    if (y is None) == (y_proba is None):
        raise ValueError(
            f"{'neither y nor' if y is None else 'both y and'} y_proba given: pass the true "
            "labels as y, or y=None and the true class probabilities as y_proba."
        )
    predicted = _as_labels(labels, "labels", axes)
    if y_proba is not None:
        P = check_probabilities(y_proba, "y_proba", ["n_samples", "n_classes"])
        check_samples(predicted, "labels", axes, len(P), of="y_proba")
        known = np.arange(P.shape[1]) if classes is None else check_classes(classes)
        if len(known) != P.shape[1]:
            raise ValueError(
                f"y_proba has {P.shape[1]} columns, but classes has {len(known)} values: "
                "give the label of each column, in order."
            )
        return encode(predicted, known, "labels"), P / P.sum(axis=1, keepdims=True), known
    truth = _as_labels(y, "y", ["n_samples"])
    check_samples(predicted, "labels", axes, len(truth))
    known = _all_labels(truth, predicted) if classes is None else check_classes(classes)
    one_hot = np.eye(len(known))[encode(truth, known, "y")]
    return encode(predicted, known, "labels"), one_hot, known


def check_classes(classes: ArrayLike) -> NDArray:
    """Return the labels of the classes, no label twice."""
    known = _as_labels(classes, "classes", ["n_classes"])
    if len(pd.unique(known)) != len(known):
        raise ValueError(f"classes has a label twice: {known.tolist()}.")
    return known


def _wide(labels):
    # pandas looks up no numbers in half precision.
    return labels.astype(np.float64) if labels.dtype == np.float16 else labels


def encode(values: NDArray, classes: NDArray, name: str) -> NDArray[np.intp]:
    """Return the position in ``classes`` of every label."""
    codes = pd.Index(_wide(classes)).get_indexer(pd.Index(_wide(values.ravel())))
    if (codes < 0).any():
        strangers = pd.unique(values.ravel()[codes < 0])[:5].tolist()
        raise ValueError(
            f"{name} has labels that are not among the classes: {strangers}; "
            f"the classes are {classes[:10].tolist()}. Pass all labels as `classes`."
        )
    return codes.reshape(values.shape)


def _as_labels(array, name: str, axes: Sequence[str]) -> NDArray:
    values = as_array(array, name)
    check_axes(values, name, axes)
    if values.dtype == bool:
        return values.astype(np.intp)  # so that True and 1 are the same label
    missing = pd.isna(values)
    if missing.any():
        raise ValueError(
            f"{name} has a missing value at {first_place(missing, axes)}: every label must be "
            "known."
        )
    return values


def _all_labels(truth: NDArray, predicted: NDArray) -> NDArray:
    seen = set(pd.unique(truth).tolist()) | set(pd.unique(predicted.ravel()).tolist())
    try:
        return np.asarray(sorted(seen))
    except TypeError as error:
        raise ValueError(
            f"y and labels hold labels of different kinds ({truth.dtype} and "
            f"{predicted.dtype}): use the same labels in both."
        ) from error
