"""`counterpoint explain`: one tree, its fidelity and its rules."""

import json
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tables import mixed_table

from counterpoint.tabular import explain, fit, load, save


@pytest.fixture(scope="module")
def fitted():
    return fit(mixed_table(), "class", "bagging")


@pytest.fixture
def model(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return save(fitted, "model.skops")


def test_explain(run, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("explain", model, "--as", "tree", "--rules", 2)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("model.skops. ")
    assert "On 23 rows held out it says what the model says on" in ran.out
    assert sum(line.startswith("if ") for line in ran.out.splitlines()) == 2
    assert "more; --rules 0 prints all." in ran.out


def test_the_model_errs_as_it_did_when_it_was_tested(run, model):
    told = json.loads(run("explain", model, "--json").out)
    assert told["model_error"] == pytest.approx(load(model).score.error)
    assert told["n_test"] == 23
    assert 0.5 < told["fidelity"] <= 1
    assert len(told["rules"]) == told["n_leaves"]


def test_fewer_leaves(run, model):
    told = json.loads(run("explain", model, "--json", "--max-leaves", 3).out)
    assert told["n_leaves"] <= 3


def test_rows_from_a_file(run, fails, fitted, model):
    save(fitted, "bare.skops", keep_rows=0)
    assert fails("explain", "bare.skops") == (
        "The model file keeps no rows to explain it by: give some with --data."
    )
    mixed_table().to_csv("data.csv", index=False)
    told = json.loads(run("explain", "bare.skops", "--data", "data.csv", "--json").out)
    assert (told["n_fit"], told["n_test"]) == (67, 23)
    mixed_table(30, seed=3).to_csv("other.csv", index=False)
    told = json.loads(run("explain", "bare.skops", "--data", "other.csv", "--json").out)
    assert told["n_fit"] + told["n_test"] == 30


def test_the_tree_is_drawn(run, model):
    ran = run("explain", model, "--plot", "tree.png", "--max-leaves", 4)
    assert ran.err == "counterpoint: wrote the tree to tree.png\n"
    assert Path("tree.png").read_bytes().startswith(b"\x89PNG")


def test_it_says_how_much_comes_back(run, model):
    told = json.loads(run("explain", model, "--json", "--resamples", 2).out)
    assert told["stability"]["n_resamples"] == 2
    printed = " ".join(run("explain", model, "--resamples", 2).out.split())
    assert told["stability"]["sentence"] in printed


def test_sql_and_python_that_run(run, fitted, model):
    ran = run("explain", model, "--as", "sql", "--table", "rows")
    assert ran.code == 0
    assert "note: On 23 rows held out it says what the model says on" in ran.err
    db = sqlite3.connect(":memory:")
    fitted.X_test.to_sql("rows", db, index=False)
    told = [row[-1] for row in db.execute(ran.out)]
    said = explain(fitted).predict(fitted.X_test).tolist()
    assert told == said
    ran = run("explain", model, "--as", "python", "-o", "tree.py")
    assert "wrote the tree to tree.py" in ran.err
    scope = {"__name__": "tree"}
    exec(Path("tree.py").read_text(encoding="utf-8"), scope)
    assert [scope["predict"](row) for row in fitted.X_test.to_dict("records")] == said
    assert json.loads(run("explain", model, "--as", "sql", "--json").out)["text"].startswith("SEL")


def test_rules_and_points(run, model):
    rules = run("explain", model, "--as", "rules").out.splitlines()
    assert all(" then " in rule for rule in rules)
    card = run("explain", model, "--as", "scorecard")
    assert card.out.startswith("Add up the points: ")
    run("explain", model, "--as", "scorecard", "-o", "card.csv")
    lines = pd.read_csv("card.csv")
    assert list(lines.columns) == ["column", "value", "rows", "points"]
    told = json.loads(run("explain", model, "--as", "scorecard", "--json").out)["scorecard"]
    assert [line["points"] for line in told["lines"]] == lines["points"].tolist()


def test_onnx_without_onnx_is_said(fails, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "ONNX files need onnx" in fails("explain", model, "--as", "onnx")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--plot", "tree.doc"], "tree.doc should end in .png, .svg or .pdf"),
        (["--as", "poem"], "'poem' is not"),
        (["--max-leaves", "1"], "--max-leaves"),
    ],
)
def test_wrong_usage(fails, model, args, line):
    assert line in fails("explain", model, *args, code=2)


def test_files_that_do_not_fit(fails, model):
    Path("x.csv").write_text("size,colour,code\n1,red,1\n")
    assert "x.csv has no column 'class'" in fails("explain", model, "--data", "x.csv")
    Path("x.csv").write_text("size,colour,code,class\n1,red,1,maybe\n")
    assert "has 'maybe', which the model never saw" in fails("explain", model, "--data", "x.csv")
    assert "There is no folder no" in fails("explain", model, "--plot", "no/x.png")
    assert "x.csv is no model file" in fails("explain", "x.csv")


def test_a_tree_of_probabilities_where_labels_tell_nothing(run, tmp_path):
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(600, 2)), columns=["a", "b"])
    left = np.where(rng.uniform(size=600) < 0.02 + 0.15 * (X.a > 0.2), "yes", "no")
    X.assign(left=left).to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.skops"
    run("fit", tmp_path / "t.csv", "--target", "left", "--method", "logistic-regression",
        "-o", model, "--no-report")  # fmt: skip
    plain = run("explain", model, "--resamples", "0")
    said = " ".join(plain.out.split())
    assert "Always saying 'no'" in said
    assert "tell more: --probability-of" in said
    told = run("explain", model, "--probability-of", "yes", "--resamples", "0")
    assert "of the variance" in told.out
    assert run("explain", model, "--probability-of", "maybe").code == 1
