"""``counterpoint compare``: methods side by side on one table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Compare methods on a table.\n\n"
    "All are tried on the same folds of a cross-validation. Prints error with interval, log-loss "
    "and time, the best first. Ctrl-C keeps the methods that are done.\n\n"
    "Examples: `counterpoint compare data.csv --target class`; `counterpoint compare data.csv "
    "--target class --methods tree,random-forest,ncl --repeats 3`; `counterpoint compare --list`."
)


def _complete(incomplete: str) -> list[str]:
    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in options.complete_method(last)]


def compare(
    file: options.DataFile,
    target: options.Target,
    methods: Annotated[
        str | None,
        options.option(
            "What to compare; --list names all. Default: ten of them.", "A,B,...",
            autocompletion=_complete,
        )
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often to draw the folds.")] = 1,
    time_limit: Annotated[
        float, typer.Option(min=0, help="Seconds for one fit of auto; 0 for no limit.")
    ] = 20.0,
    random_state: options.RandomState = 0,
    jobs: options.Jobs = None,
    nominal: options.Nominal = "",
    missing: options.Missing = options.MISSING,
    separator: options.Separator = None,
    csv: Annotated[
        Path | None,
        options.option("Also write the table.", "FILE", "--csv")
    ] = None,
    list_: options.ListMethods = False,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Compare methods; HELP says the rest."""
    names = None if methods is None else options.split(methods)
    if names is not None:
        if not names:
            raise typer.BadParameter("no method is named.", param_hint="--methods")
        options.check_methods(names, "--methods")
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise typer.BadParameter(f"{double!r} is named twice.", param_hint="--methods")
    options.check_separator(separator)
    options.check_apart({"--csv": csv}, [file])
    with terminal.in_options(options.WORDS):
        options.check_outputs(csv)
        from counterpoint import tabular
        from counterpoint._files import new_file
        from counterpoint.tabular.methods import COMPARED

        table = tabular.read_table(
            file, target=target, nominal=options.split(nominal),
            missing=options.split(missing), separator=separator,
        )  # fmt: skip
        comparison = tabular.compare(
            table, target, names or COMPARED, n_splits=folds, n_repeats=repeats,
            time_limit=time_limit or None, random_state=random_state, n_jobs=jobs,
        )  # fmt: skip
        if csv is not None:
            with new_file(csv) as part:
                comparison.table.to_csv(part, index=False)
    terminal.show(comparison.summary(), _print, json=as_json)
    if csv is not None:
        terminal.wrote(csv, "the table")
    if comparison.interrupted:
        raise KeyboardInterrupt


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    rows = summary["methods"]
    head = (
        f"{summary['source']}: {summary['n_rows']} rows, {summary['n_classes']} classes; each "
        f"method tried on {rows[0]['folds']} folds"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    headings = ("Error", "95 % interval", "Log-loss", "Seconds")
    table = terminal.new_table("Method", headings, no_wrap=True)
    for row in rows:
        table.add_row(
            Text(row["method"]), terminal.percent(row["error"]), terminal.interval(row),
            terminal.number(row["log_loss"]), f"{row['seconds']:.1f}",
        )  # fmt: skip
    table.caption = (
        "Seconds: for one fit. Where intervals overlap much, the order may be another on new data."
    )
    if summary["interrupted"]:
        table.caption = (
            f"Stopped: {len(rows)} of {len(summary['requested'])} methods. {table.caption}"
        )
    out.print(table)
