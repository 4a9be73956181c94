"""How kernels are compiled, where compiled code is kept, and when threads share a loop.

Numba refuses to compile where it can keep code neither beside the source nor in a home, as in a
hardened container. Then a folder of this user's own in the temporary directory serves, if nobody
else can write to it: what is read from it is run. Without even that, nothing is kept.

A loop that threads may share is compiled twice, when first needed, for one thread and for many;
both give the same bits. One thread does the work where sharing does not pay (``threads_for``), so
that small data never wait for the slower compilation; while another thread has such a loop
running, which not every threading layer survives; and after a fork, where no other threads are.

A kernel that is about to be compiled says so to the logger ``counterpoint.compiling``; the command
shows the first of these on a terminal.

Numba keeps compiled code by a function's name and its bytecode alone. So what is compiled with
bounds checks (``NUMBA_BOUNDSCHECK=1``) has a name of its own, and neither is loaded for the other.
"""

import logging
import os
import stat
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import njit
from numba.core import event

from counterpoint._kernels.keeping import kept
from counterpoint._kernels.parts import KERNEL, part
from counterpoint._kernels.threads import here


@contextmanager
def compile_time() -> Iterator[list[float]]:
    """Measure how long kernels are compiled within: given is a list that then holds seconds."""
    seconds: list[float] = []
    with event.install_timer("numba:compile", seconds.append):
        yield seconds


@dataclass(frozen=True)
class Compiled:
    """A function that was compiled, for types of arguments that it had not met."""

    name: str  # "module.function", the last part of the module only
    types: str
    seconds: float  # of the processor, without those of functions that it calls
    is_kernel: bool  # called from Python, not from another kernel


class _Watcher(event.Listener):
    """Notes every function compiled. Numba compiles one at a time, and within it what it calls."""

    def __init__(self, found):
        self.found, self._open = found, []

    def on_start(self, event):
        self._open.append([time.process_time(), 0.0])

    def on_end(self, event):
        began, within = self._open.pop()
        seconds = time.process_time() - began
        if self._open:
            self._open[-1][1] += seconds
        types = str(event.data["args"])
        name = _name(event.data["dispatcher"])
        self.found.append(Compiled(name, types, seconds - within, not self._open))


def _name(dispatcher):
    function = dispatcher.py_func
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__.removesuffix('_alone')}"


@contextmanager
def compiled_within() -> Iterator[list[Compiled]]:
    """Note what is compiled within: given is a list that is added to."""
    found: list[Compiled] = []
    with event.install_listener("numba:compile", _Watcher(found)):
        yield found


class _Announcer(event.Listener):
    """Says what is about to be compiled, for those who want to know why they wait."""

    def on_start(self, event):
        dispatcher = event.data["dispatcher"]
        if dispatcher.py_func.__module__.startswith(__package__):
            _log.info("%s", _name(dispatcher))

    def on_end(self, event):
        pass


_log = logging.getLogger("counterpoint.compiling")
event.register("numba:compile", _Announcer())


def prepare_cache():
    """Make numba's cache work, say so once if it has no place; return whether code is kept."""
    if numba.config.DISABLE_JIT or _has_place():
        return True
    try:
        numba.config.CACHE_DIR = str(_own_folder())
    except OSError:
        numba.config.CACHE_DIR = ""
    kept = bool(numba.config.CACHE_DIR) and _has_place()
    where = f"are kept in {numba.config.CACHE_DIR}" if kept else "are compiled again every time"
    warnings.warn(
        f"Neither the package's folder nor a home can be written to: compiled kernels {where}. Set "
        "NUMBA_CACHE_DIR to a folder that lasts, and they are compiled only once.",
        UserWarning,
        stacklevel=3,
    )
    return kept


def _has_place():
    try:
        njit(cache=True)(_nothing)
    except RuntimeError:  # "cannot cache function: no locator available"
        return False
    return True


def _nothing():
    pass


def _own_folder():
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"counterpoint-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="counterpoint-kernels-"))
    return folder if _is_private(folder) else Path(tempfile.mkdtemp(prefix=f"{folder.name}-"))


def _is_private(folder):
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode):
        return False
    return not hasattr(os, "getuid") or (seen.st_uid == os.getuid() and not seen.st_mode & 0o022)


KEEP = prepare_cache()
_CHECKED = "_checked" if numba.config.BOUNDSCHECK else ""


def kernel(**options):
    """Compile a kernel; options are those of ``njit``."""

    def compiled(function):
        function = _renamed(function, _CHECKED)
        if KEEP:
            return kept(function, **KERNEL, **options)
        return njit(**KERNEL, **options)(function)

    return compiled


_running = threading.Lock()
_forked = False


def _after_fork():
    global _forked, _running
    _forked = True
    _running = threading.Lock()  # the parent's may have been taken by a thread that is not here


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


_shareable: list["_Parallel"] = []


def shareable():
    """Return the kernels that threads may share, of the modules imported so far."""
    return list(_shareable)


class _Parallel:
    """One loop, compiled for one thread and for many."""

    def __init__(self, function, options):
        update_wrapper(self, function)
        self.py_func = function
        self._alone = kernel(**options)(_renamed(function, "_alone"))
        self._shared = kernel(parallel=True, **options)(function)
        self.compiled = self._alone, self._shared
        _shareable.append(self)

    def compile_shared(self):
        """Compile for many threads what was compiled for one, without running it."""
        for types in getattr(self._alone, "signatures", ()):
            self._shared.compile(types)

    def __call__(self, *args):
        if here.alone or _forked or numba.get_num_threads() == 1:
            return self._alone(*args)
        if not _running.acquire(blocking=False):
            return self._alone(*args)
        try:
            return self._shared(*args)
        finally:
            _running.release()


def _renamed(function, suffix):
    if not suffix:
        return function
    # Numba keeps compiled code under the function's name: two compilations need two names.
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__ + suffix,
        function.__defaults__,
        function.__closure__,
    )
    copy.__qualname__ = function.__qualname__ + suffix
    copy.__module__ = function.__module__
    copy.__doc__ = function.__doc__
    return copy


def parallel(**options):
    """Compile a kernel whose ``prange`` threads may share; options are those of ``njit``."""

    def compiled(function):
        return _Parallel(function, options)

    return compiled


_UNCOUNTED: dict[str, Any] = {"_nrt": False}


def inner(function):
    """Compile a function that only kernels call; it may make arrays."""
    return part(error_model="numpy")(function)


def lean(function):
    """Compile a function that only kernels call and that makes views of arrays, but no arrays.

    Numba counts the references to an array whenever it is sliced, with an instruction that
    makes all processors wait. For a tree's thousands of small segments that took a
    third of the time, and the caller holds the arrays anyway.
    """
    return part(error_model="numpy", **_UNCOUNTED)(function)


def brief(function):
    """Compile a function like ``lean``, to little code.

    For what is done for a node and not for every row or bin: copies of its loops for many numbers
    at a time would be compiled, for a third of what a tree's growth takes, and hardly be run.
    """
    function.is_brief = True
    return lean(function)


def single(function):
    """Compile a function like ``lean``, once, to code that callers jump to and do not copy.

    For long loops that are called from several places.
    """
    function.is_single = True
    return lean(function)
