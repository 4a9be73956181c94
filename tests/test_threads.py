"""Limits on native threads: set by the first who needs them, lifted by the last."""

import os
from contextlib import ExitStack

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from counterpoint._threads import one_native_thread


def blas():
    return {
        pool["filepath"]: pool["num_threads"]
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_a_limit_ends_with_the_last_who_needs_it(first, second, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with threadpool_limits(2, user_api="blas"):
        before = blas()
        assert set(before.values()) == {2}
        one, other = ExitStack(), ExitStack()
        one.enter_context(one_native_thread(only_blas=first))
        other.enter_context(one_native_thread(only_blas=second))
        assert os.environ["OMP_NUM_THREADS"] == ("3" if first and second else "1")
        one.close()  # as on another thread, not nested
        assert set(blas().values()) == {1}
        other.close()
        assert blas() == before
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_NUM_THREADS" not in os.environ
