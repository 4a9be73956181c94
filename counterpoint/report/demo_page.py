"""The page of the demo: three ensembles side by side."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from counterpoint.report.figures import PageFigure, demo_figures
from counterpoint.report.model_page import write_page
from counterpoint.report.render import render, write_html
from counterpoint.tabular.demo import DemoResult

__all__ = ["render_demo", "write_demo"]


def write_demo(
    result: DemoResult,
    path: str | PathLike[str],
    *,
    summary: dict[str, Any] | None = None,
    report: str | PathLike[str] | None = None,
) -> Path:
    """Write the demo's page, and beside it the full report of its best ensemble.

    Parameters
    ----------
    result : DemoResult
        What :func:`counterpoint.tabular.run_demo` returned.
    path : str or path-like
        The file; one that is there is replaced. Its folder must exist.
    summary : dict, default=None
        Its summary, if it is there already.
    report : str or path-like, default=None
        Where the report goes, in the same folder, with a link to it from the page; None leaves
        it out.

    Returns
    -------
    pathlib.Path
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
    return render("demo.html.j2", summary=summary, figures=figures, link=link)
