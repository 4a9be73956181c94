"""``counterpoint churn``: from a table of events to a list of whom to call."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Rank customers by the risk that they leave next.\n\n"
    "FILE has a row per event: whose, when, of what type, and what else is known of it. Which "
    "column is which is found out by name and content, and said; name any that is not. Models are "
    "compared by time; the one that would have gained most ranks everybody by their latest events. "
    "Writes the list, with probability, expected gain, when and why, and a page. Works as well for "
    "patients or machines.\n\n"
    "Examples: `counterpoint churn events.csv`; `counterpoint churn events.csv --target failure "
    "--gain 400 --cost 50 --capacity 20 --horizon 30`."
)
_WORDS = {
    "entity=": "--entity",
    "time=": "--time",
    "type=": "--type",
    "target=": "--target",
    "horizon=": "--horizon",
    "length=": "--length",
    "capacity=": "--capacity",
    "gain=": "--gain",
    "cost=": "--cost",
    "separator=": "--separator",
    "encoding=": "--encoding",
    "sheet=": "--sheet",
}


def churn(
    file: Annotated[
        Path, options.argument("Events: a table as for fit; - for standard input.", "FILE")
    ],
    entity: Annotated[
        str | None, options.option("Whose event it is. Default: found out.", "COLUMN")
    ] = None,
    time: Annotated[
        str | None, options.option("When it was. Default: found out.", "COLUMN")
    ] = None,
    type_: Annotated[
        str | None, options.option("Of what type. Default: found out.", "COLUMN", "--type")
    ] = None,
    target: Annotated[
        str | None,
        options.option(
            "The type to predict, or a column that marks it. Default: found out.", "TYPE"
        ),
    ] = None,
    columns: Annotated[
        str | None, options.option("Other columns to use. Default: all.", "A,B,...")
    ] = None,
    length: Annotated[int, typer.Option(min=1, help="Past events looked at.")] = 2,
    gain: Annotated[
        float, typer.Option(help="What a call saves if the customer would have left.")
    ] = 5.0,
    cost: Annotated[float, typer.Option(help="What a call costs.")] = 1.0,
    capacity: Annotated[
        float | None, options.option("Most calls: a number, or a share below 1.", "NUMBER")
    ] = None,
    horizon: Annotated[
        float | None,
        options.option("How far to look ahead: days, or as times are given.", "NUMBER"),
    ] = None,
    random_state: options.RandomState = 0,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    output: options.Page = Path("churn.html"),
    csv: Annotated[Path, typer.Option("--csv", help="The ranked list to write.")] = Path(
        "at-risk.csv"
    ),
    spreadsheet_safe: options.SpreadsheetSafe = True,
    as_json: options.Json = False,
) -> None:
    """Rank entities by risk; HELP says the rest."""
    options.check_separator(separator)
    _check_options(file, output, csv, gain, cost, capacity)
    with terminal.in_options(_WORDS):
        options.check_outputs(output, csv)
        from counterpoint.report.churn import summarise_churn, write_churn, write_ranking
        from counterpoint.sequences import find_at_risk
        from counterpoint.sequences.finding import read_log
        from counterpoint.tabular.reader import read_events

        _, events = read_events(
            options.opened(file), time=time or "", separator=separator, encoding=encoding,
            sheet=sheet,
        )  # fmt: skip
        read = read_log(
            events, entity=entity, time=time, type=type_, target=target,
            features=None if columns is None else options.split(columns),
        )  # fmt: skip
        found = read.columns
        result = find_at_risk(
            read.log, target=found.target, length=length, gain=gain, cost=cost, capacity=capacity,
            horizon=horizon, random_state=random_state,
        )  # fmt: skip
        words = [
            "counterpoint", "churn", file.name, "--entity", found.entity, "--time", found.time,
            "--type", found.type, "--target", found.target, "--length", str(length), "--gain",
            f"{gain:g}", "--cost", f"{cost:g}", "--random-state", str(random_state),
            *([] if horizon is None else ["--horizon", f"{horizon:g}"]),
            *([] if capacity is None else ["--capacity", f"{capacity:g}"]),
            *options.typed(columns=columns, separator=separator, encoding=encoding, sheet=sheet),
        ]  # fmt: skip
        summary = summarise_churn(
            result, source=file.name, entity=found.entity, target=found.target,
            command=shlex.join(words), notes=read.notes, taken=found.sentence(),
            dated=read.log.dated,
        )  # fmt: skip
        write_ranking(result, csv, entity=found.entity, spreadsheet_safe=spreadsheet_safe)
        write_churn(terminal.for_page(summary), output)
    terminal.show(summary, _print, json=as_json)
    terminal.wrote(csv, "the list")
    terminal.wrote(output, "the page")


def _check_options(
    file: Path, output: Path, csv: Path, gain: float, cost: float, capacity: float | None
) -> None:
    for name, value in (("--gain", gain), ("--cost", cost), ("--capacity", capacity)):
        if value is not None and not 0 < value < float("inf"):
            raise typer.BadParameter(f"{value:g} is not above 0.", param_hint=name)
    for name, path in (("--output", output), ("--csv", csv)):
        if path.resolve() == file.resolve():
            raise typer.BadParameter(
                f"{path} holds the events: choose another name.", param_hint=name
            )
    if output.resolve() == csv.resolve():
        raise typer.BadParameter("the page and the list need two names.", param_hint="--csv")
    options.check_inputs(file)


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    out.print(Text(f"Taken from {summary['source']}: {summary['taken']}."), end="\n\n")
    out.print(Text(summary["verdict"], style="bold"), end="\n\n")
    listed = [row for row in summary["listed"] if row["act"]][:_PRINTED]
    listed = listed or summary["listed"][:3]
    heads = (summary["entity"], "Chance", "Gain", f"In {summary['horizon_words']}")
    table = terminal.new_table(None, heads)
    table.add_column("Why")  # the one column that may be folded: numbers are never cut short
    for row in listed:
        table.add_row(
            Text(str(row["entity"])), terminal.percent(row["probability"]),
            f"{row['expected_gain']:.2f}", terminal.percent(row["within"]), Text(row["reason"]),
        )  # fmt: skip
    caption = f"The first {len(listed)} of {summary['n_act']}; the CSV file has all."
    terminal.print_table(table, out, caption if summary["n_act"] > len(listed) else "")
    out.print()
    last = summary["periods"][-1]
    out.print(
        Text(
            f"What lists would have brought: before, in the choosing period, and in the last one, "
            f"where {summary['target']} followed {last['positives']} of {last['histories']} "
            "histories:"
        )
    )
    models = terminal.new_table("Model", ("Chosen by", "1 %", "5 %", "As chosen"))
    for row in summary["models"]:
        chosen = row["name"] == summary["model"]
        models.add_row(
            Text(row["name"]), f"{row['earlier_gain']:+.0f} ({row['earlier_n']} calls)",
            *(f"{row['gains'][share]:+.0f}" for share in ("0.01", "0.05")),
            f"{summary['outcome']['profit']:+.0f} ({summary['outcome']['n']:.0f} calls)"
            if chosen else "",
            style="bold" if chosen else "",
        )  # fmt: skip
    caption = (
        f"Gains less costs: {summary['gain']:g} for each one found, {summary['cost']:g} for each "
        "call. Chosen by: the earlier period. 1 %, 5 %: of the histories of the last period."
    )
    terminal.print_table(models, out, caption)


_PRINTED = 10
