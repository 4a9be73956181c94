"""What an experiment is, what a claim is, and what may be said of one.

An experiment is a grid of cells; a cell is one run of a function with its own seed, and gives rows.
A claim is a sentence of a source, the experiment that tries it, and a rule, stated before the run,
that reads *reproduced*, *differs*, *not reproduced* or *open* off the rows. The runner knows
nothing of claims, and a claim nothing of the runner.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from counterpoint.claims.parts import Part, as_part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Size = Literal["smoke", "full"]
SIZES: tuple[Size, ...] = ("smoke", "full")
Word = Literal["reproduced", "differs", "not reproduced", "open"]
WORDS: tuple[Word, ...] = ("reproduced", "differs", "not reproduced", "open")
Scalar = str | int | float | bool | None
Rows = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Cell:
    """One run of an experiment.

    Attributes
    ----------
    values : dict of str to scalar
        Which data, method, parameters and repeat: the keyword arguments of the run.
    key : str
        The same as text, the cell's name in a store.
    seed : int
        From the values alone, so that it is the same in any order and at any number of workers.
    """

    values: dict[str, Scalar]
    key: str
    seed: int


@dataclass(frozen=True)
class Experiment:
    """Data x methods x parameters x repeats, and the function that runs one of them.

    Parameters
    ----------
    name : str
        What people know it by: ``"merged-trees"``, ``"merged-trees-smoke"``.
    run : callable
        ``run(*, seed, **values)`` gives one row (a dict) or several (a list of dicts) of plain
        numbers and words. A function of a module, so that it can be sent to other processes.
    values : sequence of dict
        The grid, a dict of keyword arguments per cell; see :func:`grid`.
    unseeded : sequence of str, default=()
        Arguments that do not enter the seed. Methods compared in pairs share their seed, hence
        their splits, if the name of the method is among these.
    version : int, default=1
        Raised when the run has changed in a way that makes kept rows stale.
    stream : str, default=""
        What seeds are drawn from and rows are kept by; the name unless given. Unique, and the same
        for ever, so that an experiment that gets a better name keeps its numbers.

    Examples
    --------
    >>> def coin(*, seed, side, repeat):
    ...     import numpy as np
    ...     return {"up": bool(np.random.default_rng(seed).integers(2) == side)}
    >>> tossed = Experiment("coins", coin, grid(repeat=range(2), side=[0, 1]), unseeded=["side"])
    >>> first, second, *_ = tossed.cells()
    >>> first.key, first.seed == second.seed
    ('{"repeat": 0, "side": 0}', True)
    """

    name: str
    run: Callable[..., Rows]
    values: Sequence[Mapping[str, Scalar]]
    unseeded: Sequence[str] = ()
    version: int = 1
    stream: str = ""

    @property
    def kept_as(self) -> str:
        """The name of its rows in a store."""
        return self.stream or self.name

    def cells(self) -> list[Cell]:
        """Return the cells, in the order of the grid."""
        return list(self._cells)

    @cached_property
    def _cells(self) -> list[Cell]:
        made = [self._cell(values) for values in self.values]
        keys = {cell.key for cell in made}
        if len(keys) < len(made):
            double = next(cell for cell in made if sum(c.key == cell.key for c in made) > 1)
            raise ValueError(f"Experiment {self.name!r} has the cell {double.key} twice.")
        return made

    def _cell(self, values: Mapping[str, Scalar]) -> Cell:
        plain = {name: _scalar(value, name) for name, value in values.items()}
        seeding = {name: v for name, v in plain.items() if name not in self.unseeded}
        # A hash and not a counter: adding a method must not move the seeds of the others.
        text = json.dumps([self.kept_as.removesuffix("-smoke"), seeding], sort_keys=True)
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
        return Cell(plain, json.dumps(plain, sort_keys=True), seed)

    def evaluate(self, cell: Cell) -> list[dict[str, Any]]:
        """Run one cell; return its rows, the cell's values in each.

        A row may not use the name of a value for something else.
        """
        rows = self.run(seed=cell.seed, **cell.values)
        listed = [rows] if isinstance(rows, Mapping) else list(rows)
        for row in listed:
            taken = set(row) & set(cell.values)
            if taken:
                raise ValueError(
                    f"Experiment {self.name!r}: a row says {sorted(taken)} again, which the cell "
                    "has already. Name it otherwise."
                )
        return [cell.values | {name: _scalar(v, name) for name, v in row.items()} for row in listed]


def grid(**axes: Iterable[Scalar]) -> list[dict[str, Scalar]]:
    """Return every combination of the values, the last name moving fastest.

    Put ``repeat`` first: an experiment that is cut short then has a few whole repeats, and not
    all repeats of a few methods.

    Examples
    --------
    >>> grid(repeat=range(2), method=["a", "b"])[:2]
    [{'repeat': 0, 'method': 'a'}, {'repeat': 0, 'method': 'b'}]
    """
    names = list(axes)
    return [dict(zip(names, values, strict=True)) for values in product(*axes.values())]


@dataclass(frozen=True)
class Verdict:
    """What the rows say about a claim.

    Attributes
    ----------
    word : {"reproduced", "differs", "not reproduced", "open"}
        *Reproduced*: all parts of the rule hold. *Differs*: some hold and some do not. *Not
        reproduced*: none holds. *Open*: what was run does not decide between these.
    why : str
        The numbers that decided, in one or two sentences.
    table : DataFrame
        Our numbers beside those of the source.
    parts : dict of str to bool or None
        Each part of the rule: holds, does not, or is open (None).
    notes : dict of str to str
        Of parts that are open: what would have to be run to decide them.
    found : str
        The numbers alone, where parts are told of by themselves.
    """

    word: Word
    why: str
    table: pd.DataFrame
    parts: Mapping[str, Part] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    found: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of a source, and all that is needed to try it again.

    Attributes
    ----------
    topic : str
        A word or two that name it, its file and its results: ``"merged-trees"``.
    stream : int
        A number of its own, never changed and never used twice: its cells are seeded from it and
        kept by it.
    title : str
        A few words.
    sentence : str
        What the source says, in our words, with its numbers.
    source : str
        Authors, title, year, and the table or figure.
    rule : str
        When it counts as reproduced, differing or not: decided before the run.
    setup : str
        How our run departs from the source's, and why.
    run : callable
        One cell; see :class:`Experiment`.
    smoke, full : sequence of dict
        The grids of a quick try and of the real thing: keyword arguments of ``run`` per cell.
    judge : callable
        ``judge(frame)`` returns the :class:`Verdict` on a frame of rows; it takes an incomplete
        grid too, as a long run may be cut short.
    draw : callable
        ``draw(frame)`` returns a figure like the source's, with the source's numbers in it.
    unseeded : sequence of str
        Arguments of ``run`` that do not enter the seed; see :class:`Experiment`.
    drawn_only : dict of str to sequence, default={}
        Values of cells that are drawn and not judged. Looks at an unfinished run do without them.
    findings : str
        Where it is not reproduced: what was looked into, and what came of it.
    would_be_right : str
        Where it is not reproduced: what would have to be true for the source to be right.
    run_version : int, default=1
        Raised when the run changes what it computes: kept rows of before are then no longer its.
    rule_version : int, default=1
        Raised when the rule changes after rows were seen.
    rule_changes : str
        What changed in the rule since its first version, and why.
    """

    topic: str
    stream: int
    title: str
    sentence: str
    source: str
    rule: str
    setup: str
    run: Callable[..., Rows] = field(repr=False)
    smoke: Sequence[Mapping[str, Scalar]] = field(repr=False)
    full: Sequence[Mapping[str, Scalar]] = field(repr=False)
    judge: Callable[[pd.DataFrame], Verdict] = field(repr=False)
    draw: Callable[[pd.DataFrame], "Figure"] = field(repr=False)
    unseeded: Sequence[str] = ()
    drawn_only: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    findings: str = ""
    would_be_right: str = ""
    run_version: int = 1
    rule_version: int = 1
    rule_changes: str = ""

    def experiment(self, size: Size) -> Experiment:
        """Return what has to be run, as a quick try (``"smoke"``) or as in the source."""
        return self._experiments[size]

    @property
    def streams(self) -> tuple[str, ...]:
        """The names that rows of its experiments have in a store."""
        return tuple(one.kept_as for one in self._experiments.values())

    @cached_property
    def _experiments(self) -> dict[Size, Experiment]:
        suffixes: dict[Size, str] = {"smoke": "-smoke", "full": ""}
        return {
            size: Experiment(
                f"{self.topic}{suffix}",
                self.run,
                self.full if size == "full" else self.smoke,
                unseeded=self.unseeded,
                version=self.run_version,
                stream=f"R{self.stream}{suffix}",
            )
            for size, suffix in suffixes.items()
        }


def verdict(
    parts: Mapping[str, Any],
    table: pd.DataFrame,
    why: str,
    notes: Mapping[str, str] | None = None,
) -> Verdict:
    """Return what the parts of a claim come to.

    All hold: *reproduced*. Some hold, some do not: *differs*, whatever the rest will show. None
    holds and none is open: *not reproduced*. Else it is *open*.

    Parameters
    ----------
    parts : mapping of str to bool or None
        Each part of the rule in a few words, and whether it holds; None or NaN is open.
    table : DataFrame
        Our numbers beside theirs.
    why : str
        The numbers that decided.
    notes : mapping of str to str or None, default=None
        Of some parts, how open they are; see :mod:`counterpoint.claims.undecided`. Those of parts
        that are not open are left out.

    Examples
    --------
    >>> verdict({"lower error": True, "smoother": False}, pd.DataFrame(), "0.1 < 0.2.").word
    'differs'
    >>> verdict({"lower error": True, "smoother": None}, pd.DataFrame(), "0.1 < 0.2.").word
    'open'
    """
    if not parts:
        raise ValueError("A verdict needs at least one part.")
    seen = {name: as_part(value) for name, value in parts.items()}
    failed = [name for name, part in seen.items() if part is False]
    waiting = [name for name, part in seen.items() if part is None]
    held, found = len(seen) - len(failed) - len(waiting), why
    word: Word
    if held and failed:
        word = "differs"
    elif waiting:
        word = "open"
    else:
        word = "reproduced" if held else "not reproduced"
    if failed and word != "not reproduced":
        why = f"{why} Does not hold: {', '.join(failed)}."
    if waiting:
        why = f"{why} Open: {', '.join(waiting)}."
    notes = {name: note for name, note in (notes or {}).items() if note and name in waiting}
    return Verdict(word, why, table, seen, notes, found)


def _scalar(value: Any, name: str) -> Scalar:
    """Return a value that JSON can hold; NaN becomes None, which a frame shows as NaN."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(
        f"{name}={value!r} is a {type(value).__name__}: rows and cells hold numbers, words and "
        "truth values only."
    )
