"""``counterpoint columns``: what each column of a table is taken for, and why."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Show what each column of a table is taken for, and why.\n\n"
    "Numbers, categories, dates, free text; ids, constants and doubles are left out. With a "
    "target, columns that know too much are named. -o writes a small file: change "
    "it, and give it to fit or compare with --columns.\n\n"
    "Examples: `counterpoint columns data.csv`; `counterpoint columns data.csv --target class -o "
    "columns.csv`."
)
STYLES = {"left out": "dim", "unclear": "red"}


def columns(
    file: options.DataFile,
    target: Annotated[
        str | None, options.option("The column that is to be predicted.", "COLUMN")
    ] = None,
    output: Annotated[
        Path | None,
        options.option("Write it: .csv or .json, for --columns.", "FILE", "--output", "-o"),
    ] = None,
    given: Annotated[
        Path | None,
        options.option("What columns are to be taken for, as -o wrote it.", "FILE", "--columns"),
    ] = None,
    keep: options.Keep = "",
    leave_out: options.LeaveOut = "",
    nominal: options.Nominal = "",
    missing: options.Missing = options.MISSING,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    as_json: options.Json = False,
) -> None:
    """Show the columns; HELP says the rest."""
    options.check_separator(separator)
    options.check_apart({"--output": output}, [file])
    with terminal.in_options(options.WORDS):
        options.check_inputs(file, given)
        options.check_outputs(output)
        from counterpoint.tabular.column_file import write_column_file
        from counterpoint.tabular.overview import look_at

        table = options.read_labelled(
            file, target, nominal=nominal, missing=missing, keep=keep,
            leave_out=leave_out, columns=given, separator=separator, encoding=encoding,
            sheet=sheet, strict=False,
        )  # fmt: skip
        seen = look_at(table, target)
        if output is not None:
            write_column_file(seen.taken, output)
    terminal.show(seen.summary(), _print, json=as_json)
    if output is not None:
        terminal.wrote(output, "what the columns are taken for")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    head = f"{summary['source']}: {summary['n_rows']} rows, {len(summary['columns'])} columns"
    out.print(Text(head, style="bold"), end="\n\n")
    table = terminal.new_table("Column", overflow="fold")
    table.add_column("Taken for", no_wrap=True)
    table.add_column("Why", overflow="fold")
    for row in summary["columns"]:
        style = STYLES.get(row["taken_for"], "")
        table.add_row(Text(row["name"]), row["taken_for"], Text(row["why"]), style=style)
    out.print(table)
