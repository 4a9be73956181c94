"""Tables to learn from, read from files: numbers as numbers, everything else as text."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from counterpoint._files import find_file
from counterpoint._validation import check_list
from counterpoint.tabular.columns import Column, find_column, is_number
from counterpoint.tabular.text_files import read_csv, read_csv_file

MISSING = ("?", "NA", "NaN", "nan")
"""What stands for a missing value unless said otherwise; an empty cell always does."""

_ARROW = (".arrow", ".feather", ".ipc")
_PARQUET = (".parquet", ".pq")
# A column is taken for numbers with a mistake in it if no more cells than this are words.
_FEW_WORDS = 0.2
_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True)
class TableFile:
    """A table and how it was read.

    Attributes
    ----------
    name : str
        The file, as it was named.
    frame : DataFrame
        Columns of floats or integers, and of text; missing as NaN.
    notes : list of str
        What was left out or taken for something else.
    missing : tuple of str
        What stood for a missing value.
    """

    name: str
    frame: pd.DataFrame
    notes: list[str]
    missing: tuple[str, ...] = MISSING


def read_table(
    source: str | PathLike[str],
    *,
    target: str | None = None,
    nominal: Collection[str] = (),
    known: Sequence[Column] | None = None,
    missing: Sequence[str] = MISSING,
    separator: str | None = None,
) -> TableFile:
    r"""Read a table from a file.

    Parameters
    ----------
    source : path
        ``.csv``, ``.tsv`` (either may be gzipped), ``.parquet``, ``.feather`` or ``.arrow``. Any
        other name is read as CSV.
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
        What stands between two fields of a text file. None: a tab for ``.tsv``, else a comma.

    Returns
    -------
    TableFile

    Raises
    ------
    FileNotFoundError, ValueError
        Also where a column not known before holds numbers and a few words, in no more than a
        fifth of its cells. With more words it is a column of categories.

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
    path = find_file(source, "rows to learn from or to predict")
    missing = check_list(missing, "missing", "words for missing cells")
    nominal = check_list(nominal, "nominal", "columns")
    marks = ["", *(mark for mark in missing if mark)]
    lower = path.name.lower()
    needed = [*nominal, *([] if target is None else [target])]
    text = {*needed, *(column.name for column in known or () if column.kind == "category")}
    if lower.endswith((*_PARQUET, *_ARROW)):
        frame = _read_arrow(path, parquet=lower.endswith(_PARQUET))
    else:
        frame = read_csv(path, separator, text=text, missing=marks)
        # True, TRUE and true would all become True, and be strangers to a file with gaps.
        flags = {str(name) for name in frame.columns if name and _has_flags(frame[name])}
        if flags:
            frame = read_csv(path, separator, text=text | flags, missing=marks)
    notes = []
    if "" in frame.columns:
        frame = frame.drop(columns="")
        notes.append("a column without a name left out.")
    if frame.shape[1] == 0:
        raise ValueError(f"{path} has no column with a name: expected a header row.")
    for name in needed:
        option, what = ("target=", "target column") if name == target else ("nominal=", "column")
        find_column(name, list(frame.columns), what=what, option=option)
    columns = {}
    for name in frame.columns:
        values, note, mistake = _retype(frame[name], str(name), marks, text, target)
        if mistake is not None and known is None:
            raise _mixed(str(name), str(path), mistake)
        columns[str(name)] = values
        notes += [note] if note and known is None else []
    return TableFile(str(path), pd.DataFrame(columns), notes, tuple(missing))


def as_table(
    table: "pd.DataFrame | TableFile | str | PathLike[str]", **options: Any
) -> "TableFile":
    """Return a table as read: a frame gets no name, a path is read by :func:`read_table`."""
    if isinstance(table, TableFile):
        return table
    if isinstance(table, pd.DataFrame):
        return TableFile("", table, [])
    if isinstance(table, str | PathLike):
        return read_table(table, **options)
    raise TypeError(
        f"A {type(table).__name__} was given, expected a pandas DataFrame, or the path of a file."
    )


def read_labels(
    source: str | PathLike[str] | IO[bytes], separator: str | None = None
) -> tuple[str, pd.DataFrame]:
    """Read a table of labels from a file, an open one as CSV; return its name and the table.

    Every column is categories of text, missing where the cell is empty. A column without a name
    keeps the empty one.
    """
    if not isinstance(source, str | PathLike):
        return "standard input", read_csv_file(source, separator or ",", "standard input")
    path = find_file(source, "predictions")
    if path.name.lower().endswith(_PARQUET):
        return str(path), _read_arrow(path, parquet=True).astype("string").astype("category")
    return str(path), read_csv(path, separator)


def _retype(
    values: pd.Series, name: str, marks: list[str], text: set[str], target: str | None
) -> tuple[pd.Series, str | None, pd.Series | None]:
    """Return a column as numbers or as text, a note on it, and the few words among numbers."""
    if is_number(values) and name not in text:
        return values, None, None
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values, None, None
    texts = _as_text(values, marks)
    filled = texts.dropna()
    if filled.empty:
        return texts.astype(float), None, None
    if name in text and name != target:
        return texts, None, None
    numbers = pd.to_numeric(filled, errors="coerce")
    words = numbers.isna()
    if not words.any():
        return pd.Series(pd.to_numeric(texts.astype(object)), name=name), None, None
    if name == target:
        return texts, None, None
    if filled.map(lambda cell: _COMMA.fullmatch(cell) is not None or _is_plain(cell)).all():
        points = texts.where(texts.isna(), texts.str.replace(",", ".", regex=False))
        note = f"the commas in column {name!r} are read as decimal points."
        return pd.Series(pd.to_numeric(points.astype(object)), name=name), note, None
    share = float(words.mean())
    if share <= _FEW_WORDS:
        return texts, None, filled[words]
    if share < 1 - _FEW_WORDS:
        note = f"column {name!r} mixes numbers and words: all of it is taken as categories."
        return texts, note, None
    return texts, None, None


def _mixed(name: str, file: str, odd: pd.Series) -> ValueError:
    first = str(odd.iloc[0])
    more = f" (and {len(odd) - 1} more such cells)" if len(odd) > 1 else ""
    return ValueError(
        f"Column {name!r} of {file} holds numbers, but {first!r} in data row "
        f"{int(odd.index[0]) + 1}{more}. Mend the cell; or, if it means that there is no value, "
        f"pass missing={first!r}; or, if all are categories, pass nominal={name!r}."
    )


def _read_arrow(path: Path, *, parquet: bool) -> pd.DataFrame:
    kind = "Parquet" if parquet else "Arrow"
    try:
        frame = pd.read_parquet(path) if parquet else _read_ipc(path)
    except ImportError as error:
        raise ValueError(
            f"{path} cannot be read: {kind} files need pyarrow (pip install pyarrow)."
        ) from error
    except Exception as error:  # pyarrow has errors of many kinds
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ValueError(f"{path} cannot be read as {kind}: {why[:200]}.") from error
    if len(frame) == 0:
        raise ValueError(f"{path} has columns but no rows.")
    return frame.rename(columns=str).reset_index(drop=True)


def _read_ipc(path: Path) -> pd.DataFrame:
    import pyarrow as pa

    # An Arrow file begins with its name; a stream of the same format does not.
    with path.open("rb") as start:
        is_file = start.read(6) in (b"ARROW1", b"FEA1")
    if is_file:
        return pd.read_feather(path)
    with pa.OSFile(str(path)) as source, pa.ipc.open_stream(source) as stream:
        return stream.read_pandas()


def _as_text(values: pd.Series, marks: list[str]) -> pd.Series:
    texts = values.astype(object)
    filled = texts.notna()
    texts = texts.where(~filled, texts[filled].map(lambda cell: str(cell).strip()))
    return texts.where(filled & ~texts.isin(marks), np.nan)


def _has_flags(values: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(values.dtype):
        return True
    return values.dtype == object and bool(values.map(lambda cell: isinstance(cell, bool)).any())


def _is_plain(cell: str) -> bool:
    return cell.lstrip("+-").isdigit()
