"""Scripts with cells (``# %%``) as pages: docs/tutorials for the site."""

import re
from pathlib import Path


def cells(path: Path) -> list[tuple[str, str]]:
    """Return the kind ("markdown", "code") and text of every cell."""
    found = []
    for part in re.split(r"^# %%", path.read_text(), flags=re.MULTILINE)[1:]:
        head, _, text = part.partition("\n")
        if "markdown" in head:
            lines = [line.removeprefix("#").removeprefix(" ") for line in text.strip().split("\n")]
            found.append(("markdown", "\n".join(lines)))
        else:
            found.append(("code", text.strip()))
    return found


def page(path: Path) -> str:
    """Return a script with cells as a page."""
    parts = [
        text if kind == "markdown" else f"```python\n{text}\n```" for kind, text in cells(path)
    ]
    return "\n\n".join(parts) + f"\n\nThe notebook is `docs/tutorials/{path.name}`.\n"
