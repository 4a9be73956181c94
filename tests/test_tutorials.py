"""Tutorials are notebooks that run from top to bottom, and pages of the site."""

import importlib.util
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
_spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
notebooks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(notebooks)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.stem)
def test_a_tutorial_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert len(capsys.readouterr().out) > 50


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.stem)
def test_a_page_has_all_cells(path):
    cells = notebooks.cells(path)
    assert cells[0][0] == "markdown"
    assert cells[0][1].startswith("# ")
    assert path.name in (ROOT / "docs" / "tutorials.md").read_text()
    page = notebooks.page(path)
    assert page.count("```python") == sum(kind == "code" for kind, _ in cells)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.stem)
def test_jupytext_reads_the_same_cells(path):
    jupytext = pytest.importorskip("jupytext", reason="notebooks need the docs extra")
    theirs = jupytext.read(path).cells
    assert [(cell.cell_type, cell.source.strip()) for cell in theirs] == notebooks.cells(path)
