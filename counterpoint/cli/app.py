"""The Typer app: global options, and the commands."""

from importlib import import_module
from typing import Annotated

import typer

from counterpoint import __version__

COMMANDS = (
    "fit",
    "predict",
    "compare",
    "explain",
    "report",
    "measure",
    "datasets",
    "demo",
    "churn",
    "reproduce",
)
"""The commands, in the order of the help: a file each, which has ``register``."""

app = typer.Typer(
    name="counterpoint",
    help="Ensembles whose members usefully disagree: learn, measure, compare, explain.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    import_module(f"counterpoint.cli.{_name}").register(app)


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
