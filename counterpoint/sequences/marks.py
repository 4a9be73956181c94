"""A column that marks the events to predict, where a log has no type of its own for them."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_YES = ("1", "1.0", "true", "t", "yes", "y", "x", "ja", "j", "oui", "si", "sí")
_NO = ("0", "0.0", "false", "f", "no", "n", "", "nein", "non")


def marks_of(column: pd.Series) -> NDArray | None:
    """Return which rows a column marks; None if it holds anything but marks, or all or no rows.

    Examples
    --------
    >>> marks_of(pd.Series(["yes", "no", None]))
    array([ True, False, False])
    >>> marks_of(pd.Series([0, 1, 2]))
    """
    values = pd.Series(column.dropna().unique())
    texts = dict(zip(values, values.astype(str).str.strip().str.lower(), strict=True))
    if len(texts) > len(_YES) + len(_NO) or not set(texts.values()) <= {*_YES, *_NO}:
        return None
    marked = column.isin([value for value, text in texts.items() if text in _YES]).to_numpy()
    return marked if 0 < marked.sum() < len(marked) else None


def with_marked_type(frame: pd.DataFrame, marker: str, *, entity: str, type: str) -> pd.DataFrame:
    """Return events of which those that are marked have a type of their own, called as the column.

    Raises
    ------
    ValueError
        If whoever has a mark has it in all rows: then it says who, and not when.
    """
    marked = marks_of(frame[marker])
    if marked is None:
        raise ValueError(
            f"Column {marker!r} marks no events: it takes two values, such as 0 and 1."
        )
    by_whom = pd.Series(marked).groupby(frame[entity].to_numpy())
    n_marked, n_rows = by_whom.sum(), by_whom.size()
    if (n_marked[n_marked > 0] == n_rows[n_marked > 0]).all() and (n_rows[n_marked > 0] > 1).any():
        raise ValueError(
            f"Column {marker!r} marks all rows of a {entity!r} or none: it says whom the event "
            "befell, and not when. Mark the one row at which it did, or add a row for it."
        )
    types = frame[type].astype(object)
    kept = frame.drop(columns=marker)
    kept[type] = np.where(marked, marker, types.astype(str).where(types.notna(), None))
    return kept
