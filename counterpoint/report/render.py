"""Templates to HTML: one file, nothing loaded from elsewhere."""

from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint._files import new_file
from counterpoint.tabular import words

if TYPE_CHECKING:
    from jinja2 import Environment


def write_html(path: str | PathLike[str], page: str) -> Path:
    """Write a page, whole or not at all; its folder must exist."""
    path = Path(path)
    with new_file(path) as part:
        part.write_text(page, encoding="utf-8")
    return path


def render(template: str, **values: Any) -> str:
    """Return a page as HTML."""
    return environment().get_template(template).render(**values)


@cache
def environment() -> "Environment":
    """Return the templates, with the words for numbers that they share with the terminal."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("counterpoint.report"),
        autoescape=True,
        undefined=StrictUndefined,  # a name misspelt in a template is an error, not a blank
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": _number,
        "percent": lambda share: _typeset(words.percent(share)),
        "points": lambda change: _typeset(words.points(change)),
        "chance": lambda p: "below 0.001" if p < 0.001 else f"{p:.3f}",
        "unbroken": lambda text: text.replace(" %", "\N{NO-BREAK SPACE}%"),
        "range": lambda row: _typeset(f"{row['low']:g} to {row['high']:g}"),
    }
    return made


def _number(value: float | None, digits: int = 3) -> str:
    return _typeset(words.number(value, digits))


def _typeset(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}").replace(" %", "\N{NO-BREAK SPACE}%")
