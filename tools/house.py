"""Draw the house: packages as boxes on their floors, arrows for what imports what.

``make house`` writes docs/images/house.png, and the table of rooms and the list of pages in
CONTRIBUTING.md. Floors are read from the contract in pyproject.toml, arrows and line counts from
the source; nothing is restated here.
"""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "counterpoint"
# From the roof to the ground, after Okabe and Ito; arrows have the colour of where they start.
COLOURS = ("#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7")
INK, PALE = "#333333", "#777777"
BESIDE = 9  # rooms that stand side by side; more of a floor begin another row


def floors() -> list[list[str]]:
    """Return packages and modules by floor, the top one first, as the contract has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip("() ") for name in re.split(r"[|:]", floor)] for floor in layers]


def files(room: str) -> list[Path]:
    """Return the source files of a package, or the one of a module."""
    module = PACKAGE / f"{room}.py"
    return [module] if module.exists() else sorted((PACKAGE / room).rglob("*.py"))


def line_count(room: str) -> int:
    """Count the lines of a room."""
    return sum(len(path.read_text().splitlines()) for path in files(room))


def imports(room: str) -> set[str]:
    """Return the rooms that a room imports, at the top of a file or inside a function."""
    named: set[str] = set()
    for path in files(room):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    parts = (name.split(".") for name in named)
    rooms = {part[1] for part in parts if part[0] == "counterpoint" and len(part) > 1}
    return (rooms & {name for floor in floors() for name in floor}) - {room}


def needed(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out imports that follow from others: who imports A, and A imports B, uses B too."""

    def reach(room: str) -> set[str]:
        return {far for near in graph[room] for far in {near} | reach(near)}

    return {
        room: {one for one in near if not any(one in reach(other) for other in near - {one})}
        for room, near in graph.items()
    }


def purpose(room: str) -> str:
    """Return the first line of a room's docstring."""
    module = PACKAGE / f"{room}.py"
    path = module if module.exists() else PACKAGE / room / "__init__.py"
    return (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n")[0]


def rooms_table() -> str:
    """Render the floors as a Markdown table; modules of plumbing are in the picture only."""
    rows = ["| floor | room | what it is for |", "|---|---|---|"]
    for number, floor in zip(range(len(floors()) - 1, -1, -1), floors(), strict=True):
        public = [room for room in floor if not room.startswith("_")]
        rows += [f"| {number} | `{room}` | {purpose(room)} |" for room in public]
    return "\n".join(rows)


def draw(path: Path) -> None:
    """Draw the house into a file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import to_rgb
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    levels = floors()
    arrows = needed({room: imports(room) for floor in levels for room in floor})
    rows = [
        (number, floor[first : first + BESIDE])
        for number, floor in enumerate(levels)
        for first in range(0, len(floor), BESIDE)
    ]
    figure, ax = plt.subplots(figsize=(10.5, 0.8 * len(rows) + 0.6), layout="constrained")
    places, side = {}, 1
    for row, (number, floor) in enumerate(rows):
        width = min(1.9, 10.0 / len(floor))
        side = -side if len(floor) == 1 else side
        # Lone rooms stand left and right of the middle in turn, so that arrows pass between.
        shift = 0.75 * side if len(floor) == 1 else 0.0
        for k, room in enumerate(floor):
            x = (k - (len(floor) - 1) / 2) * width + shift
            places[room] = x, -row, 0.43 * width, number
    for room, (x, y, half, number) in places.items():
        colour = COLOURS[number * len(COLOURS) // len(levels)]
        small = len(levels[number]) > 7
        pale = tuple(0.2 * part + 0.8 for part in to_rgb(colour))
        box = FancyBboxPatch(
            (x - half, y - 0.25), 2 * half, 0.5, boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=pale, edgecolor=colour, linewidth=1.0, zorder=2,
        )  # fmt: skip
        ax.add_patch(box)
        text = {"ha": "center", "va": "center", "zorder": 3}
        ax.text(x, y + 0.07, room, fontsize=7.5 if small else 9.5, color=INK, **text)
        lines = f"{line_count(room):,} lines".replace(",", "\N{THIN SPACE}")
        ax.text(x, y - 0.13, lines, fontsize=6.5, color=PALE, **text)
        for other in sorted(arrows[room]):
            x2, y2, *_ = places[other]
            if other.startswith("_") or other == "exceptions":  # the ground carries all of them
                continue
            bend = 0.0 if y - y2 < 1.5 else 0.07 * (1 if x2 >= x else -1)
            arrow = FancyArrowPatch(
                (x, y - 0.25), (x2, y2 + 0.26), arrowstyle="-|>", mutation_scale=8,
                connectionstyle=f"arc3,rad={bend}", color=colour, linewidth=0.9, zorder=1,
            )  # fmt: skip
            ax.add_patch(arrow)
    ax.set(xlim=(-5.2, 5.2), ylim=(-len(rows) + 0.6, 0.4))
    ax.set_axis_off()
    title = "Imports go down only. Not drawn: what follows from other arrows, and the ground floors"
    ax.set_title(title, fontsize=10)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    plt.close(figure)


def pages() -> list[tuple[str, Path]]:
    """Return title and path of every page that says how to add something."""
    listed = sorted((ROOT / "docs").glob("how_to_add_*.md"))
    return [(path.read_text().split("\n")[0].removeprefix("# "), path) for path in listed]


def pages_list() -> str:
    """Render the pages as a Markdown list."""
    return "\n".join(f"- [{title}]({path.relative_to(ROOT)})" for title, path in pages())


def filled(text: str, marker: str, content: str) -> str:
    """Put ``content`` between the markers of that name."""
    pattern = rf"(<!-- {marker}:start -->\n).*?(<!-- {marker}:end -->)"
    return re.sub(pattern, lambda m: f"{m[1]}{content}\n{m[2]}", text, flags=re.DOTALL)


def main() -> None:
    """Write the picture, the table of rooms and the list of pages."""
    draw(ROOT / "docs" / "images" / "house.png")
    page = ROOT / "CONTRIBUTING.md"
    text = filled(page.read_text(), "rooms", rooms_table())
    page.write_text(filled(text, "pages", pages_list()))


if __name__ == "__main__":
    main()
