"""Words of a column that are the same but for their spelling, such as "Centro" and "centro"."""

import unicodedata
from collections.abc import Iterable, Sequence

from counterpoint.tabular.column import YES_NO, Column

_MOST_LOOKED_AT = 1_000


def variants(words: Iterable[str]) -> list[list[str]]:
    """Return groups of words that differ in capitals, blanks, accents or a final point only.

    Examples
    --------
    >>> variants(["Centro", "centro", "São Paulo", "Sao  Paulo", "N.", "n", "C", "C+"])
    [['Centro', 'centro'], ['N.', 'n'], ['Sao  Paulo', 'São Paulo']]
    """
    groups: dict[str, list[str]] = {}
    for word in sorted(words)[:_MOST_LOOKED_AT]:
        groups.setdefault(_plain(word), []).append(word)
    return [group for group in groups.values() if len(group) > 1]


def find_variants(
    columns: Sequence[Column], labels: Iterable[str] = (), target: str = ""
) -> list[str]:
    """Return notes on columns of categories, and on labels that are texts, with such words."""
    notes = [tell_variants(labels, target)]
    for column in columns:
        if column.kind == "category" and column.form != YES_NO:
            notes.append(tell_variants(column.categories, column.name))
    return [note for note in notes if note]


def tell_variants(words: Iterable[str], name: str) -> str:
    """Return a note if words of a column may be the same ones; else nothing."""
    found = variants(words)
    if not found:
        return ""
    more = f", and {len(found) - 1} more such groups" if len(found) > 1 else ""
    return (
        f"column {name!r}: {' and '.join(map(repr, found[0][:3]))} differ in how they are spelt "
        f"only{more}. They count as different; if they mean the same, write them alike."
    )


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(mark for mark in apart if not unicodedata.combining(mark))
    return " ".join(bare.split()).rstrip(".") or word
