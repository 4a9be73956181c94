"""``counterpoint compare``: methods side by side on one table, or on several."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import numbers, options, terminal
from counterpoint.tabular.words import figure

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Compare methods on a table, or on several.\n\n"
    "All are tried on the same folds of a cross-validation. Prints error with interval, how far "
    "each is behind the best, log-loss, time and size; over several tables also ranks. Writes a "
    "page. Ctrl-C keeps what is done.\n\n"
    "Examples: `counterpoint compare data.csv --target class`; `counterpoint compare data.csv "
    "--target class --methods tree,random-forest,ncl --repeats 3`; `counterpoint compare a.csv "
    "b.csv c.csv --target class`; `counterpoint compare --list`."
)


def _complete(incomplete: str) -> list[str]:
    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in options.complete_method(last)]


def compare(
    files: Annotated[
        list[Path], options.argument("Tables: .csv, .tsv (also .gz), .parquet, ...", "FILE...")
    ],
    target: Annotated[
        str, options.option("The column to predict; with several tables one for all, or A,B,...",
                            "COLUMN")
    ],
    methods: Annotated[
        str | None,
        options.option(
            "What to compare; --list names all. Default: ten of them.", "A,B,...",
            autocompletion=_complete,
        )
    ] = None,
    task: options.TaskOption = None,
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
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    keep: options.Keep = "",
    columns: options.Columns = None,
    csv: Annotated[
        Path | None,
        options.option("Also write the table.", "FILE", "--csv")
    ] = None,
    page: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write.")
    ] = Path("compare.html"),
    no_page: Annotated[bool, typer.Option("--no-report", help="Write no page.")] = False,
    list_: options.ListMethods = False,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Compare methods; HELP says the rest."""
    names = options.named_methods(methods)
    targets = options.split(target) if len(files) > 1 else [target]
    if len(targets) not in (1, len(files)):
        raise typer.BadParameter(
            f"{len(targets)} columns for {len(files)} tables: name one for all, or one each.",
            param_hint="--target",
        )
    written = None if no_page else page
    options.check_separator(separator)
    options.check_apart({"--csv": csv, "--output": written}, [*files, columns])
    with terminal.in_options(options.WORDS):
        options.check_inputs(*files, columns)
        options.check_outputs(csv, written)
        from counterpoint import tabular
        from counterpoint._files import new_file
        from counterpoint.tabular.rankings import Rankings, compare_tables

        wanted = targets * len(files) if len(targets) == 1 else targets
        tables = [
            options.read_labelled(
                file, name, nominal=nominal, missing=missing, keep=keep, columns=columns,
                separator=separator, encoding=encoding, sheet=sheet,
            )
            for file, name in zip(files, wanted, strict=True)
        ]  # fmt: skip
        how: dict[str, Any] = {
            "n_splits": folds, "n_repeats": repeats, "time_limit": time_limit or None,
            "random_state": random_state, "n_jobs": jobs, "task": task and task.value,
        }  # fmt: skip
        comparison: tabular.Comparison | Rankings
        if len(files) > 1:
            comparison = compare_tables(tables, wanted, names, **how)
            table = comparison.errors.rename_axis("table").reset_index()
        else:
            comparison = tabular.compare(tables[0], wanted[0], names, **how)
            table = comparison.table
        summary = comparison.summary()
        if csv is not None:
            with new_file(csv) as part:
                table.to_csv(part, index=False)
        if written is not None:
            from counterpoint.report.comparison_page import write_comparison

            words = [
                "counterpoint", "compare", *(file.name for file in files), "--target", target,
                "--folds", str(folds), "--repeats", str(repeats), "--random-state",
                str(random_state), *(["--methods", methods] if methods else []),
            ]  # fmt: skip
            write_comparison(summary, written, command=shlex.join(words))
    terminal.show(summary, _print_all if len(files) > 1 else _print, json=as_json)
    if csv is not None:
        terminal.wrote(csv, "the table")
    if written is not None:
        terminal.wrote(written, "the page")
    if comparison.interrupted:
        raise KeyboardInterrupt


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    if summary["task"] == "regression":
        numbers.print_comparison(summary, out)
        return
    rows = summary["methods"]
    head = (
        f"{summary['source']}: {summary['n_rows']} rows, {summary['n_classes']} classes; each "
        f"method tried on {rows[0]['folds']} folds"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    headings = ("Error", "95 % interval", "Behind", "Log-loss", "Seconds", "MB")
    table = terminal.new_table("Method", headings, no_wrap=True)
    behind = {row["method"]: row for row in summary["pairs"]}
    for row in rows:
        pair = behind.get(row["method"])
        table.add_row(
            Text(row["method"]), terminal.percent(row["error"]), terminal.interval(row),
            "" if pair is None else _behind(pair),
            terminal.number(row["log_loss"]), f"{row['seconds']:.1f}", _size(row["bytes"]),
            style="" if pair is None or not pair["apart"] else "dim",
        )  # fmt: skip
    table.caption = (
        "Behind: the best one, in percentage points fold by fold, with 95 % interval. Seconds: for "
        "one fit."
    )
    if summary["interrupted"]:
        table.caption = (
            f"Stopped: {len(rows)} of {len(summary['requested'])} methods. {table.caption}"
        )
    out.print(table)
    out.print(Text(summary["verdict"]))


def _behind(pair: dict[str, Any]) -> str:
    half = (pair["high"] - pair["low"]) / 2  # the interval is symmetric
    return f"{100 * pair['behind']:+.1f} ± {100 * half:.1f}"


def _size(n_bytes: float | None) -> str:
    return "" if n_bytes is None else f"{n_bytes / 1e6:.2f}"


def _print_all(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    told = terminal.percent if summary["task"] == "classification" else figure
    names = list(summary["errors"])
    if summary["ranks"] is not None:
        names = list(summary["ranks"]["mean_ranks"])
    table = terminal.new_table(
        "Error on" if summary["task"] == "classification" else "RMSE on", names, no_wrap=True
    )
    for name in next(iter(summary["errors"].values()), {}):
        cells = [told(summary["errors"][method][name]) for method in names]
        table.add_row(Text(name), *cells)
    if summary["ranks"] is not None:
        table.add_section()
        ranks = [f"{rank:.2f}" for rank in summary["ranks"]["mean_ranks"].values()]
        table.add_row(Text("mean rank"), *ranks, style="bold")
        table.caption = (
            f"Mean ranks closer than {summary['ranks']['critical_difference']:.2f} cannot be told "
            "apart (Nemenyi)."
        )
    out.print(table)
    out.print(Text(summary["verdict"]))
    if summary["interrupted"]:
        out.print(Text(f"Stopped: {len(summary['tables'])} tables are done."))
