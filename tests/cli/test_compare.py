"""`counterpoint compare`: a table of methods, also when it is stopped half-way."""

import html
import json
import re
import shlex
from pathlib import Path

import numpy as np
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
    assert ran.err.endswith(
        "counterpoint: wrote the table to out.csv\ncounterpoint: wrote the page to compare.html\n"
    )


def test_ctrl_c_prints_what_is_done(run, data, monkeypatch):
    real = comparison.try_once

    def stop(name, *args, **options):
        if name == "naive-bayes":
            raise KeyboardInterrupt
        return real(name, *args, **options)

    monkeypatch.setattr(comparison, "try_once", stop)
    ran = run("compare", data, *FEW, "--no-report")
    assert ran.code == 130
    assert "majority" in ran.out
    assert "Stopped: 1 of 2 methods." in ran.out
    assert ran.err.endswith("counterpoint: stopped; nothing was written.\n")
    assert run("compare", data, *FEW).err.endswith("counterpoint: stopped; kept compare.html.\n")
    assert "Stopped before the end" in Path("compare.html").read_text(encoding="utf-8")


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


def test_the_page_has_the_numbers_of_the_terminal(run, data):
    told = json.loads(run("compare", data, *FEW, "--json").out)
    page = Path("compare.html").read_text(encoding="utf-8")
    assert told["verdict"].split(";")[0].replace(" %", "\N{NO-BREAK SPACE}%") in page
    for row in told["methods"]:
        assert f"{100 * row['error']:.1f}\N{NO-BREAK SPACE}%" in page
    pair = told["pairs"][0]
    assert f"{100 * pair['behind']:+.2f}".replace("-", "\N{MINUS SIGN}") in page
    assert "counterpoint compare data.csv --target class" in page
    assert "http" not in page.split("</style>")[1]  # nothing is loaded from elsewhere


def test_the_page_speaks_as_the_command_and_can_be_made_again(run, data):
    table = mixed_table().assign(row_id=[f"R{k}" for k in range(90)])
    table.loc[::9, "size"] = np.nan
    table.to_csv(data, index=False, na_rep="k.A.")
    ran = run("compare", data, *FEW, "--missing", "k.A.")
    assert ran.code == 0
    page = html.unescape(Path("compare.html").read_text(encoding="utf-8"))
    assert "--keep</span> 'row_id' to use it" in page
    assert "keep='row_id'" not in page
    again = shlex.split(re.search("<pre>(counterpoint compare.*?)</pre>", page)[1])
    assert again[again.index("--missing") + 1] == "k.A."
    assert run(*again[1:]).out == ran.out


def test_several_tables_are_ranked(run, fails, data):
    for seed in (1, 2):
        mixed_table(80, seed).rename(columns={"class": "kind"}).to_csv(f"{seed}.csv", index=False)
    args = ("compare", data, "1.csv", "2.csv", *FEW, "--target", "class,kind,kind")
    ran = run(*args)
    assert "mean rank" in ran.out
    told = json.loads(run(*args, "--json", "--csv", "errors.csv").out)
    assert told["ranks"]["mean_ranks"] == {"naive-bayes": 1.0, "majority": 2.0}
    assert [one["source"] for one in told["tables"]] == ["data.csv", "1.csv", "2.csv"]
    errors = pd.read_csv("errors.csv").set_index("table")
    assert errors.loc["1.csv", "majority"] == told["errors"]["majority"]["1.csv"]
    page = Path("compare.html").read_text(encoding="utf-8")
    assert "Methods over 3 tables" in page
    assert page.count("How far behind") == 3
    line = fails("compare", data, "1.csv", "2.csv", "--target", "class,kind", code=2)
    assert "2 columns for 3 tables" in line


def test_methods_are_listed(run):
    assert "random-forest" in run("compare", "--list").out
