"""For the tests and for the examples in docstrings."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent / "tools"


def pytest_terminal_summary(terminalreporter):
    """Print before the last line what ``make coverage`` and ``make mutants`` found last."""
    for kept, tool in (("coverage.csv", "covered.py"), ("mutants.csv", "mutate.py")):
        if (TOOLS / kept).exists():
            command = [sys.executable, str(TOOLS / tool), "--kept"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            terminalreporter.write_line(done.stdout.strip())


@pytest.fixture(autouse=True)
def close_figures():
    """Close what was drawn: pyplot keeps every figure, and warns when there are many."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
