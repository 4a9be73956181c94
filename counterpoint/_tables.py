"""Tables: what their columns hold, and whether it can be computed with."""

import inspect
import reprlib
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from scipy.sparse import issparse

from counterpoint._arrays import LARGEST, SMALLEST

_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_IN_CACHE = 2**15  # numbers looked at at a time


def need_numbers(X: Any, name: str, *, splits_sets: bool = False) -> None:
    """Raise if a column holds text or dates; ``name`` is who takes numbers only.

    ``splits_sets``: names of categories in a frame would do if ``categorical_features`` were given.

    Examples
    --------
    >>> need_numbers(np.array([["2026-01-01"], ["2026-02-01"]], dtype="M8[D]"), "A tree")
    Traceback (most recent call last):
    ...
    ValueError: Column 0 holds dates or times, and A tree takes numbers. Turn it into numbers ...
    """
    strange = (str, bytes, complex, dict, set, frozenset, type, *_TIMES)
    if isinstance(X, strange) or inspect.isroutine(X):
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
            own = "Put"
            if text and splits_sets and hasattr(X, "columns"):
                own = "Set categorical_features='from_dtype', which splits on names as sets; or put"
            raise ValueError(
                f"Column {column!r} holds values such as {(text or values)[0]!r}, and {name} takes "
                f"numbers. {own} an encoder before it, counterpoint.tabular.with_encoder({name}())"
                ", which is a pipeline with TabularEncoder; or drop the column."
            ) from None


def check_names(X: Any, name: str = "X") -> None:
    """Raise if two columns of a frame have the same name: nobody could tell which one is meant.

    Examples
    --------
    >>> import pandas as pd
    >>> check_names(pd.DataFrame([[1, 2]], columns=["age", "age"]))
    Traceback (most recent call last):
    ...
    ValueError: X has two columns called 'age': rename one of them.
    """
    seen = set()
    for column in getattr(X, "columns", ()):
        if column in seen:
            raise ValueError(f"{name} has two columns called {column!r}: rename one of them.")
        seen.add(column)


def _columns(X):
    """Yield names and values of the columns that may hold anything but numbers."""
    if hasattr(X, "columns"):
        yield from _frame_columns(X)
        return
    if isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], (list, tuple)):
        if any(isinstance(value, (str, *_TIMES)) for value in X[0]):
            yield from enumerate(map(np.array, zip(*X, strict=False)))
    elif isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], str):
        yield 0, np.array(X, dtype=object)
    elif isinstance(X, np.ndarray) and X.dtype.kind not in "biufc":
        yield from enumerate(X.T if X.ndim == 2 else [X.ravel()])


def _frame_columns(X):
    """Yield names and values of the columns of a frame, two of one name one after the other."""
    for position, column in enumerate(X.columns):
        yield column, X.iloc[:, position] if hasattr(X, "iloc") else X[column]


def promoted(X):
    """Return data with doubles for numbers in half precision, which has three digits.

    Learners compute in the type they are given, and shares of classes would miss 1 visibly. Some
    take no numbers in the byte order of other machines either. Every second row or column of an
    array is copied, so that it lies in memory as its copies do.
    """
    dtype = getattr(X, "dtype", None)
    if isinstance(X, np.ndarray) and not (X.flags.c_contiguous or X.flags.f_contiguous):
        # Another process would get rows that lie one after the other, and round otherwise.
        X = np.ascontiguousarray(X)
    if dtype == np.float16:
        return X.astype(np.float64)
    if isinstance(X, np.ndarray) and not X.dtype.isnative:
        return X.astype(X.dtype.newbyteorder("="))
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        return _with_columns(
            X, {at: promoted(X.iloc[:, at].to_numpy()) for at in _narrow(X.dtypes)}
        )
    return X


def _with_columns(X, columns):
    """Return a frame with other values in some of its columns, by position."""
    if columns:
        X = X.copy(deep=False)
        for at, values in columns.items():
            X.isetitem(at, values)
    return X


def _narrow(dtypes):
    # Types of pandas' own, categories too, say that they are not native, whatever they hold.
    own = ((at, d) for at, d in enumerate(dtypes) if isinstance(d, np.dtype))
    return [at for at, d in own if d == np.float16 or not d.isnative]


def flushed(X: Any) -> Any:
    """Return data with 0 for numbers below 1e-38, which vanish when they are squared.

    Beside ordinary numbers they are what is left of a calculation. A column that varies by them
    alone has a spread that nothing can be divided by.

    Examples
    --------
    >>> flushed(np.array([[1.0, 1e-320], [2.0, 0.5]]))
    array([[1. , 0. ],
           [2. , 0.5]])
    """
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        return _with_columns(
            X,
            {
                at: flushed(values)
                for at, kind in enumerate(X.dtypes)
                if isinstance(kind, np.dtype) and kind.kind == "f"
                if _has_dust(values := X.iloc[:, at].to_numpy())
            },
        )
    if issparse(X) and X.format in ("csr", "csc", "coo"):
        if _has_dust(X.data):
            X = X.copy()
            X.data = flushed(X.data)
        return X
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and _has_dust(X):
        X = X.copy(order="K")
        X[np.abs(X) < SMALLEST] = 0.0
    return X


def _has_dust(values):
    if values.dtype.kind != "f":
        return False
    flat = values.ravel(order="K")
    for begin in range(0, len(flat), _IN_CACHE):
        size = np.abs(flat[begin : begin + _IN_CACHE])
        if np.count_nonzero(size < SMALLEST) > np.count_nonzero(size == 0):
            return True
    return False


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


def in_one_piece(X: Any) -> Any:
    """Return X; an array with gaps between its numbers, as ``X[::2]`` has them, as a copy without.

    Members add up numbers as they lie in memory, and another process gets them without gaps: the
    last bits of answers would depend on ``n_jobs``.
    """
    gaps = isinstance(X, np.ndarray) and not (X.flags.c_contiguous or X.flags.f_contiguous)
    return np.ascontiguousarray(X) if gaps else X


def select_columns(X, columns):
    """Take columns of an array (in one piece), a sparse matrix, or a pandas or polars frame."""
    if columns is None:
        return in_one_piece(X)
    by_name = not isinstance(columns, slice) and len(columns) > 0 and isinstance(columns[0], str)
    if by_name:
        strange = [name for name in columns if name not in getattr(X, "columns", columns)]
        if strange:
            raise ValueError(f"columns: X has no column {strange[0]!r}.")
    elif not isinstance(columns, slice):
        _check_places(columns, X.shape[1])
    if hasattr(X, "iloc"):
        return X[list(columns)] if by_name else X.iloc[:, columns]
    if hasattr(X, "get_column"):  # polars
        return X.select(list(columns) if by_name else np.array(X.columns)[columns].tolist())
    if by_name:
        raise ValueError(f"columns are names, {columns[0]!r} first, but X has none: pass a frame.")
    return in_one_piece(X[:, columns])


def _check_places(columns, n):
    """Raise unless these are places among n columns, or a flag for each of them."""
    places = np.asarray(columns)
    is_flags = places.dtype == bool and places.shape == (n,)
    whole = places.ndim == 1 and (places.dtype.kind in "iu" or not places.size)
    if not (is_flags or (whole and ((places >= -n) & (places < n)).all())):
        raise ValueError(
            f"columns={reprlib.repr(columns)}: give names, whole numbers from 0 to {n - 1}, a flag "
            f"for each of the {n} columns, or a slice."
        )


def select_rows(X, rows):
    """Take rows of an array, a sparse matrix, or a pandas or polars frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
