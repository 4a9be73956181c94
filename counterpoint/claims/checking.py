"""Finished cells run again: whether the code of today still gives the rows that are kept.

Cells that other code made stay if enough of them, drawn by lot, come out the same: then all of
them are recorded as checked, with how many were run and when. Those that were run are of today's
code from then on, whatever came out.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from counterpoint.claims.code import code_version
from counterpoint.claims.evaluation import evaluate
from counterpoint.claims.protocol import Cell, Claim
from counterpoint.claims.store import Check, Store

ENOUGH = 20  # older cells that have to come out the same, or all of them if there are fewer
TOLERANCE = 1e-6  # relative to a number's size: other processors round otherwise


@dataclass(frozen=True)
class Checked:
    """What came of running cells again.

    Attributes
    ----------
    table : DataFrame
        A row a cell: its key, whether it gave the same rows, and what differs.
    recorded : bool
        Whether the cells of other code are now recorded as checked.
    """

    table: pd.DataFrame
    recorded: bool


def older_cells(claim: Claim, store: Store) -> list[Cell]:
    """Return finished cells of full size that other code than the present one made."""
    experiment = claim.experiment("full")
    now, made = code_version(claim.topic), store.code(experiment)
    return [cell for cell in experiment.cells() if made.get(cell.key, now) != now]


def check_claim(claim: Claim, store: Store, n: int = ENOUGH, random_state: int = 0) -> Checked:
    """Run ``n`` finished cells again, drawn from those of other code if there are such.

    If all are the same, and ``n`` is enough, the cells of other code are recorded as checked.
    """
    experiment = claim.experiment("full")
    older, done = older_cells(claim, store), store.done(experiment)
    pool = older or [cell for cell in experiment.cells() if cell.key in done]
    drawn = random.Random(random_state).sample(pool, min(n, len(pool)))
    made = store.code(experiment)
    made_by = " ".join(sorted({made[cell.key] for cell in older}))
    table = check_cells(claim, store, drawn)
    if not older:
        return Checked(table, recorded=False)
    same = int(table["same"].sum())
    recorded = same == len(drawn) >= min(ENOUGH, len(older))
    if recorded:
        day = datetime.now(UTC).date().isoformat()
        check = Check(len(older), same, day, made_by)
        store.put_check(experiment, code_version(claim.topic), check)
    return Checked(table, recorded)


def check_cells(
    claim: Claim, store: Store, cells: Sequence[Cell], *, tolerance: float = TOLERANCE
) -> pd.DataFrame:
    """Run finished cells again and compare: a row a cell, with its key and what differs.

    Numbers are the same if they differ by no more than ``tolerance``, relative to their size. Cells
    of other code are kept as they come out now.
    """
    experiment, now = claim.experiment("full"), code_version(claim.topic)
    kept, made = store.rows_by_cell(experiment), store.code(experiment)
    rows = []
    for cell in cells:
        outcome = evaluate(experiment, cell)
        problem = outcome.error or _difference(kept[cell.key], outcome.rows, tolerance)
        if not outcome.error and made[cell.key] != now:
            store.put(experiment, cell, outcome.rows, outcome.seconds, now)
        rows.append({"topic": claim.topic, "cell": cell.key, "same": not problem, "why": problem})
    return pd.DataFrame(rows, columns=["topic", "cell", "same", "why"])


def _difference(before: list[dict[str, Any]], now: list[dict[str, Any]], tolerance: float) -> str:
    if len(before) != len(now):
        return f"{len(now)} rows, where {len(before)} are kept"
    for old, new in zip(before, now, strict=True):
        for name in sorted(old.keys() | new.keys()):
            a, b = old.get(name), new.get(name)
            if not _same(a, b, tolerance):
                return f"{name} is {b}, where {a} is kept"
    return ""


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if any(isinstance(value, bool | str | None) for value in (a, b)):
        return bool(a == b)
    return bool(abs(a - b) <= tolerance * max(1.0, abs(a)))
