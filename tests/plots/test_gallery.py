"""The gallery page: its code runs, its pictures are there."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "plots.md").read_text(encoding="utf-8")


def test_code_of_the_gallery_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) >= 10
    names = {}
    for block in blocks:
        exec(block.replace("n_trials=30", "n_trials=2"), names)
    assert "display" in names


def test_pictures_of_the_gallery_are_there_and_small():
    pictures = re.findall(r"\(images/(\w+\.png)\)", PAGE)
    assert len(pictures) >= 8
    for name in pictures:
        assert (DOCS / "images" / name).stat().st_size < 120_000
