"""The gallery: what the scripts of examples/ print and draw, kept in docs/gallery.

``python docs/gallery.py`` runs all of them, or those named; a test runs each and compares.
A script is a docstring (a title, a few words, one paragraph that begins with "Seen:" and says what
the picture shows), then code that ends with a Display of ours called ``display``.
"""

import ast
import contextlib
import io
import os
import runpy
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "examples"
KEPT = ROOT / "docs" / "gallery"
MOST_BYTES = 25_000

SECTIONS = {
    "Measure what you have": (
        "is_it_worth_it",
        "who_agrees_with_whom",
        "bias_variance_once",
        "margins_of_boosters",
        "enrichment_uniformity",
        "compare_over_data_sets",
    ),
    "Combine and choose": (
        "vote_with_fitted_models",
        "columns_of_their_own",
        "ensemble_selection",
        "diverse_not_only_strong",
        "why_these_weights",
        "dynamic_selection_explained",
        "dynamic_selection_of_numbers",
        "best_in_the_time_given",
    ),
    "Build a better one": (
        "boosting_that_keeps_apart",
        "networks_trained_together",
        "experts_for_regions",
        "rotated_views",
        "output_codes",
        "probabilities_after_resampling",
        "larger_than_memory",
    ),
    "Melt it into one you can read": (
        "forest_as_one_tree",
        "forest_as_a_diagram",
        "one_small_tree_of_many",
        "prune_to_any_size",
        "rules_with_weights_and_classes",
        "boxes_from_a_forest",
        "concepts_of_words",
    ),
    "Trust it without labels": (
        "error_without_labels",
        "alarm_when_the_world_changes",
        "answer_only_when_sure",
        "voters_without_truth",
        "labels_that_are_wrong",
        "which_label_to_ask_for",
    ),
    "Histories of events": (
        "hmm_with_weights_and_gaps",
        "classify_sequences",
        "whom_to_call",
        "how_far_to_look_back",
    ),
}
NAMES = [name for names in SECTIONS.values() for name in names]


@dataclass(frozen=True)
class Example:
    """A script: its title, its words, what is seen, and its code."""

    name: str
    title: str
    text: str
    seen: str
    code: str


def read(name: str) -> Example:
    """Take a script apart."""
    source = (SCRIPTS / f"{name}.py").read_text()
    tree = ast.parse(source)
    title, *rest = ast.get_docstring(tree).split("\n\n")
    seen = [part for part in rest if part.startswith("Seen: ")]
    # In one line each: a line that began with the number of an issue, #284, would be a heading.
    text = "\n\n".join(" ".join(part.split()) for part in rest if part not in seen)
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
    (seen,) = seen
    seen = " ".join(seen.split()).removeprefix("Seen: ")
    return Example(name, title.rstrip("."), text, seen, code)


def run(name: str):
    """Run a script in an empty folder; return what it printed and its display."""
    printed = io.StringIO()
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        os.chdir(folder)
        try:
            made = runpy.run_path(str(SCRIPTS / f"{name}.py"))
        finally:
            os.chdir(here)
    return printed.getvalue(), made["display"]


def keep(name: str) -> None:
    """Run a script and keep its picture and its words."""
    printed, display = run(name)
    (KEPT / f"{name}.txt").write_text(printed)
    drawn = io.BytesIO()
    display.figure_.savefig(drawn, dpi=90)
    plt.close("all")
    picture = Image.open(drawn).convert("RGB")
    for colours in (128, 64, 32):  # fewer where it would be too large
        path = KEPT / f"{name}.png"
        picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            return
    raise SystemExit(f"{name}.png has {path.stat().st_size} bytes: draw less")


def thumbnails() -> str:
    """Return small pictures with titles, three in a row, by section."""
    lines = []
    for section, names in SECTIONS.items():
        lines += ["", f"## {section}", ""]
        examples = [read(name) for name in names]
        for start in range(0, len(examples), 3):
            row = examples[start : start + 3]
            blank = [""] * (3 - len(row))
            pictures = [
                f"[![{e.seen}](gallery/{e.name}.png)](../examples/{e.name}.py)" for e in row
            ]
            titles = [f"[{e.title}](../examples/{e.name}.py)" for e in row]
            lines += [_row(pictures + blank)]
            lines += ["|---|---|---|"] if start == 0 else []
            lines += [_row(titles + blank)]
    return "\n".join(lines[1:]) + "\n"


def _row(cells):
    return f"| {' | '.join(cells)} |"


def page(name: str) -> str:
    """Return the page of an example, for the site."""
    example = read(name)
    printed = (KEPT / f"{name}.txt").read_text()
    return (
        f"# {example.title}\n\n{example.text}\n\n![{example.seen}]({name}.png)\n\n"
        f"*{example.seen}*\n\n```python\n{example.code}\n```\n\nIt prints:\n\n"
        f"```text\n{printed}```\n\nThe script is `examples/{name}.py`; [more](../gallery.md).\n"
    )


if __name__ == "__main__":
    for name in [name for name in NAMES if name in sys.argv] or NAMES:
        keep(name)
        print(name, (KEPT / f"{name}.png").stat().st_size)
