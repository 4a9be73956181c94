"""``counterpoint explain``: one readable tree in place of a model."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Say in one tree what a model does.\n\n"
    "Trees of an ensemble are merged into one; of any other model a tree learns the answers. "
    "Prints how faithful the tree is on rows held out, what fewer leaves would cost, and its "
    "rules.\n\n"
    "Examples: `counterpoint explain model.skops`; `counterpoint explain model.skops --as tree "
    "--max-leaves 8 --plot tree.png`."
)


class Form(StrEnum):
    """What a model can be explained as."""

    tree = "tree"


def explain(
    model: options.ModelFile,
    form: Annotated[Form, typer.Option("--as", help="In what form.")] = Form.tree,
    data: Annotated[
        Path | None,
        options.option("Rows to explain by, with labels. Default: those kept in MODEL.", "FILE")
    ] = None,
    max_leaves: Annotated[
        int | None, options.option("Most leaves of the tree.", min=2)
    ] = None,
    rules: Annotated[int, typer.Option(min=0, help="Rules to print; 0 for all.")] = 20,
    plot: options.Plot = None,
    random_state: options.RandomState = 0,
    separator: options.Separator = None,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Explain a model; HELP says the rest."""
    options.check_separator(separator)
    options.check_apart({"--plot": plot}, [model, data])
    options.check_picture(plot)
    with terminal.in_options(options.WORDS):
        options.check_outputs(plot)
        from counterpoint import tabular

        tree = tabular.explain(
            tabular.load(model), data, separator=separator, max_leaves=max_leaves,
            random_state=random_state,
        )  # fmt: skip
        summary = {"source": model.name, **tree.summary()}
    terminal.show(summary, partial(_print, rules=rules), json=as_json)
    if plot is not None:
        from counterpoint.report.figures import save_tree

        save_tree(tree, plot)
        terminal.wrote(plot, "the tree")


def _print(summary: dict[str, Any], out: "Console", *, rules: int) -> None:
    from rich.text import Text

    first, second = summary["sentences"]
    out.print(Text(f"{summary['source']}. {first}", style="bold"))
    out.print(Text(second), end="\n\n")
    if len(summary["sizes"]) > 1:
        table = terminal.new_table(numbers=("Leaves", "Says what the model says", "Error"))
        for row in summary["sizes"]:
            table.add_row(
                str(row["n_leaves"]), terminal.percent(row["fidelity"]),
                terminal.percent(row["error"]),
            )  # fmt: skip
        table.caption = "What fewer leaves would cost: --max-leaves cuts the tree back."
        out.print(table)
        out.print()
    shown = summary["rules"][: rules or None]
    for rule in shown:
        out.print(Text(rule))
    rest = len(summary["rules"]) - len(shown)
    if rest:
        out.print(Text(f"... and {rest} more; --rules 0 prints all."))
