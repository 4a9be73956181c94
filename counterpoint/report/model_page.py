"""The page of a fitted model: one file that works offline, in light, dark and on paper."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from counterpoint._files import check_output
from counterpoint._text import visible
from counterpoint.report import drawing
from counterpoint.report.class_charts import class_charts, class_script
from counterpoint.report.column_charts import dependence_charts, importance_rows
from counterpoint.report.number_charts import number_charts, number_script
from counterpoint.report.render import render, write_html
from counterpoint.tabular.assessment import assess
from counterpoint.tabular.telling import TELLINGS, Told, shown
from counterpoint.tabular.words import figure, number

_FEW, _ENDS = 24, 6  # members up to which all are shown at once; else so many of either end
# What differs between the tasks: the template, its own charts, what its script needs, how a term
# of a sum is written, what partial dependence is of.
_PAGES: dict[str, Any] = {
    "classification": ("classes.html.j2", class_charts, class_script, number),
    "regression": ("numbers.html.j2", number_charts, number_script, figure),
}


def report(
    model: Any, X: Any, y: Any = None, path: str | PathLike[str] = "report.html", **options: Any
) -> Path:
    """Write a page that shows what a fitted model is and what its members add.

    The page is one HTML file: it needs no network, follows the reader's choice of light or dark,
    prints, and fits a phone. It tells the error with its interval beside three simple models, how
    the members agree and err, what each is worth, how the error falls as they join, where they
    disagree, and one tree that says much the same. Points can be hovered, tables sorted, and a
    slider goes through the members; without JavaScript all numbers are still there.

    Parameters
    ----------
    model, X, y
        A fitted classifier or regressor and rows it was *not* trained on, as for
        :func:`counterpoint.tabular.assess`.
    path : str or path-like, default="report.html"
        The file; one that is there is replaced. Its folder must exist.
    **options
        As for :func:`counterpoint.tabular.assess`: ``title``, ``X_train`` and ``y_train``,
        ``names``, ``feature_names``, ``random_state``, ``max_members``, ``max_rows``, ``facts``.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.report import report
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(forest, X[1::2], y[1::2], pathlib.Path(folder, "page.html"))
    ...     page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    check_output(path)  # before the work, not after
    return write_page(assess(model, X, y, **options).summary(), path)


def write_page(summary: dict[str, Any], path: str | PathLike[str]) -> Path:
    """Write the page of a model whose summary is there already.

    Parameters
    ----------
    summary : dict
        From :meth:`counterpoint.tabular.Fit.summary` or
        :meth:`counterpoint.tabular.Assessment.summary`.
    path : str or path-like
        The file; one that is there is replaced. Its folder must exist.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> from counterpoint.report import write_page
    >>> data = load("iris")
    >>> fitted = tabular.fit(data.X.assign(kind=data.y), "kind", "pruned-tree")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_page(fitted.summary(), pathlib.Path(folder, "page.html"))
    ...     "pruned-tree" in page.read_text(encoding="utf-8")
    True
    """
    return write_html(path, render_page(summary))


def render_page(summary: dict[str, Any]) -> str:
    """Return the page of a model as HTML."""
    template, own, script, words = _PAGES[summary["task"]]
    charts = {**_charts(summary, words), **own(summary)}
    data = script(summary, charts) if charts["members"] else {}
    return render(
        template,
        summary=summary,
        told=TELLINGS[summary["task"]],
        charts=charts,
        data=visible(data),
    )


def _charts(summary: dict[str, Any], words: Callable[[float], str]) -> dict[str, Any]:
    """Place what pages of all models draw; the template only writes it down."""
    told, members = TELLINGS[summary["task"]], summary["members"]
    numbers = summary["task"] == "regression"
    rows = [{"name": "This model", **summary["score"]}, *summary["baselines"]["rows"]]
    charts: dict[str, Any] = {
        "errors": drawing.interval_rows(rows, name=told.measure, percent=not numbers),
        "importance": importance_rows(summary["importance"]),
        "dependence": dependence_charts(summary["dependence"], numbers=numbers),
        "answer": _answer(summary),
        "tree": drawing.tree_lines(summary["tree"]["shown"]["nodes"]) if summary["tree"] else [],
        "sums": [],
        "members": None,
        "ends": None,
        "tried": None,
        **dict.fromkeys(("calibration", "cloud", "matrix", "growth", "margins")),
    }
    if summary["fit"] and summary["fit"]["leaderboard"]:
        charts["tried"] = _table(summary["fit"]["leaderboard"], "member", told.tried)
    if members is None or members["n_members"] == 1:  # nobody who could disagree
        return charts
    if members["matrix"]:
        charts["matrix"] = drawing.matrix_image(members["matrix"]["values"])
    charts["sums"] = [
        {
            "share": None,
            "added_off": None,
            **one,
            "bars": [{**bar, "text": words(bar["value"])} for bar in drawing.bars(one["terms"])],
        }
        for one in members["decompositions"]
    ]
    table = members["table"]
    charts["members"] = _table(table, "name", told.members, "position")
    if members["n_members"] > _FEW and charts["members"]["ordered"]:
        ends = [*charts["members"]["rows"][:_ENDS], None, *charts["members"]["rows"][-_ENDS:]]
        charts["ends"] = {**charts["members"], "rows": ends}
    return charts


def _answer(summary: dict[str, Any]) -> str:
    """Return what the height of a line of partial dependence is."""
    if summary["task"] == "regression":
        return "Mean answer"
    lines = summary["dependence"]["lines"] if summary["dependence"] else []
    return f"Probability of {lines[0]}, %" if len(lines) == 1 else "Probability, %"


def _table(
    rows: list[dict[str, Any]], name: str, columns: Sequence[Told], place: str | None = None
) -> dict[str, Any]:
    """Return a table for people: a name, and the columns told of it."""
    told = shown(columns, rows, page=True)
    return {
        "first": "Member",
        "headings": [one.heading for one in told],
        "ordered": all(row.get("change") is not None for row in rows),
        "rows": [
            {
                "name": row[name],
                "place": place and row[place],
                "cells": [_cell(one, row[one.key]) for one in told],
            }
            for row in rows
        ],
    }


def _cell(told: Told, value: float | None) -> dict[str, Any]:
    kind = ""
    if told.signed and value:
        kind = "good" if value > 0 else "bad"
    return {"value": value, "text": told.words(value), "kind": kind}
