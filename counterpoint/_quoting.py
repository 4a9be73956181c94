"""Names and values written into code for others to run: quoted, never pasted."""

from typing import Any

import numpy as np


def sql_name(name: str) -> str:
    """Return the name of a table or column as SQL."""
    doubled = str(name).replace('"', '""')
    return f'"{doubled}"'


def sql_value(value: Any) -> str:
    """Return a flag, number or text as SQL."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    text = str(value).replace("'", "''")
    return f"'{text}'"


def python_value(value: Any) -> str:
    """Return a value as Python, in letters of ASCII."""
    return ascii(value.item() if isinstance(value, np.generic) else value)
