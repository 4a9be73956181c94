"""The page of claims run again: their numbers beside ours, and the verdicts."""

import base64
from collections.abc import Mapping
from typing import Any

from counterpoint.report.figures import DPI
from counterpoint.report.render import render
from counterpoint.tabular import words

_LONG = 24  # a longer table is folded on the page


def render_reproductions(
    summary: Mapping[str, Any], *, pictures: Mapping[str, bytes], command: str = ""
) -> str:
    """Return the page on claims run again, from their summary and a PNG by topic, all in one.

    Claims without a picture have none.
    """
    return render(
        "reproductions.html.j2",
        summary=summary,
        pictures={topic: _embedded(picture) for topic, picture in pictures.items()},
        command=command,
        long=_LONG,
        cell=show_cell,
        span=words.duration,
    )


def _embedded(picture: bytes) -> dict[str, Any]:
    # The width stands in bytes 16 to 19 of a PNG. A page has 96 dots an inch: nothing is blown up.
    width = int.from_bytes(picture[16:20], "big") * 96 // DPI
    return {"source": f"data:image/png;base64,{base64.b64encode(picture).decode()}", "width": width}


def show_cell(value: Any) -> str:
    """Return a value of a table as it stands on the page."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")
    return str(value)
