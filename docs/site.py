"""What the site has beyond the pages: a front page from the README, a page per sub-package.

Hooks that MkDocs calls while it builds; nothing is written into docs/.
"""

import importlib.util
import inspect
import re
from pathlib import Path

import pandas as pd
from mkdocs.structure.files import File

import counterpoint

ROOT = Path(__file__).parent.parent


def _beside(name):
    """Return a module that lies beside this one."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gallery, notebooks = _beside("gallery"), _beside("notebooks")
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
API = [name for name in counterpoint._SUBPACKAGES if name != "exceptions"]


def on_config(config):
    """List the pages that are made here in the navigation."""
    section = next(part["API"] for part in config["nav"] if "API" in part)
    section += [{name: f"api/{name}.md"} for name in API]
    section += [{"MemberOutputs": "api/outputs.md"}, {"exceptions": "api/exceptions.md"}]
    section = next(part["How to add"] for part in config["nav"] if "How to add" in part)
    section += sorted(page.name for page in (ROOT / "docs").glob("how_to_add_*.md"))
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    config["nav"].append({"Decisions": [f"decisions/{page.name}" for page in decisions]})
    return config


def on_page_markdown(markdown, **_):
    """Lead to the pages of examples; name other files outside docs/ without a link."""
    markdown = re.sub(r"\]\(tutorials/(\w+)\.py\)", r"](tutorials/\1.md)", markdown)
    markdown = re.sub(r"\]\(\.\./examples/(\w+)\.py\)", r"](gallery/\1.md)", markdown)
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", markdown)


def on_files(files, config):
    """Add the front page, the changelog and the reference."""

    def add(path, text):
        files.append(File.generated(config, path, content=text))

    add("index.md", _from_root((ROOT / "README.md").read_text()))
    add("contributing.md", _from_root((ROOT / "CONTRIBUTING.md").read_text()))
    names = "\n".join(f"- [`counterpoint.{name}`]({name}.md)" for name in API)
    add("api/index.md", f"# API\n\n- [`MemberOutputs`](outputs.md)\n{names}\n")
    outputs = [_one(home, [name]) for name, home in counterpoint._NAMES.items()]
    add("api/outputs.md", "# MemberOutputs\n\n" + "\n".join(outputs))
    add("reproductions.md", _reproductions())
    for path in TUTORIALS:
        add(f"tutorials/{path.stem}.md", notebooks.page(path))
    for name in gallery.NAMES:
        add(f"gallery/{name}.md", gallery.page(name).replace("](../docs/", "](../"))
    for file in sorted((ROOT / "reproductions").glob("*.png")):
        path = f"reproductions/{file.name}"
        files.append(File.generated(config, path, abs_src_path=str(file)))
    for name in [*API, "exceptions"]:
        module = getattr(counterpoint, name)
        public = [n for n in module.__all__ if not n.startswith("_")]
        # What a package imports at first use is documented where it lives.
        doors = getattr(module, "_HOMES", {})
        homes = {n: f".{home}" for home, own in doors.items() for n in own}
        parts = [_one(f"counterpoint.{name}{homes.get(n, '')}", [n]) for n in public]
        head = f"# counterpoint.{name}\n\n```text\n{inspect.getdoc(module)}\n```\n\n"
        add(f"api/{name}.md", head + "\n".join(parts))
    return files


def _reproductions():
    """Return the verdicts and pictures of the last full runs, from the files kept of them."""
    kept = pd.read_csv(ROOT / "reproductions" / "summary.csv", keep_default_na=False)
    lines = [
        "# Claims run again",
        "",
        "What our full runs say of the claims of the literature; [how](reproducing.md).",
        "",
        "| | claim | verdict | cells run |",
        "|---|---|---|---|",
    ]
    for row in kept.itertuples():
        size = "" if row.size == "full" else f" ({row.size or 'none'})"
        lines.append(
            f"| `{row.topic}` | [{row.title}](#{row.topic}) | {row.verdict or 'not run'} "
            f"| {row.n_done} of {row.n_cells}{size} |"
        )
    for row in kept.itertuples():
        lines += ["", f"## {row.title} {{#{row.topic}}}", "", f"*{row.source}*", ""]
        lines += [f"**{row.verdict or 'not run'}.** {row.why}"]
        if (ROOT / "reproductions" / f"{row.topic}.png").exists():
            lines += ["", f"![{row.title}](reproductions/{row.topic}.png)"]
    return "\n".join(lines) + "\n"


def _one(module, names):
    return "\n".join(f"::: {module}.{name}\n" for name in names)


def _from_root(text):
    """Make links of a file at the root hold in docs/; what is not in docs/ is named only."""
    text = re.sub(r"\]\(docs/decisions\)", "](decisions/0001-kernels-and-engines.md)", text)
    text = re.sub(r"\]\(docs/", "](", text)
    text = text.replace("](CONTRIBUTING.md)", "](contributing.md)")
    return re.sub(r"\[([^\]]+)\]\(CHANGELOG\.md\)", r"\1", text)
