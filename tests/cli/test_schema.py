"""docs/json.md names what --json prints: nothing is missing there, and nothing invented."""

import json
import re
from pathlib import Path

import pytest
from tables import mixed_table, number_table

from counterpoint.tabular.describing import SCHEMA

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")


def told(section, task):
    """Return the names of a section for a task, each with the names in its second column."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (both|classes|numbers) \|$", text, re.MULTILINE)
    kind = "classes" if task == "classification" else "numbers"
    return {name: set(re.findall(r"`(\w+)`", what)) for name, what, who in rows
            if who in ("both", kind)}  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    mixed_table(120).to_csv(folder / "classes.csv", index=False)
    number_table(120).to_csv(folder / "numbers.csv", index=False)
    return folder


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_what_is_printed_is_what_is_told(run, tables, task, monkeypatch):
    monkeypatch.chdir(tables)
    target, file = (
        ("class", "classes.csv") if task == "classification" else ("price", "numbers.csv")
    )
    common = ("--target", target, "--method", "bagging", "--json")
    extra = ("--cost", "fn=3,fp=1") if task == "classification" else ()
    fitted = json.loads(run("fit", file, *common, *extra).out)
    names = told("fit and report", task)
    assert set(fitted) == set(names)
    assert fitted["schema"] == SCHEMA
    nested = ("model", "fit", "score", "importance", "dependence", "baselines")
    nested += ("by_class", "decision", "confusion", "calibration") * (task == "classification")
    nested += ("residuals", "intervals") * (task == "regression")
    for name in nested:
        assert set(fitted[name]) <= names[name], name
        others = names[name] - set(fitted[name])
        inner = {key for value in fitted[name].values() if isinstance(value, list) and value
                 and isinstance(value[0], dict) for key in value[0]}  # fmt: skip
        if name not in ("score", "baselines"):
            assert others <= inner | {"null", "fit", "report"}, name
    report = json.loads(run("report", "model.skops", file, "--json").out)
    assert set(report) == {*names, "page"}
    assert report["fit"] is None

    option = ("--proba", "--coverage", "0.8") if task == "classification" else ("--coverage", "0.8")
    said = json.loads(run("predict", "model.skops", file, "--json", *option).out)
    assert set(said) == set(told("predict", task))

    methods = "tree,majority" if task == "classification" else "tree,mean"
    beside = json.loads(
        run("compare", file, "--target", target, "--methods", methods, "--json").out
    )
    names = told("compare", task)
    assert set(beside) == set(names)
    assert set(beside["methods"][0]) <= names["methods"]


def test_watch_and_votes_are_told_of(run, tables, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    file = tables / "classes.csv"
    run("fit", file, "--target", "class", "--method", "bagging")
    told_of = told("watch", "classification")
    watched = json.loads(run("watch", "model.skops", file, "--json").out)
    assert set(watched) == set(told_of)
    assert set(watched["batches"][0]) == told_of["batches"]
    (tmp_path / "votes.csv").write_text("a,b,c\nx,x,y\ny,y,y\nx,y,x\n")
    told_of = told("measure without a truth", "classification")
    voted = json.loads(run("measure", "votes.csv", "--json").out)
    assert set(voted) == set(told_of)
    assert set(voted["members"][0]) == told_of["members"]
    assert set(voted["samples"][0]) == told_of["samples"]
