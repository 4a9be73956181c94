"""Quantiles of a column that passes by once: exact while it has few values, else by a sketch.

The sketch keeps sorted samples of weights 1, 2, 4, ...; when one is full, every other value of it
moves on with twice the weight (Munro and Paterson 1980; Manku, Rajagopalan and Lindsay 1998; the
first level of Karnin, Lang and Liberty 2016, with places that alternate instead of being drawn, so
that the same data give the same bins). Moving values of weight w shifts a rank by at most w, and a
value of weight w stands for w ranks, so the error is known: ``error`` is a limit of it, as a share
of all values. Sketches of parts are merged.

Values are taken in blocks of one size, so a sketch depends on which values came in which order, and
not on the pieces they came in.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 16384  # values of one weight, and distinct values up to which all are kept


class QuantileSketch:
    """Values of one column and how often they occur, in bounded memory.

    Attributes
    ----------
    n : int
        Values seen, missing ones not counted.
    error : float
        By how much a rank may be wrong, at most, as a share of ``n``; 0 while ``exact``.
    exact : bool
        Whether all distinct values are known.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.large.sketch import QuantileSketch
    >>> sketch = QuantileSketch()
    >>> for part in np.array_split(np.arange(100_000.0), 7):
    ...     sketch.add(part)
    >>> values, counts = sketch.values()
    >>> middle = values[np.searchsorted(np.cumsum(counts), 50_000)]
    >>> abs(middle - 50_000) / 100_000 <= sketch.error < 0.001
    True
    """

    def __init__(self, size: int = SIZE):
        self.size, self.n, self.n_missing = size, 0, 0
        self.low, self.high = np.inf, -np.inf
        self._seen: tuple[NDArray, NDArray] | None = (np.empty(0), np.empty(0, dtype=np.int64))
        self._levels: list[NDArray] = []
        self._turns: list[int] = []
        self._shift = 0
        self._held = np.empty(0)  # values that are no whole block yet

    @property
    def exact(self) -> bool:
        """Whether all distinct values are known."""
        self._settle()
        return self._seen is not None

    @property
    def error(self) -> float:
        """Most that a rank may be wrong by, as a share of all values."""
        self._settle()
        if self._seen is not None:
            return 0.0
        return (self._shift + (1 << (len(self._levels) - 1))) / self.n

    def add(self, values: NDArray) -> None:
        """Take in numbers; NaN is missing."""
        values = np.asarray(values, dtype=np.float64)
        missing = np.isnan(values)
        n_missing = int(np.count_nonzero(missing))
        self.n_missing += n_missing
        given = values[~missing] if n_missing else values
        if len(given) == 0:
            return
        self.n += len(given)
        self.low, self.high = min(self.low, given.min()), max(self.high, given.max())
        if len(self._held):
            given = np.concatenate([self._held, given])
        block = 8 * self.size
        whole = len(given) // block * block
        for start in range(0, whole, block):
            self._take(given[start : start + block])
        self._held = given[whole:].copy()

    def _settle(self):
        """Take what is held, as a block that is short: a question ends it."""
        if len(self._held):
            held, self._held = self._held, np.empty(0)
            self._take(held)

    def _take(self, block):
        if self._seen is None:
            self._push(0, block)
        else:
            self._note(*np.unique(block, return_counts=True))

    def _note(self, values, counts):
        assert self._seen is not None  # only asked while it is so
        known, before = self._seen
        merged, place = np.unique(np.concatenate([known, values]), return_inverse=True)
        total = np.zeros(len(merged), dtype=np.int64)
        np.add.at(total, place, np.concatenate([before, counts]))
        self._seen = merged, total
        if len(merged) > self.size:
            self._seen = None
            self._push_counted(merged, total)

    def _push_counted(self, values, counts):
        """Put each value into the levels that its number is the sum of."""
        for level in range(int(counts.max(initial=0)).bit_length()):
            self._push(level, values[(counts >> level) & 1 == 1])

    def _push(self, level, values):
        while len(self._levels) <= level:
            self._levels.append(np.empty(0))
            self._turns.append(0)
        kept = np.concatenate([self._levels[level], values])
        while len(kept) > self.size:
            whole = len(kept) // 2 * 2
            # Above the first level there are runs that are sorted already: merging is faster.
            ordered = np.sort(kept[:whole], kind="stable" if level else None)
            self._shift += 1 << level
            moved, kept = ordered[self._turns[level] :: 2], kept[whole:]
            self._turns[level] ^= 1
            self._levels[level] = kept
            self._push(level + 1, moved)
        self._levels[level] = kept

    def merge(self, other: "QuantileSketch") -> None:
        """Take in what another sketch has seen."""
        self._settle()
        other._settle()
        self.n += other.n
        self.n_missing += other.n_missing
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        if self._seen is not None and other._seen is not None:
            self._note(*other._seen)
            return
        if self._seen is not None:
            seen, self._seen = self._seen, None
            self._push_counted(*seen)
        if other._seen is not None:
            self._push_counted(*other._seen)
        self._shift += other._shift
        for level, kept in enumerate(other._levels):
            self._push(level, kept)

    def values(self) -> tuple[NDArray, NDArray]:
        """Return distinct values, sorted, and how often each occurs, about."""
        self._settle()
        if self._seen is not None:
            return self._seen
        weights = [np.full(len(v), 1 << k, dtype=np.int64) for k, v in enumerate(self._levels)]
        values, place = np.unique(np.concatenate(self._levels), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, place, np.concatenate(weights))
        return values, counts

    def state(self) -> tuple[dict[str, Any], list[NDArray]]:
        """Return all that it knows, as plain numbers and as arrays: for a file."""
        about = {
            "size": self.size, "n": self.n, "n_missing": self.n_missing,
            "low": float(self.low), "high": float(self.high),
            "shift": self._shift, "turns": self._turns, "exact": self._seen is not None,
        }  # fmt: skip
        return about, [self._held, *(self._levels if self._seen is None else self._seen)]

    @classmethod
    def from_state(cls, about: dict[str, Any], arrays: list[NDArray]) -> "QuantileSketch":
        """Return the sketch that had this state."""
        sketch = cls(about["size"])
        sketch.n, sketch.n_missing = about["n"], about["n_missing"]
        sketch.low, sketch.high = about["low"], about["high"]
        sketch._shift, sketch._turns = about["shift"], list(about["turns"])
        sketch._held, *rest = arrays
        sketch._seen = (rest[0], rest[1]) if about["exact"] else None
        sketch._levels = [] if about["exact"] else rest
        return sketch
