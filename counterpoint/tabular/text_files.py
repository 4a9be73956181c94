"""Text files of fields: headers, separators, gaps, and plain words for what is wrong with them."""

import csv
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import pandas as pd


def read_csv(
    path: Path,
    separator: str | None = None,
    *,
    text: Collection[str] | None = None,
    missing: Sequence[str] = ("",),
) -> pd.DataFrame:
    """Read a text file of fields, gzipped or not, by default at tabs for ``.tsv``, else at commas.

    ``text`` names columns to read as text, the others as what they look like; None: all, as
    categories. ``missing`` stands for no value.
    """
    if separator is None:
        lower = path.name.lower().removesuffix(".gz")
        separator = "\t" if lower.endswith((".tsv", ".tab")) else ","
    try:
        with _open(path) as file:
            return read_csv_file(file, separator, str(path), text=text, missing=missing)
    except (OSError, EOFError, zlib.error) as error:  # no right to read it, or a broken gzip file
        raise ValueError(f"{path} cannot be read: {_reason(error)}.") from error


def _open(path: Path) -> IO[bytes]:
    if path.name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.open(path))
    return path.open("rb")


def read_csv_file(file: IO[bytes], separator: str, name: str, **options: Any) -> pd.DataFrame:
    """Read an open file; ``name`` is what to call it in messages, the rest as for read_csv."""
    # Not closed with `with`: the file belongs to the caller.
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        with _unreadable(name), warnings.catch_warnings():
            # Rows longer than the header: pandas would cut them and go on.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return _parse(text, separator, name, **options)
    finally:
        text.detach()


def _parse(
    file: io.TextIOWrapper,
    separator: str,
    name: str,
    text: Collection[str] | None = None,
    missing: Sequence[str] = ("",),
) -> pd.DataFrame:
    # The header is read apart: pandas renames a column that is there twice and says nothing.
    lines = csv.reader(file, delimiter=separator, skipinitialspace=True)
    header = [field.strip() for field in next((line for line in lines if line), [])]
    if not header:
        raise ValueError(f"{name} is empty: expected a header row and a row per sample.")
    named = [column for column in header if column]
    double = next((column for column in named if named.count(column) > 1), None)
    if double is not None:
        raise ValueError(f"{name} has two columns called {double!r}: rename one of them.")
    other = next((mark for mark in ";\t|," if mark != separator and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise ValueError(
            f"{name} has one column only, {header[0]!r}. Are its fields divided by {other!r}? "
            f"Then pass separator={other!r}."
        )
    kinds: Any = "category"
    if text is not None:
        kinds = {k: "str" for k, column in enumerate(header) if column in text}
    table = pd.read_csv(
        file,
        sep=separator,
        header=None,
        names=range(len(header)),
        dtype=kinds,
        low_memory=False,  # else a long column may be numbers here and text there
        index_col=False,
        skipinitialspace=True,
        # "NA" and "None" are labels like any other.
        keep_default_na=False,
        na_values=list(missing),
    )
    if table.empty:
        raise ValueError(f"{name} has a header but no rows.")
    table.columns = pd.Index(header)
    return table


@contextmanager
def _unreadable(name: str) -> Iterator[None]:
    expected = "Expected UTF-8 text with a header row and a row per sample."
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} cannot be read as CSV: it is not UTF-8. {expected}") from error
    except csv.Error as error:
        raise ValueError(f"{name} cannot be read as CSV: {error}. {expected}") from error
    except pd.errors.ParserWarning as error:
        raise ValueError(f"{name} has rows with more fields than its header.") from error
    except pd.errors.ParserError as error:
        why = str(error).strip().removeprefix("Error tokenizing data. C error: ")
        counts = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", why)
        if counts:
            why = f"data row {counts[2]} has {counts[3]} fields, the header {counts[1]}"
        raise ValueError(f"{name} cannot be read as CSV: {why}. {expected}") from error


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(text.split()).rstrip(".")
