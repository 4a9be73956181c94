"""``counterpoint studio``: a page where people see an ensemble think."""

from pathlib import Path
from typing import Annotated

import typer

from counterpoint.cli import options, terminal

HELP = (
    "Look at an ensemble, in a page on this machine.\n\n"
    "Which members agree and which err, what if another rule decided, one tree in their place; or "
    "drop a table and watch members being tried. FILE is a table, a model, or predictions with a "
    "column per member; without one, drop a table on the page. Ctrl-C ends it.\n\n"
    "Examples: `counterpoint studio data.csv --target class`; `counterpoint studio model.skops`; "
    "`counterpoint studio predictions.csv --truth class`."
)


def studio(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A table, model or predictions.", show_default=False),
    ] = None,
    target: Annotated[
        str | None, options.option("FILE is a table: what to predict.", "COLUMN")
    ] = None,
    truth: Annotated[
        str | None, options.option("FILE holds predictions: what is true.", "COLUMN")
    ] = None,
    data: Annotated[
        Path | None, options.option("For a model: rows with labels to look at.", "FILE")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 0,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Show the page in a browser.")
    ] = True,
) -> None:
    """Serve the studio; HELP says the rest."""
    if target is not None and truth is not None:
        raise typer.BadParameter(
            "--target is for tables, --truth for predictions: give one.", param_hint="--truth"
        )
    with terminal.in_options({**options.WORDS, "truth=": "--truth", "port=": "--port"}):
        options.check_inputs(file, data)
        from counterpoint.studio.server import Served, Session

        served = Served(Session(file, truth=truth, target=target, data=data), port)
    terminal.say(f"The studio is at {served.address}")
    terminal.say("The address holds a token: it is for this machine, and for you. Ctrl-C ends it.")
    if open_:
        import webbrowser

        webbrowser.open(served.address)
    served.run()
