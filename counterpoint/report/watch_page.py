"""A model watched in use: the page of ``counterpoint watch``."""

from os import PathLike
from pathlib import Path
from typing import Any

from counterpoint._versions import versions
from counterpoint.report.drawing import axes, frame, padded, path_of
from counterpoint.report.render import render, write_html


def write_watch(summary: dict[str, Any], path: str | PathLike[str]) -> Path:
    """Write the page of a watch, complete in one file; one that is there is replaced."""
    page = render(
        "watch.html.j2",
        summary={**summary, "versions": versions()},
        chart=error_chart(summary),
    )
    return write_html(path, page)


def error_chart(summary: dict[str, Any]) -> dict[str, Any] | None:
    """Place the estimated error of each batch with its limits; None if no batch has one."""
    rows = [(k, row) for k, row in enumerate(summary["batches"], 1) if row["error"] is not None]
    if not rows:
        return None
    known = [row["known_error"] for _, row in rows if row["known_error"] is not None]
    seen = [row[key] for _, row in rows for key in ("error", "low", "high")]
    x, y = axes(
        (0.5, len(summary["batches"]) + 0.5),
        padded([*seen, *known, summary["reference_error"]], floor=0.0),
    )
    chart = frame(x, y, percent=summary["task"] == "classification")
    chart["reference"] = float(y(summary["reference_error"]))
    chart["line"] = path_of([(float(x(k)), float(y(row["error"]))) for k, row in rows])
    chart["points"] = [
        {
            "x": float(x(k)), "y": float(y(row["error"])), "low": float(y(row["low"])),
            "high": float(y(row["high"])), "alarm": row["alarm"],
            "known": None if row["known_error"] is None else float(y(row["known_error"])),
        }
        for k, row in rows
    ]  # fmt: skip
    return chart
