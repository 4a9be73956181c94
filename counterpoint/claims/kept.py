"""Finished cells as files that a repository can hold: one compressed Parquet file a claim.

Beside them is a small table of what was checked: cells of earlier code that were run again.
"""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import pandas as pd

from counterpoint._files import new_file
from counterpoint.claims.protocol import Claim
from counterpoint.claims.records import CELLS as FOLDER
from counterpoint.claims.records import CHECKED
from counterpoint.claims.store import Store


def take_kept(claims: Iterable[Claim], store: Store, folder: str | PathLike[str]) -> int:
    """Take the cells of ``folder/cells/*.parquet`` into a store; return how many were new."""
    new = 0
    for claim in claims:
        path = Path(folder) / FOLDER / f"{claim.topic}.parquet"
        if path.exists():
            new += store.take(claim.experiment("full"), _read(path))
    checked = Path(folder) / FOLDER / CHECKED
    if checked.exists():
        store.take_checks(pd.read_csv(checked, dtype=str, keep_default_na=False))
    return new


def write_kept(claims: Iterable[Claim], store: Store, folder: str | PathLike[str]) -> None:
    """Write the finished cells of full size to ``folder/cells``, a file a claim.

    A claim without a finished cell has none. Needs pyarrow.
    """
    _check_parquet()
    claims = list(claims)
    for claim in claims:
        experiment = claim.experiment("full")
        cells = store.cells(experiment)
        if len(cells):
            place = Path(folder) / FOLDER
            place.mkdir(exist_ok=True)
            path = place / f"{claim.topic}.parquet"
            if path.exists():
                # On data that somebody else has, and we have not: these stay.
                before = _read(path)
                known = {cell.key for cell in experiment.cells()}
                others = (before["version"] == experiment.version) & ~before["key"].isin(known)
                if others.any():
                    cells = pd.concat([cells, before[others]], ignore_index=True)
            with new_file(path) as part:
                cells.to_parquet(part, compression="zstd", index=False)
    experiments = [claim.experiment("full") for claim in claims]
    checks, path = store.checks(experiments), Path(folder) / FOLDER / CHECKED
    if len(checks):
        if path.exists():  # one file for all claims: what is there of others stays
            before = pd.read_csv(path, dtype=str, keep_default_na=False)
            own = before["experiment"].isin([one.kept_as for one in experiments])
            checks = pd.concat([before[~own], checks.astype(str)])
            checks = checks.sort_values(["experiment", "version", "code"])
        with new_file(path) as part:
            checks.to_csv(part, index=False)


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
