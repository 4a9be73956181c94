"""`counterpoint demo`: a table here, a page there."""

import inspect

import pytest

from counterpoint.cli.demo import demo
from counterpoint.tabular.demo import run_demo

SMALL = ["--dataset", "iris", "--methods", "adaboost,ncl", "--n-splits", 2]


def test_demo(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page = tmp_path / "demo.html"
    ran = run("demo", *SMALL, "--output", page)
    report = tmp_path / "demo-report.html"
    assert ran.code == 0
    first, second, last = ran.err.splitlines()
    assert last.endswith("counterpoint studio")
    assert first == f"counterpoint: wrote the page to {page}"
    assert max(map(len, ran.out.splitlines())) <= 80
    for word in ("Single tree", "Networks together", "AdaBoost", "Kappa"):
        assert word in ran.out
    result = run_demo("iris", methods=["adaboost", "ncl"], n_splits=2)
    said = " ".join(ran.out.split())
    for method in result.methods:
        assert f"{method.name}: {method.verdict}" in said
    for method in result.methods:
        row = next(line for line in ran.out.splitlines() if line.startswith(method.name))
        assert row.removeprefix(method.name).split()[:3] == [
            str(method.outputs.n_members), f"{100 * method.errors.mean():.1f}", "±",
        ]  # fmt: skip
        assert row.rstrip().endswith(f"{100 * method.agrees:.1f} %")
    assert second == f"counterpoint: wrote the report of {result.best.name} to {report}"
    assert '<a href="demo-report.html">' in page.read_text(encoding="utf-8")
    assert f"<h1>{result.best.name} on iris</h1>" in report.read_text(encoding="utf-8")


def test_a_page_that_goes_nowhere_has_no_report(run):
    ran = run("demo", *SMALL, "--output", "/dev/null")
    assert ran.code == 0
    assert ran.err.splitlines()[:-1] == ["counterpoint: wrote the page to /dev/null"]


def test_one_split_has_no_spread(run, tmp_path):
    ran = run(
        "demo", "--dataset", "iris", "--methods", "bagging", "--n-splits", 1, "-o", tmp_path / "x"
    )
    assert "splits" not in ran.out.partition("bagging: ")[0].replace("all splits", "")
    assert "±" not in ran.out


def test_open_shows_the_page(run, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page = tmp_path / "a page.html"
    run("demo", *SMALL, "--output", page, "--open")
    assert opened == [page.resolve().as_uri()]


def test_no_folder_fails_before_the_work(fails, tmp_path, monkeypatch):
    monkeypatch.setattr("counterpoint.tabular.demo.run_demo", None)
    line = fails("demo", "--output", tmp_path / "no" / "demo.html")
    assert line == f"There is no folder {tmp_path / 'no'}: make it first, or choose another."


def test_output_is_a_folder(fails, tmp_path):
    assert "is a folder: name a file in it" in fails("demo", "--output", tmp_path)


def test_unknown_dataset(fails, tmp_path):
    line = fails("demo", "--dataset", "vowels", "--output", tmp_path / "demo.html")
    assert "Did you mean 'vowel'?" in line
    assert "`counterpoint datasets list`" in line


@pytest.mark.parametrize(
    "args", [["--methods", ","], ["--methods", "adabost"], ["--n-splits", "0"]]
)
def test_wrong_usage(fails, args):
    assert f"Invalid value for {args[0]}" in fails("demo", *args, code=2).replace("'", "")


def test_defaults_are_those_of_the_function():
    here, there = (inspect.signature(function).parameters for function in (demo, run_demo))
    for name in ("dataset", "time_limit", "n_splits", "random_state"):
        assert here[name].default == there[name].default
