"""A table of predictions, a column per member: read into ``MemberOutputs``, and summarised."""

import re
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from counterpoint._outputs import MemberOutputs, OutputCounts
from counterpoint._validation import did_you_mean
from counterpoint.tabular.columns import some
from counterpoint.tabular.members import measure_answers
from counterpoint.tabular.plain import plain
from counterpoint.tabular.reader import read_labels

_INTEGER = re.compile(r"[+-]?\d+(\.0*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FLAGS = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}


def read_predictions(
    source: str | PathLike[str] | IO[bytes],
    *,
    truth: str = "class",
    members: Sequence[str] | None = None,
    weights: str | None = None,
    correct: bool = False,
    allow_new_labels: bool = False,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> MemberOutputs:
    r"""Read what members said from a file with a column per member and a row per sample.

    That is the transpose of our arrays, and how such tables are usually kept.

    Parameters
    ----------
    source : path or binary file
        As :func:`~counterpoint.tabular.read_table` takes it. Only an empty cell is a missing one.
    truth : str, default="class"
        Column with the true label. Not read if ``correct``.
    members : sequence of str, default=None
        Columns with the members' labels. None: all columns that have a name, but the truth
        and the weights.
    weights : str, default=None
        Column that says how much each sample counts.
    correct : bool, default=False
        The columns say whether the member was right, as 1/0 or true/false; there is no truth.
    allow_new_labels : bool, default=False
        Take a label that the truth never has as one more class, not as an error.
    separator : str, default=None
        What stands between two fields. None: found out.
    encoding : str, default=None
        Of a text file. None: found out.
    sheet : str or int, default=None
        The sheet of a workbook, by name, or by number from 1. None: the first.

    Returns
    -------
    MemberOutputs
        Members named as their columns. Labels are numbers if all of them are, so that 1 and
        1.0 are the same, and otherwise text.

    Raises
    ------
    FileNotFoundError, ValueError
        With the column and the data row (the first after the header is 1) at fault.

    Examples
    --------
    >>> import io
    >>> table = b"class,tree,net\ngood,good,bad\nbad,bad,bad\ngood,bad,good\n"
    >>> outputs = read_predictions(io.BytesIO(table))
    >>> outputs, outputs.names
    (MemberOutputs(2 members, 3 samples, 2 classes), ['tree', 'net'])
    """
    name, table = read_labels(source, separator, encoding=encoding, sheet=sheet)
    return outputs_of(
        name, table, truth=truth, members=members, weights=weights, correct=correct,
        allow_new_labels=allow_new_labels,
    )  # fmt: skip


def outputs_of(
    name: str,
    table: pd.DataFrame,
    *,
    truth: str = "class",
    members: Sequence[str] | None = None,
    weights: str | None = None,
    correct: bool = False,
    allow_new_labels: bool = False,
) -> MemberOutputs:
    """Make ``MemberOutputs`` of a table of labels that has been read, as ``read_predictions``."""
    columns = [column for column in table.columns if column]
    texts = (str(text).lower() for column in columns for text in table[column].cat.categories)
    if not correct and truth not in columns and all(text in _FLAGS for text in texts):
        raise ValueError(
            f"{name} has no truth column {truth!r}, and all its columns say 1 or 0. If that means "
            "right or wrong, pass correct=True; if these are labels, name the truth with truth=."
        )
    if not correct:
        find_columns([truth], columns, f"truth column {truth!r}", "truth=", name)
    apart = {weights} if correct else {truth, weights}
    members = member_columns(name, columns, members, weights, apart)
    sample_weight = None if weights is None else row_weights(table[weights], weights, name)
    if correct:
        flags = [_flags(table[member], member, name) for member in members]
        return MemberOutputs.from_correct(
            np.stack(flags), sample_weight=sample_weight, names=list(members)
        )
    return _outputs(table, truth, list(members), sample_weight, allow_new_labels, name)


def member_columns(
    file: str,
    columns: list[str],
    members: Sequence[str] | None,
    weights: str | None,
    apart: set[str | None],
) -> list[str]:
    """Return the columns of the members: those named, or all but the truth and the weights."""
    if weights is not None:
        find_columns([weights], columns, f"weights column {weights!r}", "weights=", file)
    if members is not None:
        _check_members(members, columns, apart, file)
        return list(members)
    others = [column for column in columns if column not in apart]
    if not others:
        kept = " and ".join(repr(column) for column in columns if column in apart)
        raise ValueError(f"{file} has no column for a member: its only columns are {kept}.")
    return others


def summarise_outputs(outputs: MemberOutputs | OutputCounts) -> dict[str, Any]:
    """Summarise what members said: sizes, errors, every measure, and what it is worth.

    Parameters
    ----------
    outputs : MemberOutputs, or OutputCounts of files of any size

    Returns
    -------
    dict
        ``n_members``, ``n_samples``, ``classes`` (None when only right and wrong are known),
        ``weighted``, ``members`` (name and error of each), ``measures`` (by name) and
        ``worth``. Plain data, undefined is None.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.tabular import summarise_outputs
    >>> summary = summarise_outputs(MemberOutputs([["a", "b"], ["a", "a"]], ["a", "b"]))
    >>> summary["members"]
    [{'name': 'member 0', 'error': 0.0}, {'name': 'member 1', 'error': 0.5}]
    >>> summary["measures"]["disagreement"]["value"], summary["measures"]["q"]["value"]
    (0.5, None)
    """
    measures, value = measure_answers(outputs)
    errors = zip(outputs.names, outputs.errors, strict=True)
    return plain(
        {
            "n_members": outputs.n_members,
            "n_samples": outputs.n_samples,
            "classes": outputs.classes,
            "weighted": outputs.weighted,
            "members": [{"name": str(name), "error": error} for name, error in errors],
            "measures": measures,
            "worth": value,
        }
    )


def _outputs(
    table: pd.DataFrame,
    truth: str,
    members: list[str],
    sample_weight: np.ndarray | None,
    allow_new_labels: bool,
    name: str,
) -> MemberOutputs:
    # A file has few labels and many cells: each label is looked at once, cells are codes.
    texts, codes = {}, {}
    for column in [truth, *members]:
        texts[column], codes[column] = _labels(table[column], column, name)
    value_of = label_values({text for column in texts.values() for text in column})
    classes = {value_of[text] for text in texts[truth]}
    if len(classes) == 1:
        raise ValueError(
            f"The truth column {truth!r} of {name} holds one class only, {classes.pop()!r}: there "
            "is nothing to tell apart. Is it the right column? Name another with truth=."
        )
    if allow_new_labels:
        classes |= set(value_of.values())
    order = sorted(classes)
    position = {label: code for code, label in enumerate(order)}
    votes = {}
    strange = []
    for column in [truth, *members]:
        at = [position.get(value_of[text], -1) for text in texts[column]]
        votes[column] = np.array(at, dtype=np.int32)[codes[column]]
        if (votes[column] < 0).any():
            row = int(np.argmax(votes[column] < 0))
            strange.append((column, value_of[texts[column][codes[column][row]]], row + 1))
    if strange:
        raise _new_labels(strange, truth, order)
    outputs = MemberOutputs(
        np.stack([votes[member] for member in members]),
        votes[truth],
        classes=np.arange(len(order)),
        sample_weight=sample_weight,
        names=members,
    )
    outputs.classes = np.array(order)  # the codes stand for these
    return outputs


def _new_labels(
    strange: Sequence[tuple[str, object, int]], truth: str, classes: list
) -> ValueError:
    shown = "; ".join(
        f"{column!r} says {label!r} in data row {row}" for column, label, row in strange[:3]
    )
    more = f"; and {len(strange) - 3} more members" if len(strange) > 3 else ""
    scores = any(isinstance(label, float) and label % 1 for _, label, _ in strange)
    hint = (
        "These look like scores or probabilities: give the labels the members chose."
        if scores
        else "If these are classes all the same, pass allow_new_labels=True; if such a column is "
        "no member, name those that are with members=."
    )
    return ValueError(
        f"Labels that the truth column {truth!r} never has (it has {some(classes, 10)}): "
        f"{shown}{more}. {hint}"
    )


def _labels(column: pd.Series, name: str, file: str) -> tuple[list[str], np.ndarray]:
    texts = [str(text).strip() for text in column.cat.categories]
    codes = column.cat.codes.to_numpy()
    blank = np.array([*(text == "" for text in texts), True])  # the last: code -1, missing
    missing = blank[codes]
    if missing.any():
        more = f" (and in {missing.sum() - 1} more)" if missing.sum() > 1 else ""
        raise ValueError(
            f"Column {name!r} of {file} has no label in data row {int(np.argmax(missing)) + 1}"
            f"{more}: every member must say something about every "
            "sample. Fill in the labels, or leave out the rows."
        )
    return texts, codes


def label_values(texts: set[str]) -> "dict[str, int] | dict[str, float] | dict[str, str]":
    """Return what labels stand for: whole numbers if all are, else numbers, else the text."""
    if all(_INTEGER.fullmatch(text) for text in texts):
        integers = {text: int(text.partition(".")[0]) for text in texts}
        if all(abs(value) < 2**63 for value in integers.values()):
            return integers
    elif all(_NUMBER.fullmatch(text) for text in texts):
        return {text: float(text) for text in texts}
    return {text: text for text in texts}


def _flags(column: pd.Series, name: str, file: str) -> np.ndarray:
    texts, codes = _labels(column, name, file)
    flags = [_FLAGS.get(text.lower()) for text in texts]
    odd = np.array([flag is None for flag in flags])[codes]
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(
            f"Column {name!r} of {file} holds {texts[codes[row]]!r} in data row {row + 1}, but "
            "with correct=True every cell is 1 or 0, right or wrong. For labels, leave it out and "
            "name the truth column with truth=."
        )
    return np.array(flags, dtype=bool)[codes]


def row_weights(column: pd.Series, name: str, file: str) -> np.ndarray:
    """Return the weights that a column of text holds, none below 0."""
    texts, codes = _labels(column, name, file)
    odd = np.array([not _NUMBER.fullmatch(text) or float(text) < 0 for text in texts])[codes]
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(
            f"The weights column {name!r} of {file} holds {texts[codes[row]]!r} in data row "
            f"{row + 1}: a weight is a number, 0 or more."
        )
    return np.array([float(text) for text in texts])[codes]


def find_columns(
    wanted: Iterable[str], columns: list[str], what: str, option: str, file: str
) -> None:
    """Raise unless a file has these columns: what they are, and the option that names them."""
    absent = [column for column in wanted if column not in columns]
    if not absent:
        return
    raise ValueError(
        f"{file} has no {what}. Its columns are {some(columns, 10)}."
        f"{did_you_mean(absent[0], columns)} Name one with {option}."
    )


def _check_members(
    members: Sequence[str], columns: list[str], apart: set[str | None], file: str
) -> None:
    if not members:
        raise ValueError("No member is named: give at least one column with members=.")
    unknown = next((member for member in members if member not in columns), None)
    find_columns(members, columns, f"member column {unknown!r}", "members=", file)
    for member in members:
        if member in apart:
            raise ValueError(f"Column {member!r} cannot be a member: it is the truth or a weight.")
        if list(members).count(member) > 1:
            raise ValueError(f"Column {member!r} is named twice in members=: once is enough.")
