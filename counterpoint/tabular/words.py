"""Numbers in words: the same digits in a terminal, in a sentence and on a page."""

import math
import re

UNDEFINED = "undefined"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as it stands in a table; what is undefined is said to be."""
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def figure(value: float | None) -> str:
    """Return a number in units of the data, with four digits that count."""
    if value is None:
        return UNDEFINED
    size = abs(value)
    if size == 0:
        return "0"
    if not 1e-4 <= size < 1e9:
        return f"{value:.3e}"
    return f"{value:.{max(0, 3 - math.floor(math.log10(size)))}f}"


def span(low: float, high: float) -> str:
    """Return an interval in units of the data."""
    return f"{figure(low)} to {figure(high)}"


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return UNDEFINED if share is None else f"{100 * share:.1f} %"


def points(change: float | None) -> str:
    """Return a change of a share in percentage points, with its sign."""
    if change is None:
        return UNDEFINED
    text = f"{100 * change:+.2f}"
    return "0.00" if float(text) == 0 else text


def duration(seconds: float) -> str:
    """Return a duration as one says it: 65 s, 150 min."""
    if seconds < 1:
        return "under a second"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 3 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def is_loud(text: str) -> bool:
    """Tell whether a line begins in capitals: nobody should miss it."""
    return re.match("[A-Z]{3}", text) is not None
