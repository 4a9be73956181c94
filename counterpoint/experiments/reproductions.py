"""Claims run again: their numbers beside ours, as CSV files, pictures and one page."""

import base64
import io
import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from counterpoint import __version__
from counterpoint.experiments.judged import Judged
from counterpoint.experiments.protocol import Word
from counterpoint.report.figures import _DPI, _save
from counterpoint.report.render import _environment
from counterpoint.tabular.files import new_file
from counterpoint.tabular.plain import plain

__all__ = ["PAGE", "summarise_claim", "summarise_reproductions", "write_reproductions"]

PAGE = "index.html"
_LONG = 24  # a longer table is folded on the page
_WORDS: tuple[Word, ...] = ("reproduced", "differs", "not reproduced")


def summarise_claim(judged: Judged) -> dict[str, Any]:
    """Summarise what was run of a claim and what came of it, ready for JSON and for the page.

    Parameters
    ----------
    judged : Judged
        From :func:`counterpoint.experiments.judged.judge_claim`.

    Returns
    -------
    dict
        Undefined numbers are None.
    """
    claim, verdict = judged.claim, judged.verdict
    table = pd.DataFrame() if verdict is None else _flat(verdict.table)
    return plain(
        {
            "id": claim.id,
            "title": claim.title,
            "sentence": claim.sentence,
            "source": claim.source,
            "rule": claim.rule,
            "setup": claim.setup,
            "findings": claim.findings,
            "size": judged.size,
            "n_done": judged.n_done,
            "n_cells": judged.n_cells,
            "complete": judged.complete,
            "cells": judged.cells,
            "caution": judged.caution,
            "seconds": judged.seconds,
            "verdict": None if verdict is None else verdict.word,
            "why": "" if verdict is None else verdict.why,
            "problem": judged.problem,
            "columns": list(table.columns),
            "table": table.astype(object).where(table.notna(), None).values.tolist(),
            "command": f"counterpoint reproduce {claim.id} --full",
        }
    )


def summarise_reproductions(judged: Sequence[Judged]) -> dict[str, Any]:
    """Summarise many claims: each one, and how many came to which verdict.

    Parameters
    ----------
    judged : sequence of Judged

    Returns
    -------
    dict
        Ready for JSON and for the page. Only verdicts on a whole run of full size are counted
        as such; the others are counted by how far they came.
    """
    words = Counter(one.verdict.word for one in judged if one.complete and one.verdict is not None)
    return {
        "claims": [summarise_claim(one) for one in judged],
        "counts": {
            "claims": len(judged),
            **{word: words[word] for word in _WORDS},
            "partly run": sum(one.size == "full" and not one.complete for one in judged),
            "smoke run": sum(one.size == "smoke" for one in judged),
            "never run": sum(one.size is None for one in judged),
        },
        "versions": {
            "counterpoint": __version__,
            "scikit-learn": version("scikit-learn"),
            "numpy": version("numpy"),
            "python": platform.python_version(),
        },
    }


def write_reproductions(
    judged: Sequence[Judged], folder: str | PathLike[str], *, command: str = ""
) -> list[str]:
    """Write the page, and the rows, table and picture of each claim that was run.

    Parameters
    ----------
    judged : sequence of Judged
        Claims in the order of the page; those never run are listed, too.
    folder : str or path-like
        Where ``index.html``, ``summary.csv``, ``R14.csv`` (rows), ``R14-table.csv`` (our numbers
        beside theirs) and ``R14.png`` go. It must exist; files of these names are replaced.
    command : str, default=""
        What was typed, for the page.

    Returns
    -------
    list of str
        What went wrong, a line per claim: rules and pictures that failed on these rows. The
        page says so, too.
    """
    folder = Path(folder)
    summary = summarise_reproductions(judged)
    problems, pictures = [], {}
    for one, told in zip(judged, summary["claims"], strict=True):
        if one.problem:
            problems.append(f"{one.claim.id}: {one.problem}")
        if one.frame.empty:
            continue
        _write_csv(one.frame, folder / f"{one.claim.id}.csv")
        if one.verdict is not None:
            _write_csv(_flat(one.verdict.table), folder / f"{one.claim.id}-table.csv")
        try:
            picture = _picture(one)
        except Exception as error:  # as with a rule: one claim must not spoil the page
            said = f"The picture cannot be drawn: {type(error).__name__}: {error}"
            problems.append(f"{one.claim.id}: {said}")
            told["problem"] = f"{told['problem']} {said}".strip()
            continue
        with new_file(folder / f"{one.claim.id}.png") as part:
            part.write_bytes(picture)
        pictures[one.claim.id] = _embedded(picture)
    _write_csv(_overview(summary), folder / "summary.csv")
    template = _environment().get_template("reproductions.html.j2")
    page = template.render(
        summary=summary, pictures=pictures, command=command, long=_LONG, cell=_cell, span=_span
    )
    with new_file(folder / PAGE) as part:
        part.write_text(page, encoding="utf-8")
    return problems


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index, if it says something, is a column, and whose names are words."""
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index(names=table.index.names if any(table.index.names) else None)
    names = [" ".join(map(str, n)).strip() if isinstance(n, tuple) else str(n) for n in table]
    return table.set_axis(names, axis=1)


def _overview(summary: dict[str, Any]) -> pd.DataFrame:
    names = ("id", "title", "verdict", "size", "n_done", "n_cells", "seconds", "why", "source")
    rows = [{name: told[name] for name in names} for told in summary["claims"]]
    frame = pd.DataFrame(rows, columns=list(names))
    return frame.assign(seconds=frame["seconds"].round(1))


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    with new_file(path) as part:
        frame.to_csv(part, index=False)


def _picture(one: Judged) -> bytes:
    figure = one.claim.draw(one.frame.copy())
    buffer = io.BytesIO()
    try:
        _save(figure, buffer, "png")
    finally:
        plt.close(figure)  # if pyplot made it, pyplot would keep it
    return buffer.getvalue()


def _embedded(picture: bytes) -> dict[str, Any]:
    # The width stands in bytes 16 to 19 of a PNG. A page has 96 dots an inch: nothing is blown up.
    width = int.from_bytes(picture[16:20], "big") * 96 // _DPI
    return {"source": f"data:image/png;base64,{base64.b64encode(picture).decode()}", "width": width}


def _cell(value: Any) -> str:
    """Return a value of a table as it stands on the page."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")
    return str(value)


def _span(seconds: float) -> str:
    """Return a duration as one says it.

    Examples
    --------
    >>> _span(0.2), _span(65), _span(9000)
    ('under a second', '65 s', '150 min')
    """
    if seconds < 1:
        return "under a second"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 3 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
