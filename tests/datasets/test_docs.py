"""The numbers on the page about data sets hold; its table is checked by docs/build.py."""

import re
from pathlib import Path

import pytest

from counterpoint.datasets import bayes_error

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="docs are not part of the sdist")


@pytest.mark.parametrize("name", ["two_gaussians", "ripley", "cone_torus", "waveform"])
def test_best_errors_are_right(name):
    text = PAGE.read_text(encoding="utf-8")
    stated = re.search(rf"\| `make_{name}\(.*?\)` \|.*?\| (0\.\d+)", text)
    assert float(stated[1]) == round(bayes_error(name), 4)
