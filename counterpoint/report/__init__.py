"""Pages: what :mod:`counterpoint.tabular` found out, shown in a browser.

Nothing is fitted, read or kept here: a page shows a summary, the same one that the terminal
prints and ``--json`` writes.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.report.model_page import report as report
    from counterpoint.report.model_page import write_page as write_page

__all__ = ["report", "write_page"]


def __getattr__(name: str) -> Any:
    # Late: the command must not wait for every learner before it has looked at what was typed.
    if name in __all__:
        from counterpoint.report import model_page

        return getattr(model_page, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
