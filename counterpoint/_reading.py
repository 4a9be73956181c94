"""Reading what an estimator is given: data, targets, weights; one wording for what is wrong.

Public through :mod:`counterpoint.base`.

Numbers beyond 1e38 are refused, by their column, and so is a table that holds nothing but numbers
below 1e-38: see ``LARGEST`` in ``_validation.py``. Half precision is promoted.
"""

import inspect
import warnings
from datetime import date, time, timedelta
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils import validation as _sklearn
from sklearn.utils.multiclass import check_classification_targets

from counterpoint._options import check_shared_options
from counterpoint._validation import (
    LARGEST,
    SMALLEST,
    as_labels,
    check_axes,
    check_count,
    check_floats,
    check_one_type,
    check_sample_weight,
    check_samples,
)
from counterpoint.exceptions import ThinnedWarning

_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)


def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Check data as scikit-learn does; a column of text or dates is named, with the way out.

    Parameters and returns are those of :func:`sklearn.utils.validation.validate_data`. Numbers
    beyond 1e38 are refused, and so is a target of numbers with gaps; half precision is promoted.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> validate_data(DecisionTreeClassifier(), pd.DataFrame({"colour": ["red", "green"]}))
    Traceback (most recent call last):
    ...
    ValueError: Column 'colour' holds values such as 'red', and DecisionTreeClassifier takes ...
    """
    _need_estimator(estimator)
    if options.get("reset", True):
        check_shared_options(estimator)
    if not options.get("skip_check_array"):
        need_numbers(X, type(estimator).__name__)
        X = _promoted(X)
        check_sizes(X, whole=options.get("reset", True))
    if options.get("y_numeric"):
        y = read_numbers(y)
    if not (y is None or isinstance(y, str)):
        need_target(estimator, y)
    with np.errstate(all="ignore"):  # the sum that looks for infinities may be none itself
        return _sklearn.validate_data(estimator, X, y, **options)


def _need_estimator(estimator):
    if isinstance(estimator, type) or not hasattr(estimator, "__sklearn_tags__"):
        raise TypeError(f"estimator={estimator!r} is no estimator: pass an object with fit.")


def tree_input(ensemble: Any, X: Any) -> Any:
    """Return samples as the trees of scikit-learn read them, checked once for all of an ensemble.

    A number too large for float32 becomes infinite, and stays on its side of every threshold.
    """
    return validate_data(
        ensemble, X, reset=False, dtype=np.float32, accept_sparse="csr", ensure_all_finite=False
    )


def check_rows(
    X: Any,
    name: str = "X",
    *,
    owner: str,
    dtype: Any = np.float64,
    most: float | None = None,
    allow_nan: bool = False,
) -> NDArray:
    """Return numbers (n_samples, n_features): for functions, which keep no names of columns.

    ``owner`` is who takes numbers only, for messages; numbers beyond ``most`` are refused.
    """
    need_numbers(X, owner)
    finite = "allow-nan" if allow_nan else True
    with np.errstate(all="ignore"):
        rows = _sklearn.check_array(X, dtype=dtype, input_name=name, ensure_all_finite=finite)
    if most is not None:
        check_floats(rows, name, ("n_samples", "n_features"), most=most)
    return rows


def in_one_piece(X: Any) -> Any:
    """Return X; an array with gaps between its numbers, as ``X[::2]`` has them, as a copy without.

    Members add up numbers as they lie in memory, and another process gets them without gaps: the
    last bits of answers would depend on ``n_jobs``.
    """
    gaps = isinstance(X, np.ndarray) and not (X.flags.c_contiguous or X.flags.f_contiguous)
    return np.ascontiguousarray(X) if gaps else X


def check_labels(y: Any, n_samples: int, name: str = "y") -> NDArray:
    """Return the labels of some samples, (n_samples,), all of one type and none missing."""
    labels = as_labels(y, name)
    labels = labels.ravel() if labels.ndim == 2 and labels.shape[1] == 1 else labels
    check_axes(labels, name, ("n_samples",))
    check_samples(labels, name, ("n_samples",), n_samples, of="X")
    return labels


def need_numbers(X: Any, name: str) -> None:
    """Raise if a column holds text or dates; ``name`` is who takes numbers only.

    Examples
    --------
    >>> need_numbers(np.array([["2026-01-01"], ["2026-02-01"]], dtype="M8[D]"), "A tree")
    Traceback (most recent call last):
    ...
    ValueError: Column 0 holds dates or times, and A tree takes numbers. Turn it into numbers ...
    """
    if isinstance(X, (str, bytes, complex, dict, set, frozenset, type)) or inspect.isroutine(X):
        raise ValueError(
            f"X={X!r}: {name} takes a table of numbers, of shape (n_samples, n_features)."
        )
    for column, values in _columns(X):
        if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf":
            continue
        values = np.asarray(values)
        if values.dtype.kind in "mM" or any(isinstance(v, _TIMES) for v in values.tolist()):
            raise ValueError(
                f"Column {column!r} holds dates or times, and {name} takes numbers. Turn it into "
                "numbers first, such as days since a day that you choose, "
                "(column - start) / np.timedelta64(1, 'D'); or drop the column."
            )
        try:
            values.astype(np.float64)
        except (TypeError, ValueError):
            text = [v for v in values.tolist() if isinstance(v, str)]
            if not text and not hasattr(X, "columns"):
                return  # scikit-learn has words for what else an array may hold
            raise ValueError(
                f"Column {column!r} holds values such as {(text or values)[0]!r}, and {name} takes "
                f"numbers. Put an encoder before it, counterpoint.tabular.with_encoder({name}()), "
                "which is a pipeline with TabularEncoder; or drop the column."
            ) from None


def _columns(X):
    """Yield names and values of the columns that may hold anything but numbers."""
    if hasattr(X, "columns"):
        yield from _frame_columns(X)
        return
    if isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], (list, tuple)):
        if any(isinstance(value, (str, *_TIMES)) for value in X[0]):
            yield from enumerate(map(np.array, zip(*X, strict=False)))
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind not in "biufc":
        yield from enumerate(X.T)


def _frame_columns(X):
    """Yield names and values of the columns of a frame, two of one name one after the other."""
    for position, column in enumerate(X.columns):
        yield column, X.iloc[:, position] if hasattr(X, "iloc") else X[column]


def _promoted(X):
    """Return data with doubles for numbers in half precision, which has three digits.

    Learners compute in the type they are given, and shares of classes would miss 1 visibly. Some
    take no numbers in the byte order of other machines either.
    """
    dtype = getattr(X, "dtype", None)
    if dtype == np.float16:
        return X.astype(np.float64)
    if isinstance(X, np.ndarray) and not X.dtype.isnative:
        return X.astype(X.dtype.newbyteorder("="))
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        half = [at for at, dtype in enumerate(X.dtypes) if dtype == np.float16]
        if half:
            return X.astype({X.columns[at]: np.float64 for at in half})
    return X


def check_sizes(X: Any, name: str = "X", *, whole: bool = True) -> None:
    """Raise if finite numbers are too large to compute with or, of a ``whole`` table, too small.

    Examples
    --------
    >>> check_sizes(np.array([[1.0, 1e200], [2.0, 0.0]]))
    Traceback (most recent call last):
    ...
    ValueError: Column 1 of X holds 1e+200: numbers beyond 1e+38 overflow when they are squared ...
    """
    parts = _frame_columns(X) if hasattr(X, "columns") else [(None, X)]
    largest = 0.0
    for column, part in parts:
        values = _numbers(part)
        if values is None or not values.size:
            continue
        size = _size(values)
        if size > LARGEST:
            where = _place(X, name) if column is None else f"Column {column!r} of {name}"
            raise ValueError(
                f"{where} holds {size:g}: numbers beyond {LARGEST:g} overflow when they are "
                "squared or kept in single precision. Scale it (divide by its largest value), or "
                "make the number a gap if it stands for one."
            )
        largest = max(largest, size)
    if whole and 0 < largest < SMALLEST:
        raise ValueError(
            f"The largest number in {name} is {largest:g}: numbers below {SMALLEST:g} vanish when "
            "they are squared or kept in single precision. Scale the data, to a unit in which "
            "numbers are near 1."
        )


def _numbers(values):
    """Return numbers as an array, of one axis; None for what holds none."""
    if issparse(values):
        values = values.data if values.format in ("csr", "csc", "coo") else values.tocoo().data
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind not in "biufO":
        return None
    try:
        values = np.asarray(values, dtype=np.float64 if kind == "O" else None)
    except (TypeError, ValueError, OverflowError):
        return None  # whoever takes it says what is wrong with it
    return values.ravel(order="K")


def _size(values):
    """Return the size of the largest finite number."""
    # Quick passes without copies; infinite numbers are for whoever may take them.
    size = float(max(float(np.fmax.reduce(values)), -float(np.fmin.reduce(values)), 0.0))
    return size if size < np.inf else float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _place(X, name):
    """Say where an array has its largest finite number."""
    if issparse(X):
        X = X.tocoo()
        return f"Column {X.col[np.argmax(np.abs(X.data))]} of {name}"
    sizes = np.abs(np.asarray(X, dtype=np.float64))
    sizes[~np.isfinite(sizes)] = 0.0
    at = np.unravel_index(sizes.argmax(), sizes.shape)
    return f"Column {at[-1]} of {name}" if len(at) > 1 else f"Row {at[0]} of {name}"


def read_numbers(y: Any) -> Any:
    """Return a target of numbers; raise where a row has none.

    Examples
    --------
    >>> read_numbers([1.0, None, 3.0])
    Traceback (most recent call last):
    ...
    ValueError: y has no number in row 1 (None): fill the gap, or leave the row out.
    """
    if y is None or isinstance(y, str):
        return y
    values = np.asarray(y)
    if values.dtype == object:
        for place, value in np.ndenumerate(values):
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"y has no number in row {place[0]} ({value!r}): fill the gap, or leave the "
                    "row out."
                ) from None
    check_sizes(values, "y")
    return y


def read_table(estimator: Any, X: Any, *, reset: bool = False) -> Any:
    """Note or check the names and number of columns, and pass the values on as they are.

    For ensembles whose members check values themselves: frames stay frames (a learner may want
    names, or strings), sparse matrices come back as CSR if the estimator's tags allow them.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> read_table(BaggingClassifier(), [[1, 2], [3, 4]], reset=True).shape
    (2, 2)
    """
    _need_estimator(estimator)
    if reset:
        check_shared_options(estimator)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(X.shape)}D array instead: X has shape {X.shape}. "
            "Reshape your data to (n_samples, n_features)."
        )
    _sklearn.validate_data(estimator, X, reset=reset, skip_check_array=True)
    X = _promoted(X)
    check_sizes(X, whole=reset)
    if not issparse(X):
        return X
    if not get_tags(estimator).input_tags.sparse:
        raise TypeError(
            f"Sparse data was passed, but {type(estimator).__name__} with this base learner "
            "needs dense data: pass X.toarray(), or a learner that takes sparse data."
        )
    return X.tocsr()  # a form that rows can be drawn from


def need_target(estimator: Any, y: Any) -> None:
    """Raise if there is no target, or the labels in it are of several types.

    The first thing that ``fit`` does: options that all estimators share are checked, too.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> need_target(BaggingClassifier(), None)
    Traceback (most recent call last):
    ...
    ValueError: requires y to be passed, but the target y is None: BaggingClassifier learns ...
    >>> need_target(BaggingClassifier(), ["a", 1, None])
    Traceback (most recent call last):
    ...
    TypeError: y mixes labels of types NoneType, int, str: convert them to one type ...
    """
    _need_estimator(estimator)
    check_shared_options(estimator)
    if y is None:
        raise ValueError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} "
            "learns from examples with known answers."
        )
    if not is_regressor(estimator):
        check_one_type(y, "y")


def read_labels(estimator: Any, y: Any) -> NDArray:
    """Return the labels of a target, one a sample, of one type and without gaps.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> read_labels(BaggingClassifier(), [0.5, 0.7, 0.1])
    Traceback (most recent call last):
    ...
    ValueError: Unknown label type: continuous. Maybe you are trying to fit a classifier, which ...
    """
    need_target(estimator, y)
    y = _sklearn.column_or_1d(y, warn=True)
    with np.errstate(all="ignore"):
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
    return y


def encode_target(estimator: Any, y: Any) -> tuple[NDArray, NDArray]:
    """Return the sorted classes of a target and each sample's position among them.

    Raises ``ValueError`` where there is no target, it holds numbers that are no classes, gaps,
    or one class only.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> classes, codes = encode_target(BaggingClassifier(), ["no", "yes", "no"])
    >>> classes.tolist(), codes.tolist()
    (['no', 'yes'], [0, 1, 0])
    """
    classes, codes = np.unique(read_labels(estimator, y), return_inverse=True)
    if len(classes) < 2:
        held = f"one class only, {classes.tolist()[0]!r}" if len(classes) else "no label"
        raise ValueError(f"y holds {held}: {type(estimator).__name__} needs at least two classes.")
    return classes, codes


def check_weights(sample_weight: Any, X: Any) -> NDArray | None:
    """Return sample weights as finite floats, none negative, or None for equal weights.

    Only their ratios count: weights too large or too small to be added and divided by are divided
    by the largest.

    Examples
    --------
    >>> check_weights([1, 2], [[0.5], [0.7]])
    array([1., 2.])
    >>> check_weights([1e-320, 1e-320], [[0.5], [0.7]])
    array([1., 1.])
    """
    n = _sklearn._num_samples(X)
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n, sample_weight)
    return check_sample_weight(sample_weight, n)


def thin_rows(estimator: Any, groups: NDArray, what: str) -> NDArray | None:
    """Return ``estimator.max_samples`` positions, or None where there are no more rows than that.

    Every group (class) keeps its share; one that would have none has one row more. They are drawn
    by a lot of their own, always the same: it takes nothing from ``random_state``. A
    :class:`counterpoint.exceptions.ThinnedWarning` says so; ``what`` is done on the sample only.

    Examples
    --------
    >>> import warnings
    >>> from types import SimpleNamespace
    >>> groups = np.repeat([0, 1], [90, 10])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     rows = thin_rows(SimpleNamespace(max_samples=20), groups, "counting")
    >>> np.bincount(groups[rows]).tolist()
    [18, 2]
    >>> thin_rows(SimpleNamespace(max_samples=100), groups, "counting") is None
    True
    """
    most, n = estimator.max_samples, len(groups)
    if most is not None:
        check_count(most, "max_samples", low=2, hint=", or None for all rows")
    if most is None or n <= most:
        return None
    name = type(estimator).__name__
    warnings.warn(
        f"{n:,} rows are more than max_samples={most:,} of {name}: {what} uses a sample of that "
        "size. Raise max_samples for more, at the price of time and memory.",
        ThinnedWarning,
        stacklevel=4,
    )
    order = np.random.RandomState(0).permutation(n)
    # Rows of a group stand together, in the order of the lot; every so-many-th of them all is kept.
    order = order[np.argsort(groups[order], kind="stable")]
    kept = np.arange(most) * n // most
    there, first = np.unique(groups[order], return_index=True)
    kept = np.append(kept, first[~np.isin(there, groups[order[kept]])])
    return np.sort(order[kept])
