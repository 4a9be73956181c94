"""A studio of members that estimate numbers: the same questions, and answers from below."""

import json
import subprocess
import sys

import numpy as np
import pytest

from counterpoint import MemberOutputs, MemberPredictions, tabular
from counterpoint.studio import Session
from counterpoint.tabular import NumberWhatIf


@pytest.fixture(scope="module")
def session(price_model):
    return Session(price_model)


def test_answers_are_those_of_the_packages_below(session, price_model):
    model = tabular.load(price_model)
    members = session.answer("members", {})
    outputs = session.ensemble.outputs
    gap = outputs.values - model.y_test
    np.testing.assert_allclose(members["errors"], np.sqrt(np.mean(gap**2, axis=1)), rtol=1e-5)
    np.testing.assert_allclose(members["alike"], np.corrcoef(gap), atol=1e-4)
    assert sorted(members["order"]) == list(range(50))
    assert members["numbers"] is True
    assert members["simplest"] == "mean"
    own = session.answer("judge", {"rule": "own"})
    assert own["error"] == pytest.approx(model.score.rmse)
    assert own["low"] == pytest.approx(model.score.low)
    weights = [k % 3 for k in range(50)]
    what = NumberWhatIf(outputs)
    told = session.answer("judge", {"rule": "mean", "weights": weights})
    assert told["error"] == what.judge("mean", weights)["error"]
    brushed = session.answer("brush", {"members": [1, 2, 3]})
    assert brushed["rows"] == what.disputed([1, 2, 3], 24)
    assert brushed["error"] == what.judge("mean", [0, 1, 1, 1] + [0] * 46)["error"]


def test_a_row_a_tree_and_its_leaves(session):
    row = session.answer("row", {"row": 5, "tree": True})
    assert row["said"] == session.ensemble.outputs.values[:, 5].tolist()
    assert len(row["nearest"]) == 5
    tree = session.answer("tree", {"leaves": 4})
    at = session.ensemble.tree
    assert tree["shown"]["n_leaves"] == 4
    assert tree["shown"]["error"] == pytest.approx(
        next(size["error"] for size in at.sizes if size["n_leaves"] == 4)
    )
    leaf = next(k for k, node in enumerate(tree["nodes"]) if node["yes"] is None)
    found = session.answer("leaf", {"leaves": 4, "leaf": leaf})
    assert found["n_rows"] == tree["rows_at"][leaf]
    first = found["rows"][0]
    assert first["truth"] == session.ensemble.outputs.y[first["row"]]


def test_what_has_no_meaning_for_numbers_is_refused(session):
    with pytest.raises(ValueError, match="two classes"):
        session.answer("thresholds", {"rule": "mean"})
    with pytest.raises(ValueError, match="rule='vote'"):
        session.answer("judge", {"rule": "vote"})
    with pytest.raises(ValueError, match="kind='lam'"):
        session.answer("path", {"kind": "lam"})


def test_programs_print_the_numbers_of_the_page(session, tmp_path, price_file):
    path = tmp_path / "said.csv"
    path.write_text("price,a,b,c\n1.5,1,2,3\n2.5,3,2.5,1\n4.25,4,5,4\n")
    said = Session(path, truth="price")
    fit = Session(price_file, target="price")
    fit.answer("fit", {"target": "price", "method": "bagging", "wishes": {"noise": "left out"}})
    fit.job.wait(60)
    weights = [1] * 20 + [0] * 25 + [3] * 5
    asked = [
        (session, {"rule": "own", "weights": None}),
        (session, {"rule": "mean", "weights": weights}),
        (session, {"rule": "weighted-mean", "weights": weights}),
        (said, {"rule": "mean", "weights": [1, 0, 2]}),
        (fit, {"rule": "median", "weights": None}),
    ]
    program = "\n".join(one.answer("script", data)["script"] for one, data in asked)
    ran = subprocess.run(  # a process of its own: nothing it needs is there by chance
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for line, (one, data) in zip(ran, asked, strict=True):
        told = one.answer("judge", data)
        assert line == (
            f"RMSE {told['error']:.6f} ({told['low']:.6f} to {told['high']:.6f}), mean absolute "
            f"error {told['mae']:.6f}, R2 {told['r2']:.6f}, {told['n_members']} members"
        )


def test_page_and_model_can_be_taken_along(serve, price_model, tmp_path):
    studio = serve(price_model)
    answer, page = studio.send("POST", "/api/download/page", json.dumps({"rule": "median"}))
    assert answer.status == 200
    assert b"In the studio 50 members were combined by &#39;median&#39;: RMSE" in page
    _, content = studio.send("POST", "/api/download/model", "{}")
    (tmp_path / "again.skops").write_bytes(content)
    again, before = tabular.load(tmp_path / "again.skops"), tabular.load(price_model)
    np.testing.assert_array_equal(
        again.model.predict(before.X_test), before.model.predict(before.X_test)
    )


def test_whole_numbers_that_may_be_either_are_asked_about(tmp_path):
    path = tmp_path / "count.csv"
    path.write_text("a,b\n" + "".join(f"{k % 7},{3 * k}\n" for k in range(60)))
    session = Session(path, target="b")
    told = session.answer("columns", {"target": "b"})
    assert told["task"] is None
    assert told["methods"] == []
    assert "say what it is" in told["notes"][-1]
    for task, method in (("regression", "selection"), ("classification", "adaboost-nc")):
        told = session.answer("columns", {"target": "b", "task": task})
        assert told["task"] == task
        assert method in [one["name"] for one in told["methods"]]
    with pytest.raises(ValueError, match="method='adaboost-nc'"):
        session.answer("fit", {"target": "b", "task": "regression", "method": "adaboost-nc"})
    with pytest.raises(ValueError, match="different whole numbers"):
        session.answer("fit", {"target": "b", "method": "bagging"})
    session.answer("fit", {"target": "b", "task": "regression", "method": "bagging"})
    session.job.wait(60)
    assert session.ensemble.kind()["numbers"]
    assert "task='regression'" in session.answer("script", {})["script"]


@pytest.mark.parametrize(
    "outputs",
    [MemberPredictions([[1.0, 2.0, 4.0]], [1.0, 2.5, 3.0]), MemberOutputs([[0, 1, 1]], [0, 1, 0])],
)
def test_one_member_has_nobody_to_agree_with(outputs):
    session = Session(outputs)  # a choice of members may end so
    told = session.answer("members", {})
    assert told["alike"] is None
    error = session.answer("judge", {"rule": told["simplest"]})["error"]
    assert error == pytest.approx(told["errors"][0], rel=1e-5)
    assert session.answer("brush", {"members": [0]})["rows"] == []
    assert session.answer("growth", {})["error"] == [error]


def test_numbers_given_from_python():
    outputs = MemberPredictions([[1.0, 2.0], [1.0, 4.0]], [1.0, 3.5], weights=[1.0, 3.0])
    session = Session(outputs)
    assert session.answer("judge", {"rule": "own"})["error"] == 0.0
    assert session.answer("judge", {"rule": "mean"})["mae"] == 0.25
    with pytest.raises(ValueError, match="MemberPredictions with y"):
        Session(MemberPredictions([[1.0, 2.0], [1.0, 4.0]]))
