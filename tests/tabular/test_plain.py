"""Summaries are plain data, and say what the functions below say."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from counterpoint import MemberOutputs
from counterpoint.diversity import MEASURES, profile, worth
from counterpoint.tabular import summarise_outputs
from counterpoint.tabular.plain import plain, to_json
from counterpoint.tabular.words import number, percent, points


@settings(max_examples=25, deadline=None)
@given(arrays(bool, st.tuples(st.integers(1, 4), st.integers(1, 12))))
@pytest.mark.filterwarnings("ignore::counterpoint.exceptions.RedundancyWarning")
def test_outputs_survive_json(correct):
    outputs = MemberOutputs.from_correct(correct)
    summary = json.loads(to_json(summarise_outputs(outputs)))
    expected = profile(outputs)
    assert list(summary["measures"]) == list(expected.index)
    for name, row in summary["measures"].items():
        value = expected["value"][name]
        assert row["value"] == (None if math.isnan(value) else value)
        assert row["title"] == MEASURES[name].title
    assert summary["worth"] == plain(worth(outputs).table())
    assert [member["error"] for member in summary["members"]] == outputs.errors.tolist()
    assert (summary["n_members"], summary["n_samples"]) == correct.shape


def test_plain():
    given = {
        1: np.int64(2),
        "a": [np.float32(0.5), (np.nan, float("inf"))],
        "b": np.array([True, False]),
        "c": pd.NA,
        "d": np.str_("x"),
        "e": None,
    }
    assert plain(given) == {
        "1": 2, "a": [0.5, [None, None]], "b": [True, False], "c": None, "d": "x", "e": None,
    }  # fmt: skip
    assert to_json(float("nan")) == "null"


def test_numbers_in_words():
    assert (number(0.12345), number(None), number(-1, 1)) == ("0.123", "undefined", "-1.0")
    assert (percent(0.1234), percent(None)) == ("12.3 %", "undefined")
    assert (points(0.01234), points(-1e-9), points(-0.02)) == ("+1.23", "0.00", "-2.00")
