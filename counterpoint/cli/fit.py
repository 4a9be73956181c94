"""``counterpoint fit``: from a table to a model in a file, with an honest account of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import _learning as learning
from counterpoint.cli import _terminal as terminal

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
    file: learning.DataFile,
    target: learning.Target,
    method: Annotated[
        str,
        typer.Option(
            help="How to learn; --list names all.", autocompletion=learning.complete_method
        ),
    ] = "auto",
    time_limit: Annotated[
        float, typer.Option(help="Seconds for auto to try members in; 0 for no limit.", min=0)
    ] = 60.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write.")] = Path(
        "model.skops"
    ),
    page: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="The page to write. Default: named as the model, .html.",
            show_default=False,
        ),
    ] = None,
    no_page: Annotated[bool, typer.Option("--no-report", help="Write no page.")] = False,
    test_size: Annotated[float, typer.Option(help="Share of the rows held out.")] = 0.25,
    random_state: learning.Seed = 0,
    jobs: learning.Jobs = None,
    nominal: learning.Nominal = "",
    missing: learning.Missing = learning.MISSING,
    separator: learning.Separator = None,
    keep_rows: Annotated[
        int,
        typer.Option(min=0, help="Rows kept in the model file, for explain; 0 for none."),
    ] = 1000,
    list_: learning.ListMethods = False,
    as_json: learning.Json = False,
) -> None:
    """Fit a model; HELP says the rest."""
    learning.check_methods([method], "--method")
    learning.check_separator(separator)
    if no_page and page is not None:
        raise typer.BadParameter("name a page or ask for none, not both.", param_hint="--no-report")
    page = None if no_page else page or output.with_suffix(".html")
    learning.check_apart({"--output": output, "--report": page}, [file])
    if not 0 < test_size < 1:
        raise typer.BadParameter(f"{test_size:g} is not between 0 and 1.", param_hint="--test-size")
    with terminal.in_options(learning.WORDS):
        from counterpoint.tabular.files import check_output

        for path in (output, page):  # before the work, not after
            if path is not None:
                check_output(path)
        from counterpoint.tabular.fits import summarise_fit
        from counterpoint.tabular.models import need_skops, save_model
        from counterpoint.tabular.plain import to_json
        from counterpoint.tabular.reader import read_frame
        from counterpoint.tabular.training import fit_table

        need_skops()  # before the work, too
        marks = learning.split(missing)
        table = read_frame(
            file, target=target, nominal=learning.split(nominal), missing=marks,
            separator=separator,
        )  # fmt: skip
        fitted = fit_table(
            table.frame, target, method, test_size=test_size, random_state=random_state,
            # The default limit is for auto; the others need no word about it.
            time_limit=time_limit if time_limit and method == "auto" else None, n_jobs=jobs,
        )  # fmt: skip
        summary = summarise_fit(fitted, source=file.name)
        summary["notes"] = [*table.notes, *summary["notes"]]
        save_model(fitted, output, missing=marks, keep_rows=keep_rows)
    if as_json:
        typer.echo(to_json(summary))
    else:
        _print(summary, terminal.console())
    learning.note(summary["notes"])
    terminal.wrote(output, "the model")
    if page is not None:
        from counterpoint.report import report

        report(
            fitted.model, fitted.X_test, fitted.y_test, page,
            title=f"{method} on {file.name}", X_train=fitted.X_train, y_train=fitted.y_train,
            random_state=random_state, extra={"Data": file.name, "Target": target},
        )  # fmt: skip
        terminal.wrote(page, "the page")


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    head = (
        f"{summary['source']}: {summary['n_train']} rows to train on, {summary['n_test']} to test, "
        f"{len(summary['columns'])} columns, {len(summary['classes'])} classes"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    table = terminal.new_table()
    table.add_column("On the test rows")
    for heading in ("Error", "95 % interval", "Log-loss"):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = {summary["method"]: summary["score"], **summary["baselines"]}
    for name, score in rows.items():
        cells = [terminal.percent(score["error"]), learning.interval(score)]
        table.add_row(
            Text(name), *cells, terminal.number(score["log_loss"]),
            style="bold" if name == summary["method"] else "",
        )  # fmt: skip
    out.print(table)
    out.print()
    if summary["n_members"] is None:
        out.print(Text("One model, no members: there is no disagreement to measure."))
        return
    _print_diversity(summary, out)
    _print_members(summary, out)


def _print_diversity(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    table = terminal.new_table()
    table.add_column(f"How {summary['n_members']} members disagree")
    table.add_column("", justify="right")
    for name in summary["shown"]:
        row = summary["diversity"][name]
        show = terminal.percent if name == "member_error" else terminal.number
        arrow = {"higher": " ↑", "lower": " ↓", "": ""}[row["more_diverse"]]
        table.add_row(f"{row['title']}{arrow}", show(row["value"]))
    table.caption = "↑ higher, ↓ lower: more diverse."
    out.print(table)
    out.print()
    out.print(Text(summary["verdict"]), end="\n\n")


def _print_members(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    board = summary["leaderboard"]
    rows = board if board is not None else summary["members"]
    table = terminal.new_table()
    table.add_column("Member", overflow="fold")
    for heading in ("Error alone", "Against the vote", "Weight", "Worth"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows[:_LISTED]:
        worth = _signed(row["adds"], 4) if board is not None else _signed(row["adds"], 1, 100)
        table.add_row(
            Text(row["member"]), terminal.percent(row["error"]),
            terminal.percent(row["disagrees"]), terminal.number(row["weight"]), worth,
        )  # fmt: skip
    if board is not None:
        said = (
            f"All {len(rows)} members tried, by cross-fitting on the training rows. Worth: how "
            "much the log-loss would rise without the member."
        )
    else:
        said = "Worth: how much the error of the vote would rise without the member, in points."
    if len(rows) > _LISTED:
        said = f"{_LISTED} of {len(rows)}; --json has all. {said}"
    table.caption = said
    out.print(table)


def _signed(change: float | None, digits: int, times: int = 1) -> str:
    if change is None:
        return terminal.UNDEFINED
    rounded = round(times * change, digits)
    return f"{rounded:+.{digits}f}" if rounded else "0"
