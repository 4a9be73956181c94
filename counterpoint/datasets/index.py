"""The index of all known data sets, shipped or not: facts only, no data read."""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from counterpoint._spelling import close_words

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Entry:
    """What is known of a data set before its file is opened.

    ``columns`` maps each feature to ``"numeric"`` or ``"nominal"``. ``file`` is None for a set
    that may not be shipped; ``parts`` then holds the counts of its train and test files.
    """

    name: str
    title: str
    target: str
    columns: dict[str, str]
    rows: int
    missing: int
    classes: dict[str, int]
    split: dict[str, int] | None = None
    licence: str = ""
    cite: str = ""
    notes: str = ""
    checks: tuple[str, ...] = ()
    sources: tuple[dict[str, str], ...] = ()
    file: str | None = None
    sha256: str | None = None
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    openml: dict[str, Any] = field(default_factory=dict)

    @property
    def nominal(self) -> list[str]:
        """Names of the nominal features."""
        return [name for name, kind in self.columns.items() if kind == "nominal"]

    @property
    def numeric(self) -> list[str]:
        """Names of the numeric features."""
        return [name for name, kind in self.columns.items() if kind == "numeric"]


@cache
def index() -> dict[str, Entry]:
    """Return every known data set by name."""
    raw = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
    return {name: Entry(name=name, **facts) for name, facts in raw.items()}


def canonical(name: str) -> str:
    """Return the one spelling of a name: lower case, words joined by hyphens."""
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a data set is a string such as 'german-credit', not {name!r} "
            f"of type {type(name).__name__}."
        )
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def close_matches(name: str, names: list[str]) -> list[str]:
    """Return up to three names that ``name`` may have been meant for."""
    near = close_words(name, names, n=3)
    within = [known for known in names if len(name) > 2 and name in known and known not in near]
    return (near + within)[:3]
