"""Cells, seeds and verdicts."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.claims.protocol import Experiment, grid, verdict


def run(*, seed, method, repeat):
    return {"seed_was": seed}


EXPERIMENT = Experiment("E", run, grid(repeat=range(4), method=["a", "b"]), unseeded=["method"])


def seeds(experiment):
    return {cell.key: cell.seed for cell in experiment.cells()}


def test_the_last_name_moves_fastest():
    assert grid(x=[1, 2], y="ab") == [
        {"x": 1, "y": "a"}, {"x": 1, "y": "b"}, {"x": 2, "y": "a"}, {"x": 2, "y": "b"},
    ]  # fmt: skip
    assert grid() == [{}]


@settings(max_examples=20)
@given(st.permutations(range(8)), st.integers(1, 8))
def test_seeds_depend_on_the_cell_alone(order, n):
    part = replace(EXPERIMENT, values=[EXPERIMENT.values[k] for k in order[:n]])
    assert seeds(part).items() <= seeds(EXPERIMENT).items()


def test_methods_share_seeds_and_repeats_do_not():
    by_repeat = {}
    for cell in EXPERIMENT.cells():
        by_repeat.setdefault(cell.values["repeat"], set()).add(cell.seed)
    assert all(len(found) == 1 for found in by_repeat.values())
    assert len(set.union(*by_repeat.values())) == 4
    assert len(set(seeds(replace(EXPERIMENT, unseeded=())).values())) == 8


def test_seeds_are_those_of_all_time():
    # They name cells in stores: a change here makes everything that was kept stale.
    assert [cell.seed for cell in EXPERIMENT.cells()[:3]] == SEEDS
    assert seeds(replace(EXPERIMENT, name="E-smoke")) == seeds(EXPERIMENT)
    assert seeds(replace(EXPERIMENT, name="F")) != seeds(EXPERIMENT)


SEEDS = [717501057, 717501057, 702267972]


@given(st.integers(0, 2**40), st.text(max_size=5))
def test_seeds_suit_scikit_learn(number, word):
    (cell,) = Experiment("E", run, [{"repeat": number, "method": word}]).cells()
    assert 0 <= cell.seed < 2**31


def test_a_cell_twice():
    double = replace(EXPERIMENT, values=[*EXPERIMENT.values, EXPERIMENT.values[2]])
    with pytest.raises(ValueError, match=r"'E' has the cell \{.*\"repeat\": 1\} twice"):
        double.cells()


def test_numpy_numbers_are_numbers():
    plain = Experiment("E", run, [{"repeat": 1, "method": 0.5}]).cells()
    numpy = Experiment("E", run, [{"repeat": np.int64(1), "method": np.float64(0.5)}]).cells()
    assert plain == numpy


@pytest.mark.parametrize("value", [[1], (1,), np.ones(2), {"a": 1}])
def test_values_are_scalars(value):
    with pytest.raises(TypeError, match=r"method=.* rows and cells hold numbers, words and truth"):
        Experiment("E", run, [{"repeat": 0, "method": value}]).cells()


def evaluate(result):
    experiment = Experiment("E", lambda *, seed, x: result, grid(x=[3]))
    return experiment.evaluate(experiment.cells()[0])


def test_rows():
    assert evaluate({"y": 1}) == [{"x": 3, "y": 1}]
    assert evaluate([{"y": np.float64(0.5)}, {"y": np.bool_(True)}]) == [
        {"x": 3, "y": 0.5},
        {"x": 3, "y": True},
    ]
    assert evaluate([]) == []
    assert evaluate({"y": math.nan, "z": math.inf}) == [{"x": 3, "y": None, "z": None}]
    with pytest.raises(ValueError, match=r"a row says \['x'\] again"):
        evaluate({"x": 4})
    with pytest.raises(TypeError, match=r"y=\[1\] is a list"):
        evaluate({"y": [1]})


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.booleans(), min_size=1, max_size=5))
def test_verdict(parts):
    found = verdict(parts, pd.DataFrame(), "Because.")
    held = sum(parts.values())
    expected = "reproduced" if held == len(parts) else "differs" if held else "not reproduced"
    assert found.word == expected
    assert found.why.startswith("Because.")
    if expected == "differs":
        assert all(name in found.why for name, h in parts.items() if not h)


def test_a_verdict_on_nothing():
    with pytest.raises(ValueError, match="at least one part"):
        verdict({}, pd.DataFrame(), "")
