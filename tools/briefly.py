"""A plugin of pytest: no test takes longer than some seconds of the processor.

Kernels as plain Python take a hundred times as long: ``tools/covered.py`` only asks which of their
lines run, and a test that was stopped has shown that of most. It counts as skipped; what it claims
is tried with the compiled code.
"""

import signal

import pytest

SECONDS = 2.0


class TimeIsOver(Exception):
    """Raised in a test that takes longer."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    over = []

    def stop(*_):
        over.append(item)
        raise TimeIsOver

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return (yield)
    except (Exception, pytest.fail.Exception):  # the latter from within pytest.warns
        if over:  # what it raised may also be another's word for it
            pytest.skip(f"stopped after {SECONDS:g} s: its lines have run, its end has not")
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
