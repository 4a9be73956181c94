"""Numbers that may stand for no value, such as -999 among ages."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

_NINES = re.compile(r"-?99+(\.99?)?")
_MOST_CELLS = 0.5
_FEWEST_OTHERS = 3


def gap_code(values: pd.Series) -> tuple[float, int, float, float] | None:
    """Return a number that may stand for no value, how often it is there, and the others' range.

    Such a number is the least or the greatest of its column, written with nines alone, there more
    than once, and further from the next number than all the others are from each other.

    Examples
    --------
    >>> gap_code(pd.Series([31, 45, -999, 18, 60, -999, 52]))
    (-999.0, 2, 18.0, 60.0)
    >>> gap_code(pd.Series([97, 98, 99, 99, 45])) is None
    True
    """
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) == 0:
        return None
    for code in (float(numbers.min()), float(numbers.max())):
        if not _NINES.fullmatch(f"{code:.15g}"):
            continue
        others = numbers[numbers != code]
        count = len(numbers) - len(others)
        if not 1 < count <= _MOST_CELLS * len(numbers) or len(np.unique(others)) < _FEWEST_OTHERS:
            continue
        low, high = float(others.min()), float(others.max())
        if max(low - code, code - high) > high - low:
            return code, count, low, high
    return None


def tell_gap_code(values: pd.Series, missing: Sequence[str] | None) -> str:
    """Return a note if a number of a column may stand for no value; else nothing.

    ``missing`` is what stood for no value when the file was read; None for a frame.
    """
    seen = gap_code(values)
    if seen is None:
        return ""
    code, count, low, high = seen
    known = ",".join(missing or ())
    mend = f"pass missing='{code:.15g}'"
    if missing is None:
        mend = "put NaN there"
    elif known:
        mend = f"add '{code:.15g}' to missing={known!r}"
    return (
        f"column {values.name!r} is {code:.15g} in {count} of {len(values)} rows, far from all "
        f"others, which are {low:.6g} to {high:.6g}: if it means that there is no value, {mend}."
    )
