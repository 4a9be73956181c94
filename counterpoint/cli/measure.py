"""``counterpoint measure``: the profile of predictions kept in a file."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import _terminal as terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from counterpoint._outputs import MemberOutputs

HELP = (
    "Measure how the members of an ensemble disagree.\n\n"
    "FILE has a column per member, a row per sample, and a column with the truth. (In Python our "
    "arrays are the other way round: members first.) Use samples the members were not trained on."
)
_WORDS = {
    "truth=": "--truth",
    "members=": "--members",
    "weights=": "--weights",
    "separator=": "--separator",
    "allow_new_labels=True": "--allow-new-labels",
    "correct=True": "--correct",
}
_FORMATS = (".png", ".svg", ".pdf")
_KINDS = {"vote": "The vote", "pair": "Pairs of members", "group": "All members at once"}
_ARROWS = {"higher": "↑", "lower": "↓", "": " "}
_LISTED_MEMBERS = 12
_SOURCES_WIDTH = 76  # terminals narrower than this see no sources,
_AUTHORS_WIDTH = 96  # narrower than this only first authors


def measure(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Predictions: .csv, .tsv (also .gz) or .parquet; - for standard input.",
            show_default=False,
        ),
    ],
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the true label. Default: class.",
            show_default=False,
        ),
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Columns of the members. Default: all others.",
            show_default=False,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that says how much a row counts.", show_default=False
        ),
    ] = None,
    correct: Annotated[
        bool, typer.Option("--correct", help="The columns say 1 right, 0 wrong; no truth column.")
    ] = False,
    allow_new_labels: Annotated[
        bool,
        typer.Option("--allow-new-labels", help="Members may say what the truth never has."),
    ] = False,
    separator: Annotated[
        str | None,
        typer.Option(
            metavar="CHARACTER",
            help="Between fields. Default: a comma; a tab for .tsv.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw, to .png, .svg or .pdf.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Print the profile of predictions; HELP says the rest."""
    import sys

    _check_options(truth, correct, separator, plot)
    with terminal.in_options(_WORDS):
        from counterpoint.tabular.files import check_output
        from counterpoint.tabular.outputs import read_predictions
        from counterpoint.tabular.plain import summarise_outputs, to_json

        if plot is not None:
            check_output(plot)
        outputs = read_predictions(
            sys.stdin.buffer if file == "-" else file,
            truth=truth or "class",
            members=None if members is None else _split(members),
            weights=weights,
            correct=correct,
            allow_new_labels=allow_new_labels,
            separator=separator,
        )
    summary = summarise_outputs(outputs)
    if as_json:
        typer.echo(to_json(summary))
    else:
        _print(summary, terminal.console())
    if outputs.n_members == 1:
        terminal.say("note: one member makes no pair, so measures of pairs are undefined.")
    if plot is not None:
        _draw(outputs, plot)


def _check_options(
    truth: str | None, correct: bool, separator: str | None, plot: Path | None
) -> None:
    if correct and truth is not None:
        raise typer.BadParameter(
            "with --correct there is no truth column: leave one of the two out.",
            param_hint="--truth",
        )
    if separator is not None and len(separator) != 1:
        raise typer.BadParameter(
            f"{separator!r} is not one character. For a tab, write $'\\t', or name the file .tsv.",
            param_hint="--separator",
        )
    if plot is not None and plot.suffix.lower() not in _FORMATS:
        raise typer.BadParameter(
            f"{plot} should end in {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}.",
            param_hint="--plot",
        )


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _draw(outputs: "MemberOutputs", path: Path) -> None:
    from counterpoint.report.figures import overview, save_figure

    save_figure(overview(outputs), path)
    terminal.wrote(path, "the plots")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    out.print(Text(_sizes(summary), style="bold"), end="\n\n")
    if summary["n_members"] <= _LISTED_MEMBERS:
        members = terminal.new_table()
        members.add_column("Member", overflow="fold")
        members.add_column("Error", justify="right", no_wrap=True)
        for member in summary["members"]:
            members.add_row(Text(member["name"]), terminal.percent(member["error"]))
        out.print(members)
        out.print()
    out.print(_profile(summary["measures"], out.width))
    out.print()
    out.print(Text(summary["worth"]["verdict"]))


def _sizes(summary: dict[str, Any]) -> str:
    classes = summary["classes"]
    if classes is None:
        known = "right or wrong only"
    else:
        shown = ", ".join(str(label) for label in classes[:6])
        known = f"{len(classes)} classes ({shown}{', ...' if len(classes) > 6 else ''})"
    members = "1 member" if summary["n_members"] == 1 else f"{summary['n_members']} members"
    weighted = ", weighted" if summary["weighted"] else ""
    return f"{members}, {summary['n_samples']} samples{weighted}, {known}"


def _profile(measures: dict[str, Any], width: int) -> "Table":
    from rich.text import Text

    cells = {name: _cells(row, width) for name, row in measures.items()}
    # Only the sources may be cut short: all else keeps its width.
    fixed = [max(len(row[k]) for row in cells.values()) for k in range(4)]
    table = terminal.new_table()
    table.caption = "↑ higher, ↓ lower is more diverse"
    table.add_column("Measure", width=fixed[0], no_wrap=True)
    table.add_column("Value", width=fixed[1], no_wrap=True, justify="right")
    table.add_column("Range", width=fixed[2], no_wrap=True)
    table.add_column("", width=fixed[3], no_wrap=True)
    if width >= _SOURCES_WIDTH:
        room = width - sum(fixed) - 2 * len(fixed)
        table.add_column("Source", max_width=room, no_wrap=True, overflow="ellipsis", style="dim")
    for kind, heading in _KINDS.items():
        of_kind = [name for name, row in measures.items() if row["kind"] == kind]
        if of_kind:
            table.add_row(Text(heading, style="bold"))
        for name in of_kind:
            table.add_row(*cells[name])
        table.add_section()
    return table


def _cells(row: dict[str, Any], width: int) -> list[str]:
    low, high = row["low"], row["high"]
    cells = [
        row["title"],
        terminal.number(row["value"]),
        f"±{high:g}" if low == -high else f"{low:g} to {high:g}",
        _ARROWS[row["more_diverse"]],
    ]
    if width >= _AUTHORS_WIDTH:
        cells.append(row["source"])
    elif width >= _SOURCES_WIDTH:
        cells.append(re.sub(r" & \w+", "", row["source"]))
    return cells
