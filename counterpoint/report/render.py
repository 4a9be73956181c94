"""Templates to HTML: one file, nothing loaded from elsewhere."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint._files import new_file
from counterpoint._text import visible
from counterpoint.tabular import words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


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
        finalize=_shown,
        undefined=StrictUndefined,  # a name misspelt in a template is an error, not a blank
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": _number,
        "figure": lambda value: _typeset(words.figure(value)),
        "measure": lambda value, task: _typeset(
            words.percent(value) if task == "classification" else words.figure(value)
        ),
        "percent": lambda share: _typeset(words.percent(share)),
        "typeset": _typeset,
        "points": lambda change: _typeset(words.points(change)),
        "chance": lambda p: "below 0.001" if p < 0.001 else f"{p:.3f}",
        "unbroken": _unbroken,
        "range": lambda row: _typeset(f"{row['low']:g} to {row['high']:g}"),
    }
    made.tests["loud"] = words.is_loud
    made.globals |= {"inline": _inline, "policy": _policy}
    return made


def _unbroken(text: str) -> "Markup":
    """Keep numbers with their per cent signs, and what is to be typed in one piece."""
    from markupsafe import Markup, escape

    safe = str(escape(visible(text).replace(" %", "\N{NO-BREAK SPACE}%")))
    return Markup(re.sub(r"--[a-z][a-z-]*", r'<span class="typed">\g<0></span>', safe))


def _inline(name: str) -> "Markup":
    """Return a style sheet or a script of ours, to stand in the page as it is."""
    from markupsafe import Markup

    return Markup(environment().get_template(name).render())


def _policy(styles: Sequence[str], scripts: Sequence[str], style_attributes: bool) -> "Markup":
    """Say what the browser may do with the page: nothing but show it, nothing from elsewhere.

    It takes the style sheets and scripts named and no others, whatever else gets into the page,
    and pictures that stand in it. Places within a chart may need style attributes.
    """
    from markupsafe import Markup

    sheets = " ".join(map(_digest, styles))
    if style_attributes:  # a browser that cannot tell these from style sheets allows both
        sheets = f"'unsafe-inline'; style-src-elem {sheets}; style-src-attr 'unsafe-inline'"
    script = " ".join(map(_digest, scripts)) or "'none'"
    return Markup(
        f"default-src 'none'; img-src data:; style-src {sheets}; script-src {script}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(name: str) -> str:
    digest = hashlib.sha256(_inline(name).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _shown(value: Any) -> Any:
    # What has a __html__ is a part of the page that came this way already.
    return value if hasattr(value, "__html__") else visible(value)


def _number(value: float | None, digits: int = 3) -> str:
    return _typeset(words.number(value, digits))


def _typeset(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}").replace(" %", "\N{NO-BREAK SPACE}%")
