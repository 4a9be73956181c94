"""CSV that a spreadsheet shows as it is: no cell from the data becomes a formula.

Excel, LibreOffice and others take a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a
formula, and a formula may send data away or run a program. An apostrophe before it makes it text.
"""

import re
from typing import Any

import pandas as pd

# Behind blanks or apostrophes of its own, too: so that one more can always be told from those.
# The wide forms are what an East Asian keyboard gives; spreadsheets there take them as well.
_FORMULA = re.compile(r"[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def safe_cell(value: Any) -> Any:
    """Return text that a spreadsheet would run with an apostrophe before it, all else as it is.

    Numbers stay numbers, also as text.

    Examples
    --------
    >>> [safe_cell(value) for value in ("=1+1", "-2", -2.0, "ann", "'=1")]
    ["'=1+1", '-2', -2.0, 'ann', "''=1"]
    """
    return f"'{value}" if _is_formula(value) else value


def plain_cell(value: Any) -> Any:
    """Undo :func:`safe_cell`.

    Examples
    --------
    >>> [plain_cell(value) for value in ("'=1+1", "-2", "ann", "''=1", "'tis")]
    ['=1+1', '-2', 'ann', "'=1", "'tis"]
    """
    marked = isinstance(value, str) and value.startswith("'") and _is_formula(value[1:])
    return value[1:] if marked else value


def to_csv(frame: pd.DataFrame, *, spreadsheet_safe: bool) -> str:
    """Return a frame as CSV, without its index.

    Parameters
    ----------
    frame : DataFrame
    spreadsheet_safe : bool
        Whether every cell and every name of a column goes through :func:`safe_cell`.

    Returns
    -------
    str

    Examples
    --------
    >>> frame = pd.DataFrame({"@name": ["=cmd()", "ann"], "change": [-1.5, 2.0]})
    >>> print(to_csv(frame, spreadsheet_safe=True), end="")
    '@name,change
    '=cmd(),-1.5
    ann,2.0
    """
    if spreadsheet_safe:
        frame = frame.apply(_safe_column).set_axis([safe_cell(n) for n in frame.columns], axis=1)
    return frame.to_csv(index=False)


def _safe_column(column: pd.Series) -> pd.Series:
    is_text = column.dtype.kind not in "iufbmM"
    return column.astype(object).map(safe_cell) if is_text else column


def _is_formula(value: Any) -> bool:
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return False
    return _FORMULA.match(value) is not None
