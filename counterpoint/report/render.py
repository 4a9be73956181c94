"""Summaries to HTML: one file, nothing loaded from elsewhere."""

from collections.abc import Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.experiments.demo import DemoResult
from counterpoint.report.figures import PageFigure, demo_figures
from counterpoint.report.files import new_file
from counterpoint.report.summary import summarise_demo

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_demo", "write_demo"]


def write_demo(result: DemoResult, path: str | PathLike[str]) -> Path:
    """Write the demo's page.

    Parameters
    ----------
    result : DemoResult
        What :func:`counterpoint.experiments.demo.run_demo` returned.
    path : str or path-like
        The file; one that is there is replaced. Its folder must exist.

    Returns
    -------
    pathlib.Path
    """
    path = Path(path)
    with new_file(path) as part:
        page = render_demo(summarise_demo(result), demo_figures(result))
        part.write_text(page, encoding="utf-8")
    return path


def render_demo(summary: dict[str, Any], figures: Sequence[PageFigure]) -> str:
    """Return the demo's page as HTML.

    Parameters
    ----------
    summary : dict
        From :func:`counterpoint.report.summary.summarise_demo`.
    figures : sequence of PageFigure
        From :func:`counterpoint.report.figures.demo_figures`.

    Returns
    -------
    str
    """
    return _environment().get_template("demo.html.j2").render(summary=summary, figures=figures)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("counterpoint.report"),
        autoescape=True,
        undefined=StrictUndefined,  # a name misspelt in a template is an error, not a blank
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = _number
    made.filters["percent"] = _percent
    made.filters["range"] = _range
    return made


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}".replace("-", "\N{MINUS SIGN}")


def _percent(share: float | None) -> str:
    return "undefined" if share is None else f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _range(row: dict[str, Any]) -> str:
    return f"{row['low']:g} to {row['high']:g}".replace("-", "\N{MINUS SIGN}")
