"""What all commands share of the terminal: console, errors, cells."""

import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoint._files import written
from counterpoint._interrupts import EXIT_CODE
from counterpoint._text import visible
from counterpoint.tabular.words import is_loud, number, percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from counterpoint.tabular.telling import Told

_LISTED = 12
_SAID = (
    "time_limit", "time", "group", "keep", "leave_out", "encoding", "sheet", "columns", "method",
    "cost", "class_weight", "probability_of", "missing", "nominal",
)  # fmt: skip
_SENTENCES = ("warnings", "notes", "advice", "sentences")
_IN_NOTES = {f"{name}=": f"--{name.replace('_', '-')}" for name in _SAID}
PIPED_WIDTH = 120  # nobody's terminal: wide enough for every table to keep its words

_written: list[Path] = []
_compiling = logging.getLogger("counterpoint.compiling")


def console(*, stderr: bool = False) -> "Console":
    """Return a console for standard output, or for standard error."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    fixed = stream.isatty() or "COLUMNS" in os.environ
    return Console(stderr=stderr, highlight=False, width=None if fixed else PIPED_WIDTH)


def say(message: str, *, style: str = "") -> None:
    """Print one line to standard error, with our name before it."""
    from rich.text import Text

    line = Text.assemble(("counterpoint: ", "bold"), (" ".join(visible(message).split()), style))
    # A terminal folds it as it likes; a file gets it in one piece.
    console(stderr=True).print(line, soft_wrap=True)


def wrote(path: Path, what: str) -> None:
    """Tell, on standard error, that a file is there; an interrupt will not take it back."""
    kept(path)
    say(f"wrote {what} to {path}")


def kept(path: Path) -> None:
    """Count a file as written without saying so: an interrupt will."""
    if path not in _written:
        _written.append(path)


def start() -> None:
    """Forget the files of an earlier run in the same process; be ready to say what compiles."""
    _written.clear()
    written.set(_written)  # files say themselves when they are whole
    _compiling.setLevel(logging.INFO if sys.stderr.isatty() else logging.NOTSET)
    _compiling.handlers = [_FirstWord()] if sys.stderr.isatty() else []


class _FirstWord(logging.Handler):
    """Says of the first kernel that is compiled why there is a wait."""

    def emit(self, record: logging.LogRecord) -> None:
        _compiling.handlers = []
        say(
            f"compiling {record.getMessage()} and what else is first used here; code is kept, so "
            "this happens once. `counterpoint warm-up` does it ahead."
        )


@contextmanager
def no_word_of_compiling() -> Iterator[None]:
    """Say nothing about kernels being compiled: that is what was asked for."""
    before, _compiling.handlers = _compiling.handlers, []
    try:
        yield
    finally:
        _compiling.handlers = before


def what_is_left() -> str:
    """Return a sentence for the end after Ctrl-C: which files there are."""
    kept = ", ".join(str(path) for path in _written)
    return f"stopped; kept {kept}." if kept else "stopped; nothing was written."


def interrupted() -> int:
    """Say what is left after Ctrl-C; return the exit code for it."""
    say(what_is_left())
    return EXIT_CODE


def report_error(error: Exception, *, debug: bool) -> int:
    """Say in one line what went wrong; return the exit code for it."""
    if isinstance(error, typer.Abort):  # how older Typers pass on a Ctrl-C
        return interrupted()
    if debug:
        typer.echo(visible("".join(traceback.format_exception(error))), err=True, nl=False)
    if hasattr(error, "format_message"):  # Typer's own errors, by whichever click it has
        message, code = error.format_message(), int(getattr(error, "exit_code", 2))
        message = message.replace(": Value error, ", ": ")  # of a library that Typer asks
        if "NoArgs" in type(error).__name__ or not message:
            typer.echo(message, err=True, nl=bool(message))  # the help, if not yet printed
            return code
        context = getattr(error, "ctx", None)
        path = "counterpoint" if context is None else context.command_path
        stop = "" if message.endswith((".", "?", "!")) else "."
        say(f"{message}{stop} Try '{path} --help'.", style="red")
        return code
    hint = "" if debug else " Run again with --debug to see where."
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        say(f"{where}{error.strerror}.", style="red")
    elif (
        type(error) in (ValueError, TypeError)
        or isinstance(error, OSError)
        or type(error).__module__.startswith("counterpoint.")
    ):
        say(str(error), style="red")
    else:
        say(f"unexpected {type(error).__name__}: {error}.{hint}", style="red")
    return 1


@contextmanager
def in_options(names: Mapping[str, str]) -> Iterator[None]:
    """Say errors in the words of the command: ``truth=`` becomes ``--truth``, as the names say."""
    try:
        yield
    except (ValueError, LookupError, OSError) as error:
        if not error.args or not isinstance(error.args[0], str):
            raise
        error.args = (_to_options(error.args[0], names), *error.args[1:])
        raise


def _to_options(text: str, names: Mapping[str, str]) -> str:
    """Return a text in the words of the command: `truth=x` is --truth x, a bare one --truth."""
    for name, option in names.items():
        gap = " " if name.endswith("=") else ""
        text = re.sub(rf"(?<!\w){re.escape(name)}(?=[\w'\"])", f"{option}{gap}", text)
        text = re.sub(rf"(?<!\w){re.escape(name)}", option, text)
    return text


def note(notes: Iterable[str]) -> None:
    """Print notes on standard error; those that begin in capitals nobody should miss."""
    for words in _notes_of_command(notes):
        say(f"note: {words}", style="bold red" if is_loud(words) else "")


def _notes_of_command(notes: Iterable[str]) -> list[str]:
    return [_to_options(text, _IN_NOTES) for text in notes]


def for_page(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a summary for people, what it says in sentences in the words of the command."""
    told = {name: _notes_of_command(summary[name]) for name in _SENTENCES if name in summary}
    return {**summary, **told}


def show(
    summary: dict[str, Any], print_it: Callable[[Any, "Console"], None], *, json: bool
) -> None:
    """Print a summary, as JSON or for people, and its notes on standard error."""
    from counterpoint.tabular.plain import to_json

    if json:
        typer.echo(to_json(summary))
        for text in _notes_of_command(summary.get("warnings", ())):
            say(text, style="bold red")
    else:
        print_it(visible(for_page(summary)), console())
    note(summary.get("notes", ()))


def warn(warnings: Iterable[str], out: "Console") -> None:
    """Print lines that nobody should miss."""
    from rich.text import Text

    lines = list(warnings)
    for line in lines:
        out.print(Text(line, style="bold red"))
    if lines:
        out.print()


def advise(advice: Iterable[str], out: "Console") -> None:
    """Print what to do next."""
    from rich.text import Text

    lines = list(advice)
    for line in lines:
        out.print(Text(f"→ {line}"))
    if lines:
        out.print()


def echo_table(text: str) -> None:
    """Print CSV: on a terminal for people, elsewhere as it is."""
    # Not by echo, which takes escape codes out of what goes to a pipe.
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def open_page(path: Path) -> None:
    """Show a page in the browser."""
    import webbrowser

    webbrowser.open(path.resolve().as_uri())


def measure_row(first: dict[str, Any], *more: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the title of a measure, and its value for each of several ensembles."""
    arrow = {"higher": " ↑", "lower": " ↓", "": ""}[first["more_diverse"]]
    error = first["title"] == "Mean error of a member"
    return f"{first['title']}{arrow}", [
        percent(row["value"]) if error else number(row["value"]) for row in (first, *more)
    ]


def print_table(table: "Table", out: "Console", caption: str = "") -> None:
    """Print a table and what there is to know about it, which may be wider than the table."""
    from rich.text import Text

    out.print(table)
    if caption:
        out.print(Text(caption, style="dim"))


def print_rows(
    rows: list[dict[str, Any]],
    name: str,
    columns: list["Told"],
    text: str,
    out: "Console",
    *,
    ends: bool = False,
) -> None:
    """Print a table of members.

    Of many the first twelve; with ``ends`` the first six and the last six, where these say more.
    """
    from rich.text import Text

    table = new_table("Member", [told.heading for told in columns], overflow="fold")
    half = _LISTED // 2
    cut = len(rows) > _LISTED
    shown = [*rows[:half], None, *rows[-half:]] if cut and ends else [*rows[:_LISTED]]
    for row in shown:
        if row is None:
            table.add_row("...", *("" for _ in columns))
        else:
            table.add_row(Text(row[name]), *(told.words(row[told.key]) for told in columns))
    what = f"The {half} best and the {half} worst" if ends else f"{_LISTED}"
    more = f"{what} of {len(rows)}; --json has all. " if cut else ""
    print_table(table, out, f"{more}{text}")


def new_table(first: str | None = None, numbers: Iterable[str] = (), **options: Any) -> "Table":
    """Return a table in the one style of the command: a column with options, columns of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    if first is not None:
        table.add_column(first, **options)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
