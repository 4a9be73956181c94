"""Long work says how far it is: a bar on a terminal, lines in a log, nothing to who did not ask."""

import io
import sys
import time

import numpy as np

from counterpoint import _progress
from counterpoint._progress import at_work, lines, quiet, tell_of_compiling, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nobody_asked(capsys):
    assert list(track([1, 2], description="Trying", show=None)) == [1, 2]
    assert list(track([1, 2], description="Trying", show=False)) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_a_bar_names_the_member_at_work(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)  # here: between fixture and test pytest sets it
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    for name in track(["a fold", "b fold"], description="Comparing", show=None, name=str):
        at_work(f"member of {name} [red]")
        time.sleep(0.15)  # a bar is drawn ten times a second
    shown = terminal.getvalue()
    assert "Comparing: a fold, member of a fold [red]" in shown
    assert "Comparing: b fold, member of b fold [red]" in shown
    assert "1/2" in shown
    at_work("nobody")  # after the work: nothing happens
    assert "nobody" not in terminal.getvalue()


def test_without_a_terminal_a_line_every_few_seconds(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_EVERY", 0.05)
    said = []
    with lines(said.append):
        for name in track(iter("ab"), total=2, description="Trying", show=None):
            at_work(f"net {name}")
            time.sleep(0.2)
    assert "Trying: net a (1 of 2)" in said
    assert "Trying: net b (2 of 2)" in said
    n = len(said)
    time.sleep(0.12)
    assert len(said) == n  # and it ends
    assert capsys.readouterr() == ("", "")


def test_quick_work_says_nothing():
    said = []
    with lines(said.append):
        assert list(track(range(3), description="Trying", show=None)) == [0, 1, 2]
    assert said == []


def test_work_within_work_is_the_outer_ones(monkeypatch):
    monkeypatch.setattr(_progress, "_EVERY", 0.05)
    said = []
    with lines(said.append):
        for _ in track(["auto"], description="Comparing", show=None, name=str):
            with quiet():
                for _ in track(["x"], description="Trying", show=None, name=str):
                    at_work("a forest")
                    time.sleep(0.12)
    assert set(said) == {"Comparing: auto, a forest (1 of 1)"}


def test_stopped_work_ends_its_lines(monkeypatch):
    monkeypatch.setattr(_progress, "_EVERY", 0.02)
    said = []
    with lines(said.append):
        work = track(range(9), description="Trying", show=None)
        next(work)
        work.close()
        n = len(said)
        time.sleep(0.08)
    assert len(said) == n


def test_what_is_being_compiled_is_told(monkeypatch):
    from numba import njit

    said, tell = [], at_work
    monkeypatch.setattr(_progress, "at_work", lambda member: said.append(member) or tell(member))

    @njit
    def some_kernel(x):
        return (x + x**3).sum()

    ended = []
    with lines(lambda _: None), tell_of_compiling(ended.append):
        for _ in track([1], description="Training", show=None):
            tell("a forest")
            some_kernel(np.ones(3))
            some_kernel(np.ones(3))
    first, then = said
    assert first.startswith("compiling ")
    assert first.endswith("some_kernel, once on this machine")
    assert then == "a forest"
    # Quick work is not told of, and how quick it is depends on the machine.
    assert all("s went into compiling 1 kernels, which is done once" in text for text in ended)
