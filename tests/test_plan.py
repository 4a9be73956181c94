"""The plan of the house: small files, ideas in the open, no layer skipped."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "counterpoint"
FILES = sorted(p for p in PACKAGE.rglob("*.py") if "_kernels" not in p.parts)
FOLDERS = sorted({p.parent for p in FILES} - {PACKAGE})
MOST_LINES = 450


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_package_shows_its_ideas(folder):
    names = [p.name for p in folder.glob("*.py") if not p.name.startswith("__")]
    hidden = [name for name in names if name.startswith("_")]
    assert len(hidden) <= len(names) - len(hidden), f"{folder.name}: {hidden}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_file_says_what_it_holds(path):
    text = ast.get_docstring(ast.parse(path.read_text()))
    assert text, "a file starts with a sentence that says what it is for"


def test_no_check_is_written_by_hand():
    """Counts, numbers, choices and hints have one wording, in ``_validation``."""
    wordings = ("give a whole number from", "get_close_matches", "requires y to be passed")
    allowed = {"_validation.py", "_spelling.py", "_reading.py"}
    wrong = [
        f"{path.relative_to(PACKAGE)}: {wording}"
        for path in FILES
        if path.name not in allowed
        for wording in wordings
        if wording in path.read_text()
    ]
    assert not wrong
