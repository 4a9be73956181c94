"""Who is at risk: the summary, the pictures and the page of ``counterpoint churn``."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint._files import new_file
from counterpoint._versions import versions
from counterpoint.plots import LiftDisplay
from counterpoint.report.figures import PageFigure, new_figure, png_address
from counterpoint.report.render import render, write_html
from counterpoint.tabular.plain import plain
from counterpoint.tabular.spreadsheet import to_csv
from counterpoint.tabular.words import number

if TYPE_CHECKING:
    from counterpoint.sequences import AtRisk

_LISTED = 20
_DRAWN = 0.03  # beyond, all curves come down to chance


def summarise_churn(
    result: "AtRisk", *, source: str, entity: str, target: str, command: str = ""
) -> dict[str, Any]:
    """Summarise a ranking: periods, what each model would have brought, who comes first.

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
            "periods": result.periods.reset_index(names="period").to_dict(orient="records"),
            "models": list(result.test_scores),
            "quality": result.quality.to_dict(),
            "table": result.table.to_dict(orient="records"),
            "model": result.model,
            "gain": float(result.gain),
            "cost": float(result.cost),
            "cutoff": {"share": result.cutoff.share, "n": result.cutoff.n},
            "outcome": {key: float(value) for key, value in outcome.items()},
            "n_ranked": len(result.ranking),
            "n_act": acted,
            "expected_gain": float(result.expected_gain),
            "listed": [
                {**row, "time": _moment(row["time"])} for row in listed.to_dict(orient="records")
            ],
            "verdict": _verdict(result, acted, target),
            "command": command,
            "versions": versions(),
        }
    )


def _verdict(result: "AtRisk", acted: int, target: str) -> str:
    if acted == 0:
        return (
            f"Acting does not pay: with a gain of {result.gain:g} and a cost of {result.cost:g} no "
            "part of the list would have brought more than it cost."
        )
    outcome = result.outcome
    begin = f"Act on the first {acted} of {len(result.ranking)}. "
    if not outcome["profit"] > 0:
        return begin + (
            f"But beware: in the last period acting so far down would have lost "
            f"{-outcome['profit']:g}, with {outcome['precision']:.0%} of those called followed by "
            f"{target}."
        )
    return begin + (
        f"In the last period {outcome['precision']:.0%} of such a list were followed by {target}, "
        f"{outcome['g']:.0f} times as many as by chance, and {outcome['sensitivity']:.0%} of all "
        f"{target} events were on it. Expected gain: {result.expected_gain:.0f}."
    )


def _moment(when: Any) -> str:
    return when.isoformat(sep=" ") if hasattr(when, "isoformat") else f"{when:g}"


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


def write_churn(result: "AtRisk", summary: dict[str, Any], path: str | PathLike[str]) -> Path:
    """Write the page of a ranking, complete in one file; one that is there is replaced."""
    page = render("churn.html.j2", summary=summary, figures=_figures(result, summary))
    return write_html(path, page)


def _figures(result: "AtRisk", summary: dict[str, Any]) -> list[PageFigure]:
    shown = []
    for what, title, caption in (
        (
            "profit",
            "What acting brings",
            "Gains less costs in the last period, against how far down the list one goes. Beyond "
            "the top of the curve every further call costs more than it saves.",
        ),
        (
            "precision",
            "How often the list is right",
            f"Part of those called whose next event was {summary['target']}. The dotted line is a "
            "list drawn by lot.",
        ),
    ):
        figure, ax = new_figure(3.8)
        LiftDisplay.from_predictions(
            result.y_test, result.test_scores, gain=result.gain, cost=result.cost, ax=ax,
            what=what, most=_DRAWN,
        )  # fmt: skip
        if result.outcome["n"]:
            ax.axvline(result.outcome["share"], color="0.4", linewidth=1)
            ax.text(
                result.outcome["share"], 1.01, "chosen", transform=ax.get_xaxis_transform(),
                ha="center", va="bottom", color="0.3", fontsize="small",
            )  # fmt: skip
        rows = [row for row in summary["table"] if row["share"] == 0.01]
        ends = "; ".join(f"{row['model']}: {number(row[what], 2)} at 1 %" for row in rows)
        shown.append(
            PageFigure(
                title=title,
                caption=caption,
                alt=f"{title}, a curve per model. {ends}.",
                source=png_address(figure),
            )
        )
    return shown
