"""CSV files to typed frames and back, by one convention.

A header row, one row a case; a missing value is an empty field; an optional first column
``split`` says train or test and is no feature; the other columns are features and the target.
"""

import contextlib
import gzip
import warnings
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from counterpoint._files import new_file

SPLIT = "split"
PARTS = ("train", "test")


class Table(NamedTuple):
    """A data set in memory: features, target, and the split its source fixes, if any."""

    X: pd.DataFrame
    y: pd.Series
    split: pd.Series | None


def read_cells(path: Path, *, missing_values: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV file, every column as text, missing as NaN."""
    try:
        with warnings.catch_warnings():
            # Rows longer than the header: pandas would cut them and go on.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                path,
                dtype=str,
                index_col=False,
                # "NA", "None" and "n/a" are values like any other: only what we name is missing.
                keep_default_na=False,
                na_values=["", *missing_values],
            )
    except FileNotFoundError:
        raise
    # A broken gzip file is an OSError, an EOFError or a zlib error, the rest a ValueError.
    except (ValueError, OSError, EOFError, zlib.error, pd.errors.ParserWarning) as error:
        raise ValueError(
            f"{path} cannot be read as CSV: {error}. Expected UTF-8 text, plain or gzipped, with a "
            "header row, commas between fields and one row a case."
        ) from error


def read_parts(
    files: Mapping[str | None, Path], *, missing_values: Sequence[str] = ()
) -> pd.DataFrame:
    """Read one file (key None), or a train and a test file into one frame with a split column."""
    if None in files:
        return read_cells(files[None], missing_values=missing_values)
    frames: list[pd.DataFrame] = []
    for part in (part for part in PARTS if part in files):
        cells = read_cells(files[part], missing_values=missing_values)
        cells = cells.drop(columns=SPLIT, errors="ignore")  # the file's name says it
        odd = set(cells.columns) ^ (set(frames[0].columns) - {SPLIT}) if frames else set()
        if odd:
            raise ValueError(
                f"{files[part]} and its train file differ in the columns {sorted(odd)}: "
                "both need the same header."
            )
        cells.insert(0, SPLIT, part)
        frames.append(cells)
    return pd.concat(frames, ignore_index=True)


def infer_kinds(cells: pd.DataFrame, target: str, nominal: Sequence[str] = ()) -> dict[str, str]:
    """Return the kind of each feature: numeric if every value present reads as a number."""
    kinds = {}
    for name in feature_columns(cells, target):
        kinds[name] = "nominal"
        if name not in nominal:
            with contextlib.suppress(ValueError):
                _to_float(cells[name])
                kinds[name] = "numeric"
    return kinds


def feature_columns(cells: pd.DataFrame, target: str) -> list[str]:
    """Return all columns but the target and a split."""
    return [name for name in cells.columns if name != target and not _is_split(cells, name)]


def to_table(cells: pd.DataFrame, *, columns: Mapping[str, str], target: str) -> Table:
    """Give each column its kind: float, or categorical with NaN kept as NaN."""
    features = {
        name: _to_float(cells[name]) if kind == "numeric" else _to_category(cells[name])
        for name, kind in columns.items()
    }
    X = pd.DataFrame(features, index=cells.index)
    if cells[target].isna().any():
        row = int(np.flatnonzero(cells[target].isna())[0])
        raise ValueError(
            f"{int(cells[target].isna().sum())} rows have nothing in the target column {target!r}, "
            f"the first is data row {row + 1}: fill them in or leave them out."
        )
    # As scikit-learn orders classes_, so plain and not natural order.
    y = cells[target].astype(pd.CategoricalDtype(sorted(cells[target].unique())))
    split = cells[SPLIT].rename(SPLIT) if _is_split(cells, SPLIT) else None
    return Table(X, y, split)


def write_csv(table: Table, path: Path) -> None:
    """Write a table by the convention above, whole or not at all.

    For .gz it is gzipped, always to the same bytes.
    """
    frame = table.X.copy()
    for name in frame.columns:
        # 6, not 6.0: as the sources have it
        if frame[name].dtype.kind == "f" and (frame[name].dropna() % 1 == 0).all():
            frame[name] = frame[name].astype("Int64")
    frame[table.y.name] = table.y
    if table.split is not None:
        frame.insert(0, SPLIT, table.split)
    text = frame.to_csv(index=False, lineterminator="\n").encode()
    with new_file(path) as part, part.open("wb") as file:
        if path.suffix != ".gz":
            file.write(text)
            return
        # The name it will have is kept inside, no date.
        with gzip.GzipFile(path.name, "wb", fileobj=file, mtime=0) as packed:
            packed.write(text)


def _is_split(cells: pd.DataFrame, name: str) -> bool:
    return name == SPLIT and name in cells and bool(cells[name].isin(PARTS).all())


def _to_float(column: pd.Series) -> pd.Series:
    # By way of object, so that Python's own float() reads each value, to the last digit.
    try:
        numbers = column.to_numpy(dtype=object, na_value=np.nan).astype(np.float64)
    except ValueError as error:
        raise ValueError(f"Column {column.name!r} should hold numbers, but {error}.") from error
    return pd.Series(numbers, index=column.index, name=column.name)


def _to_category(column: pd.Series) -> pd.Series:
    values = sorted(column.dropna().unique(), key=_natural)
    return column.astype(pd.CategoricalDtype(values))


def _natural(value: str) -> tuple[float, str]:
    """Sort codes 1, 2, 10 as numbers; words, after them, as words."""
    return (int(value), "") if value.isdecimal() else (np.inf, value)
