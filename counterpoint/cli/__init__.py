"""The command ``counterpoint``.

``app`` puts it together, each command group has a file; what takes long to import is imported
inside the commands, so that ``--help`` answers at once.
"""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run the command on what was typed, by default ``sys.argv``, and return its exit code.

    0 if all is well, 1 if the work failed, 2 for wrong usage, 130 if interrupted. Errors are one
    line on standard error; ``--debug`` adds the traceback.
    """
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
        code = app(typed, standalone_mode=False, prog_name="counterpoint")
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        return terminal.report_error(error, debug=debug)
    return terminal.interrupted() if code == 130 else code or 0
