"""Pages: what :mod:`counterpoint.tabular` found out, shown in a browser.

Nothing is fitted, read or kept here: a page shows a summary, the same one that the terminal
prints and ``--json`` writes.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

# Late: the command must not wait for every learner before it has looked at what was typed.
_HOMES = {"model_page": ("report", "write_page")}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.report.model_page import report as report
    from counterpoint.report.model_page import write_page as write_page
