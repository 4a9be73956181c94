"""The page of the demo: ensembles side by side, and one tree in their place."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from counterpoint.report import drawing
from counterpoint.report.figures import PageFigure, demo_figures
from counterpoint.report.model_page import write_page
from counterpoint.report.render import render, write_html
from counterpoint.tabular.demo import DemoResult


def write_demo(
    result: DemoResult,
    path: str | PathLike[str],
    *,
    summary: dict[str, Any] | None = None,
    report: str | PathLike[str] | None = None,
) -> Path:
    """Write the demo's page and, at ``report`` beside it, the full report of its best ensemble.

    Files that are there are replaced; the folder must exist. ``summary`` is that of the result.
    """
    if report is not None:
        write_page(result.assess_best().summary(), report)
    link = None if report is None else quote(Path(report).name)
    page = render_demo(summary or result.summary(), demo_figures(result), link=link)
    return write_html(path, page)


def render_demo(
    summary: dict[str, Any], figures: Sequence[PageFigure], *, link: str | None = None
) -> str:
    """Return the demo's page as HTML; ``link`` is the address of the full report, if any."""
    return render(
        "demo.html.j2",
        summary=summary,
        figures=figures,
        link=link,
        bars=_bars([summary["tree"], *summary["methods"]]),
        lines=drawing.tree_lines(summary["one_tree"]["shown"]["nodes"]),
    )


def _bars(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the errors of the methods, least, most and mean, as places along a bar."""
    far = max(error for row in rows for error in row["errors"]) or 1.0
    bars = []
    for row in rows:
        low, high, mean = min(row["errors"]), max(row["errors"]), row["error_mean"]
        told = {"name": row["name"], "error": mean, "low": low, "high": high}
        bars.append({**told, **drawing.along(low, high, mean, far=far)})
    return bars
