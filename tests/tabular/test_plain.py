"""Summaries are plain data, and say what the functions below say."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from counterpoint import MemberOutputs, __version__
from counterpoint.diversity import MEASURES, profile, worth
from counterpoint.tabular.plain import (
    _errors,
    _remarks,
    plain,
    summarise_demo,
    summarise_outputs,
    to_json,
)


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


def test_demo(demo_result):
    summary = summarise_demo(demo_result)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["dataset"] == "vehicle"
    assert summary["n_train"] == summary["n_test"] == 423
    assert summary["versions"]["counterpoint"] == __version__
    assert summary["command"] == (
        "counterpoint demo --dataset vehicle --n-estimators 5 --n-splits 2 --random-state 0"
    )
    assert summary["tree"]["error_mean"] == pytest.approx(demo_result.tree_errors.mean())
    for method, result in zip(summary["methods"], demo_result.methods, strict=True):
        assert method["error"] == result.errors[0]
        assert method["error_spread"] == pytest.approx(np.std(result.errors, ddof=1))
        assert method["verdict"] == result.worth.verdict
        assert method["measures"]["q"]["value"] == result.profile["value"]["q"]
        assert set(summary["shown"]) <= set(method["measures"])
    assert summary["remarks"]


def method(name, errors, member_error, kappa):
    measures = {"member_error": {"value": member_error}, "label_kappa": {"value": kappa}}
    return {"name": name, "measures": measures, **_errors(np.array(errors))}


TREE = _errors(np.array([0.3, 0.3]))


def test_remarks_when_voting_pays():
    remarks = _remarks(
        TREE, [method("A", [0.2, 0.2], 0.35, 0.6), method("B", [0.25, 0.3], 0.4, 0.1)]
    )
    assert "the best ensemble, A, 20.0 %" in remarks[0]
    assert "members of B err most, 40.0 %" in remarks[1]
    assert "together they err 25.0 %" in remarks[1]
    assert (
        "Least alike are the members of B (kappa 0.10), most alike those of A (0.60)"
        in (remarks[2])
    )
    assert "A errs less than B on every split" in remarks[3]
    assert len(remarks) == 4


@pytest.mark.parametrize(
    ("methods", "n_remarks"),
    [
        # Voting does not pay, and the most diverse is the best.
        ([method("A", [0.4, 0.4], 0.35, 0.6), method("B", [0.3, 0.3], 0.4, 0.1)], 2),
        # A is better than the more diverse B, but not on every split.
        ([method("A", [0.1, 0.2], 0.2, 0.6), method("B", [0.3, 0.1], 0.2, 0.1)], 2),
        # There is but one split.
        ([method("A", [0.1], 0.2, 0.6), method("B", [0.3], 0.2, 0.1)], 2),
        # B has no pairs.
        ([method("A", [0.2, 0.2], 0.2, 0.5), method("B", [0.2, 0.2], 0.2, None)], 1),
    ],
)
def test_remarks_do_not_claim_what_is_not_so(methods, n_remarks):
    remarks = _remarks(TREE, methods)
    assert len(remarks) == n_remarks
    pays = min(method["error_mean"] for method in methods) < 0.3
    assert ("no ensemble does better" in remarks[0]) != pays
