"""The page of a fitted model: one file that works offline, in light, dark and on paper."""

from os import PathLike
from pathlib import Path
from typing import Any

from counterpoint._files import check_output
from counterpoint._text import visible
from counterpoint.report import drawing
from counterpoint.report.column_charts import (
    calibration_chart,
    dependence_charts,
    importance_rows,
)
from counterpoint.report.number_page import render_number_page
from counterpoint.report.render import render, write_html
from counterpoint.tabular.assessment import assess

_DIGITS = 6  # a share in percent must not be rounded twice


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
    if summary["task"] == "regression":
        return render_number_page(summary)
    charts = _charts(summary)
    return render(
        "model.html.j2",
        summary=summary,
        charts=charts,
        data=visible(_for_script(summary, charts)),
    )


def _charts(summary: dict[str, Any]) -> dict[str, Any]:
    """Place everything that is drawn; the template only writes it down."""
    charts: dict[str, Any] = {
        "errors": drawing.interval_rows(
            [{"name": "This model", **summary["score"]}, *summary["baselines"]["rows"]]
        ),
        "confusion": _confusion(summary["confusion"]),
        "calibration": calibration_chart(summary["calibration"]),
        "importance": importance_rows(summary["importance"]),
        "dependence": dependence_charts(summary["dependence"], numbers=False),
        "tree": drawing.tree_lines(summary["tree"]["shown"]["nodes"]) if summary["tree"] else [],
    }
    members = summary["members"]
    if members is None:
        return charts
    whole = summary["score"]["error"] if members["votes_known"] else None
    charts["cloud"] = drawing.cloud_chart(members["cloud"], whole) if members["cloud"] else None
    charts["matrix"] = (
        drawing.matrix_image(members["matrix"]["values"]) if members["matrix"] else None
    )
    charts["growth"] = drawing.growth_chart(members["growth"]) if members["growth"] else None
    charts["margins"] = drawing.margin_chart(members["margins"]) if members["margins"] else None
    charts["sums"] = [{**d, "bars": drawing.bars(d["terms"])} for d in members["decompositions"]]
    return charts


def _confusion(confusion: dict[str, Any] | None) -> list[dict[str, Any]]:
    if confusion is None:
        return []
    rows = []
    for k, (label, counts) in enumerate(zip(confusion["labels"], confusion["table"], strict=True)):
        total = sum(counts)
        cells = [
            {"n": n, "share": round(n / total, 3) if total else 0.0, "right": j == k}
            for j, n in enumerate(counts)
        ]
        error = 1 - counts[k] / total if total else None
        rows.append({"label": label, "rows": total, "cells": cells, "error": error})
    return rows


def _for_script(summary: dict[str, Any], charts: dict[str, Any]) -> dict[str, Any]:
    """Return what the script needs to answer a pointer or the slider; nothing else goes in."""
    members = summary["members"]
    if members is None:
        return {}
    data: dict[str, Any] = {"names": members["names"], "errors": _rounded(members["errors"])}
    if members["cloud"]:
        cloud = members["cloud"]
        data["pairs"] = [cloud["first"], cloud["second"]]
        data["kappas"] = _rounded(cloud["kappas"])
    if members["matrix"]:
        data["order"] = members["matrix"]["order"]
        data["matrix"] = [_rounded(row) for row in members["matrix"]["values"]]
    if members["growth"]:
        growth = members["growth"]
        data["growth"] = {
            name: _rounded(growth[name])
            for name in ("error", "low", "high", "member_error", "q")
            if growth[name] is not None
        }
        data["growth"] |= {name: charts["growth"][name] for name in ("at", "heights")}
    return data


def _rounded(values: list[float | None]) -> list[float | None]:
    return [None if value is None else round(value, _DIGITS) for value in values]
