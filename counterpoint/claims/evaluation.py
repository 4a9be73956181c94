"""Run one cell, the same way in this process, in a worker and on a cluster."""

import os
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numba
from threadpoolctl import threadpool_limits

from counterpoint._progress import quiet
from counterpoint.claims.protocol import Cell, Experiment

_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """What came of a cell: rows, or the words of an error."""

    cell: Cell
    rows: list[dict[str, Any]]
    seconds: float
    error: str = ""
    trace: str = ""


def evaluate(experiment: Experiment, cell: Cell) -> Outcome:
    """Run a cell on one thread, without a progress bar; an error comes back as words.

    Words, since an error itself may not survive the way from a worker to us.
    """
    began = perf_counter()
    try:
        with one_thread(), quiet():
            rows = experiment.evaluate(cell)
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        return Outcome(cell, [], perf_counter() - began, words, traceback.format_exc())
    return Outcome(cell, rows, perf_counter() - began)


class _Limit:
    """Native libraries held to one thread, from the first cell of a process to the last."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0

    def take(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.pools = threadpool_limits(limits=1)
                # For libraries that a cell is the first to load.
                self.before = {name: os.environ.get(name) for name in _VARIABLES}
                os.environ.update(dict.fromkeys(_VARIABLES, "1"))

    def give_back(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.pools.restore_original_limits()
                for name, value in self.before.items():
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value


_limit = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS, OpenMP and our kernels to one thread.

    Sums do not depend on the number of threads then, and workers do not fight for cores. Cells
    that run side by side on threads of one process share the limit: the last one lifts it.
    """
    before = numba.get_num_threads()
    _limit.take()
    try:
        numba.set_num_threads(1)
        yield
    finally:
        numba.set_num_threads(before)
        _limit.give_back()
