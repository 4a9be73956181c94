"""Doors of packages: public names that are imported when they are first used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def door(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``homes`` names, for each module of the package, what is public in it.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name in home_of:
            return getattr(import_module(f"{package}.{home_of[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted(home_of), sorted(home_of)
