import os
from concurrent.futures import ThreadPoolExecutor

import numba
from joblib import Parallel, delayed

from counterpoint._kernels.threads import at_most, own_threads


def test_the_main_thread_may_use_as_many_as_numba():
    before = numba.get_num_threads()
    assert own_threads() == before
    numba.set_num_threads(1)
    try:
        assert own_threads() == 1
    finally:
        numba.set_num_threads(before)


def test_other_threads_may_not():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(own_threads).result() == 1
    told = Parallel(n_jobs=2, backend="threading")(delayed(own_threads)() for _ in range(4))
    assert told == [1] * 4


def test_processes_of_joblib_share_out_the_cores():
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    told = Parallel(n_jobs=2)(delayed(own_threads)() for _ in range(4))
    assert max(told) <= max(1, n_cores // 2)


def test_at_most_is_a_limit_and_no_demand():
    before = numba.get_num_threads()
    for asked, expected in ((1, 1), (0, 1), (before + 5, before)):
        with at_most(asked):
            assert numba.get_num_threads() == expected
        assert numba.get_num_threads() == before
