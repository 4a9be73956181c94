"""The smallest tree for labels on a grid: the table of all boxes, its budget and its threads."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product

import numba
import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import grid as kernels
from counterpoint.trees.equivalent.exact import Packed

# Most cells that are labelled, most bytes of a table (and never more than half of what is free).
_MOST_CELLS = 2**22
_MOST_BYTES = 2**32
# Boxes side by side that a step is taken for at once, and most splits listed within a block.
_BLOCK = 512
_PAIRS = 2**22
# Most pieces a table is filled in by; smaller tables are not worth a second thread.
_PIECES = 2000
_SMALL = 2**20


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Decisions in the cells between thresholds; thresholds that part no decisions are gone."""

    labels: NDArray  # a dimension for each of the columns
    columns: NDArray
    cuts: list[NDArray]  # of each column, the thresholds that are left

    @property
    def n_boxes(self) -> float:
        """Number of boxes of cells."""
        size = np.array(self.labels.shape, dtype=float)
        return float((size * (size + 1) / 2).prod())


def label_grid(packed: Packed) -> Grid | None:
    """Ask the ensemble in every cell; None if there are too many."""
    n_cuts = np.diff(packed.first)
    n_columns = len(packed.columns)
    n_cells = float((n_cuts + 1.0).prod())
    if n_cells > _MOST_CELLS:
        return None
    box = np.zeros((2, n_columns), dtype=np.int64)
    box[1] = n_cuts
    cuts = np.concatenate([*(np.arange(n) for n in n_cuts), np.zeros(1, dtype=np.int64)])
    size = np.empty(n_columns, dtype=np.int64)
    rows = np.full(len(packed.roots), -1, dtype=np.int64)
    whole = (box, rows, packed.start, cuts, n_cuts, int(n_cells))
    arguments: tuple = (*packed.forest[:7], packed.slack, *whole)
    labels = kernels.label_cells(*arguments)
    labels = kernels.drop_cuts(labels, packed.first, cuts, n_cuts, size)
    # Splits of the last columns are the cheapest, those of the first read far places. A column too
    # large to be in a block is better first.
    most = size.max()
    order = np.argsort(size if most * (most + 1) // 2 <= _BLOCK else -size, kind="stable")
    kept = order[size[order] > 1]
    # The first column runs fastest in what the kernels return.
    labels = labels.reshape(size[::-1]).T.transpose(order)
    return Grid(
        labels=np.ascontiguousarray(labels.reshape(size[kept])),
        columns=kept,
        cuts=[cuts[packed.first[f] : packed.first[f] + n_cuts[f]].copy() for f in kept],
    )


class Table:
    """The splits, or depth if ``deep``, of the smallest tree of every box; at most ``known``."""

    def __init__(self, grid: Grid, *, deep: bool, known: int):
        self._grid, self._deep = grid, deep
        size = np.array(grid.labels.shape, dtype=np.int64)
        n = len(size)
        ranges = size * (size + 1) // 2
        self._size, self._ranges = size, ranges
        # Two costs are added before the lesser sum is taken.
        self._dtype = np.uint8 if deep else np.uint16 if 2 * known < 2**16 - 1 else np.uint32
        self.n_boxes = grid.n_boxes
        self.fits = self.n_boxes * np.dtype(self._dtype).itemsize <= min(_MOST_BYTES, _half_free())
        # Of the first range of each length, its number.
        self._number = np.zeros((n, int(size.max(initial=1)) + 2), dtype=np.int64)
        for f in range(n):
            for length in range(1, size[f]):
                self._number[f, length + 1] = self._number[f, length] + size[f] - length + 1
        self._n_lead = n
        while self._n_lead and self._may_join(self._n_lead - 1):
            self._n_lead -= 1
        self._n_fixed = 0
        while self._n_fixed < min(self._n_lead, 2) and (
            ranges[: self._n_fixed + 1].prod() <= _PIECES
        ):
            self._n_fixed += 1

    def _may_join(self, f):
        """Whether column f can be part of the block with those after it."""
        if f < len(self._size) - 1:
            return self._ranges[f:].prod() <= _BLOCK
        return self._ranges[f] * self._size[f] <= _PAIRS

    def fill(self, deadline: float | None) -> bool:
        """Work out all boxes; False if time or memory ran out."""
        size, n = self._size, len(self._size)
        try:
            self._table = np.empty(int(self.n_boxes), dtype=self._dtype)
        except MemoryError:
            return False
        self._strides = (_strides(self._ranges), _strides(size))
        pairs = kernels.pair_up(size, self._number, self._n_lead)

        def fill(piece):
            if deadline is not None and time.perf_counter() > deadline:
                return False
            begin, length = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
            for f, (first, cells) in enumerate(piece):
                begin[f], length[f] = first, cells
            places = (begin, length, self._n_fixed, self._n_lead)
            arguments: tuple = (*self._arrays(), *places, *pairs, self._deep)
            kernels.fill(*arguments)
            return True

        n_threads = 1 if self.n_boxes < _SMALL else numba.get_num_threads()
        with ThreadPoolExecutor(n_threads) as threads:
            return all(all(threads.map(fill, layer)) for layer in self._layers())

    def _arrays(self) -> tuple:
        labels = self._grid.labels.ravel()
        return self._table, labels, self._size, self._number, *self._strides

    def _layers(self) -> Iterator[list]:
        """Pieces of the table that do not need one another, smallest boxes first."""
        ranges = [
            [(a, m) for m in range(1, size + 1) for a in range(size - m + 1)]
            for size in self._size[: self._n_fixed]
        ]
        layers: dict[int, list] = {}
        for piece in product(*ranges):
            layers.setdefault(sum(m for _, m in piece), []).append(piece)
        for length in sorted(layers):
            yield layers[length]

    @property
    def cost(self) -> int:
        """Cost of the whole grid."""
        return int(self._table[-1])

    def splits(self) -> NDArray:
        """Return a smallest tree: column (-1: leaf), cut (label of a leaf), left, right by node."""
        n_nodes, room = 0, 1024
        while n_nodes == 0:
            room *= 2
            out = np.empty((room, 4), dtype=np.int64)
            begin = np.zeros(len(self._size), dtype=np.int64)
            arguments: tuple = (*self._arrays(), begin, self._size, self._deep, out)
            n_nodes = kernels.follow(*arguments)
        out = out[:n_nodes]
        for at in np.flatnonzero(out[:, 0] >= 0):
            f = out[at, 0]
            out[at, :2] = self._grid.columns[f], self._grid.cuts[f][out[at, 1]]
        return out


def _half_free() -> float:
    """Half of the bytes that the machine has free; inf where it does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2
    except (AttributeError, OSError, ValueError):  # not asked like this everywhere
        return float("inf")


def _strides(sizes):
    return np.concatenate([np.cumprod(sizes[::-1])[::-1][1:], np.ones(1, dtype=np.int64)])
