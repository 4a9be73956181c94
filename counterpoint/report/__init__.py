"""Results for people: tables read in, summaries as plain data, pages.

=================== =================================================================
``predictions``     a table of predictions in a file, read into ``MemberOutputs``
``tables``          the same files as frames of text
``summary``         results as dicts that JSON can hold: what terminal and page show
``figures``         the pictures of a page or a plot file
``render``          a page of HTML, complete in one file
``files``           files written whole or not at all
``model_page``      :func:`report`: the page of a fitted classifier
``model_summary``   what that page says, as plain data; ``members_summary`` of its members
``combination``     how an ensemble makes one answer of many, and what each member adds
``baselines``       simple models to hold it against, and intervals of errors
``single_tree``     one readable tree in place of an ensemble; ``tree_summary`` as plain data
``drawing``         where things stand in a chart
``frames``          tables to learn from; ``models`` fitted ones kept in files that are safe to load
``predicting``      a kept model asked about a file; ``fits`` results as plain data
``churn``           the page of a churn model
=================== =================================================================
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.report.model_page import report as report
    from counterpoint.tabular.explanation import one_tree as one_tree

__all__ = ["one_tree", "report"]


def __getattr__(name: str) -> Any:
    # Late: a command that only reads a table must not wait for trees and pages.
    if name == "report":
        from counterpoint.report.model_page import report

        return report
    if name == "one_tree":
        from counterpoint.tabular.explanation import one_tree

        return one_tree
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
