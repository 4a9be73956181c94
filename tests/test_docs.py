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


def anchors(page):
    """Anchors of the headings of a page, as GitHub and as the site make them, and named ones."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = {"github": set(), "site": set()}
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
        words = re.sub(r"[^\w\s-]", "", words).strip().lower()
        found["github"].add(words.replace(" ", "-"))
        found["site"].add(re.sub(r"[-\s]+", "-", words))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", page.read_text()):
        if target.startswith(("http://", "https://")):
            continue
        there = page.parent / target if target else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor:
            for place, known in anchors(there).items():
                assert anchor in known, f"{page.name} links to {target}#{anchor}; not on {place}"


def test_a_wrong_anchor_is_seen():
    known = anchors(ROOT / "docs" / "merged_tree.md")
    assert "a-tree-of-4-8-16-or-32-leaves" in known["github"] & known["site"]
    assert "a-tree-of-4-leaves" not in known["github"] | known["site"]


def test_words_are_spelt():
    pytest.importorskip("codespell_lib", reason="spelling needs the dev extra")
    command = [sys.executable, "-m", "codespell_lib", *PAGES, ROOT / "counterpoint", ROOT / "docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
