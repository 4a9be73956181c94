"""Native libraries held to one thread, for as long as anyone needs it."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


class _Hold:
    """What is held now, by how many, and how to let go of it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.kinds: set[bool] = set()
        self.undo = ExitStack()

    def take(self, only_blas: bool) -> None:
        with self.lock:
            if only_blas not in self.kinds:
                (_hold_blas if only_blas else _hold_all)(self.undo)
                self.kinds.add(only_blas)
            self.users += 1

    def give_back(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.kinds.clear()
                self.undo.close()


_hold = _Hold()


@contextmanager
def one_native_thread(*, only_blas: bool = False) -> Iterator[None]:
    """Hold BLAS, and OpenMP if not ``only_blas``, to one thread.

    A limit is the whole process's, and those who need it may come and go on several threads of
    Python's: the first sets it and the last lifts it, or one would put back what another had set.
    """
    _hold.take(only_blas)
    try:
        yield
    finally:
        _hold.give_back()


def _hold_blas(undo: ExitStack) -> None:
    undo.callback(_blas().limit(limits=1, user_api="blas").restore_original_limits)


def _hold_all(undo: ExitStack) -> None:
    undo.callback(ThreadpoolController().limit(limits=1).restore_original_limits)
    for name in _VARIABLES:  # for libraries that are loaded only now
        undo.callback(_put_back, name, os.environ.get(name))
        os.environ[name] = "1"


@cache
def _blas() -> ThreadpoolController:
    # Looking for the libraries takes a while. That of the kernels must be there already.
    import scipy.linalg.cython_blas  # noqa: F401

    return ThreadpoolController()


def _put_back(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
