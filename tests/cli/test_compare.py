"""`counterpoint compare`: a table of methods, also when it is stopped half-way."""

import json
from pathlib import Path

import pandas as pd
import pytest
from tables import mixed_table

from counterpoint.tabular import comparison

FEW = ["--target", "class", "--methods", "majority,naive-bayes", "--folds", "3"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mixed_table().to_csv("data.csv", index=False)
    return Path("data.csv")


def test_compare(run, data, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("compare", data, *FEW)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "data.csv: 90 rows, 2 classes; each method tried on 3 folds"
    methods = [line.split()[0] for line in lines[4:6]]
    assert methods == ["naive-bayes", "majority"]
    assert "95 % interval" in lines[2]


def test_json_and_csv(run, data):
    ran = run("compare", data, *FEW, "--json", "--csv", "out.csv", "--repeats", 2)
    told = json.loads(ran.out)
    table = pd.read_csv("out.csv")
    assert [row["method"] for row in told["methods"]] == table["method"].tolist()
    assert told["methods"][0]["folds"] == 6
    assert len(told["errors"]["majority"]) == 6
    assert ran.err.endswith("counterpoint: wrote the table to out.csv\n")


def test_ctrl_c_prints_what_is_done(run, data, monkeypatch):
    real = comparison._try_once

    def stop(name, *args, **options):
        if name == "naive-bayes":
            raise KeyboardInterrupt
        return real(name, *args, **options)

    monkeypatch.setattr(comparison, "_try_once", stop)
    ran = run("compare", data, *FEW)
    assert ran.code == 130
    assert "majority" in ran.out
    assert "Stopped: 1 of 2 methods." in ran.out
    assert ran.err.endswith("counterpoint: stopped; nothing was written.\n")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--methods", "tree,treee"], "there is no method 'treee'. Did you mean 'tree'?"),
        (["--methods", ","], "no method is named"),
        (["--methods", "tree,tree"], "'tree' is named twice"),
        (["--csv", "data.csv"], "data.csv is read or written already"),
        (["--folds", "1"], "--folds"),
    ],
)
def test_wrong_usage(fails, data, args, line):
    assert line in fails("compare", data, *FEW, *args, code=2)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--target", "clas"], "Did you mean 'class'? Name one with --target."),
        (["--folds", "50"], "too few for --folds 50 folds"),
        (["--csv", "no/x.csv"], "There is no folder no"),
    ],
)
def test_bad_input_is_one_line(fails, data, args, line):
    assert line in fails("compare", data, *FEW, *args)


def test_methods_are_listed(run):
    assert "random-forest" in run("compare", "--list").out
