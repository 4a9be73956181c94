import os
import signal

import pytest

# A shell that starts tests in the background has them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Two workers run side by side, one a core: more threads would only wait for each other. Set
# before numpy is imported; tests of thread counts ask numba for two.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numba
from hypothesis import settings

numba.set_num_threads(1)

# No deadline: the first example of a test may compile a kernel. On CI the same examples each time.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# Scripts that made the golden arrays: they run in environments of the peers.
collect_ignore_glob = ["golden/make_*.py"]


@pytest.fixture(scope="session")
def demo_result():
    """Run the demo small: what its summary, its page and its command are tried on."""
    from counterpoint.tabular.demo import run_demo

    return run_demo("vehicle", methods=["bagging", "adaboost", "ncl"], n_splits=2, progress=False)
