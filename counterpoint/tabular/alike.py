"""Many like objects as columns: what a model file holds in place of a list of hundreds of trees.

A file of a thousand small arrays is slow to read, each being an entry of its own. Here a list of
objects of one class becomes one object with a column for each of their attributes: an array of all
their arrays end to end, a value that all share once, and so on down.
"""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

FEWEST = 8
"""Shorter lists stay as they are."""
MOST_VALUES = 10_000_000
"""Values that all columns of one file may stand for: a line of a file can ask for any number."""

_PLAIN = (str, bool, int, type(None))
_TREES = "sklearn.tree._tree.Tree"


class KeptColumn:
    """A list of like values in another form.

    Attributes
    ----------
    how : str
        "same", "numbers", "arrays", "lists", "dicts", "objects", "trees" or "list".
    n : int
        How many values it stands for.
    content : Any
        The value, the array, the flat column, columns by name, or the list.
    more : Any
        Lengths of arrays and lists; the class of objects; whether numbers are Python's own.
    """

    def __init__(self, how: str, n: int, content: Any, more: Any = None) -> None:
        self.how, self.n, self.content, self.more = how, n, content, more


class Columns:
    """Makes columns of the lists in one model.

    Parameters
    ----------
    model : Any
        All of it: an object that stands in two places must stay one.
    """

    def __init__(self, model: Any) -> None:
        self._places: Counter[int] = Counter()
        waiting, seen = [model], {}
        while waiting:
            part = waiting.pop()
            self._places[id(part)] += 1
            if id(part) not in seen:
                seen[id(part)] = part  # keeps it alive, hence its id its own
                waiting += _parts(part)

    def takes(self, value: Any) -> bool:
        """Whether a value is a list worth a column."""
        return type(value) is list and len(value) >= FEWEST and self._how(value) in _WORTH

    def column(self, values: list[Any]) -> KeptColumn:
        """Return a list as a column."""
        how = self._how(values)
        n = len(values)
        first: Any = values[0] if values else None
        if how == "same":
            return KeptColumn(how, n, first)
        if how == "numbers":
            return KeptColumn(how, n, np.array(values), type(first) in (int, float))
        if how == "arrays":
            lengths = np.array([len(array) for array in values], dtype=np.int64)
            return KeptColumn(how, n, np.concatenate(values), lengths)
        if how == "lists":
            lengths = np.array([len(items) for items in values], dtype=np.int64)
            return KeptColumn(
                how, n, self.column([item for one in values for item in one]), lengths
            )
        if how == "objects":
            names = list(vars(first))
            columns = {name: self.column([vars(one)[name] for one in values]) for name in names}
            return KeptColumn(how, n, columns, type(first))
        if how == "dicts":
            return KeptColumn(how, n, {k: self.column([one[k] for one in values]) for k in first})
        if how == "trees":
            rows = [_tree_row(tree) for tree in values]
            return KeptColumn(how, n, {k: self.column([row[k] for row in rows]) for k in rows[0]})
        return KeptColumn("list", n, values)

    def _how(self, values: list[Any]) -> str:
        if not values:
            return "list"
        first, kind = values[0], type(values[0])
        if all(value is first for value in values):
            return "same"
        if any(type(value) is not kind for value in values):
            return "list"
        if kind in _PLAIN and all(value == first for value in values):
            return "same"
        if kind in (int, float) or issubclass(kind, np.number):
            small = kind is not int or max(map(abs, values)) < 2**62
            return "numbers" if small else "list"
        if kind is np.ndarray:
            return "arrays" if _end_to_end(values) else "list"
        if any(self._places[id(value)] > 1 for value in values):
            return "list"
        if kind is list:
            return "lists"
        if kind is dict:
            same = all(type(k) is str for k in first) and all(
                list(d) == list(first) for d in values
            )
            return "dicts" if same else "list"
        if _name(kind) == _TREES:
            return "trees"
        if _is_plain(kind) and all(vars(value).keys() == vars(first).keys() for value in values):
            return "objects"
        return "list"


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else []
    return list(vars(value).values()) if is_ours(type(value)) and hasattr(value, "__dict__") else []


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def is_ours(kind: type) -> bool:
    """Whether objects of a class are looked into: those of scikit-learn and of counterpoint."""
    return kind.__module__.startswith(("counterpoint.", "sklearn."))


def _is_plain(kind: type) -> bool:
    """Whether objects of a class are their attributes and nothing else."""
    states = [object.__getstate__, BaseEstimator.__getstate__]  # the latter adds a version
    return (
        is_ours(kind)
        and kind.__dictoffset__ != 0
        and kind.__reduce__ is object.__reduce__
        and kind.__reduce_ex__ is object.__reduce_ex__
        and kind.__getstate__ in states
        and not any(vars(base).get("__slots__") for base in kind.__mro__)
    )


def _end_to_end(arrays: list[np.ndarray]) -> bool:
    first = arrays[0]
    return first.ndim > 0 and not first.dtype.hasobject and all(
        array.dtype == first.dtype and array.shape[1:] == first.shape[1:] for array in arrays
    )  # fmt: skip


def _tree_row(tree: Any) -> dict[str, Any]:
    _, arguments, state = tree.__reduce__()
    return {**{f"argument {k}": value for k, value in enumerate(arguments)}, **state}


_WORTH = ("objects", "dicts", "trees", "lists", "arrays")


# -- and back ----------------------------------------------------------------------------------


class Reading:
    """Makes lists of the columns in one file, and no more than it may."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self._left = most
        self._made: dict[int, tuple[KeptColumn, list[Any]]] = {}

    def values(self, column: Any) -> list[Any]:
        """Return what a column stands for; ``ValueError`` for one that no list gave."""
        if not isinstance(column, KeptColumn) or type(column.n) is not int or column.n < 0:
            raise ValueError("a column of its parts is none")
        if id(column) in self._made:
            return self._made[id(column)][1]
        self._left -= column.n
        if self._left < 0:
            raise ValueError("its columns stand for too many parts")
        made = _READ[column.how](self, column)
        if len(made) != column.n:
            raise ValueError("a column of its parts is cut short")
        self._made[id(column)] = column, made
        return made

    def _numbers(self, column: KeptColumn) -> list[Any]:
        _need_array(column.content, 1)
        return column.content.tolist() if column.more is True else list(column.content)

    def _arrays(self, column: KeptColumn) -> list[Any]:
        _need_array(column.content)
        ends = _ends(column.more, len(column.content))
        return [column.content[a:b].copy() for a, b in pairwise(ends)]

    def _lists(self, column: KeptColumn) -> list[Any]:
        flat = self.values(column.content)
        ends = _ends(column.more, len(flat))
        return [flat[a:b] for a, b in pairwise(ends)]

    def _objects(self, column: KeptColumn) -> list[Any]:
        if not isinstance(column.more, type) or not _is_plain(column.more):
            raise ValueError("a column of its parts is of no class")
        made = []
        for row in self._rows(column):
            one: Any = object.__new__(column.more)
            one.__dict__.update(row)
            made.append(one)
        return made

    def _trees(self, column: KeptColumn) -> list[Any]:
        from sklearn.tree._tree import Tree

        made = []
        for row in self._rows(column):
            arguments = [row.pop(name) for name in sorted(row) if name.startswith("argument ")]
            tree = Tree(*arguments)
            tree.__setstate__(row)
            made.append(tree)
        return made

    def _rows(self, column: KeptColumn) -> list[dict[str, Any]]:
        names = list(column.content)
        columns = [self.values(column.content[name]) for name in names]
        if any(len(values) != column.n for values in columns):
            raise ValueError("columns of its parts are of different lengths")
        rows = zip(*columns, strict=True) if columns else [()] * column.n
        return [dict(zip(names, row, strict=True)) for row in rows]


def _need_array(value: Any, ndim: int | None = None) -> None:
    good = isinstance(value, np.ndarray) and value.ndim > 0 and not value.dtype.hasobject
    if not good or ndim not in (None, value.ndim):
        raise ValueError("a column of its parts is no array")


def _ends(lengths: Any, total: int) -> list[int]:
    _need_array(lengths, 1)
    counts = lengths.tolist()
    if any(type(count) is not int or count < 0 for count in counts) or sum(counts) != total:
        raise ValueError("a column of its parts has other lengths")
    ends = [0]
    for count in counts:
        ends.append(ends[-1] + count)
    return ends


_READ: dict[str, Callable[[Reading, KeptColumn], list[Any]]] = {
    "same": lambda _, column: [column.content] * column.n,
    "numbers": Reading._numbers,
    "arrays": Reading._arrays,
    "lists": Reading._lists,
    "objects": Reading._objects,
    "dicts": Reading._rows,
    "trees": Reading._trees,
    "list": lambda _, column: list(column.content),
}
