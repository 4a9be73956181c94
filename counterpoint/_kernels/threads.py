"""How many threads a piece of work deserves."""

import threading
from contextlib import contextmanager

import numba

# Waking a second thread costs more than this many simple steps take.
_WORTH_A_THREAD = 2_000_000


class _Here(threading.local):
    alone = False


# Numba takes a lock whenever it is asked: of a boost of few rows that is a third of the time.
here = _Here()


@contextmanager
def threads_for(work):
    """Run kernels on one thread while ``work``, in simple steps, is too small to share."""
    if here.alone or work >= _WORTH_A_THREAD:
        yield
        return
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    here.alone = True
    try:
        yield
    finally:
        here.alone = False
        numba.set_num_threads(before)


@contextmanager
def at_most(n):
    """Run kernels on no more than ``n`` threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(max(1, min(n, before)))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def own_threads():
    """Return how many threads work that makes its own may use here, at most.

    As many as numba's kernels would, and joblib gives its processes their share of those. But one
    outside the main thread: who runs us there, joblib's threads for instance, most likely runs
    others beside us.
    """
    alone = threading.current_thread() is threading.main_thread()
    return numba.get_num_threads() if alone else 1
