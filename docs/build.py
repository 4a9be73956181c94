"""Write the generated parts of the documentation again: tables between markers, and pictures.

``python docs/build.py --check`` only says whether the tables are current (a test runs it).
"""

import re
import runpy
import sys
from pathlib import Path

from counterpoint.diversity import MEASURES

DOCS = Path(__file__).parent


def measures_table() -> str:
    """Render MEASURES as a Markdown table."""
    rows = [
        "| name | what | range | more diverse when | kind | source |",
        "|---|---|---|---|---|---|",
    ]
    for m in MEASURES.values():
        cells = (
            f"`{m.name}`",
            m.title,
            f"{m.low:g} .. {m.high:g}",
            m.more_diverse,
            m.kind,
            m.source,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def filled(text: str, marker: str, content: str) -> str:
    """Put ``content`` between the markers of that name."""
    pattern = rf"(<!-- {marker}:start -->\n).*?(<!-- {marker}:end -->)"
    return re.sub(pattern, lambda m: f"{m[1]}{content}\n{m[2]}", text, flags=re.DOTALL)


if __name__ == "__main__":
    page = DOCS / "measures.md"
    new = filled(page.read_text(), "measures", measures_table())
    if "--check" in sys.argv:
        if new != page.read_text():
            sys.exit("docs/measures.md is out of date: run make figures")
    else:
        page.write_text(new)
        for script in sorted(DOCS.glob("figures*.py")):
            runpy.run_path(str(script), run_name="__main__")
