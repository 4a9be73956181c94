"""``counterpoint measure``: the profile of predictions kept in a file."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal, votes

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

HELP = (
    "Measure how the members of an ensemble disagree.\n\n"
    "FILE has a column per member, a row per sample, and a column with the truth. (In Python our "
    "arrays are the other way round: members first.) Use samples the members were not trained on. "
    "Without a truth, as with people or language models that vote, it is estimated from the votes: "
    "how good each voter is, what is likely true, who copies whom; an empty cell is no vote. Votes "
    "may also lie one a row, with columns such as task, worker, label.\n\n"
    "A pattern in quotes ('part-*.parquet'), a folder, or a file of any size is read piece by "
    "piece."
)
_WORDS = {
    "truth=": "--truth",
    "members=": "--members",
    "weights=": "--weights",
    "separator=": "--separator",
    "encoding=": "--encoding",
    "sheet=": "--sheet",
    "allow_new_labels=True": "--allow-new-labels",
    "long=": "--long ",
    "correct=True": "--correct",
}
_KINDS = {"vote": "The vote", "pair": "Pairs of members", "group": "All members at once"}
_ARROWS = {"higher": "↑", "lower": "↓", "": " "}
_LISTED_MEMBERS = 12
_SOURCES_WIDTH = 76  # terminals narrower than this see no sources,
_AUTHORS_WIDTH = 96  # narrower than this only first authors


def measure(
    file: Annotated[
        str,
        options.argument("Predictions: a table as for fit; - for standard input.", "FILE"),
    ],
    truth: Annotated[
        str | None, options.option("Column with the true label. Default: class, or none.", "COLUMN")
    ] = None,
    members: Annotated[
        str | None, options.option("Columns of the members. Default: all others.", "A,B,...")
    ] = None,
    weights: Annotated[
        str | None, options.option("Column that says how much a row counts.", "COLUMN")
    ] = None,
    correct: Annotated[
        bool, typer.Option("--correct", help="The columns say 1 right, 0 wrong; no truth column.")
    ] = False,
    allow_new_labels: Annotated[
        bool,
        typer.Option("--allow-new-labels", help="Members may say what the truth never has."),
    ] = False,
    long: Annotated[
        str | None,
        options.option("One row a vote: columns of sample, voter, answer.", "ITEM,VOTER,LABEL"),
    ] = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    plot: options.Plot = None,
    as_json: options.Json = False,
) -> None:
    """Print the profile of predictions; HELP says the rest."""
    if correct and truth is not None:
        raise typer.BadParameter(
            "with --correct there is no truth column: leave one of the two out.",
            param_hint="--truth",
        )
    options.check_separator(separator)
    options.check_picture(plot)
    with terminal.in_options(_WORDS):
        from counterpoint._files import is_large

        large = is_large(file)
        if not large:
            options.check_inputs(Path(file))
        options.check_outputs(plot)
        from counterpoint.tabular.outputs import summarise_outputs
        from counterpoint.tabular.votes import read_answers
        from counterpoint.trust import VoteLog

        wanted: dict[str, Any] = {
            "truth": truth,
            "members": None if members is None else options.split(members),
            "weights": weights,
            "correct": correct,
            "separator": separator,
        }
        if large:
            from counterpoint.large import count_outputs

            wanted["truth"] = truth or "class"
            outputs: Any = count_outputs(file, allow_new_labels=allow_new_labels, **wanted)
        else:
            outputs = read_answers(
                options.opened(Path(file)),
                allow_new_labels=allow_new_labels,
                long=None if long is None else options.split(long),
                encoding=encoding,
                sheet=sheet,
                **wanted,
            )
    if isinstance(outputs, VoteLog):  # nobody knows the truth
        votes.show(outputs, plot=plot, as_json=as_json)
        return
    terminal.show(summarise_outputs(outputs), _print, json=as_json)
    if outputs.n_members == 1:
        terminal.note(["one member makes no pair, so measures of pairs are undefined."])
    if plot is not None:
        from counterpoint.report.figures import overview, save_figure

        if large:
            from counterpoint.large import sample_outputs

            outputs = sample_outputs(file, **wanted)
            terminal.note([f"the plots are of {outputs.n_samples} rows, at a fixed pace."])
        save_figure(overview(outputs), plot)
        terminal.wrote(plot, "the plots")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    out.print(Text(_sizes(summary), style="bold"), end="\n\n")
    if summary["n_members"] <= _LISTED_MEMBERS:
        members = terminal.new_table("Member", ["Error"], overflow="fold")
        for member in summary["members"]:
            members.add_row(Text(member["name"]), terminal.percent(member["error"]))
        out.print(members)
        out.print()
    caption = "↑ higher, ↓ lower is more diverse"
    terminal.print_table(_profile(summary["measures"], out.width), out, caption)
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
