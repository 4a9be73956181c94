"""For the tests and for the examples in docstrings."""

import sys

import pytest


@pytest.fixture(autouse=True)
def close_figures():
    """Close what was drawn: pyplot keeps every figure, and warns when there are many."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
