"""The order in which members are tried: what pays first, learnt over many data sets."""

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

# What the script that learns the order puts first: boosted trees, a linear model, a forest.
FIRST = 3
# Members between a quick forest and a large one.
_OTHER_KINDS = 6


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


def quick_instead(candidates: list[Any], quick: list[Any]) -> list[Any]:
    """Let quicker kin of the boosted trees and the forest stand in where there is no time."""
    boosted, linear, forest, *others = candidates
    return [replace(boosted, quick=quick[0]), linear, replace(forest, quick=quick[1]), *others]


def quick_first(candidates: list[Any], quick: list[Any]) -> list[Any]:
    """Put quicker kin of the boosted trees and the forest that come first in their places.

    On many rows those take minutes; their kin learn from all of them soon, and so there is
    something strong however short the time. The boosted trees are next then; the forest, which
    brings little beside its kin, comes after members of other kinds.
    """
    boosted, linear, forest, *others = candidates
    boosted, forest = (
        replace(slow, dearer_than=kin.name)
        for slow, kin in zip((boosted, forest), quick, strict=True)
    )
    others.insert(_OTHER_KINDS, forest)
    return [quick[0], linear, quick[1], boosted, *others]
