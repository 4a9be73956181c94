"""docs/command.md and docs/reading_tables.md show what the command prints."""

import re
from pathlib import Path

import pandas as pd
import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "command.md").read_text(encoding="utf-8")
TABLES = (DOCS / "reading_tables.md").read_text(encoding="utf-8")
TABLE = re.search(r"```csv\n(.*?)```", PAGE, re.DOTALL)[1]
WALK = (DOCS / "walkthrough.md").read_text(encoding="utf-8")


def transcripts(page):
    return [
        (command, lines)
        for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)
        for command, lines in re.findall(r"\$ counterpoint (.*)\n((?:(?!\$ ).*\n)*)", block)
    ]


SHOWN = transcripts(PAGE + TABLES)
CUSTOMERS = re.search(r"```python\n(.*?)```", TABLES, re.DOTALL)[1]  # writes customers.csv


def test_there_is_something_to_check():
    named = [command.split()[0] for command, _ in SHOWN]
    assert (named.count("measure"), named.count("columns")) == (2, 1)


@pytest.mark.parametrize(
    ("command", "lines"),
    # The demo's numbers change with scikit-learn.
    [shown for shown in SHOWN if shown[0] != "demo"],
    ids=lambda value: value.partition("\n")[0],
)
def test_shown_output(command, lines, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPOINT_DATA", str(tmp_path / "data"))
    Path("predictions.csv").write_text(TABLE)
    exec(CUSTOMERS)
    monkeypatch.setenv("COLUMNS", "80")
    ran = run(*command.split())
    compare(lines, ran)


def compare(lines, ran):
    """Lines come in this order; "..." stands for others, and at the end of one for its rest."""
    printed = iter([line.rstrip() for line in (ran.out + ran.err).splitlines()])
    for line in lines.splitlines():
        if line != "...":
            start = line.removesuffix("...")
            fits = line.__eq__ if start == line else lambda other, start=start: (
                other.startswith(start)
            )  # fmt: skip
            assert any(fits(other) for other in printed), line


def test_the_walk_through(run, tmp_path, monkeypatch):
    """All commands in one folder, one after the other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    exec(re.search(r"```python\n(.*?)```", WALK, re.DOTALL)[1], {})
    shown = transcripts(WALK)
    commands = ["columns", "fit", "predict", "explain", "explain", "compare", "report", "churn"]
    assert [command.split()[0] for command, _ in shown] == commands
    for command, lines in shown:
        ran = run(*command.split())
        assert ran.code == 0
        compare(lines, ran)
    first = pd.read_csv("answers.csv").iloc[0]
    for name, cell in re.findall(r"^\| (\w+) \| (.*) \|$", WALK, re.MULTILINE):
        told = f"{first[name]:.4f}" if name == "disagreement" else first[name]
        assert told == cell


def test_every_option_is_told_of():
    import typer

    from counterpoint.cli.app import app

    commands = typer.main.get_command(app).commands
    commands = {**commands, **commands["datasets"].commands}
    learning = ("fit", "predict", "compare", "explain", "report")
    for name in (*learning, "measure", "demo", "list", "describe", "export", "add"):
        for option in commands[name].params:
            if option.param_type_name == "option" and option.name != "help":
                assert f"`{option.opts[0]}" in PAGE or f" {option.opts[0]}" in PAGE
    for option in commands["columns"].params:
        if option.param_type_name == "option" and option.name != "help":
            assert f"`{option.opts[0]}" in TABLES
