"""``counterpoint watch``: a model in use, batch after batch, without labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal
from counterpoint.tabular.words import figure, percent

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Watch a model on batches of new rows that have no labels.\n\n"
    "Each batch: how wrong the model probably is there, by how its members disagree and how sure "
    "they are; and whether the rows still come from the population it was tested on, with false "
    "alarms rare over all batches together. What was found is kept in a state file, so that the "
    "next call goes on from there, and shown as a page. Exit code 3 if a new batch raises an alarm."
    "\n\nExamples: `counterpoint watch model.skops batches/*.parquet`; `counterpoint watch "
    "model.skops monday.csv --state watch.sqlite -o watch.html`."
)
ALARM = 3
_WORDS = {**options.WORDS, "state=": "--state ", "level=": "--level ", "batches": "BATCHES"}


def watch(
    model: options.ModelFile,
    batches: Annotated[
        list[Path], options.argument("Tables in the order they came, or patterns.", "BATCHES...")
    ],
    state: Annotated[
        Path, typer.Option("--state", help="SQLite file that keeps what was found.")
    ] = Path("watch.sqlite"),
    output: options.Page = Path("watch.html"),
    level: Annotated[
        float, typer.Option("--level", help="Chance that there is ever a false alarm.")
    ] = 0.05,
    separator: options.Separator = None,
    random_state: options.RandomState = 0,
    as_json: options.Json = False,
    open_: options.Open = False,
) -> None:
    """Watch; HELP says the rest."""
    options.check_separator(separator)
    if not 0 < level < 1:
        raise typer.BadParameter(f"{level:g} is not between 0 and 1.", param_hint="--level")
    from counterpoint._files import files_of

    with terminal.in_options(_WORDS):
        batches = [Path(file) for given in batches for file in files_of(given)]
        options.check_apart({"--output": output, "--state": state}, [model, *batches])
        options.check_inputs(model, *batches)
        options.check_outputs(output, state)
        from counterpoint import tabular
        from counterpoint.report.watch_page import write_watch

        told = tabular.watch(
            tabular.load(model), list(batches), state=state, level=level, separator=separator,
            random_state=random_state,
        )  # fmt: skip
        summary = told.summary()
        write_watch(summary, output)
    terminal.show(summary, _print, json=as_json)
    terminal.wrote(output, "the page")
    if open_:
        terminal.open_page(output)
    if told.alarm:
        raise typer.Exit(ALARM)


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    numbers = summary["task"] == "regression"
    words = figure if numbers else percent
    what = "mean squared error" if numbers else "error"
    out.print(
        Text(
            f"{summary['method']} for {summary['target']}: {what} "
            f"{words(summary['reference_error'])} on its test rows",
            style="bold",
        ),
        end="\n\n",
    )
    table = terminal.new_table(
        "Batch", ["Rows", "Error", "from", "to", "Known", "p", ""], overflow="fold"
    )
    table.add_column("Changed", overflow="fold")
    for row in summary["batches"]:
        known = "" if row["known_error"] is None else words(row["known_error"])
        mark = "ALARM" if row["alarm"] else ("" if row["trusted"] else "?")
        table.add_row(
            Text(row["batch"], style="bold red" if row["alarm"] else ""), str(row["rows"]),
            *(words(row[key]) for key in ("error", "low", "high")), known,
            "" if row["p"] is None else f"{row['p']:.2g}", mark,
            Text(", ".join(row["changed"][:4])),
        )  # fmt: skip
    caption = "error: estimated without labels; ?: no assumption behind it is known to hold"
    terminal.print_table(table, out, caption)
    for row in summary["batches"]:
        if row["alarm"] and row["batch"] in summary["new"]:
            behind = ", ".join(map(str, row["rows_behind"][:5]))
            apart = f" Rows that members disagree on most: {behind}." if behind else ""
            out.print()
            out.print(Text(f"{row['batch']}: alarm, by {row['reason']}.{apart}"))
