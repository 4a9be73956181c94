"""Run one cell, the same way in this process, in a worker and on a cluster."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numba

from counterpoint._interrupts import whole
from counterpoint._progress import quiet
from counterpoint._threads import one_native_thread
from counterpoint.claims.protocol import Cell, Experiment


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
    began = perf_counter(), process_time()
    try:
        with one_thread(), quiet(), whole():
            rows = experiment.evaluate(cell)
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        return Outcome(cell, [], _taken(*began), words, traceback.format_exc())
    return Outcome(cell, rows, _taken(*began))


def _taken(wall: float, processor: float) -> float:
    """Return the processor's seconds since then, those of other threads left out if it can be."""
    return min(perf_counter() - wall, process_time() - processor)


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS, OpenMP and our kernels to one thread.

    Sums do not depend on the number of threads then, and workers do not fight for cores.
    """
    before = numba.get_num_threads()
    with one_native_thread():
        try:
            numba.set_num_threads(1)
            yield
        finally:
            numba.set_num_threads(before)
