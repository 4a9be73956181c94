"""How many threads a piece of work deserves."""

import threading
from contextlib import contextmanager

import numba

# Waking a second thread costs more than this many simple steps take.
_WORTH_A_THREAD = 2_000_000


@contextmanager
def threads_for(work):
    """Run kernels on one thread while ``work``, in simple steps, is too small to share."""
    before = numba.get_num_threads()
    if work < _WORTH_A_THREAD:
        numba.set_num_threads(1)
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
