"""Checks of the arrays handed to a decomposition: which axis is which, and what may be in them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

# probabilities in single precision over many classes add up to one only about this well
SUM_TOLERANCE = 1e-4


def check_floats(array: ArrayLike, name: str, axes: Sequence[str]) -> NDArray[np.float64]:
    """Return ``array`` as floats, or say which axis or value is wrong."""
    try:
        values = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be numbers in one rectangular array of axes {_axes(axes)}; "
            f"it cannot be read so: {error}."
        ) from error
    check_axes(values, name, axes)
    if not np.isfinite(values).all():
        where = _first(~np.isfinite(values))
        raise ValueError(
            f"{name} has {values[where]} at {_position(where, axes)}: "
            "remove or impute what is not finite."
        )
    return values


def check_axes(values: NDArray, name: str, axes: Sequence[str]) -> None:
    """Raise unless ``values`` has these axes, none of them empty."""
    if values.ndim != len(axes):
        hint = ""
        if values.ndim == len(axes) - 1:
            hint = f" For a single {_singular(axes[0])}, pass {name}[None]."
        raise ValueError(f"{name} has shape {values.shape}: expected {_axes(axes)}.{hint}")
    if 0 in values.shape:
        raise ValueError(
            f"{name} has shape {values.shape}, of axes {_axes(axes)}: "
            f"{axes[values.shape.index(0)]} is 0, at least 1 is needed."
        )


def check_length(n: int, name: str, values: NDArray, of: str, axes: Sequence[str]) -> None:
    """Raise unless ``name``, of length ``n``, has one value for each sample of ``values``."""
    sample_axis = list(axes).index("n_samples")
    if n == values.shape[sample_axis]:
        return
    hint = "one value for each sample is needed."
    if n in values.shape:
        hint = (
            f"axis {values.shape.index(n)} of {of} is that long, so its axes seem to be in "
            "another order: transpose it."
        )
    raise ValueError(
        f"{name} has {n} samples, but {of} has shape {values.shape}, of axes {_axes(axes)}, "
        f"thus {values.shape[sample_axis]} samples: {hint}"
    )


def check_target(y: ArrayLike, values: NDArray, of: str, axes: Sequence[str]) -> NDArray:
    """Return a numeric target of shape (n_samples,)."""
    target = check_floats(y, "y", ["n_samples"])
    check_length(len(target), "y", values, of, axes)
    return target


def check_noise(noise: ArrayLike | None, n_samples: int) -> NDArray:
    """Return the known noise of each sample; None is none."""
    if noise is None:
        return np.zeros(n_samples)
    values = np.asarray(noise, dtype=np.float64)
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
    values = check_floats(array, name, axes)
    if (values < 0).any():
        where = _first(values < 0)
        raise ValueError(
            f"{name} has {values[where]:g} at {_position(where, axes)}: probabilities are never "
            "negative. Are these scores or logits? Turn them into probabilities first."
        )
    totals = values.sum(axis=-1)
    wrong = np.abs(totals - 1) > SUM_TOLERANCE
    if wrong.any():
        where = _first(wrong)
        raise ValueError(
            f"{name} adds up to {totals[where]:.6g} over the classes at "
            f"{_position(where, axes[:-1])}: the last axis ({axes[-1]}) must add up to one."
        )
    return values


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
        check_length(len(P), "y_proba", predicted, "labels", axes)
        known = np.arange(P.shape[1]) if classes is None else check_classes(classes)
        if len(known) != P.shape[1]:
            raise ValueError(
                f"y_proba has {P.shape[1]} columns, but classes has {len(known)} values: "
                "give the label of each column, in order."
            )
        return encode(predicted, known, "labels"), P / P.sum(axis=1, keepdims=True), known
    truth = _as_labels(y, "y", ["n_samples"])
    check_length(len(truth), "y", predicted, "labels", axes)
    known = _all_labels(truth, predicted) if classes is None else check_classes(classes)
    one_hot = np.eye(len(known))[encode(truth, known, "y")]
    return encode(predicted, known, "labels"), one_hot, known


def check_classes(classes: ArrayLike) -> NDArray:
    """Return the labels of the classes, no label twice."""
    known = _as_labels(classes, "classes", ["n_classes"])
    if len(pd.unique(known)) != len(known):
        raise ValueError(f"classes has a label twice: {known.tolist()}.")
    return known


def encode(values: NDArray, classes: NDArray, name: str) -> NDArray[np.intp]:
    """Return the position in ``classes`` of every label."""
    codes = pd.Index(classes).get_indexer(pd.Index(values.ravel()))
    if (codes < 0).any():
        strangers = pd.unique(values.ravel()[codes < 0])[:5].tolist()
        raise ValueError(
            f"{name} has labels that are not among the classes: {strangers}; "
            f"the classes are {classes[:10].tolist()}. Pass all labels as `classes`."
        )
    return codes.reshape(values.shape)


def _as_labels(array, name: str, axes: Sequence[str]) -> NDArray:
    values = np.asarray(array)
    check_axes(values, name, axes)
    if values.dtype == bool:
        return values.astype(np.intp)  # so that True and 1 are the same label
    missing = pd.isna(values)
    if missing.any():
        where = _first(missing)
        raise ValueError(
            f"{name} has a missing value at {_position(where, axes)}: every label must be known."
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


def _axes(axes: Sequence[str]) -> str:
    return f"({', '.join(axes)})"


def _first(mask: NDArray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(mask)[0])


def _position(where: tuple[int, ...], axes: Sequence[str]) -> str:
    return ", ".join(f"{_singular(axis)} {i}" for axis, i in zip(axes, where, strict=True))


def _singular(axis: str) -> str:
    return "class" if axis == "n_classes" else axis.removeprefix("n_").removesuffix("s")
