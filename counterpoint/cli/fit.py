"""``counterpoint fit``: from a table to a model in a file, with an honest account of it."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal
from counterpoint.tabular.words import points

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Learn to predict a column of a table.\n\n"
    "A quarter of the rows is held out for a test. Prints the error with its interval, how the "
    "members of the model disagree and what each is worth; writes the model, and a page about "
    "it. Numbers, categories and gaps need no preparation.\n\n"
    "Examples: `counterpoint fit data.csv --target class`; `counterpoint fit data.csv --target "
    "class --method merged-tree -o tree.skops`; `counterpoint fit --list`."
)
_LISTED = 12


def fit(
    file: options.DataFile,
    target: options.Target,
    method: Annotated[
        str,
        typer.Option(
            help="How to learn; --list names all.", autocompletion=options.complete_method
        ),
    ] = "auto",
    time_limit: Annotated[
        float, typer.Option(help="Seconds for auto to learn in; 0 for no limit.", min=0)
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
    random_state: options.RandomState = 0,
    jobs: options.Jobs = None,
    nominal: options.Nominal = "",
    missing: options.Missing = options.MISSING,
    separator: options.Separator = None,
    keep_rows: Annotated[
        int,
        typer.Option(min=0, help="Rows kept in the model file, for explain; 0 for none."),
    ] = 1000,
    list_: options.ListMethods = False,
    as_json: options.Json = False,
) -> None:
    """Fit a model; HELP says the rest."""
    options.check_methods([method], "--method")
    options.check_separator(separator)
    if no_page and page is not None:
        raise typer.BadParameter("name a page or ask for none, not both.", param_hint="--no-report")
    page = None if no_page else page or output.with_suffix(".html")
    options.check_apart({"--output": output, "--report": page}, [file])
    if not 0 < test_size < 1:
        raise typer.BadParameter(f"{test_size:g} is not between 0 and 1.", param_hint="--test-size")
    began = time.monotonic()
    with terminal.in_options(options.WORDS):
        options.check_outputs(output, page)
        from counterpoint import tabular
        from counterpoint.tabular.models import need_skops

        need_skops()  # before the work, too
        table = tabular.read_table(
            file, target=target, nominal=options.split(nominal), missing=options.split(missing),
            separator=separator,
        )  # fmt: skip
        # The default limit is for auto; the others need no word about it. Reading is part of it.
        left = max(time_limit - (time.monotonic() - began), time_limit / 10)
        fitted = tabular.fit(
            table, target, method, test_size=test_size, random_state=random_state,
            time_limit=left if time_limit and method == "auto" else None, n_jobs=jobs,
        )  # fmt: skip
        tabular.save(fitted, output, keep_rows=keep_rows)
    summary = fitted.summary(tree=as_json or page is not None)
    terminal.show(summary, _print, json=as_json)
    terminal.wrote(output, "the model")
    if page is not None:
        from counterpoint.report import write_page

        write_page(summary, page)
        terminal.wrote(page, "the page")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    fit = summary["fit"]
    head = (
        f"{fit['source']}: {fit['n_train']} rows to train on, {summary['data']['n_given']} to "
        f"test, {len(fit['columns'])} columns, {len(summary['data']['classes'])} classes"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    table = terminal.new_table("On the test rows", ("Error", "95 % interval", "Log-loss"))
    for row in [{"name": fit["method"], **summary["score"]}, *summary["baselines"]["rows"]]:
        table.add_row(
            Text(row["name"]), terminal.percent(row["error"]), terminal.interval(row),
            terminal.number(row["log_loss"]), style="bold" if row["name"] == fit["method"] else "",
        )  # fmt: skip
    out.print(table)
    out.print()
    if summary["members"] is None:
        out.print(Text("One model, no members: there is no disagreement to measure."))
        return
    if summary["members"]["n_members"] == 1:
        only = summary["members"]["table"][0]["name"]
        out.print(Text(f"One member, {only}: there is no disagreement to measure."), end="\n\n")
    else:
        _print_diversity(summary["members"], out)
        _print_members(summary["members"], out)
    if fit["leaderboard"] is not None:
        _print_leaderboard(fit["leaderboard"], out)


def _print_diversity(members: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    table = terminal.new_table(f"How {members['n_members']} members disagree")
    table.add_column("", justify="right")
    for name in members["shown_measures"]:
        title, values = terminal.measure_rows([members["measures"][name]])
        table.add_row(title, *values)
    table.caption = "↑ higher, ↓ lower: more diverse."
    out.print(table)
    out.print()
    if members["verdict"]:
        out.print(Text(members["verdict"]), end="\n\n")


def _print_members(members: dict[str, Any], out: "Console") -> None:
    rows = members["table"]
    columns: list[Any] = [("Error alone", "error", terminal.percent)]
    if members["votes_known"]:
        columns.append(("Against the ensemble", "disagrees", terminal.percent))
    if rows[0]["weight"] is not None:
        columns.append(("Weight", "weight", terminal.number))
    text = ""
    if rows[0]["change"] is not None:
        columns.append(("Worth", "change", points))
        text = "Worth: how much the error of the ensemble would rise without the member, in points."
    _print_rows(rows, "name", columns, text, out)


def _print_leaderboard(rows: list[dict[str, Any]], out: "Console") -> None:
    text = (
        f"All {len(rows)} members tried, by cross-fitting on the training rows. Worth: how much "
        "the log-loss would rise without the member."
    )
    columns = [
        ("Error alone", "error", terminal.percent),
        ("Log-loss alone", "log_loss", terminal.number),
        ("Weight", "weight", terminal.number),
        ("Worth", "adds", partial(terminal.number, digits=4)),
    ]
    out.print()
    _print_rows(rows, "member", columns, text, out)


def _print_rows(
    rows: list[dict[str, Any]], name: str, columns: list[Any], text: str, out: "Console"
) -> None:
    from rich.text import Text

    table = terminal.new_table("Member", [heading for heading, _, _ in columns], overflow="fold")
    for row in rows[:_LISTED]:
        table.add_row(Text(row[name]), *(words(row[key]) for _, key, words in columns))
    more = f"{_LISTED} of {len(rows)}; --json has all. " if len(rows) > _LISTED else ""
    table.caption = f"{more}{text}"
    out.print(table)
