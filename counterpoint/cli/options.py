"""Options that commands share, what they may be, and how errors name them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoint._files import check_output
from counterpoint.cli import terminal

# Those of counterpoint.tabular.methods, which takes seconds to import; a test compares.
METHOD_NAMES = (
    "auto", "adaboost-nc", "adaboost", "logitboost", "gradient-boosting", "decorate", "ncl",
    "experts", "bagging", "random-forest", "extra-trees", "forest-rc", "rotation", "noise",
    "stochastic", "selection", "dynamic", "stacking", "merged-tree", "distilled-tree",
    "pruned-tree", "hyperboxes", "logistic-regression", "naive-bayes", "neighbours", "tree",
    "majority",
)  # fmt: skip

WORDS = {
    "target=": "--target",
    "separator=": "--separator",
    "missing=": "--missing",
    "nominal=": "--nominal",
    "test_size=": "--test-size",
    "time_limit=": "--time-limit",
    "n_splits=": "--folds",
    "n_repeats=": "--repeats",
    "keep_rows=": "--keep-rows",
    "max_leaves=": "--max-leaves",
    "data=": "--data",
}


def option(help: str, metavar: str | None = None, *names: str, **more: Any) -> Any:
    """Return an option whose default needs no word, or is told in the help."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, **more)


def argument(help: str, metavar: str | None = None) -> Any:
    """Return an argument that must be given."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


DataFile = Annotated[
    Path, argument("A table: .csv, .tsv (also .gz), .parquet, .feather or .arrow.", "FILE")
]
ModelFile = Annotated[Path, argument("What `counterpoint fit` wrote.", "MODEL")]
Target = Annotated[str, option("The column to predict.", "COLUMN")]
Nominal = Annotated[str, option("Columns of numbers that are categories.", "A,B")]
Missing = Annotated[
    str,
    typer.Option(metavar="A,B", help="What stands for no value, besides an empty cell."),
]
Separator = Annotated[
    str | None, option("Between fields. Default: a comma; a tab for .tsv.", "CHARACTER")
]
RandomState = Annotated[int, typer.Option("--random-state", min=0, help="The seed.")]
Jobs = Annotated[int | None, option("Work done at a time; -1 for all cores.", None, "--jobs", "-j")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Page = Annotated[Path, typer.Option("--output", "-o", help="The page to write.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Show the page in a browser.")]
Plot = Annotated[Path | None, option("Also draw, to .png, .svg or .pdf.", "FILE")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe/--no-spreadsheet-safe",
        help="Put ' before text that a spreadsheet would run as a formula.",
    ),
]
_PICTURES = (".png", ".svg", ".pdf")
MISSING = "?,NA,NaN,nan"


def complete_method(incomplete: str) -> list[str]:
    """Return the methods that begin like this, for the shell."""
    return [name for name in METHOD_NAMES if name.startswith(incomplete)]


def list_methods(wanted: bool) -> None:
    """Print the methods and stop, if wanted."""
    if not wanted:
        return
    from counterpoint.tabular.methods import METHODS

    table = terminal.new_table("Method", no_wrap=True)
    table.add_column("")
    for method in METHODS.values():
        table.add_row(method.name, method.what)
    terminal.console().print(table)
    raise typer.Exit()


ListMethods = Annotated[
    bool,
    typer.Option("--list", help="List the methods.", callback=list_methods, is_eager=True),
]


def check_methods(names: Iterable[str], option: str) -> None:
    """Raise unless there are such methods."""
    from counterpoint._validation import did_you_mean

    for name in names:
        if name not in METHOD_NAMES:
            hint = did_you_mean(name, METHOD_NAMES) or " --list names them."
            raise typer.BadParameter(f"there is no method {name!r}.{hint}", param_hint=option)


def check_separator(separator: str | None) -> None:
    """Raise unless it is one character."""
    if separator is not None and len(separator) != 1:
        raise typer.BadParameter(
            f"{separator!r} is not one character. For a tab, write $'\\t', or name the file .tsv.",
            param_hint="--separator",
        )


def check_picture(plot: Path | None) -> None:
    """Raise unless the name says a format that can be drawn."""
    if plot is not None and plot.suffix.lower() not in _PICTURES:
        raise typer.BadParameter(
            f"{plot} should end in {', '.join(_PICTURES[:-1])} or {_PICTURES[-1]}.",
            param_hint="--plot",
        )


def check_apart(outputs: dict[str, Path | None], inputs: Iterable[Path | None]) -> None:
    """Raise if a file would be written over one that is read, or over another output."""
    taken = [path.resolve() for path in inputs if path is not None]
    for option, path in outputs.items():
        if path is None:
            continue
        if path.resolve() in taken:
            raise typer.BadParameter(
                f"{path} is read or written already: choose another name.", param_hint=option
            )
        taken.append(path.resolve())


def check_outputs(*paths: Path | None) -> None:
    """Raise unless a file can go to each place: asked before the work, not after."""
    for path in paths:
        if path is not None:
            check_output(path)


def split(names: str) -> list[str]:
    """Return the names of a list with commas."""
    return [name.strip() for name in names.split(",") if name.strip()]
