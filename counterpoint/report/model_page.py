"""The page of a fitted classifier: one file that works offline, in light, dark and on paper."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.report import drawing
from counterpoint.report.render import _environment
from counterpoint.tabular.assessment import summarise_model
from counterpoint.tabular.files import check_output, new_file

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render_model", "report", "write_model"]

_DIGITS = 4


def report(
    fitted: Any,
    X: Any,
    y: Any,
    path: str | PathLike[str] = "report.html",
    *,
    title: str | None = None,
    X_train: Any = None,
    y_train: Any = None,
    names: list[str] | None = None,
    feature_names: list[str] | None = None,
    random_state: Any = 0,
    max_members: int = 100,
    max_rows: int = 10_000,
    extra: Mapping[str, Any] | None = None,
) -> Path:
    """Write a page that shows what a fitted classifier is and what its members add.

    The page is one HTML file: it needs no network, follows the reader's choice of light or dark,
    prints, and fits a phone. It tells the error with its interval beside three simple models, how
    the members agree and err, what each is worth, how the error falls as they join, where they
    disagree, and one tree that says much the same. Points can be hovered, tables sorted, and a
    slider goes through the members; without JavaScript all numbers are still there.

    Parameters
    ----------
    fitted : classifier
        Fitted: any that :meth:`counterpoint.MemberOutputs.from_estimator` takes, pipelines and
        searches around one included. A classifier without members gets a shorter page.
    X : array-like or frame of shape (n_samples, n_features)
        Rows the classifier was *not* trained on, as it takes them.
    y : array-like of shape (n_samples,)
        Their labels.
    path : str or path-like, default="report.html"
        The file; one that is there is replaced. Its folder must exist.
    title : str, default=None
        Heading. None: the class of the model and the number of its members.
    X_train, y_train : array-like, default=None
        Rows it was trained on. With them the simple models learn from the same rows, and the
        single tree is made from them; without, both must make do with the rows of X.
    names : list of str, default=None
        What to call the members.
    feature_names : list of str, default=None
        What to call the columns; None: as in X or in ``fitted``.
    random_state : int, RandomState instance or None, default=0
        Seeds the draws of rows, the parts of a cross-validation and the trees.
    max_members : int, default=100
        Members in the pictures of pairs and in the table; of more, some evenly spaced are shown.
    max_rows : int, default=10000
        Rows to look at; of more, some drawn at random. Fewer where there are thousands of members.
    extra : mapping of str to str, default=None
        More to say about the model, such as where the data came from.

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
    summary = summarise_model(
        fitted, X, y, title=title, X_train=X_train, y_train=y_train, names=names,
        feature_names=feature_names, random_state=random_state, max_members=max_members,
        max_rows=max_rows, extra=extra,
    )  # fmt: skip
    return write_model(summary, path)


def write_model(summary: dict[str, Any], path: str | PathLike[str]) -> Path:
    """Write the page of a summary made by ``summarise_model``; see :func:`report`."""
    path = Path(path)
    with new_file(path) as part:
        part.write_text(render_model(summary), encoding="utf-8")
    return path


def render_model(summary: dict[str, Any]) -> str:
    """Return the page of a model as HTML.

    Parameters
    ----------
    summary : dict
        From :func:`counterpoint.tabular.assessment.summarise_model`.

    Returns
    -------
    str
    """
    environment = _pages()
    script = environment.get_template("model.js").render()
    charts = _charts(summary)
    return environment.get_template("model.html.j2").render(
        summary=summary,
        charts=charts,
        data=_for_script(summary, charts),
        script=script,
        # The browser runs this one script and no other, whatever else should get into the page.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
    )


@cache
def _pages() -> "Environment":
    made = _environment().overlay()
    made.filters = {**made.filters, "points": _points, "chance": _chance}
    return made


def _points(change: float | None) -> str:
    if change is None:
        return "undefined"
    text = f"{100 * change:+.2f}"
    return ("0.00" if float(text) == 0 else text).replace("-", "\N{MINUS SIGN}")


def _chance(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def _charts(summary: dict[str, Any]) -> dict[str, Any]:
    """Place everything that is drawn; the template only writes it down."""
    charts: dict[str, Any] = {
        "errors": drawing.interval_rows([summary["error"], *summary["baselines"]["rows"]]),
        "confusion": _confusion(summary["confusion"]),
        "tree": drawing.tree_lines(summary["tree"]["nodes"]) if summary["tree"] else [],
    }
    members = summary["members"]
    if members is None:
        return charts
    vote = members["growth"]["error"][-1] if members["growth"] else None
    charts["cloud"] = drawing.cloud_chart(members["cloud"], vote) if members["cloud"] else None
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
    data: dict[str, Any] = {
        "names": members["names"],
        "errors": _rounded([row["error"] for row in members["table"]]),
    }
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
