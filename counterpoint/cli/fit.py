"""``counterpoint fit``: from a table to a model in a file, with an honest account of it."""

import time
from pathlib import Path
from typing import Annotated

import typer

from counterpoint.cli import options, printing, terminal

HELP = (
    "Learn to predict a column of a table: classes, or a number.\n\n"
    "A quarter of the rows is held out for a test. Prints the error with its interval, how the "
    "members of the model disagree and what each is worth; writes the model, and a page about "
    "it. Numbers, categories and gaps need no preparation.\n\n"
    "Examples: `counterpoint fit data.csv --target class`; `counterpoint fit data.csv --target "
    "class --method merged-tree -o tree.skops`; `counterpoint fit --list`."
)
# Seconds that follow the learning: for any table, and for a cell of it.
_AFTERWARDS, _A_CELL = 0.5, 1.2e-6
# Learning has this share of the time in any case.
_LEAST_SHARE = 0.25


def fit(
    file: options.DataFile,
    target: options.Target,
    method: Annotated[
        str,
        typer.Option(
            help="How to learn; --list names all.", autocompletion=options.complete_method
        ),
    ] = "auto",
    task: options.TaskOption = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds for auto, the page not counted; 0 for no limit.", min=0)
    ] = 60.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write.")] = Path(
        "model.skops"
    ),
    page: Annotated[
        Path | None,
        options.option(
            "The page to write. Default: named as the model, .html.", "FILE", "--report"
        ),
    ] = None,
    no_page: Annotated[bool, typer.Option("--no-report", help="Write no page.")] = False,
    test_size: Annotated[float, typer.Option(help="Share of the rows held out.")] = 0.25,
    metric: Annotated[
        str | None,
        options.option("What the answers are made for: balanced-error, f1, g-mean; more for auto.")
    ] = None,
    class_weight: Annotated[
        str | None, options.option("balanced: every class counts the same.", "balanced")
    ] = None,
    cost: Annotated[
        str | None,
        options.option("What mistakes cost: fn=10,fp=1, or the file of a table.", "COSTS")
    ] = None,
    positive: Annotated[
        str | None, options.option("The class fn and fp are about. Default: the rarer.", "CLASS")
    ] = None,
    group: Annotated[
        str | None,
        options.option("Column that says which rows belong together.", "COLUMN")
    ] = None,
    time_column: Annotated[
        str | None,
        options.option("Column of dates or numbers: the latest rows are held out.", "COLUMN",
                       "--time")
    ] = None,
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
    keep_rows: Annotated[
        int,
        typer.Option(min=0, help="Rows kept in the model file, for explain; 0 for none."),
    ] = 1000,
    list_: options.ListMethods = False,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Fit a model; HELP says the rest."""
    options.check_methods([method], "--method")
    options.check_separator(separator)
    if no_page and page is not None:
        raise typer.BadParameter("name a page or ask for none, not both.", param_hint="--no-report")
    page = None if no_page else page or output.with_suffix(".html")
    options.check_apart({"--output": output, "--report": page}, [file, columns])
    if not 0 < test_size < 1:
        raise typer.BadParameter(f"{test_size:g} is not between 0 and 1.", param_hint="--test-size")
    began = time.monotonic()
    with terminal.in_options(options.WORDS):
        options.check_inputs(file, columns)
        options.check_outputs(output, page)
        from counterpoint import tabular
        from counterpoint.tabular.models import need_skops

        need_skops()  # before the work, too
        costs = None
        if cost is not None:
            from counterpoint.tabular.deciding import parse_costs

            costs = parse_costs(cost)
        table = options.read_labelled(
            file, target, nominal=nominal, missing=missing, keep=keep,
            leave_out=leave_out, columns=columns, separator=separator,
            encoding=encoding, sheet=sheet,
        )  # fmt: skip
        # The default limit is for auto; the others need no word about it. Reading is part of it,
        # and so are the test and the writing of the model, which go by the size of the table.
        spent = time.monotonic() - began + _AFTERWARDS + _A_CELL * table.frame.size
        left = max(time_limit - spent, _LEAST_SHARE * time_limit)
        fitted = tabular.fit(
            table, target, method, task=task and task.value, test_size=test_size,
            random_state=random_state, metric=metric, class_weight=class_weight, cost=costs,
            positive=positive, group=group, time=time_column,
            time_limit=left if time_limit and method == "auto" else None, n_jobs=jobs,
        )  # fmt: skip
        tabular.save(fitted, output, keep_rows=keep_rows)
    summary = fitted.summary(tree=as_json or page is not None)
    terminal.show(summary, printing.print_fit, json=as_json)
    terminal.wrote(output, "the model")
    if page is not None:
        from counterpoint.report import write_page

        write_page(terminal.for_page(summary), page)
        terminal.wrote(page, "the page")
