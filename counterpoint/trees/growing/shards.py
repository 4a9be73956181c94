"""Grow trees on rows that lie elsewhere: a source adds up histograms, the tree is made here.

The source may be a file on this machine or many processes on others: all it is asked for are sums.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import hist
from counterpoint._kernels import hist_shards as kernels
from counterpoint.trees.binning import BinnedData
from counterpoint.trees.growing.workspace import GrowWorkspace

# Histograms asked for at once take no more bytes than this: else a level takes several passes.
_FRESH_BYTES = 1 << 28


@dataclass(frozen=True)
class Wanted:
    """What is asked of the rows: the tree so far, and whose histograms to add up.

    ``nodes``, ``sets``, ``flags``, ``scales`` are those of the kernels; ``built`` (n_nodes,) says
    where the histogram of a node goes, -1 for none; nodes from ``first`` on are new. ``shape`` is
    that of the histograms, ``counts_shape`` that of the numbers of rows in bins.
    """

    tree: int  # how many trees were begun before: in a new one all rows are at the root
    nodes: NDArray
    sets: NDArray
    flags: NDArray
    scales: NDArray
    built: NDArray
    first: int
    shape: tuple[int, int, int]
    counts_shape: tuple[int, int, int]
    per_word: int
    width: int


class RowSource(Protocol):
    """Rows with weights, and classes or targets, in groups of ``group`` rows but for the last."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def group(self) -> int:
        """Rows that are summed up together."""

    def total_weight(self) -> float:
        """Return what the rows count together."""

    def measure(self, kind: int, centre: float) -> NDArray:
        """Return what ``kernels.measure`` finds in each group, in their order, (3, n_groups)."""

    def add_up(self, wanted: Wanted) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return histograms, numbers of rows in bins and in new nodes, and squares by group."""


class ShardedWorkspace(GrowWorkspace):
    """A workspace without rows: :func:`grow` asks the source for what it needs to know of them.

    ``binned`` says what the bins mean and has no rows. Classes are numbered up to ``n_classes``;
    None is for targets. Weights and targets are the source's, and :func:`grow` is given none.
    """

    def __init__(self, source: RowSource, binned: BinnedData, *, n_classes: int | None = None):
        self.source = source
        self._lay_out(0, self._set_sizes(binned, n_classes))
        self.n_samples = source.n_rows
        self._n_chunks = 1
        self._begun = 0

    def total_weight(self, sample_weight: NDArray | None) -> float:
        """Return what the rows count together."""
        return self.source.total_weight()

    def take(self, rows: NDArray) -> "GrowWorkspace":
        """Refuse: rows are where they are."""
        raise ValueError("Rows of a store cannot be taken one by one: give them weights instead.")

    def _read_rows(self, sample_weight, target):
        if sample_weight is not None or target is not None:
            raise ValueError("Weights and targets of a store's rows lie with the rows: pass none.")
        return self._no_target, self._no_target

    def _run(self, weight, y, flags, criterion, *limits):
        self._begun += 1
        n_groups = -(-self.n_samples // self.source.group)
        self._partial = np.zeros((3, n_groups))
        now, scales = np.zeros(kernels.N_NOW, dtype=np.int64), np.zeros(7)
        now[hist._WORK] = self.n_samples
        todo, depth, min_samples = self._lists[0], limits[0], limits[3]
        while (kind := now[kernels.KIND]) != kernels.DONE:
            if kind in (kernels.TOTALS, kernels.SPREAD):
                rows = slice(0, 2) if kind == kernels.TOTALS else slice(2, 3)
                found = self.source.measure(int(kind), float(scales[kernels.CENTRE]))
                self._partial[rows] = found[rows]
            elif kind == kernels.PARTITION:
                final = self._nodes[hist.DEPTH, todo[0]] + 1 == depth
                fresh = self._partition(now, todo, flags, scales, final)
            elif kind == kernels.BUILD:
                if todo[0] < 0:
                    fresh = self._count_root(flags, scales)
                self._scan(now, todo, flags, scales, criterion, min_samples, fresh)
            kernels.advance(
                now, self._lists, scales, self._partial, self._segments, self._squares,
                self._nodes, self._reals, self._totals, self._hist, self._gains, self._candidates,
                self._sets, self._bounds, flags, criterion, self._per_word, self._width, *limits,
            )  # fmt: skip
        n_nodes = int(now[kernels.N_NODES])
        if n_nodes != hist.FULL:
            binned = self.binned
            kernels.finish(
                n_nodes, criterion, scales, self._nodes, self._reals, self._totals, self._bounds,
                binned.n_bins, flags, binned.values, binned.edges, binned.exact, self._value,
            )  # fmt: skip
        return n_nodes

    def _ask(self, n_nodes, first, built, flags, scales):
        """Have the source move its rows and add up; note numbers of rows and squares."""
        words, size = self._hist.shape[1:]
        n_built = int(built.max()) + 1
        found = self.source.add_up(
            Wanted(
                tree=self._begun,
                nodes=self._nodes[:, :n_nodes].copy(),
                sets=self._sets[:n_nodes].copy(),
                flags=flags,
                scales=scales.copy(),
                built=built,
                first=first,
                shape=(n_built, words, size),
                counts_shape=(n_built, words, self._counts.shape[2]),
                per_word=self._per_word,
                width=self._width,
            )
        )
        fresh, counts, n_rows, squares = found
        if first < n_nodes:
            self._segments[1, first:n_nodes, 0] = n_rows
            self._squares[first:n_nodes, 0] = squares.sum(axis=0)  # one group after the other
        return fresh, counts.astype(np.int32)

    def _count_root(self, flags, scales):
        built = np.zeros(1, dtype=np.int64)
        # The root is not split yet, and as a node it was made just now.
        return 1, built, *self._ask(1, 0, built, flags, scales)

    def _partition(self, now, todo, flags, scales, final):
        """Move the rows of the nodes that are split; count what is needed of the first children."""
        n_todo, n_nodes = int(now[kernels.N_TODO]), int(now[kernels.N_NODES])
        stop = 0 if final else min(n_todo, self._at_once())
        built = np.full(n_nodes, -1, dtype=np.int64)
        for i in range(stop):
            left, kept = self._nodes[hist.LEFT, todo[i]], self._nodes[hist.SLOT, todo[i]] >= 0
            weights = self._totals[left : left + 2]
            weights = weights[:, 0] if self.is_regression else weights.sum(axis=1)
            # With the parent's at hand one will do: the lighter, which most often has fewer rows.
            children = [left + int(weights[1] < weights[0])] if kept else [left, left + 1]
            for child in children:
                built[child] = built.max() + 1
        return stop, built, *self._ask(n_nodes, n_nodes - 2 * n_todo, built, flags, scales)

    def _scan(self, now, todo, flags, scales, criterion, min_samples, fresh):
        """Find the best splits of all children, in as many passes as their histograms need."""
        n_todo, n_nodes, start = int(now[kernels.N_TODO]), int(now[kernels.N_NODES]), 0
        while True:
            stop, built, histograms, counts = fresh
            kernels.scan(
                start, stop, built, histograms, counts, now, todo, scales, self._words,
                self._sums, self._index, self._segments, self._squares, self._nodes, self._hist,
                self._counts, self._gains, self._candidates, self._sets, self._bounds,
                self.binned.n_bins, flags, criterion, self._per_word, self._width, min_samples,
            )  # fmt: skip
            if stop >= n_todo:
                return
            start, stop = stop, min(n_todo, stop + self._at_once())
            built = np.full(n_nodes, -1, dtype=np.int64)
            for i in range(start, stop):
                left = self._nodes[hist.LEFT, todo[i]]
                for child in (left, left + 1):
                    if self._nodes[hist.OPEN, child]:
                        built[child] = built.max() + 1
            fresh = (stop, built, *self._ask(n_nodes, n_nodes, built, flags, scales))

    def _at_once(self):
        return max(1, _FRESH_BYTES // (2 * self._hist_bytes))
