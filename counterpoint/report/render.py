"""Summaries to HTML: one file, nothing loaded from elsewhere."""

from collections.abc import Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from counterpoint.report.figures import PageFigure, demo_figures
from counterpoint.tabular.demo import DemoResult
from counterpoint.tabular.files import new_file
from counterpoint.tabular.plain import summarise_demo

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_demo", "write_demo"]


def write_demo(
    result: DemoResult, path: str | PathLike[str], *, report: str | PathLike[str] | None = None
) -> Path:
    """Write the demo's page, and beside it the full report of its best ensemble.

    Parameters
    ----------
    result : DemoResult
        What :func:`counterpoint.tabular.demo.run_demo` returned.
    path : str or path-like
        The file; one that is there is replaced. Its folder must exist.
    report : str or path-like, default=None
        Where the report goes, in the same folder, with a link to it from the page; None leaves
        it out.

    Returns
    -------
    pathlib.Path
    """
    path = Path(path)
    if report is not None:
        _write_report(result, report)
    link = None if report is None else quote(Path(report).name)
    with new_file(path) as part:
        page = render_demo(summarise_demo(result), demo_figures(result), link=link)
        part.write_text(page, encoding="utf-8")
    return path


def _write_report(result: DemoResult, path: str | PathLike[str]) -> None:
    from counterpoint.report.model_page import report

    best = result.best
    report(
        result.models[best.name],
        result.X.iloc[result.test],
        result.y[result.test],
        path,
        title=f"{best.name} on {result.dataset}",
        X_train=result.X.iloc[result.train],
        y_train=result.y[result.train],
        random_state=result.random_state,
        extra={"Data": result.description.partition("\n")[0], "Members are": best.recipe},
    )


def render_demo(
    summary: dict[str, Any], figures: Sequence[PageFigure], *, link: str | None = None
) -> str:
    """Return the demo's page as HTML.

    Parameters
    ----------
    summary : dict
        From :func:`counterpoint.tabular.plain.summarise_demo`.
    figures : sequence of PageFigure
        From :func:`counterpoint.report.figures.demo_figures`.
    link : str, default=None
        Where the report of the best ensemble is, as an address relative to the page.

    Returns
    -------
    str
    """
    template = _environment().get_template("demo.html.j2")
    return template.render(summary=summary, figures=figures, link=link)


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
