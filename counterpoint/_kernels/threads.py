"""How many threads a piece of work deserves."""

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
