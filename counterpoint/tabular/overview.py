"""A look at a table before anything is learnt from it."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

import pandas as pd

from counterpoint._tables import check_names
from counterpoint.tabular.column import is_number, text_labels
from counterpoint.tabular.columns import align_columns, find_column, used_columns
from counterpoint.tabular.leaks import find_leaks
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.taking import Taken, take_columns
from counterpoint.tabular.variants import find_variants


@dataclass(frozen=True)
class Overview:
    """What the columns of a table are taken for; made by :func:`look_at`.

    Attributes
    ----------
    source : str
        The file; empty for a frame.
    n_rows : int
    taken : list of Taken
        For each column its name, what it is taken for, and why.
    notes : list of str
        What the reader found out; columns that know too much.
    """

    source: str
    n_rows: int
    taken: list[Taken]
    notes: list[str]

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        rows = [{"name": one.name, "taken_for": one.use, "why": one.why} for one in self.taken]
        return {
            "source": self.source, "n_rows": self.n_rows, "columns": rows, "notes": self.notes,
        }  # fmt: skip


def look_at(
    table: pd.DataFrame | TableFile | str | PathLike[str] | IO[bytes], target: str | None = None
) -> Overview:
    """Say what each column of a table is taken for, and why.

    Parameters
    ----------
    table : DataFrame, TableFile or path
        A path is read by :func:`~counterpoint.tabular.read_table`, and columns that it would
        refuse are "unclear".
    target : str, default=None
        The column that is to be predicted: then columns that predict it alone are named.

    Returns
    -------
    Overview

    Examples
    --------
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular import look_at
    >>> data = load("labor")
    >>> [(one.name, one.use) for one in look_at(data.X).taken[:2]]
    [('duration', 'number'), ('wage_increase_first_year', 'number')]
    """
    file = as_table(table, target=target, strict=False)
    check_names(file.frame, "The table")
    frame = file.frame.rename(columns=str)
    if target is not None:
        find_column(target, list(frame.columns), what="target column", option="target=")
        frame = frame[text_labels(frame[target]).notna().to_numpy()]
    taken = take_columns(frame, target, wishes=file.wishes, forms=file.forms, unclear=file.unclear)
    notes = list(file.notes)
    words = () if target is None or is_number(frame[target]) else text_labels(frame[target])
    notes += find_variants([one.column for one in taken if one.column], set(words), target or "")
    told = not file.unclear or any(one.column is not None for one in taken)
    if target is not None and target not in file.unclear and told and len(frame):
        X, _, _ = align_columns(frame, used_columns(taken, target)[0])
        notes += find_leaks(X, frame[target], target)
    return Overview(Path(file.name).name, len(frame), taken, notes)
