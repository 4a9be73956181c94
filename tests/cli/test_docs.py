"""docs/command.md and docs/reading_tables.md show what the command prints."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "command.md").read_text(encoding="utf-8")
TABLES = (DOCS / "reading_tables.md").read_text(encoding="utf-8")
TABLE = re.search(r"```csv\n(.*?)```", PAGE, re.DOTALL)[1]
SHOWN = [
    (command, lines)
    for block in re.findall(r"```console\n(.*?)```", PAGE + TABLES, re.DOTALL)
    for command, lines in re.findall(r"\$ counterpoint (.*)\n((?:(?!\$ ).*\n)*)", block)
]
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
    printed = [line.rstrip() for line in (ran.out + ran.err).splitlines()]
    at = 0
    for line in lines.splitlines():
        if line != "...":
            assert line in printed[at:]
            at = printed.index(line, at) + 1


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
