"""Tables from files that know their types: Parquet, Arrow, workbooks of Excel."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pandas as pd

from counterpoint._validation import did_you_mean
from counterpoint.tabular.column import some
from counterpoint.tabular.sources import Source
from counterpoint.tabular.text_files import check_header


def read_arrow(source: Source) -> pd.DataFrame:
    """Read a Parquet or Arrow file."""
    parquet = source.kind == "parquet"
    kind = "Parquet" if parquet else "Arrow"
    try:
        with source.open() as file:
            frame = pd.read_parquet(file) if parquet else _read_ipc(file)
    except ImportError as error:
        raise ValueError(
            f"{source.name} cannot be read: {kind} files need pyarrow (pip install pyarrow)."
        ) from error
    except Exception as error:  # pyarrow has errors of many kinds
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ValueError(f"{source.name} cannot be read as {kind}: {why[:200]}.") from error
    if len(frame) == 0:
        raise ValueError(f"{source.name} has columns but no rows.")
    frame = frame.rename(columns=str).reset_index(drop=True)
    check_header([str(name) for name in frame.columns], source.name)
    return frame


def read_excel(source: Source, sheet: str | int | None) -> tuple[pd.DataFrame, list[str]]:
    """Read a sheet of a workbook, the first if none is named; return it and notes."""
    try:
        import openpyxl
    except ImportError as error:
        raise ValueError(
            f"{source.name} cannot be read: workbooks need openpyxl (pip install openpyxl). "
            "Or save the sheet as .csv."
        ) from error
    with source.open() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # styles and the like, of which we use none
        with _no_workbook(source.name):
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheets = [page.title for page in book.worksheets]
        title = _find_sheet(sheets, sheet, source.name)
        with _no_workbook(source.name):
            rows = [list(row) for row in book[title].iter_rows(values_only=True)]
            book.close()
    filled = [row for row in rows if any(cell is not None and cell != "" for cell in row)]
    what = f"sheet {title!r} of {source.name}"
    header = ["" if cell is None else str(cell).strip() for cell in filled[0]] if filled else []
    while header and not header[-1]:
        header.pop()
    check_header(header, what)
    if len(filled) == 1:
        raise ValueError(f"{what} has a header but no rows.")
    cells = {
        k: pd.Series([row[k] if k < len(row) else None for row in filled[1:]], dtype=object)
        for k in range(len(header))
    }
    frame = pd.DataFrame(cells).infer_objects()
    frame.columns = pd.Index(header)
    others = [name for name in sheets if name != title]
    notes = []
    if others and sheet is None:
        notes.append(f"sheet {title!r} was read; there is also {some(others)}: sheet= names one.")
    return frame, notes


@contextmanager
def _no_workbook(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # whatever an archive that is no workbook makes its reader do
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ValueError(f"{name} cannot be read as a workbook: {why[:200]}.") from error


def _find_sheet(sheets: list[str], sheet: str | int | None, name: str) -> str:
    if not sheets:
        raise ValueError(f"{name} has no sheet with cells.")
    if sheet is None:
        return sheets[0]
    if str(sheet) in sheets:
        return str(sheet)
    if str(sheet).isdigit() and 1 <= int(sheet) <= len(sheets):
        return sheets[int(sheet) - 1]
    raise ValueError(
        f"sheet={sheet!r} is not in {name}: it has {some(sheets)}.{did_you_mean(sheet, sheets)}"
    )


def _read_ipc(file: IO[bytes]) -> pd.DataFrame:
    import pyarrow as pa

    # An Arrow file begins with its name; a stream of the same format does not.
    is_file = file.read(6).startswith((b"ARROW1", b"FEA1"))
    file.seek(0)
    if is_file:
        return pd.read_feather(file)
    with pa.ipc.open_stream(file) as stream:
        return stream.read_pandas()
