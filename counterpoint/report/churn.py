"""Who is at risk: the summary and the page of ``counterpoint churn``."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoint._files import new_file
from counterpoint._versions import versions
from counterpoint.report.drawing import profit_curve
from counterpoint.report.render import render, write_html
from counterpoint.tabular.plain import plain
from counterpoint.tabular.spreadsheet import to_csv

if TYPE_CHECKING:
    from counterpoint.sequences import AtRisk

_LISTED = 20
_POINTS = 120  # of a curve
_DRAWN = 0.05  # share of the list; beyond, all curves come down to chance


def summarise_churn(
    result: "AtRisk",
    *,
    source: str,
    entity: str,
    target: str,
    command: str = "",
    taken: str = "",
    notes: Sequence[str] = (),
    dated: bool = False,
) -> dict[str, Any]:
    """Summarise a ranking: what to do, what it brings, who comes first, how it was checked.

    Plain data for JSON and for the page; undefined is None.
    """
    outcome = result.outcome
    acted = int(result.ranking["act"].sum())
    listed = result.ranking.head(max(_LISTED, min(acted, 100)))
    return plain(
        {
            "source": source,
            "entity": entity,
            "target": target,
            "taken": taken,
            "notes": list(notes),
            "periods": result.periods.reset_index(names="period").to_dict(orient="records"),
            "models": _models(result),
            "table": result.table.to_dict(orient="records"),
            "model": result.model,
            "gain": float(result.gain),
            "cost": float(result.cost),
            "cutoff": {"share": result.cutoff.share, "n": result.cutoff.n},
            "outcome": {key: float(value) for key, value in outcome.items()},
            "n_ranked": len(result.ranking),
            "n_act": acted,
            "expected_gain": float(result.expected_gain),
            "horizon": float(result.horizon),
            "horizon_words": f"{result.horizon:.3g}{' days' if dated else ''}",
            "curve": _curve(result),
            "listed": [
                {
                    **row,
                    "time": _moment(row["time"]),
                    "likely_by": _moment(row["likely_by"]).split(" ")[0],
                }
                for row in listed.to_dict(orient="records")
            ],
            "verdict": " ".join(_verdict(result, acted, target)),
            "last_period": _verdict(result, acted, target)[1],
            "command": command,
            "versions": versions(),
        }
    )


def _models(result: "AtRisk") -> list[dict[str, Any]]:
    """List the models: what each would have gained in either period."""
    rows = []
    earlier = result.earlier.to_dict(orient="index")
    for name in result.test_scores:
        own = result.table[result.table["model"] == name]
        rows.append(
            {
                "name": name,
                "earlier_gain": float(earlier[name]["gain"]),
                "earlier_n": int(earlier[name]["n"]),
                "average_precision": float(result.quality[name]),
                "gains": {f"{r['share']:g}": float(r["profit"]) for _, r in own.iterrows()},
            }
        )
    return rows


def _curve(result: "AtRisk") -> dict[str, Any]:
    """Follow what acting on the first 1, 2, ... brings in the last period, by the chosen model."""
    order = np.argsort(-result.test_scores[result.model], kind="stable")
    hits = np.asarray(result.y_test)[order]
    n = max(2, int(np.ceil(_DRAWN * len(hits))), int(2 * result.outcome["n"]))
    n = min(n, len(hits))
    profit = np.r_[0.0, np.cumsum(result.gain * hits - result.cost)][: n + 1]
    kept = np.unique(np.linspace(0, n, min(n + 1, _POINTS)).round().astype(int))
    return {"called": kept, "profit": profit[kept], "chosen": int(result.outcome["n"])}


def _verdict(result: "AtRisk", acted: int, target: str) -> tuple[str, str]:
    """Say what to do, and what the same rule would have brought in the last period."""
    outcome = result.outcome
    if acted == 0:
        return "Acting does not pay:", (
            f"with a gain of {result.gain:g} and a cost of {result.cost:g} nobody on the list is "
            f"likely enough to be followed by {target}."
        )
    begin = (
        f"Act on the first {acted} of {len(result.ranking)}: expected gain "
        f"{result.expected_gain:.2f}."
    )
    if not outcome["n"]:
        return begin, "In the last period the same rule would have acted on nobody."
    found = (
        f"{outcome['precision']:.0%} of {outcome['n']:.0f} called were followed by {target}, "
        f"{outcome['g']:.0f} times as many as by chance"
    )
    if not outcome["profit"] > 0:
        return begin, (
            f"But beware: in the last period the same rule would have lost "
            f"{-outcome['profit']:g}; {found}."
        )
    return begin, (
        f"In the last period the same rule would have gained {outcome['profit']:g}: {found}, and "
        f"{outcome['sensitivity']:.0%} of all {target} events were on the list."
    )


def _moment(when: Any) -> str:
    if not hasattr(when, "isoformat"):
        return f"{when:.6g}"
    return when.isoformat(sep=" ", timespec="minutes").removesuffix(" 00:00")


def write_ranking(
    result: "AtRisk", path: str | PathLike[str], *, entity: str, spreadsheet_safe: bool = True
) -> Path:
    """Write the ranking as CSV, the first to be called first; ``act`` is 1 or 0.

    It is for people: text that a spreadsheet would run as a formula gets an apostrophe, unless
    ``spreadsheet_safe`` is False (see :mod:`counterpoint.tabular.spreadsheet`).
    """
    path = Path(path)
    frame = result.ranking.rename(columns={"entity": entity})
    text = to_csv(frame.assign(act=frame["act"].astype(int)), spreadsheet_safe=spreadsheet_safe)
    with new_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="")
    return path


def write_churn(summary: dict[str, Any], path: str | PathLike[str]) -> Path:
    """Write the page of a ranking, complete in one file; one that is there is replaced."""
    page = render("churn.html.j2", summary=summary, chart=profit_curve(summary["curve"]))
    return write_html(path, page)
