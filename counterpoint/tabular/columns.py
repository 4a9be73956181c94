"""The columns of a table: which hold numbers, which categories, which are of no use; the target."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from counterpoint._validation import did_you_mean

Kind = Literal["number", "category"]

# One-hot columns are dense: a column of names or ids would cost much and teach nothing.
MOST_CATEGORIES = 200
# With more labels than this share of the rows, a target is an id, a text or a measurement.
_MOST_CLASSES = 0.5
_LISTED = 8


@dataclass(frozen=True)
class Column:
    """A column a model was trained on.

    Attributes
    ----------
    name : str
    kind : {"number", "category"}
    categories : tuple of str
        The values seen in training, sorted; empty for numbers.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()


def find_column(name: str, columns: Sequence[Any], *, what: str, option: str) -> str:
    """Return ``name`` if it is among the columns, or raise an error that names the nearest one."""
    known = [str(column) for column in columns]
    if name not in known:
        raise ValueError(
            f"There is no {what} {name!r}. The columns are {some(known)}."
            f"{did_you_mean(str(name), known)} Name one with {option}."
        )
    return name


def describe_columns(frame: pd.DataFrame, target: str) -> tuple[list[Column], dict[str, str]]:
    """Say of each column but the target whether it holds numbers or categories.

    Parameters
    ----------
    frame : DataFrame
        Numbers as numbers; everything else is categories.
    target : str
        The column to leave aside.

    Returns
    -------
    columns : list of Column
        Those to learn from.
    left_out : dict of str to str
        The others, and why: no value at all, dates, or text with more than 200 values or a
        value of its own in nearly every row (names, ids).

    Raises
    ------
    ValueError
        If no column is left, or a number is infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.tabular import describe_columns
    >>> table = pd.DataFrame({"age": [30, 40], "sex": ["f", "m"], "note": [None, None], "y": "ab"})
    >>> columns, left_out = describe_columns(table, "y")
    >>> [(column.name, column.kind) for column in columns], left_out
    ([('age', 'number'), ('sex', 'category')], {'note': 'it has no value at all'})
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame={frame!r}: pass a pandas DataFrame; read_table reads a file.")
    columns, left_out = [], {}
    for name in frame.columns:
        if name == target:
            continue
        values = frame[name]
        reason = _useless(values)
        if reason:
            left_out[str(name)] = reason
        elif is_number(values):
            _floats(values)  # raises for what is infinite
            columns.append(Column(str(name), "number"))
        else:
            seen = sorted(set(_texts(values).dropna()))
            columns.append(Column(str(name), "category", tuple(seen)))
    if not columns:
        others = "".join(f" {name!r} was left out: {why}." for name, why in left_out.items())
        raise ValueError(f"There is no column to learn {target!r} from.{others}")
    return columns, left_out


def align_columns(
    frame: pd.DataFrame, columns: Sequence[Column]
) -> tuple[pd.DataFrame, list[str], dict[str, list[str]]]:
    """Bring a frame into the shape a model knows: its columns, their order, their kinds.

    Returns the columns as floats and categories of text, the names of those that the model does not
    know and that were ignored, and categories that training never saw, by column. Raises ValueError
    naming columns that are missing, or hold text where the model knows numbers.
    """
    by_name = {str(name): frame[name] for name in frame.columns}
    absent = [column.name for column in columns if column.name not in by_name]
    if absent:
        raise ValueError(
            f"The model needs {'columns' if len(absent) > 1 else 'a column'} {some(absent)}, which "
            f"the data has not; it has {some(list(by_name))}.{did_you_mean(absent[0], by_name)}"
        )
    out, unseen = {}, {}
    for column in columns:
        values = by_name[column.name]
        if column.kind == "number":
            out[column.name] = pd.Series(_numbers(values), index=frame.index)
            continue
        texts = _texts(values)
        new = sorted(set(texts.dropna()) - set(column.categories))
        if new:
            unseen[column.name] = new
        out[column.name] = texts.astype(object)
    known = {column.name for column in columns}
    extra = [name for name in by_name if name not in known]
    return pd.DataFrame(out, index=frame.index), extra, unseen


def text_labels(values: pd.Series) -> pd.Series:
    """Return labels as text, whole numbers without a point; missing stays missing."""
    if is_number(values):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        texts = [_number_text(v) if v == v else None for v in numbers.tolist()]
        return pd.Series(texts, index=values.index, name=values.name, dtype=object)
    return _texts(values)


def check_target(values: pd.Series, labels: pd.Series, target: str) -> None:
    """Raise a ValueError unless the labels are classes that can be told apart.

    ``values`` is the column as it was read, ``labels`` the same as text, without gaps.
    """
    counts = labels.value_counts()
    n = len(labels)
    if n == 0:
        raise ValueError(f"The target column target={target!r} is empty in every row.")
    if len(counts) == 1:
        raise ValueError(
            f"The target column target={target!r} holds one class only, {counts.index[0]!r}: there "
            "is nothing to tell apart. Is it the right column?"
        )
    number = is_number(values)
    fractions = number and any("." in label or "e" in label for label in counts.index)
    if len(counts) > _MOST_CLASSES * n or (fractions and len(counts) > 20):
        looks = "a number to estimate" if number else "an id or free text"
        raise ValueError(
            f"The target column target={target!r} has {len(counts)} different values in {n} rows: "
            f"it looks like {looks}, not like classes. Numbers are not predicted here: choose a "
            "column of classes, or cut the numbers into ranges first."
        )
    rare = counts.index[counts < 2].tolist()
    if rare:
        raise ValueError(
            f"Of class {some(rare)} in the target column target={target!r} there is one row only: "
            "two are needed, one to learn from and one to test. Leave such rows out, or join "
            "classes."
        )


def prepare_table(
    frame: pd.DataFrame, target: str
) -> tuple[pd.DataFrame, np.ndarray, list[Column], dict[str, str], list[str]]:
    """Take a table apart into columns to learn from and labels; rows without a label are left out.

    Returns X, y as text, the columns, those not used with the reason, and notes on both in words.
    """
    double = frame.columns[frame.columns.duplicated()]
    if len(double):
        raise ValueError(f"There are two columns called {double[0]!r}: rename one of them.")
    frame = frame.rename(columns=str)
    find_column(target, list(frame.columns), what="target column", option="target=")
    if frame.empty:
        raise ValueError("The table has no rows.")
    notes = []
    labels = text_labels(frame[target])
    known = labels.notna().to_numpy()
    if not known.all():
        frame, labels = frame[known], labels[known]
        gone = int((~known).sum())
        notes.append(f"{gone} row{'s' * (gone > 1)} without a {target!r} left out.")
    check_target(frame[target], labels, target)
    columns, left_out = describe_columns(frame, target)
    notes += [f"column {name!r} left out: {why}." for name, why in left_out.items()]
    X, _, _ = align_columns(frame, columns)
    return X.reset_index(drop=True), labels.to_numpy(dtype=str), columns, left_out, notes


def some(values: Sequence[object], limit: int = _LISTED) -> str:
    """Return the first few values, as in a message."""
    shown = ", ".join(repr(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown} and {len(values) - limit} more"


def _useless(values: pd.Series) -> str | None:
    filled = values.dropna()
    if filled.empty:
        return "it has no value at all"
    if is_number(values):
        return None
    if pd.api.types.is_datetime64_any_dtype(values.dtype) or (
        pd.api.types.is_timedelta64_dtype(values.dtype)
    ):
        return "dates and times are not understood; turn them into numbers to use them"
    distinct = _texts(filled).nunique()
    if distinct > MOST_CATEGORIES:
        return f"it has {distinct} different texts, more than {MOST_CATEGORIES}"
    if distinct > 20 and distinct > 0.9 * len(filled):
        return "nearly every row has a text of its own"
    return None


def is_number(values: pd.Series) -> bool:
    """Tell whether a column holds numbers; booleans are none."""
    dtype = values.dtype
    return bool(pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype))


def _texts(values: pd.Series) -> pd.Series:
    if is_number(values):  # codes: 1 and 1.0 are the same category
        return text_labels(values)
    texts = values.astype(object)
    known = texts.notna()
    return texts.where(~known, texts[known].map(str)).where(known, None)


def _floats(values: pd.Series) -> np.ndarray:
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"Column {values.name!r} holds an infinite number in data row "
            f"{int(np.argmax(infinite)) + 1}: give it a value, or leave the cell empty."
        )
    return numbers


def _numbers(values: pd.Series) -> np.ndarray:
    if is_number(values):
        return _floats(values)
    filled = values.notna()
    numbers = pd.to_numeric(values.astype(object).where(filled, None), errors="coerce")
    odd = filled.to_numpy() & numbers.isna().to_numpy()
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(
            f"Column {values.name!r} holds {str(values.iloc[row])!r} in data row {row + 1}, but "
            "the model knows it as a column of numbers."
        )
    return _floats(pd.Series(numbers, name=values.name))


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
