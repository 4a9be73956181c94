"""Every script of the gallery runs, draws its picture and prints what its page says."""

import importlib.util
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from counterpoint.plots import Display

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
gallery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gallery)

NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
MADE = {}


def same(printed, kept):
    """Whether two texts differ at most in the last digits of their numbers."""
    words = [NUMBER.sub("#", text).split() for text in (printed, kept)]
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in (printed, kept)]
    if words[0] != words[1]:
        return False
    return all(abs(a - b) <= 0.02 + 0.05 * abs(b) for a, b in zip(*numbers, strict=True))


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_script_draws_and_prints_what_its_page_says(name):
    printed, display = gallery.run(name)
    assert isinstance(display, Display)
    assert len(display.table()) > 0
    assert display.figure_.get_axes()
    assert len(plt.get_fignums()) >= 1
    assert same(printed, (gallery.KEPT / f"{name}.txt").read_text()), printed


def test_what_is_compared_can_differ():
    assert same("error 0.213, of 40", "error 0.215, of 40")
    assert not same("error 0.213", "error 0.313")
    assert not same("error 0.213", "loss 0.213")


def test_every_script_is_shown_and_every_picture_is_small():
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert sorted(scripts) == sorted(gallery.NAMES)
    assert len(scripts) >= 30
    for name in gallery.NAMES:
        picture = gallery.KEPT / f"{name}.png"
        assert picture.stat().st_size <= gallery.MOST_BYTES
    kept = {path.stem for path in gallery.KEPT.iterdir()}
    assert kept == scripts


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_page_has_a_title_words_and_a_link(name):
    example = gallery.read(name)
    assert len(example.title) < 70
    assert example.seen.endswith(".")
    assert "](" in example.text  # an issue it answers, a paper's page, or more of ours
    for target in re.findall(r"\]\(\.\./docs/([^)#]+)", example.text):
        assert (ROOT / "docs" / target).exists(), target


def test_most_answer_a_public_wish():
    public = [name for name in gallery.NAMES if "https://github.com/" in gallery.read(name).text]
    assert len(public) >= 30
