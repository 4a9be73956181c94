"""``counterpoint demo``: three ensembles on one data set, a table and a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

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
    output: options.Page = Path("demo.html"),
    n_estimators: Annotated[int, typer.Option(min=2, help="Members of each ensemble.")] = 50,
    n_splits: Annotated[int, typer.Option(min=1, help="Splits to average the errors over.")] = 5,
    random_state: options.RandomState = 0,
    as_json: options.Json = False,
    open_: options.Open = False,
) -> None:
    """Run the demo; HELP says the rest."""
    from counterpoint.cli.datasets import WORDS

    with terminal.in_options(WORDS):
        options.check_outputs(output)
        from counterpoint.report.demo_page import write_demo
        from counterpoint.tabular import run_demo

        result = run_demo(
            dataset, n_estimators=n_estimators, n_splits=n_splits, random_state=random_state
        )
        # Beside the page; nowhere if that goes to no file, but to /dev/null or its like.
        beside = output.with_name(f"{output.stem}-report{output.suffix}")
        report = None if output.exists() and not output.is_file() else beside
        summary = result.summary()
        write_demo(result, output, summary=summary, report=report)
    terminal.show(summary, _print, json=as_json)
    terminal.wrote(output, "the page")
    if report is not None:
        terminal.wrote(report, f"the report of {summary['best']}")
    if open_:
        terminal.open_page(output)


def _print(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    head = (
        f"{summary['title']}: {summary['n_train']} rows to train on, {summary['n_test']} to test, "
        f"{len(summary['classes'])} classes"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    table = terminal.new_table("")
    columns = [summary["tree"], *summary["methods"]]
    for one in columns:
        table.add_column(one["name"], justify="right")
    table.add_row("Members", "1", *(str(method["n_members"]) for method in summary["methods"]))
    table.add_row("Test error", *(terminal.percent(one["error"]) for one in columns))
    if summary["n_splits"] > 1:
        table.add_row(f"  over {summary['n_splits']} splits", *(_spread(one) for one in columns))
    for name in summary["shown_measures"]:
        rows = [method["measures"][name] for method in summary["methods"]]
        title, values = terminal.measure_rows(rows)
        table.add_row(title, "", *values)
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
