"""What the site has beyond the pages: a front page from the README, a page per sub-package.

Hooks that MkDocs calls while it builds; nothing is written into docs/.
"""

import importlib.util
import inspect
import re
import textwrap
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


gallery, notebooks, typography = map(_beside, ("gallery", "notebooks", "typography"))
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
    add("api/index.md", _packages())
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
        homes = _homes(name)
        parts = [_one(homes[one], [one]) for one in homes]
        about = _sentences(inspect.getdoc(getattr(counterpoint, name)))
        add(f"api/{name}.md", f"# counterpoint.{name}\n\n{about}\n\n" + "\n".join(parts))
    return files


def on_page_content(html, page, **_):
    """Set formulas, and in the reference also names, references and what to see also."""
    if not page.url.startswith("api/"):
        return typography.improve(html)
    places = {
        key: f"../{name}/#{home}.{one}"
        for name in [*API, "exceptions"]
        for one, home in _homes(name).items()
        for key in (one, f"counterpoint.{name}.{one}")
    }
    places |= {name: f"../outputs/#{home}.{name}" for name, home in counterpoint._NAMES.items()}
    places |= {f"counterpoint.{name}": f"../{name}/" for name in API}
    return typography.improve(html, places.get)


def _homes(name):
    """Return where each public name of a package is documented: where it lives, if that is else."""
    module = getattr(counterpoint, name)
    doors = {one: home for home, own in getattr(module, "_HOMES", {}).items() for one in own}
    public = [one for one in module.__all__ if not one.startswith("_")]
    start = f"counterpoint.{name}"
    return {one: f"{start}.{doors[one]}" if one in doors else start for one in public}


def _sentences(text):
    """Return a docstring with its tables as tables, and what is drawn in it as it is drawn."""
    parts = [part for part in text.split("\n\n") if part != "::"]
    for k, part in enumerate(parts):
        if part.startswith("=="):
            parts[k] = _table(part.splitlines())
        elif part[0].isspace():
            parts[k] = f"```text\n{textwrap.dedent(part)}\n```"
    return "\n\n".join(parts)


def _table(lines):
    """Return a simple table of reStructuredText as one of Markdown."""
    columns = [found.span() for found in re.finditer("=+", lines[0])]
    columns[-1] = (columns[-1][0], None)
    rows = []
    for line in lines:
        cells = [line[start:stop].strip() for start, stop in columns]
        if line.startswith("="):
            continue
        if cells[0] or not rows:
            rows.append(cells)
        else:  # goes on in a line of its own
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
    rows.insert(1, ["---"] * len(columns))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _packages():
    """Return the first page of the reference: what each package is for."""
    rows = [
        f"| [`counterpoint.{name}`]({name}.md) | "
        f"{inspect.getdoc(getattr(counterpoint, name)).splitlines()[0]} |"
        for name in API
    ]
    outputs = inspect.getdoc(counterpoint.MemberOutputs).splitlines()[0]
    first = f"| [`counterpoint.MemberOutputs`](outputs.md) | {outputs} |"
    return "\n".join(["# API", "", "| where | what for |", "|---|---|", first, *rows, ""])


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
