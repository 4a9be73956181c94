"""The page about data sets shows what list_datasets() says, and its numbers hold."""

import re
from pathlib import Path

import pytest

from counterpoint.datasets import bayes_error, list_datasets

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
START, END = "<!-- datasets:start -->", "<!-- datasets:end -->"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="docs are not part of the sdist")


def render_table():
    head = ["name", "title", "rows", "numeric", "nominal", "classes", "missing", "majority"]
    head += ["split", "licence", "shipped"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, row in list_datasets().iterrows():
        cells = [
            *(f"`{name}`", row["title"], row["rows"], row["numeric"], row["nominal"]),
            *(row["classes"], row["missing"], f"{row['majority']:.0%}"),
            *("yes" if row["split"] else "", row["licence"]),
            "yes" if row["available"] == "shipped" else "no",
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def test_table_is_up_to_date(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPOINT_DATA", str(tmp_path))
    text = PAGE.read_text(encoding="utf-8")
    shown = text.split(START)[1].split(END)[0].strip()
    assert shown == render_table()


@pytest.mark.parametrize("name", ["two_gaussians", "ripley", "cone_torus", "waveform"])
def test_best_errors_are_right(name):
    text = PAGE.read_text(encoding="utf-8")
    stated = re.search(rf"\| `make_{name}\(.*?\)` \|.*?\| (0\.\d+)", text)
    assert float(stated[1]) == round(bayes_error(name), 4)
