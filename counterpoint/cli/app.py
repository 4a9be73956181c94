"""The Typer app: global options, and the commands."""

from typing import Annotated

import typer

from counterpoint import __version__
from counterpoint.cli import (
    churn,
    compare,
    datasets,
    demo,
    explain,
    fit,
    measure,
    predict,
    report,
    reproduce,
)

app = typer.Typer(
    name="counterpoint",
    help="Ensembles whose members usefully disagree: learn, measure, compare, explain.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("fit", help=fit.HELP, no_args_is_help=True)(fit.fit)
app.command("predict", help=predict.HELP, no_args_is_help=True)(predict.predict)
app.command("compare", help=compare.HELP, no_args_is_help=True)(compare.compare)
app.command("explain", help=explain.HELP, no_args_is_help=True)(explain.explain)
app.command("report", help=report.HELP, no_args_is_help=True)(report.report)
app.command("measure", help=measure.HELP, no_args_is_help=True)(measure.measure)
app.add_typer(datasets.app, name="datasets")
app.command("demo", help=demo.HELP)(demo.demo)
app.command("churn", help=churn.HELP, no_args_is_help=True)(churn.churn)
app.command("reproduce", help=reproduce.HELP)(reproduce.reproduce)


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
