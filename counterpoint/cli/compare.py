"""``counterpoint compare``: methods side by side on one table, or on several."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoint.cli import options, printing, terminal

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
    leave_out: options.LeaveOut = "",
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
                file, name, nominal=nominal, missing=missing, keep=keep,
                leave_out=leave_out, columns=columns, separator=separator,
                encoding=encoding, sheet=sheet,
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
                str(random_state), *options.typed(
                    methods=methods, task=task and task.value, nominal=nominal,
                    missing=None if missing == options.MISSING else missing, keep=keep,
                    leave_out=leave_out, columns=columns, separator=separator,
                    encoding=encoding, sheet=sheet,
                ),
            ]  # fmt: skip
            write_comparison(terminal.for_page(summary), written, command=shlex.join(words))
    several = len(files) > 1
    told = printing.print_rankings if several else printing.print_comparison
    terminal.show(summary, told, json=as_json)
    if csv is not None:
        terminal.wrote(csv, "the table")
    if written is not None:
        terminal.wrote(written, "the page")
    if comparison.interrupted:
        raise KeyboardInterrupt
