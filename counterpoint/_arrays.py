"""Checks of arrays: member outputs, weights and labels; one wording for what is wrong."""

import reprlib

import numpy as np
from scipy import sparse

from counterpoint._validation import check_list
from counterpoint.exceptions import MemberError

MEMBER_AXES = ("n_members", "n_samples", "n_classes")
_SIZE_OF_WEIGHTS = 1e100  # sums, squares and ratios of weights below it, and above 1/it, are finite
SQUARABLE = 1e150  # squares of numbers up to this, and sums of many of them, are floats
_MOST_CASES = 10**6
_SUM_TOLERANCE = 1e-4  # float32 probabilities of a few hundred classes stay well inside
_HALF_TOLERANCE = 1e-2  # what ten numbers in half precision may miss
# Squares of larger numbers, and sums and products of those, soon leave double precision; trees
# keep data in single precision, which ends here. What is below vanishes there.
LARGEST, SMALLEST = 1e38, 1e-38


def check_axes(values, name, axes):
    """Raise unless ``values`` has these axes, none of them empty."""
    if values.ndim != len(axes):
        hint = ""
        if values.ndim == len(axes) - 1:
            hint = f" For a single {_singular(axes[0])}, pass {name}[None]."
        raise ValueError(f"{name} has shape {values.shape}: expected {_names(axes)}.{hint}")
    if 0 in values.shape:
        raise ValueError(
            f"{name} is empty: of shape {values.shape}, axes {_names(axes)}, "
            f"{axes[values.shape.index(0)]} is 0, at least 1 is needed."
        )


def check_samples(values, name, axes, n_samples, of="y"):
    """Raise unless ``values`` has as many samples as ``of``."""
    sample_axis = list(axes).index("n_samples")
    if values.shape[sample_axis] == n_samples:
        return
    hint = "one value for each sample is needed."
    if n_samples in values.shape:
        other = values.shape.index(n_samples)
        hint = f"it looks transposed, pass np.swapaxes({name}, {other}, {sample_axis})."
    raise ValueError(
        f"{of} has {n_samples} samples, but {name} has shape {values.shape}, of axes "
        f"{_names(axes)}, thus {values.shape[sample_axis]} samples: {hint}"
    )


def as_array(values, name):
    """Return ``values`` as an array; rows of different lengths are told."""
    if sparse.issparse(values):
        raise TypeError(f"{name} is a sparse {type(values).__name__}: pass {name}.toarray().")
    try:
        array = np.asarray(values)
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    except ValueError as error:
        shown = reprlib.repr(values)
        raise ValueError(f"{name} has rows of different lengths: {shown}.") from error


def as_floats(array, name, axes):
    """Return ``array`` as floats, whatever its axes, or say that it holds no numbers."""
    try:
        values = np.asarray(array)
        if values.dtype.kind in "cmM" or sparse.issparse(array):
            raise TypeError("no real numbers")
        with np.errstate(over="ignore"):
            return values.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} must be numbers in one rectangular array of axes {_names(axes)}, got "
            f"{reprlib.repr(array)}."
        ) from error


def check_floats(array, name, axes, *, most=None):
    """Return ``array`` as floats of these axes, none beyond ``most``, or say what is wrong."""
    values = as_floats(array, name, axes)
    check_axes(values, name, axes)
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{name} has {values[bad][0]} at {first_place(bad, axes)}: remove or impute what is "
            "not finite."
        )
    if most is not None and (bad := np.abs(values) > most).any():
        raise ValueError(
            f"{name} has {values[bad][0]:g} at {first_place(bad, axes)}: numbers beyond {most:g} "
            "cannot be squared and added up. Divide by a common factor."
        )
    return values


def check_vector(array, name, n, of, *, low=None):
    """Return n finite floats, one per ``of``, none below ``low``; the shape or the value is told.

    ``of`` is one thing in words, "member" or "row".
    """
    values = as_floats(array, name, (f"n_{of}s",))
    if values.shape != (n,):
        raise ValueError(f"{name} has shape {values.shape}, expected ({n},): one per {of}.")
    bad = ~np.isfinite(values)
    if low is not None:
        bad |= values < low
    if bad.any():
        kind = {None: "finite", 0: "finite and not negative"}.get(low, f"finite and from {low}")
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name} must be {kind}, but is {values[at]:g} at {of} {at}.")
    return values


def check_names(names, n, of):
    """Return n names as a list."""
    names = check_list(names, "names", f"names, one per {of}")
    if len(names) != n:
        raise ValueError(f"{len(names)} names for {n} {of}s.")
    return names


def check_members_array(array, *, name, n_samples=None, ndim=2):
    """Return ``array`` as an ndarray of shape (n_members, n_samples[, n_classes])."""
    array = as_array(array, name)
    check_axes(array, name, MEMBER_AXES[:ndim])
    if n_samples is not None:
        check_samples(array, name, MEMBER_AXES[:ndim], n_samples)
    return array


def check_correct(correct, *, name="correct", n_samples=None):
    """Return right/wrong flags as a boolean array (n_members, n_samples)."""
    correct = check_members_array(correct, name=name, n_samples=n_samples)
    if correct.dtype == bool:
        return correct
    if not np.isin(correct, (0, 1)).all():
        raise ValueError(
            f"{name} must say right or wrong (True/False or 1/0), but holds "
            f"{some_values(correct)}. For class labels build MemberOutputs(votes, y) first."
        )
    return correct.astype(bool)


def check_proba(proba, name="proba", axes=MEMBER_AXES, *, n_samples=None):
    """Return probabilities, finite, non-negative, adding up to 1 over the last axis, the class."""
    proba = as_array(proba, name)
    if not np.issubdtype(proba.dtype, np.floating):
        proba = check_floats(proba, name, axes)
    check_axes(proba, name, axes)
    if n_samples is not None:
        check_samples(proba, name, axes, n_samples)
    bad = np.isnan(proba)
    if bad.any():
        raise ValueError(
            f"{name} has nan at {first_place(bad, axes)}: give every member a full distribution, "
            "or leave the sample or the member out."
        )
    bad = proba < 0
    if bad.any():
        raise ValueError(
            f"{name} has {proba[bad][0]:g} at {first_place(bad, axes)}: probabilities are never "
            "negative. Turn scores or logits into probabilities first, or pass labels."
        )
    half = proba.dtype == np.float16
    with np.errstate(over="ignore"):
        totals = proba.sum(axis=-1, dtype=np.float64 if half else None)
    bad = ~np.isclose(totals, 1.0, rtol=0, atol=_HALF_TOLERANCE if half else _SUM_TOLERANCE)
    if bad.any():
        raise ValueError(
            f"{name} adds up to {totals[bad][0]:.6g} over the classes at "
            f"{first_place(bad, axes)}: the last axis ({axes[-1]}) must add up to one. Divide "
            "weights by their sum."
        )
    return whole_shares(proba)


def whole_shares(proba):
    """Return probabilities in half precision as doubles that add up to 1, others as they are.

    Half precision has three digits: what its sums miss of 1 would be seen in every answer.
    """
    if proba.dtype != np.float16:
        return proba
    proba = proba.astype(np.float64)
    return proba / proba.sum(axis=-1, keepdims=True)


def check_said(proba, names):
    """Return the probabilities that members gave; raise where a member gave none.

    Where they add up to more than 1, as naive Bayes' do on columns that do not vary, they are
    shares of that.
    """
    proba = whole_shares(proba)
    bad = ~np.isfinite(proba)
    if bad.any():
        member, sample = np.argwhere(bad)[0][:2].tolist()
        name = names[member] if len(names) else f"member {member}"
        raise MemberError(
            f"{name} gives sample {sample} the probability {proba[bad][0]}: it has overflowed, or "
            "learned from columns that do not vary. Scale the columns, or leave the member out."
        )
    total = proba.sum(axis=-1, keepdims=True)
    much = total > 1.0 + _HALF_TOLERANCE
    return np.where(much, proba / np.where(much, total, 1.0), proba) if much.any() else proba


def check_sample_weight(sample_weight, n_samples):
    """Return weights (n_samples,) as float, or None for equal weights."""
    return _check_weights(sample_weight, n_samples, "sample_weight", "sample")


def check_member_weight(weights, n_members):
    """Return weights (n_members,) as float, or None for equal weights."""
    return _check_weights(weights, n_members, "weights", "member")


def _check_weights(weights, n, name, of):
    if weights is None:
        return None
    weights = check_vector(weights, name, n, of, low=0)
    if not weights.any():
        raise ValueError(f"{name} are all zero: at least one {of} must count.")
    return ordinary_weights(weights)


def ordinary_weights(weights):
    """Return weights that can be added, squared and divided by: only their ratios count.

    Those of a size beyond that are divided by the largest; one that is nothing beside the largest
    is none. Ordinary weights are returned as they are.
    """
    largest = weights.max()
    if not 1 / _SIZE_OF_WEIGHTS < largest < _SIZE_OF_WEIGHTS:
        weights, largest = weights / largest, 1.0
    nothing = (weights > 0) & (weights < largest / _SIZE_OF_WEIGHTS**2)
    return np.where(nothing, 0.0, weights) if nothing.any() else weights


def count_cases(weights):
    """Return how many rows weights stand for if they are whole numbers, or None.

    A weight of 2 is then the same as the row twice.
    """
    whole = (weights == np.round(weights)).all() and are_cases(weights.sum(), len(weights))
    return int(weights.sum()) if whole else None


def are_cases(total, n):
    """Say whether n whole weights that add up to ``total`` may be numbers of rows.

    Beyond a million rows, and a hundred for each weight, only the ratios of weights are meant.
    """
    return total <= max(_MOST_CASES, 100 * n)


def as_labels(values, name):
    """Return labels as an array of one plain type, without missing values."""
    check_one_type(values, name)
    values = np.asarray(values)
    if values.dtype == object and values.size and isinstance(values.flat[0], str):
        values = values.astype(str)  # strings from a frame
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{name} holds NaN: every sample needs a label from every member.")
    return values


def check_one_type(values, name):
    """Raise where labels are of several types: they have no order, and '1' is not 1."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must be one label a sample; its parts differ in length."
        ) from None
    if array.dtype.kind in "US" and isinstance(values, (list, tuple)):
        array = np.array(values, dtype=object)  # numpy has made words of all
    if array.dtype != object:
        return
    plain = (v.item() if isinstance(v, np.generic) else v for v in array.ravel().tolist())
    kinds = {type(v) for v in plain}
    if len(kinds) > 1:
        raise TypeError(
            f"{name} mixes labels of types {', '.join(sorted(k.__name__ for k in kinds))}: "
            "convert them to one type (a missing label shows as float or NoneType)."
        )
    if array.ndim and kinds == {type(None)}:
        raise ValueError(f"{name} holds nothing but None: give a label for each sample.")


def as_classes(values):
    """Return the labels of all classes, or raise unless they are sorted and without repeats."""
    classes = as_labels(values, "classes")
    check_axes(classes, "classes", ("n_classes",))
    if len(np.unique(classes)) != len(classes) or np.any(classes[:-1] > classes[1:]):
        raise ValueError(
            "classes must be sorted and without repeats, as scikit-learn's classes_ are; "
            f"got {classes.tolist()}."
        )
    return classes


def encode_labels(labels, classes, name, from_truth):
    """Return the positions of labels in the sorted ``classes``, in the smallest integer type."""
    try:
        at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    except TypeError as error:
        raise TypeError(
            f"{name} holds labels such as {labels.flat[0]!r}, but the classes are "
            f"{classes.tolist()}: give labels of the same type."
        ) from error
    strange = classes[at] != labels
    if np.any(strange):
        where = np.argwhere(strange)[0]
        who = f"member {where[0]} says" if labels.ndim == 2 else f"{name} holds"
        hint = "y never has" if from_truth and labels.ndim == 2 else "is not in classes"
        raise ValueError(
            f"{who} {np.asarray(labels[tuple(where)]).item()!r}, which {hint}; the classes are "
            f"{classes.tolist()}. If it is a class all the same, pass classes= with all labels."
        )
    return at.astype(code_type(len(classes)))


def code_type(n_classes):
    """Return the smallest signed integer type that can number the classes."""
    return next(t for t in (np.int8, np.int16, np.int32) if n_classes <= np.iinfo(t).max)


def _names(axes):
    return f"({', '.join(axes)})"


def _singular(axis):
    return "class" if axis == "n_classes" else axis.removeprefix("n_").removesuffix("s")


def first_place(bad, axes):
    """Say in words where the first of these is; an axis that was summed over goes unnamed."""
    where = np.argwhere(bad)[0].tolist()
    return ", ".join(f"{_singular(axis)} {i}" for axis, i in zip(axes, where, strict=False))


def some_values(values, limit=6):
    """Show the first few different values, in order where they have one."""
    try:
        seen = np.unique(values).tolist()
    except TypeError:  # of several types
        seen = list({repr(v): v for v in values.ravel().tolist()}.values())
    return ", ".join(map(repr, seen[:limit])) + (", ..." if len(seen) > limit else "")
