"""What is still open, and what would decide it."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoint.claims import paired, verdict
from counterpoint.claims.comparison import Paired
from counterpoint.claims.parts import in_share
from counterpoint.claims.undecided import needed, share_is_open, what_is_open


def pairs(difference, n, overlap=0.0):
    """Return a comparison with that mean difference and a spread of 1."""
    gap = np.resize([1.0, -1.0], n) / math.sqrt(n / (n - 1))
    return paired(gap + difference, np.zeros(n), overlap=overlap)


def slightly(gap):
    return gap.level(0.4)


@pytest.mark.parametrize("overlap", [0.0, 0.001])
@pytest.mark.parametrize("ask", [Paired.below, Paired.above, slightly])
@pytest.mark.parametrize("difference", [-0.3, -0.2, 0.25])
def test_so_many_decide_and_one_less_does_not(difference, ask, overlap):
    gap = pairs(difference, 10, overlap)
    assert ask(gap) is None
    assert gap.spread == pytest.approx(1)
    enough = needed(gap, ask)
    assert 10 < enough < 2000
    for n, decided in ((enough, True), (enough - 1, False)):
        # The same difference and spread over n pairs: what running them would give.
        half = (gap.interval[1] - gap.interval[0]) / 2

        ratio = stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, 9)
        ratio *= math.sqrt((1 / n + overlap) / (1 / 10 + overlap))
        ends = (difference - half * ratio, difference + half * ratio)
        assert (ask(Paired(int(n), difference, ends, math.nan, math.nan)) is not None) == decided


def test_shared_rows_may_leave_it_open_for_ever():
    gap = pairs(-0.2, 10, overlap=1 / 9)
    assert math.isinf(needed(gap, Paired.below))
    assert what_is_open({"pima": gap}, Paired.below, "folds").startswith(
        "no number of folds would decide on pima -0.2 ± "
    )


def test_what_is_decided_is_not_said():
    gaps = {"a": pairs(-9.0, 10), "b": pairs(0.3, 10), "c": paired([], [])}
    said = what_is_open(gaps, Paired.below, "repeats")
    assert "a " not in said
    assert said.startswith("b +0.3 ± 0.72, ")
    assert said.endswith("; c: no interval yet")
    assert what_is_open({"a": gaps["a"]}, Paired.below, "repeats") == ""


def test_what_is_decided_soonest_comes_first_and_a_long_list_is_cut():
    gaps = {f"set {k}": pairs(0.6 / (k + 1), 10) for k in range(9)}
    said = what_is_open(gaps, Paired.above, "repeats").split("; ")
    assert [words.split(" +")[0] for words in said] == [f"set {k}" for k in range(6)]
    never = {f"set {k}": pairs(0.01, 10, overlap=1.0) for k in range(9)}
    assert what_is_open(never, Paired.above, "repeats").endswith(", 3 more")


@pytest.mark.parametrize(("n", "held", "wanted"), [(20, 12, 0.5), (20, 17, 0.75), (8, 3, 0.5)])
def test_a_share(n, held, wanted):
    flags = [True] * held + [False] * (n - held)
    said = share_is_open(flags, wanted, "repeats")
    assert said.startswith(f"{held} of {n}, so ")
    enough = int(said.split(", ")[2].split()[0])
    times = math.ceil(1.1 * enough / n)  # what is said has two digits
    assert in_share(flags * times, wanted) is not None
    assert in_share(flags * max(1, int(0.5 * enough / n)), wanted) is None


def test_a_share_that_is_decided_or_empty():
    assert share_is_open([True] * 20, 0.5, "repeats") == ""
    assert share_is_open([], 0.5, "repeats") == ""


def test_a_verdict_has_notes_of_open_parts_only():
    parts = {"a": True, "b": None, "c": None}
    found = verdict(parts, pd.DataFrame(), "So.", {"a": "x", "b": "y", "c": ""})
    assert found.notes == {"b": "y"}
    assert verdict(parts, pd.DataFrame(), "So.").notes == {}
