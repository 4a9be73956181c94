"""For the tests and for the examples in docstrings."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent / "tools"


def pytest_terminal_summary(terminalreporter):
    """Print before the last line what ``make coverage``, which takes an hour, found last."""
    if (TOOLS / "coverage.csv").exists():
        command = [sys.executable, str(TOOLS / "covered.py"), "--kept"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        terminalreporter.write_line(done.stdout.strip())


@pytest.fixture(autouse=True)
def close_figures():
    """Close what was drawn: pyplot keeps every figure, and warns when there are many."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
