"""What a model is given of a column: a number or a category, the parts of a date, words of a text.

A date becomes some of its parts, as numbers, and the days since the first one seen; a text becomes
a column of 0 and 1 for each of the words it is looked through for, and its length. So every learner
takes them, and a tree that asks for one can be read: "when: month", "note: refund".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from counterpoint.datasets.texts import PARTS, date_part, word_columns
from counterpoint.tabular.column import (
    CLOCK,
    YES_NO,
    Column,
    as_floats,
    as_texts,
    is_date,
    is_number,
    says_yes,
)
from counterpoint.tabular.date_text import read_clock, read_dates
from counterpoint.tabular.number_text import read_known

_MODEL = "the model knows it as a column of"
SINCE = "days since"
LENGTH = "number of words"


def made_of(columns: Sequence[Column]) -> dict[str, list[str]]:
    """Return the names of what is made of each column, all different.

    Examples
    --------
    >>> made_of([Column("age", "number"), Column("when", "date", parts=("month",))])
    {'age': ['age'], 'when': ['when: month']}
    """
    taken = {column.name for column in columns}
    made: dict[str, list[str]] = {}
    for column in columns:
        if column.kind in ("number", "category"):
            made[column.name] = [column.name]
            continue
        parts = column.parts if column.kind == "date" else (*column.categories, LENGTH)
        names = []
        for part in parts:
            since = f" {column.origin[:10]}" if part == SINCE else ""
            name = f"{column.name}: {part}{since}"
            while name in taken:  # a table may have a column of that very name
                name += "'"
            taken.add(name)
            names.append(name)
        made[column.name] = names
    return made


def words_of_texts(columns: Sequence[Column]) -> dict[str, tuple[str, str]]:
    """Return, for what is made of each word of a text, how to say that it is not there or is.

    Examples
    --------
    >>> words_of_texts([Column("message", "text", ("late",))])
    {'message: late': ("message has no 'late'", "message has 'late'")}
    """
    made = made_of(columns)
    return {
        name: (f"{column.name} has no {word!r}", f"{column.name} has {word!r}")
        for column in columns
        if column.kind == "text"
        for name, word in zip(made[column.name], column.categories, strict=False)
    }


def expand(column: Column, values: pd.Series) -> tuple[list[Any], list[str]]:
    """Return what is made of a column, an array or a Series for each, and categories never seen."""
    if column.kind == "number":
        return [to_numbers(values, column.form)], []
    if column.kind == "date":
        return _date_parts(to_dates(values, column.form), column), []
    texts = as_texts(values)
    if column.kind == "text":
        return word_columns(texts, column.categories), []
    if column.form == YES_NO:
        texts = _as_said(texts, column.categories)
    new = sorted(set(texts.dropna()) - set(column.categories))
    return [texts.astype(object)], new


def to_numbers(values: pd.Series, form: str = "", says: str = _MODEL) -> np.ndarray:
    """Return a column as floats, however its numbers are written; raise where there are none.

    ``says`` is how the error goes on: who says that these are numbers.
    """
    if is_number(values):
        return as_floats(values)
    if pd.api.types.is_timedelta64_dtype(values.dtype):
        return values.dt.total_seconds().to_numpy(dtype=float) / 86_400
    filled, where = _filled(values)
    numbers = pd.to_numeric(filled, errors="coerce")
    if numbers.isna().any():
        numbers = read_clock(filled) if form == CLOCK else read_known(filled, form)
    _refuse(numbers.isna().to_numpy(), filled, where, values.name, f"{says} numbers")
    every = np.full(len(values), np.nan)
    every[where] = numbers.to_numpy(dtype=float)
    return as_floats(pd.Series(every, name=values.name))


def to_dates(values: pd.Series, order: str = "", says: str = _MODEL) -> pd.Series:
    """Return a column as dates, however they are written; raise where there are none."""
    if is_date(values):
        wall = values if values.dt.tz is None else values.dt.tz_localize(None)
        return wall.astype("datetime64[us]")
    filled, where = _filled(values)
    dates, _, _ = read_dates(filled, order, packed=True)
    _refuse(dates.isna().to_numpy(), filled, where, values.name, f"{says} dates")
    every = np.full(len(values), np.datetime64("NaT"), dtype="datetime64[us]")
    every[where] = dates.to_numpy()
    return pd.Series(every, index=values.index, name=values.name)


def describe_date(name: str, dates: pd.Series, order: str = "") -> Column:
    """Return the column of some dates: the parts that differ, counted from the first."""
    filled = dates.dropna()
    differing = [part for part in PARTS if date_part(filled, part).nunique() > 1]
    origin = filled.min().normalize()
    return Column(
        name, "date", form=order, parts=(*differing, SINCE), origin=origin.isoformat()[:10]
    )


def _date_parts(dates: pd.Series, column: Column) -> list[np.ndarray]:
    made = []
    for part in column.parts:
        if part == SINCE:
            days = (dates - pd.Timestamp(column.origin)) / np.timedelta64(1, "D")
            made.append(days.to_numpy(dtype=float))
        else:
            made.append(date_part(dates, part).to_numpy(dtype=float))
    return made


def _as_said(texts: pd.Series, categories: tuple[str, ...]) -> pd.Series:
    """Return yes and no in the words of training, however they are spelt here."""
    spelt = {says_yes(category): category for category in categories}
    meant = {
        text: text if text in categories else spelt.get(says_yes(text), text)
        for text in set(texts.dropna())
    }
    return texts.map(meant, na_action="ignore")


def _filled(values: pd.Series) -> tuple[pd.Series, np.ndarray]:
    """Return the cells that hold something, as text, and where they stand."""
    texts = as_texts(values)
    where = np.flatnonzero(texts.notna().to_numpy())
    return pd.Series(texts.to_numpy()[where], dtype=object), where


def _refuse(odd: np.ndarray, cells: pd.Series, where: np.ndarray, name: Any, says: str) -> None:
    if odd.any():
        first = int(np.argmax(odd))
        raise ValueError(
            f"Column {name!r} holds {str(cells.iloc[first])!r} in data row "
            f"{int(where[first]) + 1}, but {says}."
        )
