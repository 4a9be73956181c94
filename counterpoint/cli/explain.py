"""``counterpoint explain``: one readable tree in place of a model."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal
from counterpoint.tabular.telling import TELLINGS

if TYPE_CHECKING:
    from rich.console import Console

    from counterpoint.tabular import Explanation

HELP = (
    "Say in one tree what a model does.\n\n"
    "A tree learns the model's answers, also those about artificial rows; of an ensemble of trees "
    "these come from its leaves. Prints how faithful the tree is on rows held out, what fewer "
    "leaves would cost, how much of it comes back on resampled rows, and its rules. Other forms "
    "are for use elsewhere: an SQL query, a Python module or an ONNX model that say what the tree "
    "says, or points to add up.\n\n"
    "Examples: `counterpoint explain model.skops`; `counterpoint explain model.skops --max-leaves "
    "8 --plot tree.png`; `counterpoint explain model.skops --probability-of churned`; "
    "`counterpoint explain model.skops --as sql --table customers -o tree.sql`."
)


class Form(StrEnum):
    """What a model can be explained as."""

    tree = "tree"
    rules = "rules"
    scorecard = "scorecard"
    sql = "sql"
    python = "python"
    onnx = "onnx"


def explain(
    model: options.ModelFile,
    form: Annotated[Form, typer.Option("--as", help="In what form.")] = Form.tree,
    output: Annotated[
        Path | None,
        options.option(
            "File to write. Default: standard output; for onnx, named as MODEL.",
            None, "--output", "-o",
        )
    ] = None,
    data: Annotated[
        Path | None,
        options.option("Rows to explain by, with labels. Default: those kept in MODEL.", "FILE")
    ] = None,
    max_leaves: Annotated[
        int | None, options.option("Most leaves of the tree.", min=2)
    ] = None,
    probability_of: Annotated[
        str | None, options.option("The tree gives the probability of this class.", "CLASS")
    ] = None,
    resamples: Annotated[
        int, typer.Option(min=0, help="How often to make the tree again, to see what comes back.")
    ] = 5,
    rules: Annotated[int, typer.Option(min=0, help="Rules to print; 0 for all.")] = 20,
    table: Annotated[str, typer.Option(help="Name of the table in SQL.")] = "data",
    plot: options.Plot = None,
    random_state: options.RandomState = 0,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Explain a model; HELP says the rest."""
    options.check_separator(separator)
    if form is Form.onnx and output is None:
        output = model.with_suffix(".onnx")
    options.check_apart({"--plot": plot, "--output": output}, [model, data])
    options.check_picture(plot)
    with terminal.in_options(options.WORDS):
        options.check_inputs(model, data)
        options.check_outputs(plot, output)
        from counterpoint import tabular
        from counterpoint._files import new_file

        loaded = tabular.load(model)
        layout = {"separator": separator, "encoding": encoding, "sheet": sheet}
        rows = None if data is None else options.read_new(loaded, data, **layout)
        tree = tabular.explain(
            loaded, rows, max_leaves=max_leaves,
            n_resamples=resamples if form is Form.tree else 0, random_state=random_state,
            probability_of=probability_of,
        )  # fmt: skip
        written = _write(tree, form, model.name, table, output)
        summary: dict[str, Any] = {"source": model.name, "form": form.value, **tree.summary()}
        if form is Form.scorecard:
            summary["scorecard"] = tree.scorecard().summary()
        elif isinstance(written, str):
            summary["text"] = written
        if output is not None:
            content = written.encode() if isinstance(written, str) else written
            with new_file(output) as part:
                part.write_bytes(content)
    if as_json or form is Form.tree:
        terminal.show(summary, partial(_print, rules=rules), json=as_json)
    elif form is Form.scorecard and output is None:
        terminal.show(summary["scorecard"], _print_card, json=False)
    elif output is None:
        terminal.echo_table(summary["text"])
    if form not in (Form.tree, Form.scorecard) and not as_json:
        terminal.note([tree.sentences()[1], *_made(tree)])
    if output is not None:
        terminal.wrote(output, f"the {'points' if form is Form.scorecard else 'tree'}")
    if plot is not None:
        from counterpoint.report.figures import save_tree

        save_tree(tree, plot)
        terminal.wrote(plot, "the tree")


def _made(tree: "Explanation") -> list[str]:
    """Say which columns a program has to make before it can ask the tree."""
    if not tree.made_columns:
        return []
    names = ", ".join(f"{name!r} of {source!r}" for name, source in tree.made_columns.items())
    return [f"the tree asks for columns that are made of others: {names}."]


def _write(
    tree: "Explanation", form: Form, source: str, table: str, output: Path | None
) -> str | bytes:
    """Return what a file in this form holds."""
    from counterpoint.tabular import tree_files

    one = tree.table_tree
    if form is Form.onnx:
        from counterpoint.tabular.tree_onnx import to_onnx

        return bytes(to_onnx(one).SerializeToString())
    if form is Form.sql:
        return tree_files.to_sql(one, table=table)
    if form is Form.python:
        name = "tree.py" if output is None else output.name
        title = f"One tree that stands for {source}."
        return tree_files.to_python(
            one, missing=tree.missing, forms=tree.forms, title=title, file=name
        )
    if form is Form.scorecard:
        from counterpoint.tabular.spreadsheet import to_csv

        return to_csv(tree.scorecard().table, spreadsheet_safe=True)
    return tree_files.to_rules(one)


def _print(summary: dict[str, Any], out: "Console", *, rules: int) -> None:
    from rich.text import Text

    first, second = summary["sentences"]
    out.print(Text(f"{summary['source']}. {first}", style="bold"))
    out.print(Text(second), end="\n\n")
    numbers = summary["classes"] is None
    words = TELLINGS["regression" if numbers else "classification"]
    if len(summary["sizes"]) > 1:
        told = "Variance of the model's answers" if numbers else "Says what the model says"
        table = terminal.new_table(numbers=("Leaves", told, words.title))
        for row in summary["sizes"]:
            error = words.words(row["error"])
            table.add_row(str(row["n_leaves"]), terminal.percent(row["fidelity"]), error)
        caption = "What fewer leaves would cost: --max-leaves cuts the tree back."
        terminal.print_table(table, out, caption)
        if summary["why_not_monotone"]:
            out.print(Text(summary["why_not_monotone"]))
        out.print()
    if summary["stability"] is not None:
        out.print(Text(summary["stability"]["sentence"]), end="\n\n")
    shown = summary["rules"][: rules or None]
    for rule in shown:
        out.print(Text(rule))
    rest = len(summary["rules"]) - len(shown)
    if rest:
        out.print(Text(f"... and {rest} more; --rules 0 prints all."))


def _print_card(card: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    out.print(Text(card["sentence"], style="bold"), end="\n\n")
    heads = [name for name in card["lines"][0] if name.startswith("points")]
    table = terminal.new_table("Column")
    table.add_column("Value")
    for head in ("rows", *heads):
        table.add_column(head.capitalize(), justify="right", no_wrap=True)
    before = ""
    for line in card["lines"]:
        table.add_row(
            Text("" if line["column"] == before else line["column"]), Text(line["value"]),
            terminal.percent(line["rows"]), *(str(line[head]) for head in heads),
        )  # fmt: skip
        before = line["column"]
    out.print(table)
