"""A table of estimates, a column per member: read into ``MemberPredictions``."""

from collections.abc import Sequence
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from counterpoint._predictions import MemberPredictions
from counterpoint.tabular.columns import is_number
from counterpoint.tabular.outputs import find_columns, member_columns
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.targets import MOST_CLASSES


def read_number_predictions(
    source: pd.DataFrame | TableFile | str | PathLike[str] | IO[bytes],
    *,
    truth: str,
    members: Sequence[str] | None = None,
) -> MemberPredictions:
    r"""Read the numbers that members said, a column per member and a row per sample.

    As :func:`read_predictions`, for a truth that is a number.

    Parameters
    ----------
    source : path, binary file, DataFrame or TableFile
        As :func:`~counterpoint.tabular.read_table` takes it.
    truth : str
        Column with the true number.
    members : sequence of str, default=None
        Columns with the members' numbers. None: all but the truth.

    Returns
    -------
    MemberPredictions
        Members named as their columns.

    Raises
    ------
    FileNotFoundError, ValueError
        With the column and the data row (the first after the header is 1) at fault.

    Examples
    --------
    >>> import io
    >>> from counterpoint.tabular import read_number_predictions
    >>> table = b"price,tree,net\n1.5,1.0,2.0\n2.5,3.0,2.5\n"
    >>> outputs = read_number_predictions(io.BytesIO(table), truth="price")
    >>> outputs.names, outputs.errors.tolist()
    (['tree', 'net'], [0.25, 0.125])
    """
    file = as_table(source)
    frame = file.frame.rename(columns=str)
    columns = list(frame.columns)
    find_columns([truth], columns, f"truth column {truth!r}", "truth=", file.name)
    chosen = member_columns(file.name, columns, members, None, {truth})
    values = [_numbers(frame[name], name, file.name) for name in [truth, *chosen]]
    return MemberPredictions(np.stack(values[1:]), values[0], names=chosen)


def holds_numbers(table: TableFile, truth: str) -> bool:
    """Tell whether a table of predictions is of numbers and not of classes.

    All its columns are numbers then, and some of them has fractions or very many different ones.
    """
    frame = table.frame.rename(columns=str)
    if truth not in frame or not all(is_number(frame[name]) for name in frame):
        return False
    cells = frame.to_numpy(dtype=float, na_value=np.nan)
    cells = cells[np.isfinite(cells)]
    return bool((cells != np.round(cells)).any() or len(np.unique(cells)) > MOST_CLASSES)


def _numbers(values: Any, column: str, file: str) -> np.ndarray:
    if not is_number(values):
        raise ValueError(
            f"The column {column!r} of {file} holds words: give numbers, or leave it out with "
            "members=."
        )
    found = values.to_numpy(dtype=float, na_value=np.nan)
    if not np.isfinite(found).all():
        raise ValueError(
            f"The column {column!r} of {file} holds no finite number in data row "
            f"{int(np.argmin(np.isfinite(found))) + 1}: every member says a number of every row."
        )
    return found
