"""The order in which members are tried: what pays first, learnt over many data sets."""

from functools import cache
from importlib.resources import files
from typing import Any

# What the script that learns the order puts first: boosted trees, a linear model, a forest.
FIRST = 3


@cache
def _places() -> dict[tuple[str, str], int]:
    text = files("counterpoint.auto").joinpath("portfolio.csv").read_text(encoding="utf-8")
    lines = [line.split(";") for line in text.splitlines()[1:] if line]
    return {(kind, name): place for place, (kind, name, *_) in enumerate(lines)}


def in_order(candidates: list[Any], kind: str) -> list[Any]:
    """Return candidates for "classes" or "numbers" in the order of ``portfolio.csv``.

    Simple ones, which cost nothing, come right after the first; those it does not know, last.
    """
    places = _places()
    start = min(place for (of, _), place in places.items() if of == kind)

    def place(candidate):
        own = places.get((kind, candidate.name), len(places))
        return min(own, start + FIRST - 0.5) if candidate.simple else own

    return sorted(candidates, key=place)


def quick_first(candidates: list[Any], quick: Any) -> list[Any]:
    """Put a quicker kin of the first one in its place, and that after those that come first.

    On many rows the first takes minutes; its kin learns from all of them soon, and so there is
    something strong however short the time.
    """
    first, *others = candidates
    return [quick, *others[: FIRST - 1], first, *others[FIRST - 1 :]]
