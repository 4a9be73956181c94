"""What each column of a table is taken for, and why; which are of no use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from counterpoint._validation import did_you_mean
from counterpoint.datasets.texts import FEW, MOST_CATEGORIES, NEARLY, find_words, is_prose
from counterpoint.tabular.column import (
    CLOCK,
    YES_NO,
    Column,
    as_floats,
    as_texts,
    is_date,
    is_number,
    says_yes,
    some,
)
from counterpoint.tabular.expansion import describe_date, to_dates, to_numbers

Use = Literal["number", "category", "date", "text", "left out", "keep", "day first", "month first"]
"""What a column can be asked to be taken for: "keep" overrules that it is left out, the last two
are dates."""

# If asked for by name, more are taken; beyond this, memory would be the answer.
_MOST_KEPT = 5000
_WISHED = "it is to be taken for"
_ID = re.compile(
    r"(?:^|[^a-z])(?:id|ids|uuid|guid|key|nr|no|number|nummer|index|idx|row|serial|ssn|iban)$|"
    r"(?:^|[^a-z])(?:id|uuid|guid)(?:[^a-z]|$)|[a-z](?:Id|ID|Nr|No)$|"
    r"(?:user|customer|client|account|person|patient|order|member|case|record)(?:id|nr|no)$"
)
_TIME = re.compile(r"year|jahr|month|day|date|time|week|period|age", re.IGNORECASE)


@dataclass(frozen=True)
class Taken:
    """What a column is taken for; made by :func:`take_columns`.

    Attributes
    ----------
    name : str
    use : str
        "number", "category", "yes/no", "date", "text", "target", "left out" or "unclear".
    why : str
        In a few words.
    column : Column or None
        What a model is told, None if it is not told of it.
    """

    name: str
    use: str
    why: str
    column: Column | None = None


def check_wishes(wishes: Mapping[str, Any], names: list[str]) -> None:
    """Raise unless every wish is about a column that is there, and is one."""
    for name, use in wishes.items():
        if name not in names:
            raise ValueError(
                f"There is no column {name!r}, which is to be taken for {use!r}. The columns are "
                f"{some(names)}.{did_you_mean(name, names)}"
            )
        if use not in get_args(Use):
            raise ValueError(
                f"Column {name!r} is to be taken for {use!r}: choose one of "
                f"{', '.join(get_args(Use))}.{did_you_mean(use, get_args(Use))}"
            )


def take_columns(
    frame: pd.DataFrame,
    target: str | None,
    *,
    wishes: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
    unclear: Mapping[str, str] | None = None,
) -> list[Taken]:
    """Say of each column what it is taken for, and why.

    Parameters
    ----------
    frame : DataFrame
        Numbers as numbers, dates as dates; everything else is categories or text.
    target : str or None
        The column to leave aside.
    wishes : mapping of str to str, default=None
        What columns are to be taken for, whatever they look like.
    forms : mapping of str to str, default=None
        How cells were written, as the reader found out.
    unclear : mapping of str to str, default=None
        Columns that cannot be taken for anything yet, and why.

    Returns
    -------
    list of Taken
        In the order of the table.

    Examples
    --------
    >>> table = pd.DataFrame({"customer_id": range(30), "age": [20, 30, 40] * 10, "eu": "yes"})
    >>> [(taken.name, taken.use, taken.why) for taken in take_columns(table, None)]
    [('customer_id', 'left out', 'an id: every row has a number of its own'),
     ('age', 'number', '3 values from 20 to 40'),
     ('eu', 'left out', "it holds one value only, 'yes'")]
    """
    wishes, forms, unclear = wishes or {}, forms or {}, unclear or {}
    check_wishes(wishes, [str(name) for name in frame.columns])
    taken: list[Taken] = []
    prints: dict[int, str] = {}
    for label in frame.columns:
        name, values = str(label), frame[label]
        if name in unclear:
            taken.append(Taken(name, "unclear", unclear[name]))
            continue
        if name == target:
            taken.append(Taken(name, "target", "to be predicted"))
            continue
        wish = wishes.get(name, "")
        reason = "as was said" if wish == "left out" else None
        if wish in ("", "category"):
            reason = _useless(values, name, wish) or _twin(values, name, prints)
        if reason is not None:
            taken.append(Taken(name, "left out", reason))
            continue
        taken.append(_take(values.rename(name), wish, forms.get(name, "")))
    return taken


def _take(values: pd.Series, wish: str, form: str) -> Taken:
    name = str(values.name)
    if values.isna().all():
        raise ValueError(f"Column {name!r} is to be used, but has no value at all: leave it out.")
    if wish == "number" or (wish in ("", "keep") and _is_numeric(values)):
        if is_date(values):
            raise ValueError(f"Column {name!r} is to be taken for numbers, but holds dates.")
        numbers = to_numbers(values, form, _WISHED)  # raises for what is infinite or no number
        why = _numbers_in_words(numbers, form)
        return Taken(name, "number", why, Column(name, "number", form=form))
    if wish in ("date", "day first", "month first") or (wish in ("", "keep") and is_date(values)):
        order = wish if wish.endswith("first") else form
        dates = to_dates(values, order, _WISHED)
        column = describe_date(name, dates, order)
        how = f", {order}" if order else ""
        span = f"{dates.min():%Y-%m-%d} to {dates.max():%Y-%m-%d}"
        why = f"{span}{how}: {', '.join(column.parts)}"
        return Taken(name, "date", why, column)
    texts = as_texts(values)
    filled = texts.dropna()
    if wish == "text" or (wish == "" and _is_prose(filled)):
        words = find_words(filled)
        if not words and wish == "":
            return Taken(name, "left out", "free text without a word that tells rows apart")
        why = f"free text: {len(words)} words looked for, such as {some(words, 3)}"
        return Taken(name, "text", why, Column(name, "text", words))
    seen = sorted(set(filled))
    if len(seen) > _MOST_KEPT:
        raise ValueError(
            f"Column {name!r} has {len(seen)} different texts, too many for categories: take it "
            "for 'text', or leave it out."
        )
    said = {word: says_yes(word) for word in seen[:30]}
    if len(seen) > 1 and {*said.values()} == {True, False} and len(said) == len(seen):
        if len(seen) > 2:
            seen = ["no", "yes"]
        spelt = ", ".join(map(repr, said))
        return Taken(name, YES_NO, spelt, Column(name, "category", tuple(seen), YES_NO))
    gaps = " and gaps" if len(filled) < len(texts) else ""
    why = f"{len(seen)} value{'s' * (len(seen) > 1)}{gaps}: {some(seen, 3)}"
    return Taken(name, "category", why, Column(name, "category", tuple(seen)))


def _useless(values: pd.Series, name: str, wish: str) -> str | None:
    """Return why a column is of no use, if it is."""
    filled = values.dropna()
    if filled.empty:
        return "it has no value at all"
    numeric = _is_numeric(values) and wish != "category"
    if (numeric or len(filled) == len(values)) and (only := _only_value(filled)) is not None:
        return f"it holds one value only, {only}"
    if numeric:
        return _numeric_id(filled, name) if is_number(values) else None
    if is_date(values):
        return None
    texts = as_texts(filled)
    distinct = texts.nunique()
    if distinct <= FEW or _is_prose(texts):
        return None
    if distinct > NEARLY * len(filled):
        return f"an id: {_every(distinct, filled)} has a text of its own"
    if distinct > MOST_CATEGORIES:
        return f"it has {distinct} different texts, more than {MOST_CATEGORIES}"
    return None


def _every(distinct: int, filled: pd.Series) -> str:
    return "every row" if distinct == len(filled) else "nearly every row"


def _only_value(filled: pd.Series) -> str | None:
    """Return the one value of a column of some rows, if it has only one."""
    if len(filled) < 2 or filled.nunique() != 1:
        return None
    first = filled.iloc[0]
    return f"{first:g}" if is_number(filled) else repr(str(first))


def _numeric_id(filled: pd.Series, name: str) -> str | None:
    """Return why whole numbers are an id, if they are.

    Ages or prices may differ in every row of a small table, too; so either the name must say it,
    or the numbers must count the rows.
    """
    distinct = filled.nunique()
    if distinct <= FEW or distinct <= NEARLY * len(filled):
        return None
    numbers = as_floats(filled)
    if not np.all(numbers == np.floor(numbers)):
        return None
    if names_an_id(name):
        return f"an id: {_every(distinct, filled)} has a number of its own"
    span = numbers.max() - numbers.min() + 1
    if distinct == len(filled) == span and not _TIME.search(name):
        return "an id: it counts the rows"
    return None


def names_an_id(name: str) -> bool:
    """Whether a column is called as ids are."""
    return bool(_ID.search(name) or _ID.search(name.lower()))


def _twin(values: pd.Series, name: str, prints: dict[int, str]) -> str | None:
    """Return why a column says nothing new, if one before it is the same."""
    if _is_numeric(values):
        cells = pd.Series(to_numbers(values))
    elif is_date(values):
        cells = to_dates(values).reset_index(drop=True)
    else:
        cells = as_texts(values).reset_index(drop=True)
    sign = hash((str(cells.dtype), pd.util.hash_pandas_object(cells, index=False).sum(),
                 pd.util.hash_pandas_object(cells, index=True).sum()))  # fmt: skip
    if sign in prints:
        return f"it is the same as {prints[sign]!r}"
    prints[sign] = name
    return None


def _is_numeric(values: pd.Series) -> bool:
    return is_number(values) or bool(pd.api.types.is_timedelta64_dtype(values.dtype))


def _is_prose(filled: pd.Series) -> bool:
    """Whether cells are sentences rather than names or codes."""
    return not is_date(filled) and not _is_numeric(filled) and is_prose(filled)


def _numbers_in_words(numbers: np.ndarray, form: str) -> str:
    filled = numbers[~np.isnan(numbers)]
    n = len(np.unique(filled))
    written = form.removeprefix(",")
    if form == CLOCK:
        how = ", hours of the day"
    elif written:
        how = f", in {written}"
    else:
        how = ""
    how += ", with a decimal comma" if form.startswith(",") else ""
    return f"{n} value{'s' * (n > 1)} from {filled.min():g} to {filled.max():g}{how}"
