"""Finished cells as files that a repository can hold: one compressed Parquet file a claim."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoint._files import new_file
from counterpoint.claims.code import code_version
from counterpoint.claims.evaluation import Outcome, evaluate
from counterpoint.claims.protocol import Cell, Claim
from counterpoint.claims.store import Store

FOLDER = "cells"


def take_kept(claims: Iterable[Claim], store: Store, folder: str | PathLike[str]) -> int:
    """Take the cells of ``folder/cells/*.parquet`` into a store; return how many were new."""
    new = 0
    for claim in claims:
        path = Path(folder) / FOLDER / f"{claim.topic}.parquet"
        if path.exists():
            new += store.take(claim.experiment("full"), _read(path))
    return new


def write_kept(claims: Iterable[Claim], store: Store, folder: str | PathLike[str]) -> None:
    """Write the finished cells of full size to ``folder/cells``, a file a claim.

    A claim without a finished cell has none. Needs pyarrow.
    """
    _check_parquet()
    for claim in claims:
        cells = store.cells(claim.experiment("full"))
        if len(cells):
            place = Path(folder) / FOLDER
            place.mkdir(exist_ok=True)
            with new_file(place / f"{claim.topic}.parquet") as part:
                cells.to_parquet(part, compression="zstd", index=False)


def older_cells(claim: Claim, store: Store) -> list[Cell]:
    """Return finished cells of full size that other code than the present one made."""
    experiment = claim.experiment("full")
    now, made = code_version(claim.topic), store.code(experiment)
    return [cell for cell in experiment.cells() if made.get(cell.key, now) != now]


def check_cells(
    claim: Claim, store: Store, cells: Sequence[Cell], *, tolerance: float = 1e-6
) -> pd.DataFrame:
    """Run finished cells again and compare: a row a cell, with its key and what differs.

    Numbers are the same if they differ by no more than ``tolerance``, relative to their size:
    other processors round otherwise.
    """
    experiment = claim.experiment("full")
    kept = store.rows_by_cell(experiment)
    rows = []
    for cell in cells:
        outcome: Outcome = evaluate(experiment, cell)
        problem = outcome.error or _difference(kept[cell.key], outcome.rows, tolerance)
        rows.append({"topic": claim.topic, "cell": cell.key, "same": not problem, "why": problem})
    return pd.DataFrame(rows, columns=["topic", "cell", "same", "why"])


def _difference(before: list[dict[str, Any]], now: list[dict[str, Any]], tolerance: float) -> str:
    if len(before) != len(now):
        return f"{len(now)} rows, where {len(before)} are kept"
    for old, new in zip(before, now, strict=True):
        for name in sorted(old.keys() | new.keys()):
            a, b = old.get(name), new.get(name)
            if not _same(a, b, tolerance):
                return f"{name} is {b}, where {a} is kept"
    return ""


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if any(isinstance(value, bool | str | None) for value in (a, b)):
        return bool(a == b)
    return bool(abs(a - b) <= tolerance * max(1.0, abs(a)))


def _read(path: Path) -> pd.DataFrame:
    _check_parquet()
    try:
        return pd.read_parquet(path)
    except Exception as error:  # pyarrow has many kinds of its own
        raise ValueError(f"{path} holds no cells: {error}") from error


def _check_parquet() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Cells are kept as Parquet files, which needs the package pyarrow: pip install pyarrow."
        ) from error
