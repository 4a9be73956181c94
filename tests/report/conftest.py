import matplotlib as mpl
import pytest

from counterpoint.experiments.demo import run_demo


@pytest.fixture(autouse=True)
def quiet_backend():
    with mpl.rc_context({"backend": "agg"}):
        yield


@pytest.fixture(scope="session")
def demo_result():
    return run_demo("vehicle", n_estimators=5, n_splits=2, progress=False)
