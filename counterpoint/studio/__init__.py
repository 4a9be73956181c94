"""The studio: a page in the browser where an ensemble can be seen thinking.

================ ==========================================================================
``open_studio``  serve the page on this machine and show it: a table, a model, or outputs
``Session``      what is open in a studio, and the questions it can be asked
``Studio``       the same page as a widget of a notebook
================ ==========================================================================

The studio computes nothing: it asks :mod:`counterpoint.tabular` and the packages below, and shows
what they answer. Every answer can be had from Python; the page writes the program down.
"""

from importlib import import_module
from typing import Any

_HOME_OF = {"Session": "session", "Studio": "widget", "open_studio": "server"}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
