"""`counterpoint explain`: one tree, its fidelity and its rules."""

import json
from pathlib import Path

import pytest
from tables import mixed_table

from counterpoint.tabular import fit, load, save


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
