"""The Typer app: global options, and the commands."""

from importlib import import_module
from typing import Annotated

import typer

from counterpoint import __version__

COMMANDS = (
    "columns", "fit", "predict", "watch", "compare", "explain", "report", "measure", "datasets",
    "demo", "churn", "reproduce", "studio", "warm-up",
)  # fmt: skip
"""The commands, in the order of the help: a file each, with HELP and a function of that name, or
with an ``app`` of several."""
# These work with nothing after them; others then show their help.
_BARE = ("demo", "reproduce", "studio", "warm-up")

app = typer.Typer(
    name="counterpoint",
    help="Ensembles whose members usefully disagree: learn, measure, compare, explain.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    _function = _name.replace("-", "_")
    _file = import_module(f"counterpoint.cli.{_function}")
    if hasattr(_file, "app"):
        app.add_typer(_file.app, name=_name)
    else:
        _command = app.command(_name, help=_file.HELP, no_args_is_help=_name not in _BARE)
        _command(getattr(_file, _function))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"counterpoint {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of errors.")] = False,
) -> None:
    """Take the global options; ``main`` reads --debug itself, since it handles the errors."""
