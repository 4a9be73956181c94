"""Text files of fields: encodings, headers, separators, gaps, and plain words for what is wrong."""

import codecs
import csv
import io
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from counterpoint.tabular.sources import Source, unreadable

_SAMPLE = 1 << 16  # bytes looked at to find out encoding and separator
_LINES = 50
SEPARATORS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
# Spreadsheets write such a first line to say what divides the fields.
_DECLARED = re.compile(r'"?sep=(.)"?\s*')


@dataclass(frozen=True)
class Layout:
    """How a text file is written.

    Attributes
    ----------
    encoding, separator : str
    skip : int
        Lines before the header that say how the file is written.
    """

    encoding: str
    separator: str
    skip: int = 0


def read_text(
    source: Source,
    separator: str | None = None,
    encoding: str | None = None,
    *,
    text: Collection[str] | None = None,
    missing: Sequence[str] = ("",),
) -> tuple[pd.DataFrame, Layout]:
    """Read a text file of fields; what is not said of its layout is found out.

    ``text`` names columns to read as text, the others as what they look like; None: all, as
    categories. ``missing`` stands for no value. Returns the table and how it was written.
    """
    with unreadable(source.name):
        with source.open() as file:
            sample = file.read(_SAMPLE)
        attempts = _encodings(sample) if encoding is None else [_codec(encoding)]
        for attempt in attempts:
            layout = _layout(sample, attempt, separator, tabs=source.tabs)
            try:
                return _read(source, layout, text, missing), layout
            except UnicodeDecodeError as error:
                if attempt == attempts[-1]:
                    if attempts == ["utf-8"]:
                        raise ValueError(
                            f"{source.name} cannot be read as CSV: it is no text. Expected text "
                            "with a header row and a row per sample. Files of other kinds need "
                            "their ending: .parquet, .arrow, .xlsx, .gz or .zip."
                        ) from error
                    asked = f"encoding={encoding!r}" if encoding else attempt
                    raise ValueError(
                        f"{source.name} cannot be read as {asked}: byte {error.start} is no "
                        "character of it. Leave encoding= out to have it found out, or name "
                        "another, such as 'cp1252' or 'utf-16'."
                    ) from error
    raise AssertionError  # there is always an attempt


def _read(
    source: Source, layout: Layout, text: Collection[str] | None, missing: Sequence[str]
) -> pd.DataFrame:
    with source.open() as file:
        lines = io.TextIOWrapper(file, encoding=layout.encoding, newline="")
        try:
            with _wrong_fields(source.name), warnings.catch_warnings():
                # Rows longer than the header: pandas would cut them and go on.
                warnings.simplefilter("error", pd.errors.ParserWarning)
                return _parse(lines, layout, source.name, text, missing)
        finally:
            lines.detach()


def _encodings(sample: bytes) -> list[str]:
    """Return the encodings to try, the likeliest first."""
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return [encoding]
    # Latin letters as two bytes each, one of them 0.
    zeros = [sample[at:2000:2].count(0) for at in (0, 1)]
    if max(zeros) > 0.3 * len(sample[:2000:2]) and min(zeros) < max(zeros) / 4:
        return ["utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"]
    strange = sum(byte < 32 and byte not in b"\t\n\r\f\x1a" for byte in sample[:4000])
    if b"\0" in sample or strange > 0.05 * len(sample[:4000]):
        return ["utf-8"]  # no text, most likely, which this attempt will tell
    # Windows-1252 leaves five bytes without a meaning; Latin-1 has one for all.
    return ["utf-8", "cp1252", "latin-1"]


def _codec(encoding: str) -> str:
    try:
        "".encode(encoding)  # raises for codecs that are not about text, too
        known = codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise ValueError(
            f"encoding={encoding!r} is not known: try 'utf-8', 'utf-16', 'latin-1' or 'cp1252'."
        ) from None
    return "utf-8-sig" if known == "utf-8" else known


def _layout(sample: bytes, encoding: str, separator: str | None, *, tabs: bool) -> Layout:
    start = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    declared = _DECLARED.fullmatch(start.partition("\n")[0])
    skip = 0 if declared is None else 1
    if separator is None and declared is not None:
        separator = declared[1]
    if separator is None:
        lines = start.splitlines(keepends=True)
        cut = len(sample) == _SAMPLE or len(lines) > _LINES
        separator = find_separator("".join(lines[:_LINES]), "\t" if tabs else ",", cut=cut)
    return Layout(encoding, separator, skip)


def find_separator(sample: str, usual: str = ",", *, cut: bool = False) -> str:
    r"""Return what divides the fields: what cuts every line into as many, and more than one.

    The usual one, if it does; else that of which there are most fields; else the one that is in the
    header, if no line has more of it; the usual one, if there is none. Of a sample that was ``cut``
    the last line is not looked at.

    Examples
    --------
    >>> find_separator("a;b\n1,5;2,5\n"), find_separator("a,b\n1;2,3\n")
    (';', ',')
    """
    best, most = usual, (False, 1)
    for mark in (usual, *(mark for mark in SEPARATORS if mark != usual)):
        try:
            rows = csv.reader(io.StringIO(sample), delimiter=mark, skipinitialspace=True)
            widths = [len(row) for row in rows if row]
        except csv.Error:
            continue
        widths = widths[:-1] if cut and len(widths) > 1 else widths
        if not widths or widths[0] == 1 or max(widths) > widths[0]:
            continue
        even = min(widths) == widths[0]
        if mark == usual and even:
            return mark
        if (even, widths[0]) > most:
            best, most = mark, (even, widths[0])
    return best


def check_header(header: Sequence[str], name: str) -> None:
    """Raise unless there are columns, each of a name of its own."""
    if not header:
        raise ValueError(f"{name} is empty: expected a header row and a row per sample.")
    named = [column for column in header if column]
    double = next((column for column in named if named.count(column) > 1), None)
    if double is not None:
        raise ValueError(f"{name} has two columns called {double!r}: rename one of them.")


def _parse(
    file: io.TextIOWrapper,
    layout: Layout,
    name: str,
    text: Collection[str] | None,
    missing: Sequence[str],
) -> pd.DataFrame:
    for _ in range(layout.skip):
        file.readline()
    separator = layout.separator
    # The header is read apart: pandas renames a column that is there twice and says nothing.
    lines = csv.reader(file, delimiter=separator, skipinitialspace=True)
    header = [field.strip().removeprefix("\ufeff") for field in next(filter(None, lines), [])]
    check_header(header, name)
    other = next((mark for mark in ";\t|," if mark != separator and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise ValueError(
            f"{name} has one column only, {header[0]!r}. Are its fields divided by {other!r}? "
            f"Then pass separator={other!r}."
        )
    kinds: Any = "str"
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
    # Not by read_csv, which would take a category 00 for the number 0.
    return table.astype("category") if text is None else table


@contextmanager
def _wrong_fields(name: str) -> Iterator[None]:
    expected = "Expected text with a header row and a row per sample."
    try:
        yield
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
