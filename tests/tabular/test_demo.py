"""The demo's numbers are those of its models, and the same for the same seed."""

import json

import numpy as np
import pytest

from counterpoint import __version__
from counterpoint.diversity import profile, vote_error
from counterpoint.tabular.demo import _errors, _remarks, run_demo

METHODS = ["bagging", "adaboost", "ncl"]
SMALL = {"methods": METHODS, "n_splits": 2, "progress": False}


@pytest.fixture(scope="module")
def result():
    return run_demo("vehicle", **SMALL)


def test_shapes(result):
    assert result.dataset == "vehicle"
    assert (result.n_train, result.n_test, result.n_features) == (423, 423, 18)
    assert result.classes == ["bus", "opel", "saab", "van"]
    assert result.tree_errors.shape == (2,)
    assert [method.name for method in result.methods] == [
        "bagging",
        "AdaBoost",
        "Networks together",
    ]
    for method in result.methods:
        assert method.errors.shape == (2,)
        assert method.outputs.n_samples == 423
        assert method.outputs.n_members == {"bagging": 50, "ncl": 8}.get(method.method, 100)
        assert method.recipe


def test_measures_are_of_the_ensemble_itself(result):
    for method in result.methods:
        expected = profile(method.outputs)["value"]
        assert method.measures["q"]["value"] == expected["q"]
        assert method.measures["vote_error"]["value"] == pytest.approx(method.errors[0])
    # AdaBoost predicts by the weighted vote; the others by mean probabilities.
    assert vote_error(result.methods[1].outputs) == pytest.approx(result.methods[1].errors[0])
    assert 0.1 < result.tree_errors.mean() < 0.5


def test_the_report_of_the_best_has_the_same_single_tree(result):
    best = result.assess_best()
    assert best.baselines["single tree"].error == pytest.approx(result.tree_errors[0])
    assert best.score.error == pytest.approx(result.best.errors[0])


def test_same_seed_same_numbers(result):
    again = run_demo("vehicle", **SMALL)
    other = run_demo("vehicle", **SMALL, random_state=1)
    np.testing.assert_array_equal(again.tree_errors, result.tree_errors)
    for a, b, c in zip(again.methods, result.methods, other.methods, strict=True):
        np.testing.assert_array_equal(a.errors, b.errors)
        np.testing.assert_array_equal(a.outputs.votes, b.outputs.votes)
        assert a.measures == b.measures
        assert not np.array_equal(a.outputs.y, c.outputs.y)


def test_more_splits_leave_the_first_as_it_was(result):
    one = run_demo("vehicle", methods=METHODS, n_splits=1, progress=False)
    assert one.tree_errors[0] == result.tree_errors[0]
    for a, b in zip(one.methods, result.methods, strict=True):
        assert a.errors.tolist() == b.errors[:1].tolist()
        np.testing.assert_array_equal(a.outputs.votes, b.outputs.votes)


def test_members_that_are_copies_are_told_of_in_the_verdict_not_in_a_warning():
    same = run_demo("tic-tac-toe", methods=["ncl"], n_splits=1, progress=False)
    assert "nearly copies" in same.methods[0].verdict  # warnings are errors here


def test_one_tree_is_made_of_the_best_trees_and_held_against_all(result):
    mean = {method.name: method.errors.mean() for method in result.methods}
    trees = {name: mean[name] for name in ("bagging", "AdaBoost")}
    assert result.one_tree_of == min(trees, key=trees.get)
    assert result.one_tree.method == "merged"
    X, y = result.X.iloc[result.test], result.y[result.test]
    says = result.one_tree.predict(X)
    for method in result.methods:
        answers = result.models[method.name].predict(X)
        assert method.errors[0] == pytest.approx(np.mean(answers != y))
        assert method.agrees == pytest.approx(np.mean(says == answers))
    assert result.one_tree.error == pytest.approx(np.mean(says != y))


def test_without_trees_one_is_grown():
    made = run_demo("iris", methods=["ncl"], n_splits=1, progress=False)
    assert (made.one_tree.method, made.one_tree_of) == ("distilled", "Networks together")
    assert made.methods[0].agrees == pytest.approx(made.one_tree.fidelity)


def test_our_methods_win_on_the_default_table():
    """What the demo is there to show; without auto, which takes its time."""
    methods = ["random-forest", "adaboost", "adaboost-nc", "ncl"]
    made = run_demo(methods=methods, n_splits=2, progress=False)
    forest, *ours = made.methods
    for method in ours:
        assert (method.errors < forest.errors).all()
    assert min(method.agrees for method in made.methods) > 0.9
    assert "fewer errors than the random forest: AdaBoost, AdaBoost.NC, Networks together" in (
        " ".join(made.summary()["remarks"])
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": []}, "methods=.*: give a list of at least one name"),
        ({"methods": "ncl"}, "methods='ncl': give a list"),
        ({"methods": ["adabost"]}, "Did you mean 'adaboost'"),
        ({"n_splits": 0}, "n_splits=0: give a whole number from 1"),
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


def test_demo(demo_result):
    summary = demo_result.summary()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["dataset"] == "vehicle"
    assert summary["n_train"] == summary["n_test"] == 423
    assert summary["versions"]["counterpoint"] == __version__
    assert summary["command"] == (
        "counterpoint demo --dataset vehicle --methods bagging,adaboost,ncl --n-splits 2 "
        "--time-limit 15 --random-state 0"
    )
    assert summary["tree"]["error_mean"] == pytest.approx(demo_result.tree_errors.mean())
    for method, result in zip(summary["methods"], demo_result.methods, strict=True):
        assert method["error"] == result.errors[0]
        assert method["error_spread"] == pytest.approx(np.std(result.errors, ddof=1))
        assert method["verdict"] == result.verdict
        assert method["measures"] == result.measures
        assert set(summary["shown_measures"]) <= set(method["measures"])
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
