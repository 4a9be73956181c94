"""Words that may have been meant; apart, since it must be quick to say that a file is missing."""

import difflib
from collections.abc import Iterable
from typing import Any


def did_you_mean(word: Any, choices: Iterable[Any], *, n: int = 1) -> str:
    """Return " Did you mean 'x'?" for what is nearly one of the choices, else nothing."""
    near = close_words(word, choices, n=n)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def close_words(word: Any, choices: Iterable[Any], *, n: int = 1) -> list[str]:
    """Return up to n of the choices that a word may have been meant for."""
    if not isinstance(word, str):
        return []
    by_lower = {choice.lower(): choice for choice in choices if isinstance(choice, str)}
    near = difflib.get_close_matches(word.lower(), by_lower, n=n, cutoff=0.6)
    return [by_lower[name] for name in near]
