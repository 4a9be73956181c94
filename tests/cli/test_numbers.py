"""A target of numbers, from the shell: fit, predict, compare, explain, report."""

import csv
import io
import json
import re

import pytest
from tables import number_table

from counterpoint.tabular import load
from counterpoint.tabular.words import figure


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    number_table().to_csv("data.csv", index=False)
    return "data.csv"


def test_from_table_to_answers(run, data, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("fit", data, "--target", "price", "--method", "random-forest")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    saved = load("model.skops")
    row = next(line.split() for line in ran.out.splitlines() if line.startswith("random-forest"))
    assert row[1] == figure(saved.score.rmse)
    for words in ("mean", "median", "single tree", "linear model", "ambiguity", "Intervals at"):
        assert words in ran.out
    ran = run("predict", "model.skops", data, "--coverage", "0.8")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert len(rows) == 160
    assert all(float(r["low"]) < float(r["prediction"]) < float(r["high"]) for r in rows)
    assert "off (root of the mean squared error) on the others" in ran.err
    told = json.loads(run("predict", "model.skops", data, "--coverage", "0.8", "--json").out)
    assert told["task"] == "regression"
    assert told["low"][0] == float(rows[0]["low"])
    assert told["disagreement"][0] > 0
    ran = run("explain", "model.skops", "--max-leaves", "4", "--plot", "tree.png")
    assert ran.code == 0
    assert "one tree with 4 leaves" in ran.out
    assert len([line for line in ran.out.splitlines() if line.startswith("if ")]) == 4
    ran = run("report", "model.skops", data, "--json")
    assert json.loads(ran.out)["score"]["rmse"] == pytest.approx(saved.score.rmse)


def test_compare(run, data):
    ran = run("compare", data, "--target", "price", "--methods", "mean,tree,linear")
    assert ran.code == 0
    assert re.search(
        r"^Method +RMSE +95 % interval +Behind +MAE +R² +Seconds +Size$", ran.out, re.MULTILINE
    )
    assert "price is a number; each method tried on 5 folds" in ran.out


def test_whole_numbers_are_asked_about(run, fails, data):
    said = fails("fit", data, "--target", "age", "--method", "linear")
    assert said.endswith(
        "it looks like a number; use --task regression to estimate it, --task classification if "
        "each number is a class of its own."
    )
    options = ("--method", "linear", "--task", "regression", "--no-report")
    assert run("fit", data, "--target", "age", *options).code == 0
    assert load("model.skops").task == "regression"


def test_wrong_usage(fails, data):
    said = fails("fit", data, "--target", "price", "--method", "naive-bayes")
    assert said.startswith("--method naive-bayes is for classes, and this target is numbers")
    fails("predict", "model.skops", data, "--coverage", "1.5", code=2)


def test_methods_of_both_kinds_are_listed(run):
    out = run("fit", "--list").out
    assert out.index("For classes") < out.index("adaboost-nc") < out.index("For numbers")
    assert "hist-boosting" in out
