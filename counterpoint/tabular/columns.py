"""The columns of a table: which hold numbers, which categories, which are of no use; the target."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._tables import check_names
from counterpoint._validation import did_you_mean
from counterpoint.tabular.column import Column, is_number, some, text_labels
from counterpoint.tabular.expansion import expand, made_of
from counterpoint.tabular.leaks import find_leaks
from counterpoint.tabular.taking import Taken, take_columns
from counterpoint.tabular.variants import find_variants

__all__ = [
    "Column", "align_columns", "check_target", "describe_columns", "find_column", "is_number",
    "prepare_table", "some", "text_labels",
]  # fmt: skip

# With more labels than this share of the rows, a target is an id, a text or a measurement.
_MOST_CLASSES = 0.5


def no_header(names: Sequence[str]) -> str:
    """Say, if names of columns look like a row of values, that there should be a header.

    That is if most of them are fractions, or all are numbers that do not just count the columns.

    Examples
    --------
    >>> no_header(["5.1", "3.5", "setosa"])
    ' These look like values: the first row must hold the names of the columns.'
    >>> no_header(["year", "2019", "2020"]), no_header(["0", "1", "2"])
    ('', '')
    """
    numbers = [name for name in names if re.fullmatch(r"[-+]?\d*[.,]?\d+(e[-+]?\d+)?", name, re.I)]
    fractions = [name for name in numbers if not name.isdecimal()]
    first = int(names[0]) if names and names[0].isdecimal() else 0
    counted = list(names) == [str(k) for k in range(first, first + len(names))]
    if len(fractions) > len(names) / 2 or (len(names) == len(numbers) > 1 and not counted):
        return " These look like values: the first row must hold the names of the columns."
    return ""


def find_column(name: str, columns: Sequence[Any], *, what: str, option: str) -> str:
    """Return ``name`` if it is among the columns, or raise an error that names the nearest one."""
    known = [str(column) for column in columns]
    if name not in known:
        raise ValueError(
            f"There is no {what} {name!r}. The columns are {some(known)}."
            f"{did_you_mean(str(name), known)} Name one with {option}.{no_header(known)}"
        )
    return name


def describe_columns(
    frame: pd.DataFrame,
    target: str,
    *,
    wishes: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
) -> tuple[list[Column], dict[str, str]]:
    """Say of each column but the target what it holds.

    Parameters
    ----------
    frame : DataFrame
        Numbers as numbers, dates as dates; everything else is categories or text.
    target : str
        The column to leave aside.
    wishes : mapping of str to str, default=None
        What columns are to be taken for, whatever they look like: "number", "category", "date",
        "text", "left out", or "keep" to use one that would be left out.
    forms : mapping of str to str, default=None
        How cells were written, as :func:`~counterpoint.tabular.read_table` found out.

    Returns
    -------
    columns : list of Column
        Those to learn from.
    left_out : dict of str to str
        The others, and why: no value at all or one only, the same as another column, ids (whole
        numbers, or texts, of which nearly every row has its own), or more than 200 texts of a word
        or two.

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
    return used_columns(take_columns(frame, target, wishes=wishes, forms=forms), target)


def used_columns(taken: Sequence[Taken], target: str) -> tuple[list[Column], dict[str, str]]:
    """Return the columns to learn from, and those left out with the reason; raise if none is left.

    ``taken`` is what :func:`~counterpoint.tabular.taking.take_columns` returns.
    """
    columns = [one.column for one in taken if one.column is not None]
    left_out = {one.name: one.why for one in taken if one.use == "left out"}
    if not columns:
        others = "".join(f" {name!r} was left out: {why}." for name, why in left_out.items())
        kept = next((name for name, why in left_out.items() if why.startswith("an id")), "")
        hint = f" To use it all the same, pass keep={kept!r}." if kept else ""
        raise ValueError(f"There is no column to learn {target!r} from.{others}{hint}")
    return columns, left_out


def align_columns(
    frame: pd.DataFrame, columns: Sequence[Column]
) -> tuple[pd.DataFrame, list[str], dict[str, list[str]]]:
    """Bring a frame into the shape a model knows: its columns, their order, their kinds.

    Returns the columns as floats and categories of text (dates and texts as what is made of them),
    the names of those that the model does not know and that were ignored, and categories that
    training never saw, by column. Raises ValueError naming columns that are missing or there twice,
    or hold text where the model knows numbers.
    """
    check_names(frame.rename(columns=str), "The table")
    by_name = {str(name): frame[name] for name in frame.columns}
    absent = [column.name for column in columns if column.name not in by_name]
    if absent:
        raise ValueError(
            f"The model needs {'columns' if len(absent) > 1 else 'a column'} {some(absent)}, which "
            f"the data has not; it has {some(list(by_name))}.{did_you_mean(absent[0], by_name)}"
        )
    out: dict[str, Any] = {}
    unseen = {}
    names = made_of(columns)
    for column in columns:
        values, new = expand(column, by_name[column.name].rename(column.name))
        out.update(zip(names[column.name], values, strict=True))
        if new:
            unseen[column.name] = new
    known = {column.name for column in columns}
    extra = [name for name in by_name if name not in known]
    return pd.DataFrame(out, index=frame.index), extra, unseen


def check_target(values: pd.Series, labels: pd.Series, target: str, *, sure: bool = False) -> None:
    """Raise a ValueError unless the labels are classes that can be told apart.

    ``values`` is the column as it was read, ``labels`` the same as text, without gaps; ``sure`` if
    somebody has said that they are classes.
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
    if not sure and (len(counts) > _MOST_CLASSES * n or (fractions and len(counts) > 20)):
        looks = "a number to estimate" if number else "an id or free text"
        raise ValueError(
            f"The target column target={target!r} has {len(counts)} different values in {n} rows: "
            f"it looks like {looks}, not like classes. Choose a column of classes or of numbers."
        )
    rare = counts.index[counts < 2].tolist()
    if rare:
        raise ValueError(
            f"Of class {some(rare)} in the target column target={target!r} there is one row only: "
            "two are needed, one to learn from and one to test. Leave such rows out, or join "
            "classes."
        )


def prepare_table(
    frame: pd.DataFrame,
    target: str,
    *,
    wishes: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
    check: Callable[..., None] = check_target,
    numbers: bool = False,
) -> tuple[pd.DataFrame, np.ndarray, list[Column], dict[str, str], list[str]]:
    """Take a table apart into columns to learn from and labels; rows without a label are left out.

    Returns X, y as text, the columns, those not used with the reason, and notes on both in words.
    ``wishes`` and ``forms`` are as for :func:`describe_columns`.
    """
    frame = frame.rename(columns=str)
    check_names(frame, "The table")
    find_column(target, list(frame.columns), what="target column", option="target=")
    if frame.empty:
        raise ValueError("The table has no rows.")
    notes = []
    labels = text_labels(frame[target])
    known = labels.notna().to_numpy()
    if not known.all():
        frame, labels = frame[known], labels[known]
        gone = int((~known).sum())
        notes.append(f"{gone} row{'s' * (gone > 1)} without {target!r} left out.")
    check(frame[target], labels, target)
    columns, left_out = describe_columns(frame, target, wishes=wishes, forms=forms)
    for name, why in left_out.items():
        keep = f"; keep={name!r} to use it" if why.startswith("an id") else ""
        notes.append(f"column {name!r} left out: {why}{keep}.")
    notes += find_variants(columns, () if numbers else labels.unique(), target)
    X, _, _ = align_columns(frame, columns)
    notes += find_leaks(X, labels.astype(float) if numbers else labels, target)
    return X.reset_index(drop=True), labels.to_numpy(dtype=str), columns, left_out, notes
