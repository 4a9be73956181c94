"""Kernels whose outer loop threads may share, and when they do.

Each is compiled twice, when first needed: for one thread and for many. Both give the same bits.
One thread does the work where sharing does not pay (``threads_for``), so that small data never
wait for the slower compilation; while another thread of this process has a shared kernel running,
since not every threading layer of numba survives two; and in a process that was forked, where the
threads of the parent are gone.
"""

import os
import threading
from functools import update_wrapper
from types import FunctionType

import numba
from numba import njit

from counterpoint._kernels.cache import KEEP

_running = threading.Lock()
_forked = False


def _after_fork():
    global _forked, _running
    _forked = True
    _running = threading.Lock()  # the parent's may have been taken by a thread that is not here


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Parallel:
    """One loop, compiled for one thread and for many."""

    def __init__(self, function, options):
        update_wrapper(self, function)
        self.py_func = function
        self._alone = njit(cache=KEEP, **options)(_renamed(function, "_alone"))
        self._shared = njit(cache=KEEP, parallel=True, **options)(function)

    def __call__(self, *args):
        if _forked or numba.get_num_threads() == 1 or not _running.acquire(blocking=False):
            return self._alone(*args)
        try:
            return self._shared(*args)
        finally:
            _running.release()


def _renamed(function, suffix):
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
