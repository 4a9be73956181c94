"""``counterpoint churn``: from a table of events to a list of whom to call."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint._files import find_file
from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Rank customers by the risk that they leave next.\n\n"
    "FILE has a row per event: whose, when, of what type, and numbers that describe it. Models are "
    "compared by time; the best one ranks everybody by their latest events. Prints what such "
    "lists would have brought, writes the list and a page. Works as well for patients or machines."
)
_WORDS = {
    "target=": "--target",
    "length=": "--length",
    "capacity=": "--capacity",
    "gain=": "--gain",
    "cost=": "--cost",
}


def churn(
    file: Annotated[Path, options.argument("Events: .csv (also .gz) or .parquet.", "FILE")],
    entity: Annotated[str, options.option("Whose event it is.", "COLUMN")],
    time: Annotated[str, options.option("When it was.", "COLUMN")],
    type_: Annotated[str, options.option("Of what type.", "COLUMN", "--type")],
    target: Annotated[str, options.option("The type to predict.", "TYPE")],
    columns: Annotated[
        str | None, options.option("Columns to use. Default: all numbers.", "A,B,...")
    ] = None,
    length: Annotated[int, typer.Option(min=1, help="Past events looked at.")] = 2,
    gain: Annotated[
        float, typer.Option(help="What a call saves if the customer would have left.")
    ] = 5.0,
    cost: Annotated[float, typer.Option(help="What a call costs.")] = 1.0,
    capacity: Annotated[
        float | None, options.option("Most calls: a number, or a share below 1.", "NUMBER")
    ] = None,
    random_state: options.RandomState = 0,
    output: options.Page = Path("churn.html"),
    csv: Annotated[Path, typer.Option("--csv", help="The ranked list to write.")] = Path(
        "at-risk.csv"
    ),
    spreadsheet_safe: options.SpreadsheetSafe = True,
    as_json: options.Json = False,
) -> None:
    """Rank entities by risk; HELP says the rest."""
    _check_options(file, output, csv, gain, cost, capacity)
    with terminal.in_options(_WORDS):
        options.check_outputs(output, csv)
        from counterpoint.report.churn import summarise_churn, write_churn, write_ranking
        from counterpoint.sequences import EventLog, find_at_risk

        parquet = file.suffix.lower() in (".parquet", ".pq")
        read = EventLog.from_parquet if parquet else EventLog.from_csv
        log = read(
            file, entity=entity, time=time, type=type_,
            features=None if columns is None else options.split(columns),
        )  # fmt: skip
        result = find_at_risk(
            log, target=target, length=length, gain=gain, cost=cost, capacity=capacity,
            random_state=random_state,
        )  # fmt: skip
        words = [
            "counterpoint", "churn", file.name, "--entity", entity, "--time", time,
            "--type", type_, "--target", target, "--length", str(length), "--gain", f"{gain:g}",
            "--cost", f"{cost:g}", "--random-state", str(random_state),
        ]  # fmt: skip
        summary = summarise_churn(
            result, source=file.name, entity=entity, target=target,
            command=shlex.join(words),
        )  # fmt: skip
        write_ranking(result, csv, entity=entity, spreadsheet_safe=spreadsheet_safe)
        write_churn(result, summary, output)
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
    find_file(file, "events")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    last = summary["periods"][-1]
    out.print(
        Text(
            f"{summary['target']} follows {last['positives']} of {last['histories']} histories of "
            "the last period, which was kept for this test:",
            style="bold",
        ),
        end="\n\n",
    )
    table = terminal.new_table(
        "Model", ("Share", "Called", "g", "Precision", "Sensitivity", "Gain")
    )
    before = ""
    for row in summary["table"]:
        table.add_row(Text("" if row["model"] == before else row["model"]), *_cells(row))
        before = row["model"]
    table.add_section()
    chosen = summary["outcome"]
    table.add_row(Text(f"{summary['model']}, as chosen"), *_cells(chosen), style="bold")
    table.caption = (
        f"g: times as good as by lot. Gain: {summary['gain']:g} for each one found, less "
        f"{summary['cost']:g} for each call."
    )
    out.print(table)
    out.print()
    out.print(Text(summary["verdict"]))


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        terminal.percent(row["share"]),
        f"{row['n']:.0f}",
        terminal.number(row["g"], 1),
        terminal.percent(row["precision"]),
        terminal.percent(row["sensitivity"]),
        f"{row['profit']:.0f}",
    ]
