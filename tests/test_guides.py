"""The guides speak of what is there: names exist, equations are where the page says."""

import functools
import inspect
import re
from pathlib import Path

import pytest

import counterpoint

DOCS = Path(__file__).parent.parent / "docs"


def cells(page):
    """Rows of the tables of a page, without heads and rules."""
    for line in (DOCS / page).read_text().splitlines():
        if line.startswith("| ") and "`" in line:
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def named(text):
    """Names of ours in code marks: dotted, of a sub-package, before any bracket."""
    found = re.findall(r"`([a-z_]+(?:\.\w+)+)", text)
    return [name for name in found if name.split(".")[0] in counterpoint._SUBPACKAGES]


def find(name):
    return functools.reduce(getattr, name.split("."), counterpoint)


OURS = [(there, name) for there, here, _ in cells("coming_from.md") for name in named(here)]
EQUATIONS = [(where, name) for where, _, here in cells("papers.md") for name in named(here)]


@pytest.mark.parametrize(("there", "name"), OURS)
def test_a_name_of_ours_exists(there, name):
    assert callable(find(name)), there


def test_options_on_the_page_of_names_are_known():
    text = (DOCS / "coming_from.md").read_text()
    methods = re.findall(r'(?:method=|, )`?"([a-z-]+)"', text)
    assert set(methods) <= set(counterpoint.dynamic.COMPETENCES)
    assert len(methods) >= 8
    for kind, known in (
        ("search", counterpoint.selection.SEARCHES),
        ("combiner", counterpoint.combiners.COMBINERS),
    ):
        assert set(re.findall(rf'{kind}="([a-z-]+)"', text)) <= set(known)


@pytest.mark.parametrize(("where", "name"), EQUATIONS)
def test_an_equation_is_where_the_page_says(where, name):
    source = Path(inspect.getsourcefile(find(name))).read_text()
    where = re.sub(r"\b(19|20)\d\d\b", "", where)  # years are not numbers of equations
    for number in re.findall(r"\d\.\d+|\b\d{1,2}\b(?!\.)", where):
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", source), f"{name}: {number}"


def test_the_tables_are_read():
    assert len(OURS) > 40
    assert len(EQUATIONS) > 40
