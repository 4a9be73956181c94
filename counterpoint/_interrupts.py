"""Ctrl-C: who keeps what, in one place.

An estimator that is interrupted keeps the part that is done, says so with an
:class:`~counterpoint.exceptions.InterruptedFitWarning`, and has ``stop_reason_`` "interrupted".
Only whoever asked for that very fit gets such a part: whatever fits a model on its way to
something else (folds, members, methods side by side, the cells of a claim) does so within
:func:`whole`, and there the interrupt goes on up instead. So nothing takes a part for a whole.

Commands run within :func:`stopping`. The first Ctrl-C ends the step under way, what is finished
is kept, and the exit code is 130; the second ends the process at once.
"""

import ctypes
import os
import select
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from counterpoint.exceptions import InterruptedFitWarning

EXIT_CODE = 130
"""Of a process ended by Ctrl-C, as shells have it."""

unfinished: set[Path] = set()
"""Files that are being written under a name of their own, to be removed with the process."""

_whole = ContextVar("counterpoint_whole", default=False)
_heard = 0  # how often Ctrl-C was pressed while somebody listened
_last = sys.maxsize  # at this one the listener ends the process
_PATIENCE = 1.0  # seconds after which it is told that a step takes its time to end


@contextmanager
def whole() -> Iterator[None]:
    """Fit wholly or not at all: an interrupt within comes out, whoever meant to bear it.

    Estimators of ours see that they are within, and do not keep a part. Others may swallow the
    interrupt, as scikit-learn's networks do: so it is also counted, and raised again at the end.
    """
    with counted():
        before = _heard
        token = _whole.set(True)
        try:
            yield
        finally:
            _whole.reset(token)
        if _heard > before:
            raise KeyboardInterrupt


def keep_partial(message: str = "", *, stacklevel: int = 3) -> None:
    """Warn that a part is kept; to be called where a KeyboardInterrupt or its like was caught.

    Within :func:`whole` it is raised again instead. Without a message the warning is left to the
    caller.
    """
    if _whole.get():
        raise sys.exception() or KeyboardInterrupt
    if message:
        warnings.warn(f"Interrupted: {message}", InterruptedFitWarning, stacklevel=stacklevel)


@contextmanager
def stopping(last_words: Callable[[], str]) -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C raise KeyboardInterrupt, and the second end the process.

    A thread listens, so that the second one works while the main thread is deep in compiled code
    that Python's own handler would have to wait for; ``last_words`` are said then. Where such
    code lets no other thread run, the system ends the process. Given is a function that tells
    whether there was a Ctrl-C.
    """
    n_before = _heard

    def heard() -> bool:
        return _heard > n_before

    if not _is_ours_to_hear():
        yield heard
        return
    global _last
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        with counted():
            _last = _heard + 2
            listener = threading.Thread(
                target=_listen, args=(reader, _deadly_after_one(), last_words), daemon=True
            )
            listener.start()
            yield heard
    finally:
        _last = sys.maxsize
        signal.set_wakeup_fd(before)
        writer.close()  # which ends the listener
        listener.join()
        reader.close()


def _leave_to_parent() -> None:
    # A forked child hears the same Ctrl-C: told by both, it would count twice.
    if _last < sys.maxsize:
        signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def _deadly_after_one() -> Callable[[], Any]:
    """Have the system forget the handler once it was called; return what brings it back.

    So a second Ctrl-C kills a process in which no thread of Python got a turn since the first.
    """
    if os.name != "posix":
        return lambda: None
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "sysv_signal"):  # known to glibc
        return lambda: None
    for install in (libc.signal, libc.sysv_signal):
        install.argtypes, install.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    handler = libc.signal(signal.SIGINT, None)
    libc.sysv_signal(signal.SIGINT, handler)
    return lambda: libc.signal(signal.SIGINT, handler)


def _listen(reader: socket.socket, rearm: Callable[[], Any], last_words: Callable[[], str]) -> None:
    n_heard = 0
    while heard := reader.recv(64):
        rearm()
        n_heard += heard.count(signal.SIGINT)
        if n_heard > 1:
            try:
                for part in tuple(unfinished):
                    part.unlink(missing_ok=True)
                _say(last_words())
            finally:
                os._exit(EXIT_CODE)
        if n_heard and not select.select([reader], [], [], _PATIENCE)[0]:
            _say("stopping when this step ends; Ctrl-C again ends it at once.")


def _say(text: str) -> None:
    # Not by print: the main thread may be holding the stream. A bar may have hidden the cursor.
    shown = "\x1b[?25h" if sys.stderr.isatty() else ""
    with suppress(OSError):
        os.write(2, f"{shown}counterpoint: {text}\n".encode(errors="replace"))


@contextmanager
def counted() -> Iterator[None]:
    """Count Ctrl-C within: for a loop that comes to :func:`whole` often, and is then quicker."""
    if not _is_ours_to_hear():  # counted further out, or somebody else's to hear
        yield
        return
    before = signal.signal(signal.SIGINT, _hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_ours_to_hear() -> bool:
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def _hear(number: int, frame: Any) -> None:
    global _heard
    _heard += 1
    if _heard >= _last:
        time.sleep(_PATIENCE)  # the listener's turn
    signal.default_int_handler(number, frame)
