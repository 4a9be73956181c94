"""Claims run again: their numbers beside ours, as CSV files, pictures and one page."""

import io
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from counterpoint._files import new_file
from counterpoint._progress import quiet
from counterpoint._versions import versions
from counterpoint.claims.judging import ClaimResult
from counterpoint.claims.overview import MARKS
from counterpoint.claims.parts import STATES
from counterpoint.claims.protocol import WORDS
from counterpoint.report.figures import save_to
from counterpoint.report.reproductions import render_reproductions
from counterpoint.tabular.plain import plain

PAGE = "index.html"
_COLOURS = 32
_OF_THE_CLAIM = (
    "topic", "title", "sentence", "source", "rule", "rule_version", "rule_changes", "setup",
    "findings", "would_be_right",
)  # fmt: skip
_OF_THE_RUN = (
    "size", "n_done", "n_cells", "n_older", "complete", "mark", "cells", "caution",
    "checked", "seconds", "seconds_left", "problem", "word",
)  # fmt: skip


def summarise_claim(result: ClaimResult) -> dict[str, Any]:
    """Return what was run of a claim and what came of it, for JSON and the page; NaN is None."""
    claim, verdict = result.claim, result.verdict
    table = pd.DataFrame() if verdict is None else _flat(verdict.table)
    return plain(
        {name: getattr(claim, name) for name in _OF_THE_CLAIM}
        | {name: getattr(result, name) for name in _OF_THE_RUN}
        | {
            "verdict": None if verdict is None else verdict.word,
            "parts": []
            if verdict is None
            else [
                {"part": name, "state": STATES[part], "note": verdict.notes.get(name, "")}
                for name, part in verdict.parts.items()
            ],
            "why": "" if verdict is None else verdict.why,
            "found": "" if verdict is None else verdict.found or verdict.why,
            "columns": list(table.columns),
            "table": table.astype(object).where(table.notna(), None).values.tolist(),
            "command": f"counterpoint reproduce {claim.topic} --full",
        }
    )


def summarise_reproductions(results: Sequence[ClaimResult]) -> dict[str, Any]:
    """Return many claims, for JSON and the page, and how many came to which verdict.

    What was never run, or cannot be judged, is open. Verdicts that rest on a part of the cells are
    counted by their word, and how many of them there are stands beside it.
    """
    words = Counter("open" if one.verdict is None else one.verdict.word for one in results)
    return {
        "claims": [summarise_claim(one) for one in results],
        "counts": {
            "claims": len(results),
            **{word: words[word] for word in WORDS},
            "decided early": sum(one.decided is not None for one in results),
            "partly run": sum(
                one.size == "full" and not one.complete and one.decided is None for one in results
            ),
            "smoke run": sum(one.size == "smoke" for one in results),
            "never run": sum(one.size is None for one in results),
            "checked": sum(bool(one.checked) for one in results),
            "older code": sum(one.n_older > 0 and not one.checked for one in results),
        },
        "marks": {mark: MARKS[mark] for mark in MARKS if any(one.mark == mark for one in results)},
        "versions": versions(),
    }


def write_reproductions(
    results: Sequence[ClaimResult], folder: str | PathLike[str], *, command: str = ""
) -> list[str]:
    """Write the page, and the rows, table and picture of each claim that was run.

    They go into ``folder``, which must exist, as ``index.html``, ``summary.csv`` and, of each
    topic, ``merged-trees.csv`` (rows), ``merged-trees-table.csv`` (our numbers beside theirs) and
    ``merged-trees.png``. Return what went wrong, rules and pictures, a line per claim; the page
    says so, too.
    """
    folder = Path(folder)
    summary = summarise_reproductions(results)
    problems, pictures = [], {}
    for one, shown in zip(results, summary["claims"], strict=True):
        if one.problem:
            problems.append(f"{one.claim.topic}: {one.problem}")
        if one.frame.empty:
            continue
        _write_csv(one.frame, folder / f"{one.claim.topic}.csv")
        if one.verdict is not None:
            _write_csv(_flat(one.verdict.table), folder / f"{one.claim.topic}-table.csv")
        try:
            picture = _picture(one)
        except Exception as error:  # as with a rule: one claim must not spoil the page
            failure = f"The picture cannot be drawn: {type(error).__name__}: {error}"
            problems.append(f"{one.claim.topic}: {failure}")
            shown["problem"] = f"{shown['problem']} {failure}".strip()
            continue
        with new_file(folder / f"{one.claim.topic}.png") as part:
            part.write_bytes(picture)
        pictures[one.claim.topic] = picture
    _write_csv(_overview(summary), folder / "summary.csv")
    page = render_reproductions(summary, pictures=pictures, command=command)
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
    names = (
        "topic", "title", "word", "verdict", "size", "n_done", "n_cells", "n_older", "checked",
        "seconds", "seconds_left", "rule_version", "why", "source",
    )  # fmt: skip
    rows = [{name: claim[name] for name in names} for claim in summary["claims"]]
    frame = pd.DataFrame(rows, columns=list(names))
    seconds = ["seconds", "seconds_left"]
    return frame.assign(**frame[seconds].astype(float).round(1))


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    with new_file(path) as part:
        frame.to_csv(part, index=False)


def _picture(one: ClaimResult) -> bytes:
    with quiet():  # some pictures fit a model again
        figure = one.claim.draw(one.frame.copy())
    buffer = io.BytesIO()
    try:
        save_to(figure, buffer, "png", math=True)
    finally:
        plt.close(figure)  # if pyplot made it, pyplot would keep it
    return _small(buffer)


def _small(picture: io.BytesIO) -> bytes:
    """Return a PNG with a palette: lines and dots need few colours, and a page holds many."""
    from PIL import Image

    small = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(_COLOURS).save(small, "png", optimize=True)
    return small.getvalue()
