"""Every estimator fitted three times, as differently as may be, gives the same bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from attack.determinism import ESTIMATORS, FRESH, Case, all_at_once, difference, plain

TESTS = Path(__file__).parents[1]
FRESHLY = """
import json, sys
from attack.determinism import ESTIMATORS, plain, try_way
print(json.dumps({name: try_way(plain, name, 0) for name in sorted(ESTIMATORS, reverse=True)}))
"""


@pytest.fixture(scope="module")
def fresh():
    """Fit all in a process of their own, in another order."""
    path = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    done = subprocess.run(
        [sys.executable, "-c", FRESHLY],
        env={**os.environ, **FRESH, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_the_same_bytes_in_every_way(name, fresh):
    wanted = plain(Case(name, 0))
    assert difference(wanted, fresh[name]) is None
    assert difference(wanted, all_at_once(Case(name, 0))) is None


def test_a_difference_is_seen():
    wanted = plain(Case("HistTreeClassifier", 0))
    assert "predict" in difference(wanted, plain(Case("HistTreeClassifier", 1)))
    assert difference(wanted, {"error": "ValueError: no"}) == "error ValueError: no"
