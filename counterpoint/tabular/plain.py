"""Results as plain data: dicts, lists, strings and numbers that JSON can hold.

Every result has a ``summary`` of this kind. The terminal, the page and ``--json`` all show it,
so that they cannot disagree. What is undefined is None.
"""

import json
import math
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._text import escape_hidden


def plain(value: Any) -> Any:
    """Return a value in types that JSON knows, NaN and missing as None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def plain_rows(frame: pd.DataFrame | None) -> list[dict[str, Any]] | None:
    """Return the rows of a frame as plain dicts; None for none."""
    return None if frame is None else plain(frame.to_dict(orient="records"))


def to_json(summary: Any) -> str:
    """Return a summary as JSON text; what is undefined becomes ``null``."""
    text = json.dumps(plain(summary), indent=2, ensure_ascii=False, allow_nan=False)
    return escape_hidden(text)
