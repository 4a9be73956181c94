"""What ``counterpoint measure`` prints of votes whose truth nobody knows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.cli import terminal
from counterpoint.tabular.telling import Told

if TYPE_CHECKING:
    from rich.console import Console

_LISTED = 8


def show(log: Any, *, plot: Path | None, as_json: bool) -> None:
    """Estimate the truth, print what it says of voters and samples, draw if asked."""
    from counterpoint.tabular.votes import summarise_votes

    summary = summarise_votes(log)
    summary["notes"] = [text.replace("correct=True", "--correct") for text in summary["notes"]]
    terminal.show(summary, _print, json=as_json)
    if plot is not None:
        from counterpoint.plots import VotersDisplay
        from counterpoint.report.figures import save_figure

        save_figure(VotersDisplay.from_summary(summary).figure_, plot)
        terminal.wrote(plot, "the plot")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    shown = ", ".join(str(label) for label in summary["classes"][:6])
    n = len(summary["classes"])
    out.print(
        Text(
            f"{summary['n_votes']} votes of {summary['n_members']} members on "
            f"{summary['n_samples']} samples, {n} classes ({shown}{', ...' if n > 6 else ''}); "
            "no truth",
            style="bold",
        ),
        end="\n\n",
    )
    columns = [
        Told("Votes", "votes", str),
        Told("Accuracy", "accuracy", terminal.percent),
        Told("from", "low", terminal.percent),
        Told("to", "high", terminal.percent),
        Told("Say", "say", lambda say: f"{say:.2f}"),
    ]
    best = sorted(summary["members"], key=lambda row: -(row["accuracy"] or 0))
    text = "estimated from the votes alone (Dawid & Skene 1979), 95 % limits"
    terminal.print_rows(best, "name", columns, text, out, ends=True)
    out.print()
    for pair in summary["copies"]:
        out.print(
            Text(
                f"{pair['first']} and {pair['second']} say the same {pair['agreement']:.0%} of the "
                f"time, where {pair['expected']:.0%} is expected: {pair['share']:.0%} copied."
            )
        )
    shares = ", ".join(f"{label} {share:.1%}" for label, share in summary["shares"].items())
    out.print(Text(f"Shares of the classes: {shares}."))
    same = ", ".join(f"{name} {share:.1%}" for name, share in summary["agreement"].items())
    out.print(Text(f"Labels that are the same by other methods: {same}."))
    unsure = [row for row in summary["doubtful"] if row["probability"] < 0.9][:_LISTED]
    if unsure:
        out.print()
        table = terminal.new_table("Row", ["Label", "Probability", "Difficulty"])
        for row in unsure:
            table.add_row(
                str(row["sample"]), str(row["label"]), f"{row['probability']:.2f}",
                f"{row['difficulty']:.2f}",
            )  # fmt: skip
        terminal.print_table(table, out, "the least sure; --json has all")
