"""Columns of pandas and polars frames, told apart and turned into floats or objects."""

from typing import Any

import numpy as np
import pandas as pd

from counterpoint._tables import promoted
from counterpoint._validation import check_list


def is_frame(X: Any) -> bool:
    """Tell whether X is a pandas or polars data frame."""
    return isinstance(X, pd.DataFrame) or _is_polars(X)


def frame_columns(X: Any) -> list[pd.Series]:
    """Return the columns of a pandas or polars frame with at least one row and column."""
    for n, what in zip(X.shape, ("sample", "feature"), strict=True):
        if n == 0:  # in scikit-learn's words, which its checks look for
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required."
            )
    if _is_polars(X):
        return [_from_polars(X[:, i]) for i in range(X.shape[1])]
    X = promoted(X)
    return [X.iloc[:, i] for i in range(X.shape[1])]


def is_nominal(column: pd.Series) -> bool:
    """Tell the kind of a column by its dtype; booleans count as nominal."""
    dtype = column.dtype
    if pd.api.types.is_complex_dtype(dtype):
        raise ValueError(f"Complex data not supported: column {column.name!r}.")
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return False
    if (
        isinstance(dtype, pd.CategoricalDtype)
        or pd.api.types.is_object_dtype(dtype)
        or pd.api.types.is_string_dtype(dtype)
        or pd.api.types.is_bool_dtype(dtype)
    ):
        return True
    raise _no_kind(column.name, dtype)


def chosen_columns(chosen: Any, columns: list[pd.Series]) -> np.ndarray:
    """Return a mask of the nominal columns, by what was given as ``categorical_features``."""
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            raise ValueError(
                f"categorical_features={chosen!r}: give 'from_dtype', or a list of names, "
                "positions or booleans."
            )
        return np.array([is_nominal(column) for column in columns], dtype=bool)
    chosen = check_list(chosen, "categorical_features", "names, positions or booleans")
    if chosen and all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(columns):
            raise ValueError(
                f"categorical_features is a mask of length {len(chosen)}, but X has "
                f"{len(columns)} columns."
            )
        return np.array(chosen, dtype=bool)
    return named_columns(chosen, columns, "categorical_features")


def named_columns(chosen: list[Any], columns: list[pd.Series], name: str) -> np.ndarray:
    """Return a mask of the columns named or numbered in the option ``name``."""
    names = [column.name for column in columns]
    mask = np.zeros(len(columns), dtype=bool)
    for item in chosen:
        if isinstance(item, str) and item in names:
            mask[names.index(item)] = True
        elif isinstance(item, int | np.integer) and -len(columns) <= item < len(columns):
            mask[item] = True
        else:
            raise ValueError(
                f"{name} has {item!r}, which is no column of X: its {len(columns)} columns are "
                f"{names[:8]}{'...' if len(names) > 8 else ''}."
            )
    return mask


def floats(column: pd.Series) -> np.ndarray:
    """Return a numeric column as floats, missing as NaN."""
    try:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"Column {column.name!r} should be numeric, but {error}. If it holds categories, give "
            "it a categorical dtype or name it in `categorical_features`."
        ) from error
    if np.isinf(values).any():
        raise ValueError(
            "Input X contains infinity or a value too large for dtype('float64') in column "
            f"{column.name!r}."
        )
    return values


def objects(column: pd.Series) -> np.ndarray:
    """Return a nominal column as objects, every kind of missing as NaN."""
    values = column.astype(object).to_numpy(dtype=object, copy=True)
    values[column.isna().to_numpy()] = np.nan
    return values


def categories(column: pd.Series, *, seen_only: bool) -> list:
    """Return the values of a nominal column in order, NaN last if any is missing.

    The order is the declared one of a categorical dtype, else the sorted one.
    ``seen_only`` leaves out declared values that do not occur.
    """
    present = column.dropna()
    try:
        values = sorted(set(present.unique()))
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in present})
        raise TypeError(
            f"Column {column.name!r} is nominal, but its values have no common order: they are of "
            f"type {' and '.join(kinds[:4])}. Every argument must be a string, or every one a "
            "number: turn them into strings first."
        ) from error
    if isinstance(column.dtype, pd.CategoricalDtype):
        declared, seen = column.cat.categories.tolist(), set(values)
        values = [value for value in declared if value in seen] if seen_only else declared
    return [*values, np.nan] if len(present) < len(column) else values


def _is_polars(X: Any) -> bool:
    if type(X).__module__.split(".")[0] != "polars":
        return False
    if not hasattr(X, "shape"):
        raise TypeError(f"X is a polars {type(X).__name__}: call .collect() on it first.")
    return len(X.shape) == 2


def _from_polars(column: Any) -> pd.Series:
    """Return a polars column as pandas, by way of NumPy: pyarrow need not be there."""
    dtype = column.dtype
    if dtype.is_numeric():
        return pd.Series(column.cast(float).to_numpy(), name=column.name)  # null becomes NaN
    if type(dtype).__name__ in ("Date", "Datetime", "Duration"):
        # In microseconds, without a zone: dates are taken as they are on the wall.
        kind = "m" if type(dtype).__name__ == "Duration" else "M"
        zone = getattr(dtype, "time_zone", None)
        column = column if zone is None else column.dt.replace_time_zone(None)
        return pd.Series(column.to_numpy().astype(f"{kind}8[us]"), name=column.name)
    if dtype.is_temporal() or dtype.is_nested():
        raise _no_kind(column.name, dtype)
    values = [np.nan if value is None else value for value in column]
    series = pd.Series(values, name=column.name, dtype=object)
    if type(dtype).__name__ == "Enum":
        # An Enum declares the order of its values, as a pandas categorical does.
        return series.astype(pd.CategoricalDtype(list(dtype.categories)))
    return series


def _no_kind(name: Any, dtype: Any) -> TypeError:
    return TypeError(
        f"Column {name!r} is of type {dtype}, neither numbers nor categories: turn it into numbers "
        "or strings first, or leave it out."
    )
