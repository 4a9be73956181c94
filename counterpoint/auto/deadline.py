"""Ending a fit that takes longer than it may.

What a fit takes is foretold, and where others are at work on the machine that goes wrong at times.
So another thread looks at the clock, and has the one that fits raise :class:`TimeUp`: at once in
Python, after the call under way in compiled code.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

_EVERY = 0.05  # seconds between two looks at the clock
_AGAIN = 1.0  # and between raising it and raising it again, where somebody swallowed it
_STEPS = 100


class TimeUp(BaseException):
    """There is no time left for what was being done; no error, so nobody takes it for one."""


@contextmanager
def cut_off(is_late: Callable[[], bool]) -> Iterator[None]:
    """Raise TimeUp in the code within as soon as ``is_late`` says so.

    Never while, or after, a kernel was compiled there: that happens once on a machine and is not
    counted, and half a compilation is nothing to leave behind.
    """
    thread, ended, gate = threading.get_ident(), threading.Event(), threading.Lock()
    compiling = _Compiling()

    def watch() -> None:
        wait = _EVERY
        while not ended.wait(wait):
            with gate:
                if not ended.is_set() and not compiling.begun and is_late():
                    _raise_in(thread, TimeUp)
                    wait = _AGAIN

    watcher = threading.Thread(target=watch, name="counterpoint deadline", daemon=True)
    with event.install_listener("numba:compile", compiling):
        watcher.start()
        try:
            yield
        finally:
            # What was raised and not heard yet is heard here, and means nothing. It could be called
            # back instead, but Python 3.11 then goes on looking for it for ever after: all is
            # slower, and under a profiler nothing else is done.
            while True:
                try:
                    with gate:
                        ended.set()
                    for _ in range(_STEPS):  # it comes up at the first of them
                        pass
                    break
                except TimeUp:
                    continue


class _Compiling(event.Listener):
    begun = False

    def on_start(self, event):
        self.begun = True

    def on_end(self, event):
        pass


def _raise_in(thread: int, what: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(what))
