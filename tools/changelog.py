"""Gather the fragments in changes/ into CHANGELOG.md: ``python tools/changelog.py 0.2.0``."""

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("added", "changed", "fixed", "removed")


def gathered(folder: Path) -> dict[str, list[str]]:
    """Return the fragments by kind, in the order of their names."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.md")):
        kind = path.name.split(".")[-2] if path.name.count(".") == 2 else ""
        if kind not in KINDS:
            sys.exit(f"{path.name}: name it <anything>.<{'|'.join(KINDS)}>.md.")
        text = path.read_text(encoding="utf-8").strip()
        found.setdefault(kind, []).append(text if text.startswith("- ") else f"- {text}")
    return {kind: found[kind] for kind in KINDS if kind in found}


def section(version: str, today: str, fragments: dict[str, list[str]]) -> str:
    """Return the part of the changelog of one version."""
    parts = [f"### {kind.capitalize()}\n" + "\n".join(lines) for kind, lines in fragments.items()]
    return f"## {version} ({today})\n\n" + "\n\n".join(parts) + "\n\n"


def released(log: str, version: str, today: str, fragments: dict[str, list[str]]) -> str:
    """Return the changelog with a version: its fragments, after what was written by hand."""
    unreleased = f"## {version} (unreleased)\n"
    if unreleased not in log:
        at = log.index("\n## ") + 1
        return log[:at] + section(version, today, fragments) + log[at:]
    before, rest = log.split(unreleased)
    end = rest.find("\n## ") + 1 or len(rest)
    mine, older = rest[:end], rest[end:]
    for kind, lines in fragments.items():
        heading, added = f"### {kind.capitalize()}\n", "\n".join(lines) + "\n"
        at = mine.find(heading)
        if at < 0:
            mine = f"{mine.rstrip()}\n\n{heading}{added}\n"
            continue
        stop = mine.find("\n### ", at)
        stop = len(mine.rstrip()) + 1 if stop < 0 else stop
        mine = f"{mine[:stop].rstrip()}\n{added}{mine[stop:]}"
    return f"{before}## {version} ({today})\n{mine}{older}"


def replace(path: Path, pattern: str, text: str) -> None:
    """Replace the one place that a pattern finds."""
    changed, n = re.subn(pattern, text, path.read_text(encoding="utf-8"), count=1, flags=re.M)
    if n != 1:
        sys.exit(f"{path.name} has no {pattern!r}.")
    path.write_text(changed, encoding="utf-8")


def main() -> None:
    if len(sys.argv) != 2 or not re.fullmatch(r"\d+\.\d+\.\d+", sys.argv[1]):
        sys.exit("Say the version: python tools/changelog.py 0.2.0")
    version, today = sys.argv[1], date.today().isoformat()
    folder, log = ROOT / "changes", ROOT / "CHANGELOG.md"
    fragments = gathered(folder)
    text = log.read_text(encoding="utf-8")
    if not fragments and f"## {version} (unreleased)" not in text:
        sys.exit("There is nothing in changes/: what is new in this version?")
    text = released(text, version, today, fragments)
    log.write_text(text, encoding="utf-8")
    replace(
        ROOT / "counterpoint" / "__init__.py", r'^__version__ = ".*"$', f'__version__ = "{version}"'
    )
    replace(ROOT / "CITATION.cff", r"^version: .*$", f"version: {version}")
    for path in folder.glob("*.md"):
        path.unlink()


if __name__ == "__main__":
    main()
