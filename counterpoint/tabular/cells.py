"""The cells of one column: numbers, dates or text, by what most of them are, or what is known."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from counterpoint.tabular.column import CLOCK, Column, is_date, is_number
from counterpoint.tabular.date_text import read_clock, read_dates
from counterpoint.tabular.number_text import read_known, read_numbers, take_apart

# A column is taken for numbers with a mistake in it if no more cells than this are words.
_FEW_WORDS = 0.2
_MANY_LABELS = 20
LOOKED_AT = 200
"""Cells that tell whether it is worth to look at all."""


@dataclass(frozen=True)
class Cells:
    """A column as read: its values, how they were written, a note, words where none should be."""

    values: pd.Series
    form: str = ""
    note: str = ""
    odd: pd.Series | None = None
    what: str = "numbers"


def as_known(values: pd.Series, column: Column, marks: list[str], hint: str) -> Cells:
    """Return a column for a model that knows it; what does not fit is left as text."""
    if column.kind == "number" and is_number(values):
        return Cells(_without_marks(values, marks))
    if is_date(values):
        return Cells(values)
    texts = as_text(values, marks)
    if column.kind != "number":
        return Cells(texts)
    filled = texts.dropna()
    numbers = read_clock(filled) if column.form == CLOCK else read_known(filled, column.form, hint)
    if numbers.isna().any():
        return Cells(texts)
    return Cells(_without_marks(_whole(numbers.reindex(texts.index), values.name), marks))


def as_target(values: pd.Series, marks: list[str], hint: str) -> Cells:
    """Return labels as they are spelt, or as numbers if they are, or so many that they must be."""
    texts = as_text(values, marks)
    filled = texts.dropna()
    if filled.empty:
        return Cells(texts.astype(float))
    if not pd.to_numeric(filled, errors="coerce").isna().any():
        return Cells(_without_marks(_plain_numbers(texts), marks))
    if filled.nunique() > _MANY_LABELS:
        cells = guess(values, marks, hint)
        if is_number(cells.values):
            return cells
    return Cells(texts)


def as_wished(values: pd.Series, wish: str, marks: list[str], hint: str) -> Cells:
    """Return a column as what it is to be taken for; if nothing is said, as what it looks like."""
    if wish in ("", "keep", "number"):
        return guess(values, marks, hint)
    texts = as_text(values, marks)
    if wish not in ("date", "day first", "month first") or is_date(values):
        return Cells(values if is_date(values) else texts)
    filled = texts.dropna()
    dates, order, _ = read_dates(filled, wish if wish.endswith("first") else "", packed=True)
    bad = dates.isna()
    return Cells(
        dates.reindex(texts.index), order, odd=filled[bad] if bad.any() else None, what="dates"
    )


def guess(values: pd.Series, marks: list[str], hint: str) -> Cells:
    """Return a column as numbers, dates or text, by what most of its cells are."""
    cells = _guess(values, marks, hint)
    if is_number(cells.values) and cells.form != CLOCK:
        return replace(cells, values=_without_marks(cells.values, marks))
    return cells


def _guess(values: pd.Series, marks: list[str], hint: str) -> Cells:
    name = str(values.name)
    if is_number(values) or is_date(values) or values.dtype.kind == "m":
        return Cells(values)
    texts = as_text(values, marks)
    filled = texts.dropna()
    if filled.empty:
        return Cells(texts.astype(float))
    words = pd.to_numeric(filled, errors="coerce").isna()
    if not words.any():
        if hint == "," and filled.str.contains(".", regex=False).any():
            numbers = _written_numbers(texts, filled, hint)  # points may set thousands apart
            if numbers is not None and numbers.odd is None and numbers.form == ",":
                return numbers
        if not _named_date(name) or not filled.str.fullmatch(r"(19|20)\d{6}").all():
            return Cells(_plain_numbers(texts))
    else:
        numbers = _written_numbers(texts, filled, hint)
        if numbers is not None and numbers.odd is None:
            return numbers
    dated = _written_dates(texts, filled)
    if dated is not None and (dated.odd is None or words.mean() > 1 - _FEW_WORDS):
        return dated
    if not words.any():
        return Cells(_plain_numbers(texts))
    if numbers is not None:
        return numbers
    share = float(words.mean())
    if share <= _FEW_WORDS:
        return Cells(texts, odd=filled[words])
    if share < 1 - _FEW_WORDS:
        note = f"column {name!r} mixes numbers and words: all of it is taken as categories."
        return Cells(texts, note=note)
    return Cells(texts)


def _written_numbers(texts: pd.Series, filled: pd.Series, hint: str) -> Cells | None:
    """Return cells with signs and marks as numbers, or None if too few are."""
    name = filled.name
    if not _mostly(filled, lambda cell: take_apart(cell) is not None):
        clock = read_clock(filled) if _mostly(filled, lambda cell: ":" in cell) else None
        if clock is None or clock.isna().any():
            return None
        return Cells(clock.reindex(texts.index), CLOCK)
    read = read_numbers(filled, hint)
    if read is None:
        return None
    numbers, form = read
    words = numbers.isna()
    if words.mean() > _FEW_WORDS:
        return None
    kept = ("," if form.decimal == "," else "") + form.unit
    note = ""
    if form.decimal == "," and not form.unit and not form.grouped:
        note = f"the commas in column {name!r} are read as decimal points."
    elif form.grouped or form.unit:
        at = filled.map(len).to_numpy().argmax()
        note = (
            f"column {name!r} is read as numbers: {filled.iloc[at]!r} is {numbers.iloc[at]:.12g}."
        )
    values = _whole(numbers.reindex(texts.index), name)
    return Cells(values, kept, note, filled[words] if words.any() else None)


def _written_dates(texts: pd.Series, filled: pd.Series) -> Cells | None:
    """Return cells as dates, or None if too few are."""
    name = filled.name
    packed = _named_date(str(name))
    sample = pd.Series(pd.unique(filled))
    if len(sample) > LOOKED_AT:
        sample = sample.iloc[:: len(sample) // LOOKED_AT]
    if read_dates(sample, packed=packed)[0].isna().mean() > 2 * _FEW_WORDS:
        return None
    dates, order, certain = read_dates(filled, packed=packed)
    bad = dates.isna()
    if bad.mean() > _FEW_WORDS:
        return None
    note = ""
    if order and not certain:
        other = "month first" if order == "day first" else "day first"
        note = (
            f"the dates of column {name!r}, such as {filled.iloc[0]!r}, are taken as {order}, "
            f"which no cell proves; columns= can say {other!r}."
        )
    return Cells(
        dates.reindex(texts.index), order, note, filled[bad] if bad.any() else None, "dates"
    )


def _without_marks(numbers: pd.Series, marks: list[str]) -> pd.Series:
    """Return numbers without those that stand for no value, however these were written."""
    codes = pd.to_numeric(pd.Series(marks, dtype=object), errors="coerce").dropna()
    marked = numbers.isin(codes)
    return numbers.mask(marked) if marked.any() else numbers


def _mostly(filled: pd.Series, test: Callable[[str], bool]) -> bool:
    """Whether most of some cells pass a test, so that it is worth to look at all of them."""
    cells = pd.unique(filled)
    cells = cells[:: max(1, len(cells) // LOOKED_AT)]
    return sum(map(test, cells)) >= (1 - 2 * _FEW_WORDS) * len(cells)


def _named_date(name: str) -> bool:
    return "dat" in name.lower()


def _whole(numbers: pd.Series, name: Any) -> pd.Series:
    """Return numbers as integers where all of them are, as pandas would have read them."""
    if numbers.notna().all() and np.all(numbers == np.floor(numbers)) and _small(numbers):
        return pd.Series(numbers.astype(np.int64), name=name)
    return pd.Series(numbers.astype(float), name=name)


def _small(numbers: pd.Series) -> bool:
    return bool((numbers.abs() < 2**53).all())


def _plain_numbers(texts: pd.Series) -> pd.Series:
    return pd.Series(pd.to_numeric(texts.astype(object)), name=texts.name)


def as_text(values: pd.Series, marks: list[str]) -> pd.Series:
    """Return cells as text without blanks around it, and what stands for no value as missing."""
    texts = values.astype(object)
    filled = texts.notna()
    texts = texts.where(~filled, texts[filled].map(lambda cell: str(cell).strip()))
    return texts.where(filled & ~texts.isin(marks), np.nan)
