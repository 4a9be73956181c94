"""The order in which members are tried: what pays first, learnt over many data sets."""

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _places() -> dict[tuple[str, str], int]:
    text = files("counterpoint.auto").joinpath("portfolio.csv").read_text(encoding="utf-8")
    lines = [line.split(";") for line in text.splitlines()[1:] if line]
    return {(kind, name): place for place, (kind, name, *_) in enumerate(lines)}


def in_order(candidates: list[Any], kind: str) -> list[Any]:
    """Return candidates for "classes" or "numbers" in the order of ``portfolio.csv``.

    Those it does not know come last.
    """
    places = _places()
    return sorted(candidates, key=lambda c: places.get((kind, c.name), len(places)))
