"""The demo's numbers are those of its models, and the same for the same seed."""

import numpy as np
import pytest

from counterpoint.diversity import profile
from counterpoint.tabular.demo import run_demo

SMALL = {"n_estimators": 4, "n_splits": 2, "progress": False}


@pytest.fixture(scope="module")
def result():
    return run_demo("vehicle", **SMALL)


def test_shapes(result):
    assert result.dataset == "vehicle"
    assert (result.n_train, result.n_test, result.n_features) == (423, 423, 18)
    assert result.classes == ["bus", "opel", "saab", "van"]
    assert result.tree_errors.shape == (2,)
    assert [method.name for method in result.methods] == ["Bagging", "Random forest", "AdaBoost"]
    for method in result.methods:
        assert method.errors.shape == (2,)
        assert method.outputs.n_samples == 423
        assert method.outputs.n_members <= 4
        assert method.recipe


def test_measures_are_of_the_outputs(result):
    for method in result.methods:
        assert method.profile.equals(profile(method.outputs))
        assert method.worth.vote_error == method.profile["value"]["vote_error"]


def test_errors_are_those_of_the_vote_where_the_vote_is_the_rule(result):
    # AdaBoost predicts by the weighted vote; the others by mean probabilities of full trees.
    ada = result.methods[2]
    assert ada.errors[0] == pytest.approx(ada.worth.vote_error)
    assert 0.1 < result.tree_errors.mean() < 0.5


def test_same_seed_same_numbers(result):
    again = run_demo("vehicle", **SMALL)
    other = run_demo("vehicle", **SMALL, random_state=1)
    np.testing.assert_array_equal(again.tree_errors, result.tree_errors)
    for a, b, c in zip(again.methods, result.methods, other.methods, strict=True):
        np.testing.assert_array_equal(a.errors, b.errors)
        np.testing.assert_array_equal(a.outputs.votes, b.outputs.votes)
        assert a.profile.equals(b.profile)
        assert not np.array_equal(a.outputs.y, c.outputs.y)


def test_more_splits_leave_the_first_as_it_was(result):
    one = run_demo("vehicle", n_estimators=4, n_splits=1, progress=False)
    assert one.tree_errors[0] == result.tree_errors[0]
    for a, b in zip(one.methods, result.methods, strict=True):
        assert a.errors.tolist() == b.errors[:1].tolist()
        np.testing.assert_array_equal(a.outputs.votes, b.outputs.votes)


def test_members_that_are_copies_are_told_of_in_the_verdict_not_in_a_warning():
    same = run_demo("iris", n_estimators=2, n_splits=1, progress=False)  # warnings are errors here
    assert any("nearly copies" in method.worth.verdict for method in same.methods)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 1}, "n_estimators=1: it takes two members to disagree"),
        ({"n_splits": 0}, "n_splits=0: at least one split"),
        ({"dataset": "primary-tumor"}, "'primary-tumor' has a single row of class 'duoden"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        run_demo(**options)


def test_one_class_only(tmp_path, monkeypatch):
    from counterpoint.datasets import add_file

    monkeypatch.setenv("COUNTERPOINT_DATA", str(tmp_path / "data"))
    (tmp_path / "dull.csv").write_text("a,class\n1,x\n2,x\n3,x\n")
    add_file(tmp_path / "dull.csv")
    with pytest.raises(ValueError, match="'dull' has one class only, 'x'"):
        run_demo("dull")
