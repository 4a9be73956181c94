"""The command ``counterpoint``.

``app`` puts it together, each command group has a file; what takes long to import is imported
inside the commands, so that ``--help`` answers at once.
"""

import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run the command on what was typed, by default ``sys.argv``, and return its exit code.

    0 if all is well, 1 if the work failed, 2 for wrong usage, 130 if interrupted. Errors are one
    line on standard error; ``--debug`` adds the traceback. The first Ctrl-C ends the step under
    way and keeps what is finished, the second ends the process at once.
    """
    from counterpoint import _interrupts, _progress
    from counterpoint.cli import terminal
    from counterpoint.cli.app import app

    typed = list(sys.argv[1:] if args is None else args)
    debug = "--debug" in typed
    # A global option, but people type it last: let it stand anywhere.
    typed = ["--debug"] * debug + [arg for arg in typed if arg != "--debug"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # an arrow is no reason to fail in a C locale
    terminal.start()
    try:
        with _interrupts.stopping(terminal.what_is_left) as heard, _progress.lines(terminal.say):
            return _run(app, typed, debug, heard)
    finally:
        if args is None:  # what Python does at its end is nothing to interrupt
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _run(app: "Typer", typed: list[str], debug: bool, heard: Callable[[], bool]) -> int:
    from counterpoint._interrupts import EXIT_CODE, whole
    from counterpoint.cli import terminal

    try:
        with whole():
            code = app(typed, standalone_mode=False, prog_name="counterpoint")
    except KeyboardInterrupt:
        code = EXIT_CODE
    except Exception as error:
        if not heard() or debug:  # an interrupt may come out as any error of a library
            return terminal.report_error(error, debug=debug)
        code = EXIT_CODE
    return terminal.interrupted() if code == EXIT_CODE else code or 0
