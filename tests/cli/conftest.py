from typing import NamedTuple

import pytest

from counterpoint import _progress
from counterpoint.cli import main

TABLE = """\
class,tree,net,bayes
good,good,bad,good
bad,bad,bad,bad
good,bad,good,good
bad,bad,good,bad
good,good,good,bad
bad,good,bad,bad
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command as the shell would, in this process."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(_progress, "_EVERY", 3600.0)  # however slow the machine
    monkeypatch.setattr(_progress, "_LONG", 3600.0)  # whatever was compiled before

    def run(*args):
        code = main([str(arg) for arg in args])
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run


@pytest.fixture
def fails(run):
    """Run a command that must fail with one line on standard error; return that line."""

    def fails(*args, code=1):
        ran = run(*args)
        assert ran.code == code, ran
        assert ran.out == ""
        assert ran.err.startswith("counterpoint: ")
        assert ran.err.count("\n") == 1
        return ran.err.removeprefix("counterpoint: ").strip()

    return fails


@pytest.fixture
def predictions(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text(TABLE)
    return path
