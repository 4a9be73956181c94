"""The page of a comparison: methods side by side on one table, or ranked over several."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from counterpoint.report import drawing
from counterpoint.report.render import render, write_html
from counterpoint.tabular.telling import TELLINGS, size_words


def write_comparison(
    summary: dict[str, Any], path: str | PathLike[str], *, command: str = ""
) -> Path:
    """Write the page of a comparison.

    Parameters
    ----------
    summary : dict
        Of a :class:`~counterpoint.tabular.Comparison` or of
        :class:`~counterpoint.tabular.rankings.Rankings`.
    path : path
        A file that is there is replaced; the folder must exist.
    command : str
        What made it, to do it again.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> from counterpoint.report.comparison_page import write_comparison
    >>> data = load("iris")
    >>> found = tabular.compare(data.X.assign(kind=data.y), "kind", ["majority", "naive-bayes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_comparison(found.summary(), pathlib.Path(folder, "compare.html"))
    ...     "naive-bayes errs least" in page.read_text(encoding="utf-8")
    True
    """
    tables = summary.get("tables", [summary])
    parts = [
        {
            **one,
            "bars": _bars(one["methods"], TELLINGS[one["task"]].measure),
            "behind": _behind(one),
        }
        for one in tables
    ]
    page = render(
        "compare.html.j2",
        summary=summary,
        tables=parts,
        ranks=_ranks(summary.get("ranks")),
        versions=tables[0]["versions"],
        command=command,
    )
    return write_html(path, page)


def _bars(rows: Sequence[dict[str, Any]], measure: str) -> list[dict[str, Any]]:
    """Place intervals along a bar from 0, in percent of its length."""
    far = max(max(row["high"] for row in rows), 1e-9)
    return [
        {
            **row,
            "error": (own := row[measure]),
            **drawing.along(row["low"], row["high"], own, far=far),
            "size": size_words(row["bytes"]),
        }
        for row in rows
    ]


def _behind(one: dict[str, Any]) -> list[dict[str, Any]]:
    """Place differences to the best method along a bar that has zero in it."""
    rows = one["pairs"]
    if not rows:
        return []
    low = min(0.0, *(row["low"] for row in rows))
    far = max(0.0, *(row["high"] for row in rows)) - low or 1.0
    return [
        {
            **row,
            "zero": round(-100 * low / far, 2),
            **drawing.along(row["low"] - low, row["high"] - low, row["behind"] - low, far=far),
        }
        for row in rows
    ]


def _ranks(ranks: dict[str, Any] | None) -> dict[str, Any] | None:
    if ranks is None:
        return None
    means = ranks["mean_ranks"]
    most = max(len(means) - 1, 1)
    best = min(means.values())
    rows = [
        {
            "name": name,
            "rank": rank,
            "at": round(100 * (rank - 1) / most, 2),
            "near": rank < best + ranks["critical_difference"],
        }
        for name, rank in means.items()
    ]
    reach = min(100.0, 100 * (best - 1 + ranks["critical_difference"]) / most)
    start = 100 * (best - 1) / most
    return {**ranks, "rows": rows, "start": round(start, 2), "reach": round(reach - start, 2)}
