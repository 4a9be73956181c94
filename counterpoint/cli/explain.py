"""``counterpoint explain``: one readable tree in place of a model."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import _learning as learning
from counterpoint.cli import _terminal as terminal

if TYPE_CHECKING:
    from rich.console import Console

    from counterpoint.tabular.explanation import OneTree

HELP = (
    "Say in one tree what a model does.\n\n"
    "Trees of an ensemble are merged into one; of any other model a tree learns the answers. "
    "Prints how faithful the tree is on rows held out, what fewer leaves would cost, and its "
    "rules.\n\n"
    "Examples: `counterpoint explain model.skops`; `counterpoint explain model.skops --as tree "
    "--max-leaves 8 --plot tree.png`."
)
_FORMATS = (".png", ".svg", ".pdf")


class Form(StrEnum):
    """What a model can be explained as."""

    tree = "tree"


def explain(
    model: learning.ModelFile,
    form: Annotated[Form, typer.Option("--as", help="In what form.")] = Form.tree,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Rows to explain by, with labels. Default: those kept in MODEL.",
            show_default=False,
        ),
    ] = None,
    max_leaves: Annotated[
        int | None, typer.Option(min=2, help="Most leaves of the tree.", show_default=False)
    ] = None,
    rules: Annotated[int, typer.Option(min=0, help="Rules to print; 0 for all.")] = 20,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw, to .png, .svg or .pdf.", show_default=False),
    ] = None,
    random_state: learning.Seed = 0,
    separator: learning.Separator = None,
    as_json: learning.Json = False,
) -> None:  # fmt: skip
    """Explain a model; HELP says the rest."""
    learning.check_separator(separator)
    learning.check_apart({"--plot": plot}, [model, data])
    if plot is not None and plot.suffix.lower() not in _FORMATS:
        raise typer.BadParameter(
            f"{plot} should end in {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}.",
            param_hint="--plot",
        )
    with terminal.in_options(learning.WORDS):
        from counterpoint.tabular.files import check_output

        if plot is not None:
            check_output(plot)
        from counterpoint.tabular.explanation import one_tree
        from counterpoint.tabular.fits import summarise_tree
        from counterpoint.tabular.models import load_model
        from counterpoint.tabular.plain import to_json
        from counterpoint.tabular.prediction import explaining_rows

        saved = load_model(model)
        rows, notes = explaining_rows(saved, data, separator=separator)
        tree = one_tree(saved.model, **rows, max_leaves=max_leaves, random_state=random_state)
        summary = summarise_tree(tree, source=model.name)
        summary["notes"] = notes
    if as_json:
        typer.echo(to_json(summary))
    else:
        _print(summary, tree, rules, terminal.console())
    learning.note(notes)
    if plot is not None:
        _draw(tree, plot)


def _print(summary: dict[str, Any], tree: "OneTree", rules: int, out: "Console") -> None:
    from rich.text import Text

    first, second, *_ = tree.text().splitlines()
    out.print(Text(f"{summary['source']}. {first}", style="bold"))
    out.print(Text(second), end="\n\n")
    if len(summary["sizes"]) > 1:
        table = terminal.new_table()
        for heading in ("Leaves", "Says what the model says", "Error"):
            table.add_column(heading, justify="right", no_wrap=True)
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


def _draw(tree: "OneTree", path: Path) -> None:
    from typing import cast

    from matplotlib import pyplot as plt
    from matplotlib.figure import Figure

    from counterpoint.plots import TreeDisplay
    from counterpoint.report.figures import save_figure
    from counterpoint.trees import from_sklearn

    display = TreeDisplay.from_tree(
        from_sklearn(tree.tree), classes=tree.classes, feature_names=tree.feature_names
    )
    figure = cast(Figure, display.figure_)
    try:
        save_figure(figure, path)
    finally:
        plt.close(figure)
    terminal.wrote(path, "the tree")
