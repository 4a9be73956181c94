"""A column that a model was trained on, and its cells as numbers or as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

Kind = Literal["number", "category", "date", "text"]
KINDS: tuple[Kind, ...] = ("number", "category", "date", "text")
YES_NO, CLOCK = "yes/no", "time of day"

_LISTED = 8
_YES = {"yes", "y", "true", "t", "ja", "j", "oui", "si", "sí", "on", "wahr", "vrai", "1"}
_NO = {"no", "n", "false", "f", "nein", "non", "off", "falsch", "faux", "0"}


@dataclass(frozen=True)
class Column:
    """A column a model was trained on.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "date", "text"}
    categories : tuple of str
        The values seen in training, sorted; of a text, the words it is looked through for; else
        empty.
    form : str
        How it was written, if that matters: of numbers "," for a decimal comma, "%", a currency,
        or "time of day"; of categories "yes/no"; of dates "day first" or "month first".
    parts : tuple of str
        What is made of a date: "year", "month", "day", "weekday", "hour", "days since".
    origin : str
        The first date seen in training, from which days are counted.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    form: str = ""
    parts: tuple[str, ...] = ()
    origin: str = ""

    @property
    def unit(self) -> str:
        """What its numbers are in, "%" or a currency; empty if that is not known."""
        return self.form.lstrip(",") if self.kind == "number" and self.form != CLOCK else ""


def is_number(values: pd.Series) -> bool:
    """Tell whether a column holds numbers; booleans are none."""
    dtype = values.dtype
    return bool(pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype))


def is_date(values: pd.Series) -> bool:
    """Tell whether a column is of a type for dates."""
    return bool(pd.api.types.is_datetime64_any_dtype(values.dtype))


def text_labels(values: pd.Series) -> pd.Series:
    """Return labels as text, whole numbers without a point; missing stays missing."""
    if is_number(values):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        texts = [_number_text(v) if v == v else None for v in numbers.tolist()]
        return pd.Series(texts, index=values.index, name=values.name, dtype=object)
    return as_texts(values)


def as_texts(values: pd.Series) -> pd.Series:
    """Return the cells as text, missing as None."""
    if is_number(values):  # codes: 1 and 1.0 are the same category
        return text_labels(values)
    texts = values.astype(object)
    known = texts.notna()
    return texts.where(~known, texts[known].map(str)).where(known, None)


def as_floats(values: pd.Series) -> np.ndarray:
    """Return numbers as floats, missing as NaN; raise for an infinite one."""
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"Column {values.name!r} holds an infinite number in data row "
            f"{int(np.argmax(infinite)) + 1}: give it a value, or leave the cell empty."
        )
    return numbers


def says_yes(word: str) -> bool | None:
    """Return what a word says, yes or no, or None.

    Examples
    --------
    >>> [says_yes(word) for word in ("Yes", "nein", "F", "maybe")]
    [True, False, False, None]
    """
    lower = word.strip().lower()
    return True if lower in _YES else False if lower in _NO else None


def some(values: Sequence[object], limit: int = _LISTED) -> str:
    """Return the first few values, as in a message."""
    shown = ", ".join(repr(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown} and {len(values) - limit} more"


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
