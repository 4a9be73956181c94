"""Options that commands share, what they may be, and how errors name them."""

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoint._files import check_output, find_file
from counterpoint.cli import terminal

# Those of counterpoint.tabular.methods, which takes seconds to import; a test compares.
METHOD_NAMES = (
    "auto", "adaboost-nc", "adaboost", "logitboost", "gradient-boosting", "decorate", "ncl",
    "experts", "bagging", "random-forest", "extra-trees", "forest-rc", "rotation", "noise",
    "stochastic", "selection", "dynamic", "stacking", "merged-tree", "distilled-tree",
    "pruned-tree", "hyperboxes", "logistic-regression", "naive-bayes", "neighbours", "tree",
    "majority",
)  # fmt: skip

NUMBER_METHOD_NAMES = (
    "auto", "hist-boosting", "l2-boosting", "gradient-boosting", "ncl", "experts", "bagging",
    "random-forest", "extra-trees", "selection", "linear", "neighbours", "tree", "median", "mean",
)  # fmt: skip
_ALL_NAMES = tuple(dict.fromkeys([*METHOD_NAMES, *NUMBER_METHOD_NAMES]))

WORDS = {
    "target=": "--target",
    "task=": "--task",
    "metric=": "--metric",
    "class_weight=": "--class-weight",
    "cost=": "--cost",
    "positive=": "--positive",
    "method=": "--method",
    "proba=True": "--proba",
    "separator=": "--separator",
    "missing=": "--missing",
    "nominal=": "--nominal",
    "encoding=": "--encoding",
    "sheet=": "--sheet",
    "keep=": "--keep",
    "leave_out=": "--leave-out",
    "columns=": "--columns",
    "test_size=": "--test-size",
    "group=": "--group",
    "time=": "--time",
    "time_limit=": "--time-limit",
    "n_splits=": "--folds",
    "n_repeats=": "--repeats",
    "keep_rows=": "--keep-rows",
    "max_leaves=": "--max-leaves",
    "probability_of=": "--probability-of",
    "data=": "--data",
    "coverage=": "--coverage",
}


def option(help: str, metavar: str | None = None, *names: str, **more: Any) -> Any:
    """Return an option whose default needs no word, or is told in the help."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, **more)


class TaskName(StrEnum):
    """What a target may be taken for."""

    classification = "classification"
    regression = "regression"


def argument(help: str, metavar: str | None = None) -> Any:
    """Return an argument that must be given."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


DataFile = Annotated[
    Path,
    argument(
        "A table: .csv, .tsv, .xlsx, .parquet or .arrow, also .gz or .zip; - for standard input.",
        "FILE",
    ),
]
ModelFile = Annotated[Path, argument("What `counterpoint fit` wrote.", "MODEL")]
Target = Annotated[str, option("The column to predict.", "COLUMN")]
TaskOption = Annotated[
    TaskName | None, option("Classes or numbers? Default: found from the column.")
]
Nominal = Annotated[str, option("Columns of numbers that are categories.", "A,B")]
Missing = Annotated[
    str,
    typer.Option(metavar="A,B", help="What stands for no value, besides an empty cell."),
]
Separator = Annotated[str | None, option("Between fields. Default: found out.", "CHARACTER")]
Encoding = Annotated[
    str | None, option("Of a text file, such as latin-1. Default: found out.", "NAME")
]
Sheet = Annotated[str | None, option("Of a workbook: name or number. Default: the first.", "NAME")]
Keep = Annotated[str, option("Columns to use though they look like ids.", "A,B")]
LeaveOut = Annotated[str, option("Columns not to learn from.", "A,B")]
Columns = Annotated[
    Path | None,
    option("What columns are to be taken for: what `counterpoint columns -o` wrote.", "FILE"),
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
MISSING = "?,NA,N/A,n/a,#N/A,NaN,nan"


def typed(**given: Any) -> list[str]:
    """Return the options that were given as they are typed, to do it again; None and "" are not."""
    return [
        word
        for name, value in given.items()
        if value not in (None, "")
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]


def complete_method(incomplete: str) -> list[str]:
    """Return the methods that begin like this, for the shell."""
    return [name for name in _ALL_NAMES if name.startswith(incomplete)]


def list_methods(wanted: bool) -> None:
    """Print the methods and stop, if wanted."""
    if not wanted:
        return
    from counterpoint.tabular.methods import METHODS
    from counterpoint.tabular.number_methods import NUMBER_METHODS

    for title, known in (("For classes", METHODS), ("For numbers", NUMBER_METHODS)):
        table = terminal.new_table(title, no_wrap=True)
        table.add_column("")
        for method in known.values():
            table.add_row(method.name, method.what)
        terminal.console().print(table)
        terminal.console().print()
    raise typer.Exit()


ListMethods = Annotated[
    bool,
    typer.Option("--list", help="List the methods.", callback=list_methods, is_eager=True),
]


def check_methods(names: Iterable[str], option: str) -> None:
    """Raise unless there are such methods."""
    for name in names:
        if name not in _ALL_NAMES:
            from counterpoint._validation import did_you_mean

            hint = did_you_mean(name, _ALL_NAMES) or " --list names them."
            raise typer.BadParameter(f"there is no method {name!r}.{hint}", param_hint=option)


def named_methods(text: str | None, option: str = "--methods") -> list[str] | None:
    """Return the methods of a list with commas, each named once; None if nothing was said."""
    if text is None:
        return None
    names = split(text)
    if not names:
        raise typer.BadParameter("no method is named.", param_hint=option)
    check_methods(names, option)
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise typer.BadParameter(f"{double!r} is named twice.", param_hint=option)
    return names


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


def check_inputs(*paths: Path | None) -> None:
    """Raise unless there is a file at each place: asked before anything heavy is imported."""
    for path in paths:
        if path is not None and str(path) != "-":
            find_file(path, "rows" if path.suffix != ".skops" else "a model")


def opened(file: Path) -> Any:
    """Return what to read a table from: the path, or standard input for ``-``."""
    return sys.stdin.buffer if str(file) == "-" else file


def read_new(model: Any, file: Path, **layout: Any) -> Any:
    """Read a table for a model: its columns are what the model knows them as."""
    from counterpoint import tabular

    return tabular.read_table(opened(file), known=model.known, missing=model.missing, **layout)


def read_labelled(
    file: Path,
    target: str | None,
    *,
    nominal: str,
    missing: str,
    keep: str,
    leave_out: str,
    columns: Path | None,
    **layout: Any,
) -> Any:
    """Read a table to learn from."""
    from counterpoint import tabular
    from counterpoint.tabular.column_file import read_column_file

    return tabular.read_table(
        opened(file), target=target, nominal=split(nominal), missing=split(missing),
        keep=split(keep), leave_out=split(leave_out),
        columns=None if columns is None else read_column_file(columns), **layout,
    )  # fmt: skip


def check_outputs(*paths: Path | None) -> None:
    """Raise unless a file can go to each place: asked before the work, not after."""
    for path in paths:
        if path is not None:
            check_output(path)


def split(names: str) -> list[str]:
    """Return the names of a list with commas."""
    return [name.strip() for name in names.split(",") if name.strip()]
