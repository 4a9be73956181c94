"""The smallest tree with the decisions of an ensemble."""

import time
from dataclasses import replace

import numpy as np

from counterpoint._interrupts import keep_partial
from counterpoint._kernels import equivalent as kernels
from counterpoint._kernels import smallest as search_kernels
from counterpoint._kernels.trees import depth
from counterpoint._kernels.within_box import look_alone
from counterpoint.trees.equivalent.exact import Melted, Packed
from counterpoint.trees.equivalent.grid import Table, label_grid

# Points at which boxes with many cells are asked, to order cuts; and most cells all asked.
_POINTS = 48
_CELLS = 64
# Boxes with no more cells, and no more boxes of cells, are worked out as a table of labels. By
# (leaves, depth): leaves need every box of a table in full anyway, and each only once.
_TABLE_CELLS = (64, 256)
_TABLE_BOXES = (200, 2000)
# Boxes looked at between two looks at the clock, and at Ctrl-C.
_STEPS = 100_000
# Boxes that are remembered by their edges.
_SEEN = 2**21
# Rows of memory, about 40 bytes each, at which the search is given up.
_MOST_ROWS = 2**26
# Boxes of a table that is worked out before any search; and boxes of a larger one for each box that
# the search may look at before: about a tenth of the time.
_TABLE_FIRST = 2**24
_BOXES_A_STEP = 4000


def find_smallest(packed: Packed, melted: Melted, minimize: str, deadline):
    """Look for a smaller tree than ``melted``; returns it, or ``melted``, and whether proven.

    A search is tried for part of the time of a table of all boxes, or for all if it has no room.
    """
    deep = minimize == "depth"
    known = int(depth(*melted.splits.T[2:].astype(np.int32))) if deep else melted.n_leaves
    if melted.n_leaves == 1:
        return melted, True
    table = None
    grid = label_grid(packed)
    if grid is not None:
        table = Table(grid, deep=deep, known=known)
        table = table if table.fits else None
    box = np.zeros((2, len(packed.columns)), dtype=np.int64)
    box[1] = np.diff(packed.first)
    try:
        if table is None or table.n_boxes > _TABLE_FIRST:
            search = _Search(packed, deep)
            steps = None if table is None else int(table.n_boxes) // _BOXES_A_STEP
            cost = search.run(box, known, deadline, steps)
            if cost is not None:
                return (melted if cost >= known else search.extract(box)), True
        if table is None or not table.fill(deadline):
            return melted, False
    except KeyboardInterrupt:
        keep_partial("the tree is not known to be the smallest.", stacklevel=5)
        return melted, False
    if table.cost + (0 if deep else 1) >= known:
        return melted, True
    splits = table.splits()
    leaf = splits[:, 0] < 0
    splits[leaf, 0] = kernels.LEAF
    return replace(melted, splits=splits, label=np.where(leaf, splits[:, 1], -1)), True


class _Search:
    """Frames and memory of a search, see :func:`counterpoint._kernels.smallest.search`."""

    def __init__(self, packed, deep):
        self._packed, self._deep = packed, deep
        n_all, n_columns = int(packed.first[-1]), len(packed.columns)
        self._column = np.repeat(np.arange(n_columns), np.diff(packed.first))
        self._uniform = np.random.RandomState(0).random_sample((_POINTS, n_columns))
        # A split takes away a cut, so there are never more frames than cuts.
        self._state = np.zeros((n_all + 2, 9), dtype=np.int64)
        self._boxes = np.zeros((n_all + 2, 2, n_columns), dtype=np.int64)
        self._listed = np.zeros((n_all + 2, n_all + 1), dtype=np.int32)
        self._memory = _Memory()
        self._seen = np.zeros(_SEEN, dtype=np.uint64)
        self._found = np.full(_SEEN, -1, dtype=np.int64)

    def run(self, box, known, deadline, steps=None):
        """Return the least cost of a box, or some number not below ``known``; None: ran out."""
        label, code = _look(self._packed, box)
        leaf_cost = 0 if self._deep else 1
        if label >= 0:
            return leaf_cost
        slot = self._memory.open(code, leaf_cost)
        self._boxes[0] = box
        self._state[0] = 0
        self._state[0, [search_kernels.SLOT, search_kernels.NEED]] = slot, known
        counts = np.array([1, self._memory.n_used, 0, 0], dtype=np.int64)
        while True:
            memory = self._memory
            forest = (*self._packed.forest, self._packed.depth, self._uniform, _CELLS)
            table = (_TABLE_CELLS[self._deep], _TABLE_BOXES[self._deep], self._column, self._deep)
            frames = (self._state, self._boxes, self._listed)
            seen = (memory.keys, memory.used, memory.cells, self._seen, self._found)
            arguments: tuple = (*forest, *table, *frames, *seen, counts, int(counts[3]) + _STEPS)
            status = search_kernels.search(*arguments)
            memory.n_used = int(counts[1])
            if status == kernels.DONE:
                return int(counts[2])
            if status == kernels.FULL:
                if len(memory.keys) >= _MOST_ROWS:
                    return None
                memory.grow(self._state[: counts[0], search_kernels.SLOT])
                self._found[:] = -1  # slots are new
            if steps is not None and counts[3] >= steps:
                return None
            if deadline is not None and time.perf_counter() > deadline:
                return None

    def extract(self, box) -> Melted:
        """Follow the best cuts down from a box whose cost is known."""
        out = [[kernels.OPEN, -1, -1, -1]]
        stack = [(0, box)]
        first = self._packed.first
        while stack:
            node, box = stack.pop()
            label, code = _look(self._packed, box)
            if label < 0:
                known = self._memory.find(code)
                if known is None or known[search_kernels.COST] < 0:
                    # Worked out in a table with a larger box, and not kept.
                    self.run(box, np.iinfo(np.int32).max, None)
                    known = self._memory.find(code)
                label = known[search_kernels.LABEL]
            if label >= 0:
                out[node][:2] = [kernels.LEAF, int(label)]
                continue
            g = int(known[search_kernels.CUT])
            f = int(self._column[g])
            k = g - int(first[f])
            out[node][:2] = [f, k]
            for side in (0, 1):
                child = box.copy()
                child[1 - side, f] = k + side
                out[node][2 + side] = len(out)
                stack.append((len(out), child))
                out.append([kernels.OPEN, -1, -1, -1])
        splits = np.array(out, dtype=np.int64)
        label = np.where(splits[:, 0] == kernels.LEAF, splits[:, 1], -1)
        return Melted(splits=splits, label=label, finished=True, reason="")


class _Memory:
    """A hash table from codes of functions to what is known of their smallest trees."""

    def __init__(self, size=2**14):
        self.keys = np.zeros(size, dtype=np.uint64)
        self.used = np.zeros(size, dtype=bool)
        self.cells = np.full((size, 4), -1, dtype=np.int32)
        self.n_used = 0

    def _slot(self, code):
        return int(search_kernels._slot_of(np.uint64(code), self.keys, self.used))

    def find(self, code):
        """Return the row of a code, None if there is none."""
        slot = self._slot(code)
        return self.cells[slot] if self.used[slot] else None

    def open(self, code, least):
        """Return the slot of a code, a new one if it has none."""
        slot = self._slot(code)
        if not self.used[slot]:
            self.keys[slot], self.used[slot] = code, True
            self.cells[slot] = least, -1, -1, -1
            self.n_used += 1
        return slot

    def grow(self, slots):
        """Double the table; ``slots``, those of open frames, are changed to the new ones."""
        codes = self.keys[slots]
        old = np.flatnonzero(self.used)
        keys, cells = self.keys[old], self.cells[old]
        size = 2 * len(self.keys)
        self.keys = np.zeros(size, dtype=np.uint64)
        self.used = np.zeros(size, dtype=bool)
        self.cells = np.full((size, 4), -1, dtype=np.int32)
        search_kernels.refill(keys, cells, self.keys, self.used, self.cells)
        slots[:] = [self._slot(code) for code in codes]


def _look(packed, box):
    n_classes = packed.table.shape[1]
    whole = [np.empty(n_classes, dtype=np.int64) for _ in range(3)]
    arguments: tuple = (
        *packed.forest,
        box,
        np.empty(len(packed.roots), dtype=np.int64),
        *whole,
        np.zeros(int(packed.first[-1]) + 1, dtype=np.int32),
        np.empty((packed.depth + 2, 3), dtype=np.int64),
        np.empty(packed.depth + 2, dtype=np.uint64),
    )
    return look_alone(*arguments)
