"""``counterpoint demo``: our methods on one data set, a table and a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Train ensembles on a shipped table, see how their members disagree.\n\n"
    "A random forest, AdaBoost, AdaBoost.NC, networks trained together and auto learn one data "
    "set; one tree is made that says nearly the same. Prints a table, and writes two pages, each "
    "complete in one file: the methods side by side, and the report of the best one."
)


def demo(
    dataset: Annotated[
        str,
        typer.Option(help="A data set, as `counterpoint datasets list` names it."),
    ] = "tic-tac-toe",
    output: options.Page = Path("demo.html"),
    methods: Annotated[
        str | None,
        options.option("Ensembles, as `fit --list` names them.", "A,B,...")
    ] = None,
    n_splits: Annotated[int, typer.Option(min=1, help="Splits to average the errors over.")] = 3,
    time_limit: Annotated[
        float,
        typer.Option(min=0, help="Seconds for auto on each split; 0 for no limit.")
    ] = 15.0,
    random_state: options.RandomState = 0,
    as_json: options.Json = False,
    open_: options.Open = False,
) -> None:  # fmt: skip
    """Run the demo; HELP says the rest."""
    from counterpoint.cli.datasets import WORDS

    names = options.named_methods(methods)
    with terminal.in_options(WORDS):
        options.check_outputs(output)
        from counterpoint._progress import tell_of_compiling
        from counterpoint.report.demo_page import write_demo
        from counterpoint.tabular.demo import DEFAULT_METHODS, run_demo

        with tell_of_compiling(terminal.say), terminal.no_word_of_compiling():
            result = run_demo(
                dataset, methods=names or DEFAULT_METHODS, n_splits=n_splits,
                time_limit=time_limit or None, random_state=random_state,
            )  # fmt: skip
            # Beside the page; nowhere if that goes to no file, but to /dev/null or its like.
            beside = output.with_name(f"{output.stem}-report{output.suffix}")
            report = None if output.exists() and not output.is_file() else beside
            summary = result.summary()
            write_demo(result, output, summary=summary, report=report)
    terminal.show(summary, _print, json=as_json)
    terminal.wrote(output, "the page")
    if report is not None:
        terminal.wrote(report, f"the report of {summary['best']}")
    terminal.say("To see an ensemble think: counterpoint studio")
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
    table.columns[0].no_wrap = True
    several = summary["n_splits"] > 1
    error = f"Error, {summary['n_splits']} splits" if several else "Error"
    for title in ("Members", error, "A member", "Kappa ↓", "One tree agrees"):
        table.add_column(title, justify="right")
    single, *_ = rows = [summary["tree"], *summary["methods"]]
    for one in rows:
        error = _spread(one) if several else terminal.percent(one["error"])
        if one is single:
            table.add_row(one["name"], "1", error, "", "", "")
            continue
        measures = one["measures"]
        table.add_row(
            one["name"], str(one["n_members"]), error,
            terminal.percent(measures["member_error"]["value"]),
            terminal.measure_row(measures["label_kappa"])[1][0],
            terminal.percent(one["agrees"]),
        )  # fmt: skip
    caption = (
        "On test rows. A member: its error alone. Kappa: how far two members agree beyond chance, "
        f"lower is more diverse. One tree: {summary['one_tree']['n_leaves']} leaves, made of "
        f"{summary['one_tree']['of']}."
    )
    terminal.print_table(table, out, caption)
    out.print()
    for remark in summary["remarks"]:
        out.print(Text(remark))
    out.print()
    for method in summary["methods"]:
        out.print(Text.assemble((f"{method['name']}: ", "bold"), method["verdict"]))


def _spread(one: dict[str, Any]) -> str:
    return f"{100 * one['error_mean']:.1f} ± {terminal.percent(one['error_spread'])}"
