"""The studio: a page in the browser where an ensemble can be seen thinking.

================ ==========================================================================
``open_studio``  serve the page on this machine and show it: a table, a model, or outputs
``Session``      what is open in a studio, and the questions it can be asked
``Studio``       the same page as a widget of a notebook
================ ==========================================================================

The studio computes nothing: it asks :mod:`counterpoint.tabular` and the packages below, and shows
what they answer. Every answer can be had from Python; the page writes the program down.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {"session": ("Session",), "widget": ("Studio",), "server": ("open_studio",)}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.studio.server import open_studio as open_studio
    from counterpoint.studio.session import Session as Session
    from counterpoint.studio.widget import Studio as Studio
