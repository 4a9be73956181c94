"""What the documentation says is true: tables are current, snippets run, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
SNIPPETS = [
    (page, code)
    for page in PAGES
    for code in ["\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))]
    if code
]


def test_generated_tables_are_current():
    command = [sys.executable, ROOT / "docs" / "build.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("page", "code"), SNIPPETS, ids=lambda v: getattr(v, "stem", ""))
def test_snippets_run(page, code, tmp_path, monkeypatch):
    """The snippets of a page, one after the other, as a reader would paste them."""
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPOINT_DATA", str(tmp_path / "data"))
    if page.stem.startswith("how_to_add"):  # these register things: in a process of their own
        monkeypatch.setenv("MPLBACKEND", "Agg")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        command = [sys.executable, "-W", "error", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return
    exec(compile(code, str(page), "exec"), {"__name__": "snippet"})
    plt.close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
