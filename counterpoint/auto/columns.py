"""Columns of a frame that are neither numbers nor a few categories: dates, texts, names, ids."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from counterpoint.datasets.columns import frame_columns, is_frame
from counterpoint.datasets.texts import (
    PARTS,
    date_part,
    find_words,
    has_many_values,
    is_prose,
    word_columns,
)

# Of a column with more values than categories have, so many of the most common, in so many rows.
_MOST_VALUES, _FEWEST_ROWS = 100, 5
# A word that nearly every text has tells nothing.
_MOST_ROWS = 0.95
_OTHER = "another value"

Made = dict[str, Any]
"""Columns by what they hold."""


def expand_columns(X: Any) -> Callable[[Any], pd.DataFrame] | None:
    """Learn what to make of the columns of a frame; None if all are taken as they are.

    Dates become their parts and the days since the first one; texts their most common words, as 0
    and 1, and their length; of a column with more than 200 values the most common stay, and the
    others are one. A column in which no value comes again is left out with a warning. Returned is
    what makes a frame of the same kind of another one.
    """
    columns = frame_columns(X)
    makers = [_maker(column) for column in columns]
    if all(make is None for make in makers):
        return None
    left_out = [str(c.name) for c, make in zip(columns, makers, strict=True) if make is _nothing]
    if len(left_out) == len(columns):
        raise ValueError(
            f"There is no column to learn from: in {', '.join(left_out[:8])} every row has a value "
            "of its own."
        )
    if left_out:
        warnings.warn(
            f"Left out, since (nearly) every row has a value of its own: {', '.join(left_out)}.",
            UserWarning,
            stacklevel=6,
        )
    return _Expansion(makers)


def date_columns(X: Any) -> list[str]:
    """Return the names of the columns of a frame that hold dates; none of an array."""
    if not is_frame(X) or 0 in X.shape:
        return []
    columns = frame_columns(X)
    return [str(c.name) for c in columns if pd.api.types.is_datetime64_any_dtype(c.dtype)]


class _Expansion:
    def __init__(self, makers):
        self.makers = makers

    def __call__(self, X):
        made: dict[str, Any] = {}
        taken = frame_columns(X)
        names = {str(column.name) for column in taken}
        for column, make in zip(taken, self.makers, strict=True):
            if make is None:
                made[str(column.name)] = column
                continue
            for what, values in make(column).items():
                name = f"{column.name}: {what}"
                while name in names:  # a table may have a column of that very name
                    name += "'"
                made[name] = values
        return pd.DataFrame(made, index=taken[0].index)


def _maker(column):
    dtype = column.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _Dates(column)
    if pd.api.types.is_timedelta64_dtype(dtype):
        return _days
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return None
    filled = column.dropna()
    if not has_many_values(filled):
        return None
    texts = filled.astype(str)
    if is_prose(texts):
        return _Words(texts)
    count = texts.value_counts()
    common = count.index[count >= _FEWEST_ROWS][:_MOST_VALUES]
    return _Common(sorted(common)) if len(common) else _nothing


def _nothing(column: pd.Series) -> Made:
    return {}


def _days(column: pd.Series) -> Made:
    if not pd.api.types.is_timedelta64_dtype(column.dtype):
        raise ValueError(f"Column {column.name!r} held times in training, and does not here.")
    return {"days": column.dt.total_seconds().to_numpy(dtype=float) / 86_400}


class _Dates:
    def __init__(self, column):
        dates = _on_the_wall(column)
        self.first = dates.min()
        filled = dates.dropna()
        self.parts = [part for part in PARTS if date_part(filled, part).nunique() > 1]

    def __call__(self, column):
        dates = _on_the_wall(column)
        made = {part: date_part(dates, part).to_numpy(dtype=float) for part in self.parts}
        since = (dates - self.first) / np.timedelta64(1, "D")
        return made | {"days since": since.to_numpy(dtype=float)}


def _on_the_wall(column):
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        raise ValueError(f"Column {column.name!r} held dates in training, and does not here.")
    return column if column.dt.tz is None else column.dt.tz_localize(None)


class _Words:
    def __init__(self, texts):
        self.words = find_words(texts, most_rows=_MOST_ROWS)

    def __call__(self, column):
        return dict(
            zip((*self.words, "number of words"), word_columns(column, self.words), strict=True)
        )


class _Common:
    def __init__(self, values):
        self.values = values

    def __call__(self, column):
        texts = column.astype(object).where(column.isna(), column.astype(str))
        known = texts.isin(self.values) | column.isna().to_numpy()
        return {"value": texts.where(known, _OTHER)}
