"""Melt an ensemble of trees into one: the arrays, the loop with a budget, the tree."""

import heapq
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint._interrupts import keep_partial
from counterpoint._kernels import equivalent as kernels
from counterpoint._kernels.trees import depth
from counterpoint.trees.ensemble import TreeEnsemble, stack_trees
from counterpoint.trees.structure import LEAF, Tree, require_columns, round_down

# Points at which a box with many cells is asked, and the most cells that are all asked.
_POINTS = 1024
_CELLS = 2048
# Share of a column's width that its cells have beyond what the bounds give them: cells outside
# the bounds must weigh something, and nothing must weigh 0.
_FLOOR = 1e-6


@dataclass(frozen=True, kw_only=True)
class Packed:
    """An ensemble as the kernels want it; made by :func:`pack`.

    Trees are sorted by what they hold, so nothing depends on their order, except how near ties
    of sums that are not exact come out: these follow ``order``, that of the ensemble.
    """

    nodes: NDArray
    roots: NDArray
    columns: NDArray
    first: NDArray
    cuts: NDArray
    grid: NDArray
    table: NDArray
    exact: NDArray
    order: NDArray
    offset: NDArray
    start: NDArray
    slack: int
    votes: NDArray
    depth: int
    n_features: int

    @property
    def forest(self):
        """What most kernels begin with."""
        scores = (self.table, self.exact, self.order, self.offset, self.start, self.slack)
        return (self.nodes, self.roots, self.first, *scores)


def contributions(ensemble: TreeEnsemble) -> tuple[list[NDArray], NDArray, float]:
    """Return what leaves add, where scores begin, and how far sums may be off.

    Sums of whole numbers are exact; one and the same number, as in votes of equal weight, is
    counted in ones. Sums of n others whose sizes add up to s may be off by n s / 2**53 each.
    """
    tables = ensemble.contributions()
    offset = ensemble.offset
    offset = np.zeros(ensemble.n_classes) if offset is None else np.asarray(offset, dtype=float)
    added = np.concatenate(tables)[ensemble.stacked.is_leaf]
    sizes = np.unique(added[added != 0])
    if len(sizes) == 1 and sizes[0] > 0 and not offset.any():
        return [(table != 0).astype(float) for table in tables], offset, 0.0
    most = sum(float(np.abs(table).max()) for table in tables) + float(np.abs(offset).max())
    if (added == np.rint(added)).all() and (offset == np.rint(offset)).all() and most < 2**52:
        return tables, offset, 0.0
    return tables, offset, 2.1 * (len(tables) + 1) * most * 2.0**-53


def pack(ensemble: TreeEnsemble) -> Packed:
    """Lay out an ensemble for the kernels."""
    require_columns(ensemble.trees, "An equivalent tree")
    tables, offset, slack = contributions(ensemble)
    keys = [_key(*pair, ensemble.dtype) for pair in zip(ensemble.trees, tables, strict=True)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    at = stack_trees([ensemble.trees[t] for t in order])
    leaf = at.is_leaf
    given = np.nan_to_num(at.threshold, nan=0.0)
    grid = round_down(given, ensemble.dtype).astype(np.float64)
    values = np.concatenate([tables[t] for t in order])
    values = np.where(leaf[:, None], values, 0.0) + 0.0  # no -0
    rows, row_of = np.unique(values, axis=0, return_inverse=True)
    nodes = np.stack([at.feature, at.feature, at.left, at.right], axis=1).astype(np.int64)
    # Only columns that are asked for take part.
    columns = np.unique(at.feature[~leaf])
    cuts, shown = [], []
    for number, f in enumerate(columns):
        here = at.feature == f
        own, place = np.unique(grid[here], return_inverse=True)
        # Of thresholds that part no two numbers of the type the first is shown.
        first = np.full(len(own), np.inf)
        np.minimum.at(first, place.ravel(), given[here])
        nodes[here, 0], nodes[here, 1] = number, place.ravel()
        cuts.append(own)
        shown.append(first)
    nodes[leaf, 1] = row_of.ravel()[leaf]
    if slack:
        most = sum(float(np.abs(table).max()) for table in tables) + np.abs(offset).max()
        scale = 2.0 ** np.floor(60 - np.log2(most))
        whole = np.ceil(slack * scale) + len(tables) + 2
    else:
        scale, whole = 1.0, 0
    return Packed(
        nodes=nodes,
        roots=at.roots.astype(np.int64),
        columns=columns.astype(np.int64),
        first=np.concatenate([[0], np.cumsum([len(own) for own in cuts])]).astype(np.int64),
        cuts=np.concatenate([*shown, np.empty(0)]),
        grid=np.concatenate([*cuts, np.empty(0)]),
        table=np.rint(rows * scale).astype(np.int64),
        exact=np.ascontiguousarray(rows),
        order=position,
        offset=offset,
        start=np.rint(offset * scale).astype(np.int64),
        slack=int(whole),
        votes=np.ascontiguousarray(rows - min(rows.min(), 0.0)),
        depth=int(at.depths.max()),
        n_features=ensemble.n_features,
    )


def _key(tree, table, dtype):
    """Return what a tree holds as bytes that trees can be sorted by."""
    threshold = np.nan_to_num(tree.threshold, nan=0.0)
    values = np.where(tree.is_leaf[:, None], table, 0.0) + 0.0
    parts = (
        np.where(tree.is_leaf, LEAF, tree.feature).astype(np.int64),
        threshold,
        round_down(threshold, dtype).astype(np.float64),
        tree.children_left.astype(np.int64),
        tree.children_right.astype(np.int64),
        values,
    )
    return tuple(part.tobytes() for part in parts)


@dataclass(kw_only=True)
class Melted:
    """One tree as splits on cells: feature, cut, left, right by node, parents first.

    In a leaf ``feature`` is below 0; it is decided where ``label`` is not negative.
    """

    splits: NDArray
    label: NDArray
    finished: bool
    reason: str

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.splits[:, 0] < 0).sum())


class Melter:
    """The loop that splits open boxes, and can be stopped at any time."""

    def __init__(self, packed: Packed, bounds, X=None, *, by_volume=False):
        self.packed = packed
        n = len(packed.columns)
        self._width, self._mass = cell_measures(packed, bounds, X)
        self._by_volume = by_volume
        self._uniform = np.random.RandomState(0).random_sample((_POINTS, n))
        self.made = np.full((4096, 4), -1, dtype=np.int32)
        self._boxes = np.zeros((1024, 2, n), dtype=np.int32)
        self._owner = np.zeros(1024, dtype=np.int64)
        self._free = np.arange(1023, -1, -1)
        self._heap, self._slots = np.zeros(1024), np.zeros(1024, dtype=np.int64)
        self._keys = np.zeros(8192, dtype=np.uint64)
        self._held = np.full(8192, -1, dtype=np.int64)
        # nodes made, boxes open, free rows of boxes, keys held
        self.counts = np.array([1, 1, 1023, 0], dtype=np.int64)
        self._boxes[0, 1] = np.diff(packed.first)

    def run(self, max_leaves, deadline) -> tuple[bool, str]:
        """Go on until done (True), or a limit is reached (False, and which)."""
        steps = 256
        while True:
            room = steps
            if max_leaves is not None:
                open_leaves = self.leaves()
                # The last few leaves are not worth a pass over all for each.
                if max_leaves - open_leaves <= max_leaves // 200 and self.counts[1]:
                    return False, "max_leaves"
                room = int(min(steps, max_leaves - open_leaves))
            began = time.perf_counter()
            forest = (*self.packed.forest, self.packed.votes, self.packed.depth)
            judged_by = (self._uniform, _CELLS, self._by_volume, self._width, self._mass)
            boxes = (self.made, self._boxes, self._owner, self._free, self._heap, self._slots)
            seen = (self._keys, self._held)
            arguments: tuple = (*forest, *judged_by, *boxes, *seen, self.counts, max(room, 1))
            try:
                status = kernels.expand(*arguments)
            except KeyboardInterrupt:
                keep_partial("the tree decides as the ensemble only where it is proven to.")
                return False, "interrupted"
            if status == kernels.DONE:
                return True, ""
            if status == kernels.FULL:
                self._grow()
            now = time.perf_counter()
            if deadline is not None and now > deadline:
                return False, "time_limit"
            # About a tenth of a second a call, so that limits and Ctrl-C are noticed.
            steps = int(np.clip(steps * 0.1 / max(now - began, 1e-3), 64, 4 * steps))

    def leaves(self) -> float:
        """Count the leaves of the tree as it is, open boxes included."""
        return float(kernels.fold(self.made, int(self.counts[0]))[1][0])

    def _grow(self):
        if self.counts[0] + 2 > len(self.made):
            self.made = np.concatenate([self.made, np.full_like(self.made, -1)])
        if self.counts[2] < 2:
            size = len(self._boxes)
            self._boxes = np.concatenate([self._boxes, np.zeros_like(self._boxes)])
            self._owner = np.concatenate([self._owner, self._owner])
            self._heap = np.concatenate([self._heap, self._heap])
            self._slots = np.concatenate([self._slots, self._slots])
            free = np.empty(2 * size, dtype=np.int64)
            left = self.counts[2]
            free[:left] = self._free[:left]
            free[left : left + size] = np.arange(size, 2 * size)[::-1]
            self._free = free
            self.counts[2] += size
        if 2 * self.counts[3] >= len(self._keys):
            keys = np.zeros(2 * len(self._keys), dtype=np.uint64)
            held = np.full(len(keys), -1, dtype=np.int64)
            kernels.rehash(self._keys, self._held, keys, held)
            self._keys, self._held = keys, held

    def result(self, max_leaves, finished, reason) -> Melted:
        """Write the tree out, with at most ``max_leaves`` leaves."""
        label, leaves, _ = kernels.fold(self.made, int(self.counts[0]))
        if max_leaves is not None and leaves[0] > max_leaves:
            out = self._heaviest(label, int(max_leaves))
            finished, reason = False, "max_leaves"
        else:
            out = kernels.lay_out(self.made, label, 2 * int(leaves[0]) - 1)
        label = np.where(out[:, 0] == kernels.LEAF, out[:, 1], -1)
        return Melted(splits=out, label=label, finished=finished, reason=reason)

    def _heaviest(self, label, max_leaves):
        """Write out splits, those of the heaviest boxes first, until the leaves are used up."""
        packed, made = self.packed, self.made
        box = np.zeros((2, len(packed.columns)), dtype=np.int64)
        box[1] = np.diff(packed.first)
        out = [[kernels.OPEN, -1, -1, -1]]
        queue = [(-1.0, 0, 0, box)]
        n_leaves = 1
        while queue:
            _, me, node, box = heapq.heappop(queue)
            while made[node, 0] == kernels.ALIAS:
                node = made[node, 1]
            if label[node] >= 0:
                out[me][:2] = [kernels.LEAF, int(label[node])]
                continue
            if made[node, 0] < 0 or n_leaves == max_leaves:
                continue
            f, k = int(made[node, 0]), int(made[node, 1])
            n_leaves += 1
            out[me][:2] = [f, k]
            for side in range(2):
                child = box.copy()
                child[1 - side, f] = k + side
                out[me][2 + side] = len(out)
                mass = kernels.mass_of(self._mass, packed.first, child)
                heapq.heappush(queue, (-mass, len(out), int(made[node, 2 + side]), child))
                out.append([kernels.OPEN, -1, -1, -1])
        return np.array(out, dtype=np.int64)


def cell_measures(packed, bounds, X):
    """Widths of all cells, and summed shares of space and data before each cell."""
    low, high = bounds
    widths, masses = [], []
    for at, f in enumerate(packed.columns):
        cuts = packed.cuts[packed.first[at] : packed.first[at + 1]]
        edges = np.concatenate([[low[f]], np.clip(cuts, low[f], high[f]), [high[f]]])
        width = np.diff(edges)
        n = len(width)
        width = width / width.sum() if width.sum() > 0 else np.full(n, 1 / n)
        width = (1 - _FLOOR) * width + _FLOOR / n
        share = width
        if X is not None:
            cell = np.searchsorted(cuts, X[:, f], side="left")
            share = (width + np.bincount(cell, minlength=n) / len(X)) / 2
        widths.append(width)
        masses.append(np.concatenate([[0.0], np.cumsum(share)]))
    return np.concatenate([*widths, np.zeros(1)]), np.concatenate([*masses, np.zeros(1)])


def threshold_bounds(packed: Packed) -> tuple[NDArray, NDArray]:
    """Bounds for volumes where there are no data: the thresholds and one gap more."""
    low, high = np.zeros(packed.n_features), np.ones(packed.n_features)
    for at, f in enumerate(packed.columns):
        cuts = packed.cuts[packed.first[at] : packed.first[at + 1]]
        cuts = cuts[np.isfinite(cuts)]
        if len(cuts):
            gap = (cuts[-1] - cuts[0]) / max(len(cuts) - 1, 1) or 1.0
            low[f], high[f] = cuts[0] - gap, cuts[-1] + gap
    return low, high


def to_tree(packed: Packed, splits: NDArray, label: NDArray, n_classes: int) -> Tree:
    """Give the splits thresholds, and leaves one unit of weight for their label (0: none yet)."""
    n = len(splits)
    inner = splits[:, 0] >= 0
    feature = np.full(n, LEAF, dtype=np.int32)
    threshold = np.full(n, np.nan)
    if inner.any():
        feature[inner] = packed.columns[splits[inner, 0]]
        threshold[inner] = packed.cuts[packed.first[splits[inner, 0]] + splits[inner, 1]]
    value = np.zeros((n, n_classes))
    closed = np.flatnonzero(label >= 0)
    value[closed, label[closed]] = 1.0
    left, right = splits[:, 2].astype(np.int32), splits[:, 3].astype(np.int32)
    return Tree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.zeros(n, dtype=bool),
        value=value,
        weighted_n_node_samples=np.zeros(n),
        n_node_samples=np.zeros(n, dtype=np.int64),
        impurity=np.zeros(n),
        max_depth=int(depth(left, right)),
    )
