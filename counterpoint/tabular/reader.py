"""Tables to learn from, read from files: numbers and dates as such, everything else as text."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, Any

import pandas as pd

from counterpoint._validation import check_list
from counterpoint.tabular.binary_files import read_arrow, read_excel
from counterpoint.tabular.cells import (
    LOOKED_AT,
    Cells,
    as_known,
    as_target,
    as_text,
    as_wished,
    guess,
)
from counterpoint.tabular.column import Column, is_date, is_number
from counterpoint.tabular.columns import find_column, no_header, some
from counterpoint.tabular.gap_codes import tell_gap_code
from counterpoint.tabular.number_text import decimal_marks, take_apart
from counterpoint.tabular.sources import Source, find_source
from counterpoint.tabular.taking import check_wishes
from counterpoint.tabular.text_files import read_text

_WORDS_NAMED = 3  # more than these are no marks of a missing value

MISSING = ("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan")
"""What stands for a missing value unless said otherwise; an empty cell always does."""


@dataclass(frozen=True)
class TableFile:
    """A table and how it was read.

    Attributes
    ----------
    name : str
        The file, as it was named.
    frame : DataFrame
        Columns of floats or integers, of dates, and of text; missing as NaN.
    notes : list of str
        What was left out or taken for something else.
    missing : tuple of str
        What stood for a missing value.
    wishes : dict of str to str
        What columns are to be taken for, as was said.
    forms : dict of str to str
        How the cells of a column were written, as :class:`~counterpoint.tabular.Column` has it.
    unclear : dict of str to str
        Columns of numbers or dates with a few cells that are neither, and which those are.
    """

    name: str
    frame: pd.DataFrame
    notes: list[str]
    missing: tuple[str, ...] = MISSING
    wishes: dict[str, str] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)
    unclear: dict[str, str] = field(default_factory=dict)


def read_table(
    source: str | PathLike[str] | IO[bytes],
    *,
    target: str | None = None,
    nominal: Collection[str] = (),
    known: Sequence[Column] | None = None,
    missing: Sequence[str] = MISSING,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    columns: Mapping[str, str] | None = None,
    keep: Collection[str] = (),
    leave_out: Collection[str] = (),
    strict: bool = True,
) -> TableFile:
    r"""Read a table from a file.

    Numbers may be written ``12%``, ``$1,234.50`` or ``1.234,50 EUR``, dates in any common form, or
    in several.

    Parameters
    ----------
    source : path or binary file
        ``.csv``, ``.tsv``, ``.parquet``, ``.feather``, ``.arrow`` or ``.xlsx``, also packed as
        ``.gz`` or ``.zip``. Of any other name, and of an open file, the content says what it is.
    target : str, default=None
        The column of labels, if it must be there. Labels keep their spelling, but are numbers
        if all of them are.
    nominal : collection of str, default=()
        Columns of categories, also where they look like numbers.
    known : sequence of Column, default=None
        What the columns are, if a model knows. None: what they look like.
    missing : sequence of str, default=MISSING
        What stands for a missing value, besides an empty cell.
    separator : str, default=None
        What stands between two fields of a text file. None: found out; a tab for ``.tsv``, else a
        comma, unless another one divides all lines evenly.
    encoding : str, default=None
        Of a text file. None: found out; UTF-8, UTF-16, Windows-1252 or Latin-1.
    sheet : str or int, default=None
        The sheet of a workbook, by name, or by number from 1. None: the first.
    columns : mapping of str to str, default=None
        What columns are to be taken for, whatever they look like: "number", "category", "date",
        "day first", "month first", "text", "left out" or "keep".
    keep : collection of str, default=()
        Columns to use though they would be left out, such as ids.
    leave_out : collection of str, default=()
        Columns not to learn from, such as those that are known only afterwards.
    strict : bool, default=True
        Whether to raise where a column not known before holds numbers, or dates, and a few words,
        in no more than a fifth of its cells; else it stays text and is told of in ``unclear``.
        With more words it is a column of categories.

    Returns
    -------
    TableFile

    Raises
    ------
    FileNotFoundError, ValueError

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "table.csv")
    ...     _ = file.write_text("age,job,class\n30,cook,yes\n?,smith,no\n")
    ...     frame = read_table(file, target="class").frame
    >>> frame["age"].tolist(), frame["job"].tolist()
    ([30.0, nan], ['cook', 'smith'])
    """
    found = find_source(source)
    missing = check_list(missing, "missing", "words for missing cells")
    nominal = check_list(nominal, "nominal", "columns")
    keep = check_list(keep, "keep", "columns")
    leave_out = check_list(leave_out, "leave_out", "columns")
    marks = ["", *(mark for mark in missing if mark)]
    wishes = {name: use for name, use in (columns or {}).items() if use != "target"}
    wishes |= {name: "keep" for name in keep if wishes.get(name, "left out") == "left out"}
    wishes.update(dict.fromkeys(nominal, "category"))
    _check_left_out(leave_out, {"target=": [target], "keep=": keep, "nominal=": nominal})
    wishes.update(dict.fromkeys(leave_out, "left out"))
    as_is = {*wishes, *nominal, *([] if target is None else [target])}
    as_is -= {name for name, wish in wishes.items() if wish in ("keep", "left out", "number")} - {
        target
    }
    as_is |= {column.name for column in known or () if column.kind != "number" or column.form}
    frame, hint, notes = _read(found, as_is, marks, separator, encoding, sheet)
    if "" in frame.columns:
        frame = frame.drop(columns="")
        notes.append("a column without a name left out.")
    if frame.shape[1] == 0:
        raise ValueError(f"{found.name} has no column with a name: expected a header row.")
    names = [str(name) for name in frame.columns]
    if no_header(names):
        notes.append(f"THE COLUMNS ARE CALLED {some(names)}.{no_header(names)}")
    if target is not None:
        find_column(target, names, what="target column", option="target=")
    for name in nominal:
        find_column(name, names, what="column", option="nominal=")
    for name in keep:
        find_column(name, names, what="column", option="keep=")
    for name in leave_out:
        find_column(name, names, what="column", option="leave_out=")
    check_wishes(wishes, names)
    kinds = {column.name: column for column in known or ()}
    read: dict[str, pd.Series] = {}
    forms: dict[str, str] = {}
    unclear: dict[str, Cells] = {}
    for name in names:
        if name in kinds:
            cells = as_known(frame[name].rename(name), kinds[name], marks, hint)
        elif name == target or known is not None:
            # What a model does not know may be the labels, spelt as they were in training.
            cells = as_target(frame[name].rename(name), marks, hint)
        else:
            cells = as_wished(frame[name].rename(name), wishes.get(name, ""), marks, hint)
        if cells.odd is not None and known is None:
            unclear[name] = cells
            read[name] = as_text(frame[name].rename(name), marks)
            continue
        read[name] = cells.values
        if known is None:
            told = tell_gap_code(cells.values, missing) if is_number(cells.values) else ""
            notes += [note for note in (cells.note, told) if note]
            forms |= {name: cells.form} if cells.form else {}
    if unclear:
        mend = _what_to_do(unclear, found.name, missing)
        if strict:
            raise ValueError(mend)
        notes.append(mend)
    odd = {name: _odd_cells(cells) for name, cells in unclear.items()}
    return TableFile(found.name, pd.DataFrame(read), notes, tuple(missing), wishes, forms, odd)


def _check_left_out(names: Collection[str], wanted: Mapping[str, Collection[str | None]]) -> None:
    """Raise if a column is to be left out and used as well."""
    for option, others in wanted.items():
        both = next((name for name in names if name in others), None)
        if both is not None:
            raise ValueError(f"leave_out={both!r}, but {option} wants this column: choose one.")


def as_table(
    table: "pd.DataFrame | TableFile | str | PathLike[str] | IO[bytes]", **options: Any
) -> "TableFile":
    """Return a table as read: a file by :func:`read_table`, a frame by :func:`read_frame`."""
    if isinstance(table, TableFile):
        return table
    if isinstance(table, pd.DataFrame):
        return read_frame(table, target=options.get("target"), known=options.get("known"))
    return read_table(table, **options)


def read_frame(
    frame: pd.DataFrame, *, target: str | None = None, known: Sequence[Column] | None = None
) -> "TableFile":
    """Read the texts of a frame as those of a file: dates, and numbers with a sign or a comma.

    Texts of plain digits stay text, and so do columns of a type for categories: who made the frame
    chose that, as nobody did in a file. A column in which a cell is something else stays text too.

    Parameters
    ----------
    frame : DataFrame
    target : str, default=None
        The column to predict, which is left as it is.
    known : sequence of Column, default=None
        What a model was trained on: its columns are read as they were then.

    Returns
    -------
    TableFile
        Without a name.

    Examples
    --------
    >>> table = pd.DataFrame({"when": ["31.12.2024", "1.2.2025"], "off": ["5 %", "12 %"]})
    >>> read = read_frame(table)
    >>> read.frame["when"].dt.month.tolist(), read.frame["off"].tolist(), read.forms["off"]
    ([12, 2], [5, 12], '%')
    """
    kinds = {column.name: column for column in known or ()}
    notes: list[str] = []
    forms: dict[str, str] = {}
    result = frame
    for k, label in enumerate(frame.columns):
        name, values = str(label), frame.iloc[:, k].reset_index(drop=True)
        if known is None and is_number(values):
            told = tell_gap_code(values.rename(name), None)
            notes += [told] if told else []
        if name == target or not _holds_texts(values):
            continue
        if known is None:
            cells = guess(values.rename(name), [""], ".")
            if cells.odd is not None or not (is_date(cells.values) or cells.form):
                continue
            notes += [cells.note] if cells.note else []
            forms |= {name: cells.form} if cells.form else {}
        elif name in kinds and kinds[name].kind in ("date", "number"):
            cells = as_known(values.rename(name), kinds[name], [""], ".")
        else:
            continue
        if result is frame:
            result = frame.copy(deep=False)
        result.isetitem(k, cells.values.array)
    return TableFile("", result, notes, forms=forms)


def _holds_texts(values: pd.Series) -> bool:
    plain = values.dtype == object or isinstance(values.dtype, pd.StringDtype)
    return plain and pd.api.types.infer_dtype(values, skipna=True) == "string"


def read_labels(
    source: str | PathLike[str] | IO[bytes],
    separator: str | None = None,
    *,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> tuple[str, pd.DataFrame]:
    """Read a table of labels from a file, or an open one; return its name and the table.

    Every column is categories of text, missing where the cell is empty. A column without a name
    keeps the empty one.
    """
    found = find_source(source)
    if found.kind == "text":
        return found.name, read_text(found, separator, encoding)[0]
    frame = _read(found, set(), [""], separator, encoding, sheet)[0]
    return found.name, frame.apply(_as_categories)


def _as_categories(column: pd.Series) -> pd.Series:
    """Return the cells as categories of text."""
    if column.dtype.kind in "iu":  # few numbers in many cells: each is written once
        return column.astype("category").cat.rename_categories(str)
    return column.astype("string").astype("category")


def read_events(
    source: str | PathLike[str] | IO[bytes],
    *,
    time: str,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> tuple[str, pd.DataFrame]:
    """Read a table of events as it stands; return its name and the table.

    Numbers are numbers however they are written, and the column ``time`` is dates if all of its
    cells are; all else is left as it is.
    """
    found = find_source(source)
    frame, hint, _ = _read(found, set(), [""], separator, encoding, sheet)
    columns = {}
    for name in map(str, frame.columns):
        cells = guess(frame[name].rename(name), [""], hint)
        taken = is_number(cells.values) or name == time
        columns[name] = cells.values if taken and cells.odd is None else frame[name]
    return found.name, pd.DataFrame(columns)


def _read(
    source: Source,
    text: set[str],
    marks: list[str],
    separator: str | None,
    encoding: str | None,
    sheet: str | int | None,
) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the cells as they stand, what is likely before fractions, and notes."""
    if sheet is not None and source.kind != "excel":
        raise ValueError(f"sheet={sheet!r}, but {source.name} is no workbook: leave it out.")
    if source.kind == "excel":
        frame, notes = read_excel(source, sheet)
        return frame, ".", notes
    if source.kind != "text":
        return read_arrow(source), ".", []

    def again(text: set[str]) -> pd.DataFrame:
        return read_text(source, layout.separator, layout.encoding, text=text, missing=marks)[0]

    frame, layout = read_text(source, separator, encoding, text=text, missing=marks)
    notes = []
    if encoding is None and layout.encoding in ("cp1252", "latin-1"):
        word = "Windows-1252" if layout.encoding == "cp1252" else "Latin-1"
        notes.append(
            f"the file is not UTF-8 and was read as {word}; if that is wrong, name its encoding=."
        )
    # True, TRUE and true would all become True, and be strangers to a file with gaps.
    anew = {str(name) for name in frame.columns if name and _has_flags(frame[name])}
    hint = _likely_decimal(frame, layout.separator)
    if hint == ",":  # then the points in other columns may divide thousands
        anew |= {str(n) for n in frame.columns if n and frame[n].dtype.kind == "f"}
    # Dates of eight digits would lose by being numbers.
    anew |= {str(n) for n in frame.columns if n and _may_be_packed_dates(frame[n])}
    if anew - text:
        frame = again(text | anew)
    return frame, hint, notes


def _likely_decimal(frame: pd.DataFrame, separator: str) -> str:
    """Return the mark before fractions that cells of text prove, in the file as a whole.

    Without proof it is a comma if semicolons divide the fields, which is done for its sake, and no
    column has points.
    """
    certain: Counter[str] = Counter()
    commas = False
    for name in frame.columns:
        if name and pd.api.types.is_string_dtype(frame[name].dtype):
            cells = pd.unique(frame[name].dropna())[:LOOKED_AT]
            amounts = [take_apart(str(cell)) for cell in cells]
            if None not in amounts:
                certain += decimal_marks(amount.body for amount in amounts if amount)
                commas |= any(amount and "," in amount.body for amount in amounts)
    if not certain and separator == ";" and commas:
        return "." if any(kind.kind == "f" for kind in frame.dtypes) else ","
    return "," if certain[","] > certain["."] else "."


def _may_be_packed_dates(values: pd.Series) -> bool:
    """Whether a column is called a date and holds eight digits."""
    if values.dtype.kind not in "iuf" or "dat" not in str(values.name).lower():
        return False
    filled = values.dropna()
    return bool(len(filled) and filled.between(19000101, 20991231).all())


def _odd_cells(cells: Cells) -> str:
    """Return what a column holds, and which cells do not fit."""
    odd = cells.odd
    assert odd is not None
    more = f" (and {len(odd) - 1} more such cells)" if len(odd) > 1 else ""
    return f"{cells.what}, but {str(odd.iloc[0])!r} in data row {int(odd.index[0]) + 1}{more}"


def _what_to_do(unclear: Mapping[str, Cells], file: str, missing: Sequence[str]) -> str:
    """Return which columns hold cells that do not fit, all at once, and what mends it."""
    held = "; ".join(f"column {name!r} {_odd_cells(cells)}" for name, cells in unclear.items())
    if len(unclear) == 1:
        name = next(iter(unclear))
        head, cell = f"Column {name!r} of {file} holds {_odd_cells(unclear[name])}", "the cell"
        if_so = "if it means that there is no value"
        all_are = f"if all are categories, pass nominal={name!r}"
    else:
        head = f"{len(unclear)} columns of {file} hold a few cells that do not fit: {held}"
        cell = "the cells"
        if_so = "if they mean that there is no value"
        all_are = f"if all of a column are categories, name it in nominal={','.join(unclear)!r}"
    words = ",".join(dict.fromkeys(word for cells in unclear.values() for word in _few(cells)))
    # Those that are known stay: the table may hold them too.
    known = ",".join(missing)
    to_do = f"add {words!r} to missing={known!r}" if known else f"pass missing={words!r}"
    return f"{head}. Mend {cell}; or, {if_so}, {to_do}; or, {all_are}."


def _few(cells: Cells) -> list[str]:
    """Return the words where none should be; one of them if there are many."""
    assert cells.odd is not None
    words = [str(word) for word in pd.unique(cells.odd)]
    return words if len(words) <= _WORDS_NAMED else words[:1]


def _has_flags(values: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(values.dtype):
        return True
    return values.dtype == object and bool(values.map(lambda cell: isinstance(cell, bool)).any())
