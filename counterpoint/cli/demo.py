"""``counterpoint demo``: three ensembles on one data set, a table and a page."""

from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoint.cli import _terminal as terminal

HELP = (
    "Train three ensembles, see how their members disagree.\n\n"
    "Bagging, a random forest and AdaBoost learn one data set. Prints a table, and writes two "
    "pages, each complete in one file: the three side by side, and the report of the best one."
)


def demo(
    dataset: Annotated[
        str,
        typer.Option(help="A data set, as `counterpoint datasets list` names it."),
    ] = "vowel",
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path(
        "demo.html"
    ),
    n_estimators: Annotated[int, typer.Option(min=2, help="Members of each ensemble.")] = 50,
    n_splits: Annotated[int, typer.Option(min=1, help="Splits to average the errors over.")] = 5,
    random_state: Annotated[int, typer.Option(min=0, help="The seed.")] = 0,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Show the page in a browser.")
    ] = False,
) -> None:
    """Run the demo; HELP says the rest."""
    from counterpoint.cli.datasets import WORDS

    with terminal.in_options(WORDS):
        from counterpoint.tabular.files import check_output

        check_output(output)  # before the work, not after
        from counterpoint.report.render import write_demo
        from counterpoint.tabular.demo import run_demo
        from counterpoint.tabular.plain import summarise_demo

        result = run_demo(
            dataset, n_estimators=n_estimators, n_splits=n_splits, random_state=random_state
        )
        report = _beside(output)
        write_demo(result, output, report=report)
    _print(summarise_demo(result))
    terminal.wrote(output, "the page")
    if report is not None:
        terminal.wrote(report, f"the report of {result.best.name}")
    if open_:
        import webbrowser

        webbrowser.open(output.resolve().as_uri())


def _beside(output: Path) -> Path | None:
    """Return where the report goes; nowhere if the page itself goes to no file."""
    if output.exists() and not output.is_file():  # /dev/null and its like
        return None
    return output.with_name(f"{output.stem}-report{output.suffix}")


def _print(summary: dict[str, Any]) -> None:
    from rich.text import Text

    out = terminal.console()
    head = (
        f"{summary['title']}: {summary['n_train']} rows to train on, {summary['n_test']} to test, "
        f"{len(summary['classes'])} classes"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    table = terminal.new_table()
    table.add_column("")
    columns = [summary["tree"], *summary["methods"]]
    for one in columns:
        table.add_column(one["name"], justify="right")
    table.add_row("Members", "1", *(str(method["n_members"]) for method in summary["methods"]))
    table.add_row("Test error", *(terminal.percent(one["error"]) for one in columns))
    if summary["n_splits"] > 1:
        table.add_row(f"  over {summary['n_splits']} splits", *(_spread(one) for one in columns))
    for name in summary["shown"]:
        rows = [method["measures"][name] for method in summary["methods"]]
        show = terminal.percent if name == "member_error" else terminal.number
        arrow = {"higher": " ↑", "lower": " ↓", "": ""}[rows[0]["more_diverse"]]
        table.add_row(f"{rows[0]['title']}{arrow}", "", *(show(row["value"]) for row in rows))
    table.caption = "↑ higher, ↓ lower: more diverse. Measures are of the first split."
    out.print(table)
    out.print()
    for method in summary["methods"]:
        out.print(Text.assemble((f"{method['name']}: ", "bold"), method["verdict"]))
    out.print()
    for remark in summary["remarks"]:
        out.print(Text(remark))


def _spread(one: dict[str, Any]) -> str:
    return f"{100 * one['error_mean']:.1f} ± {terminal.percent(one['error_spread'])}"
