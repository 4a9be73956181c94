"""Grow trees on binned data, again and again with other weights."""

from copy import copy

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._kernels import hist as kernels
from counterpoint._kernels.binning import pack_words
from counterpoint._kernels.threads import threads_for
from counterpoint.trees.binning import BinnedData
from counterpoint.trees.growing.monotone import check_directions
from counterpoint.trees.structure import Tree

CRITERIA = {"gini": 0, "entropy": 1, "squared_error": 2}
MAX_CLASSES = 256

BLOCK = 4096  # rows whose votes are summed up together: that of ``_kernels.boosting``
MANY_ROWS = 4 << 15  # rows from which on chunks are whole blocks
_CHUNK = 1 << 15  # at most so many rows: positions within a chunk have two bytes
_UNLIMITED = 1 << 30
_CAPACITY = 4096  # nodes to begin with
_HIST_BYTES = 1 << 27  # at most this much for histograms that are kept
# With fewer numbers in X than this, threads cost more than they bring: on a busy machine those
# that share a tiny tree wait for each other. 150 stumps on 2000 x 30 took 14 s with two threads
# there, and 0.15 s with one.
_MIN_PARALLEL = 400_000
# As LightGBM's cat_smooth and cat_l2: weight added to that of a category before they are sorted,
# and to that of either side of a cut of them, so that rare ones do not lead by chance.
CATEGORY_SMOOTH = 10.0
CATEGORY_L2 = 10.0
# Sorting k categories by targets that are noise gains 2 / pi of a row's variance for each of them
# (the square of a normal number's mean size). Most of that is asked for before they are cut.
CATEGORY_CHANCE = 0.5


class GrowWorkspace:
    """All memory that trees on the same data need, and all work that weights do not change.

    ``y`` are class codes; None for regression, where targets are given to :func:`grow`. ``leaf``
    (n_samples,) is where the training samples are in the tree grown last.
    """

    def __init__(
        self, binned: BinnedData, y: ArrayLike | None = None, *, n_classes: int | None = None
    ):
        n = len(binned.codes)
        codes = _check_codes(y, n, n_classes)
        classes = None if y is None else int(n_classes or codes.max() + 1)
        n_words = self._set_sizes(binned, classes)
        self._lay_out(n, n_words)
        pack_words(binned.codes, codes, binned.n_bins, self._per_word, self._words[0])
        self._part: GrowWorkspace | None = None
        self._taken: NDArray | None = None

    def _set_sizes(self, binned, n_classes):
        """Work out the sizes of histograms; return how many words a row takes."""
        self.binned = binned
        d = binned.n_features
        self.is_regression = n_classes is None
        self.n_classes = n_classes or 1
        self._n_sums = n_classes or 2
        # An even number of words: two threads then have the same work at the root.
        n_words = 1 if d == 1 else 2 * -(-d // (2 * kernels.MAX_PER_WORD))
        self._per_word = -(-d // n_words)
        self._width = int(binned.n_bins.max()) + int(binned.has_missing.any())
        self._hist_bytes = 8 * n_words * self._n_sums * self._per_word * self._width
        self._min_parallel = _MIN_PARALLEL
        self._no_target = np.empty(0)
        self._flags = _flag(binned.has_missing, kernels.MISSING)
        self._has_categories = bool(binned.categorical.any())
        if self._has_categories:
            if not self.is_regression:
                raise ValueError(
                    "Columns of categories are sorted by targets, and y are classes: grow on "
                    "targets, or bin the columns as numbers."
                )
            self._flags |= _flag(binned.categorical, kernels.CATEGORY)
        return n_words

    def _lay_out(self, n, n_words):
        """Make room for so many rows."""
        self.n_samples = n
        self._chunk = max(chunk_rows(n), 1)
        self._n_chunks = -(-n // self._chunk)
        # Where rows are close by, words are not moved, but fetched.
        buffers = 2 if self._n_chunks == 1 else 3
        self._words = np.empty((buffers, n_words, n), dtype=np.uint64)
        # Weights, and weighted targets if there are any; positions, and a list of places.
        self._sums = np.empty((3, 2 if self.is_regression else 1, n), dtype=np.int64)
        self._squared = np.empty(n if self.is_regression else 0)
        self._index = np.empty((4, n), dtype=np.uint16)
        self._index[0] = np.arange(n) % self._chunk
        self._partial = np.zeros((3, self._n_chunks))
        self.leaf = np.zeros(n, dtype=np.int32)
        self._capacity = self._n_kept = 0
        self._lists = np.empty((3, 0), dtype=np.int64)
        self._bounds = np.zeros((0, 2))
        self._counting = False

    def some(self, rows: NDArray, y: ArrayLike | None = None) -> "GrowWorkspace":
        """Return a workspace of some rows that stands on its own, in the same bins."""
        return GrowWorkspace(
            self.binned.take(rows), y, n_classes=None if y is None else self.n_classes
        )

    def take(self, rows: NDArray) -> "GrowWorkspace":
        """Return a workspace of some rows; the next call may use its memory again.

        Given the same array once more, with the same rows, nothing is copied.
        """
        if self._part is not None and rows is self._taken:
            return self._part
        if self._part is None or self._part.n_samples != len(rows):
            self._part = copy(self)
            self._part._lay_out(len(rows), self._words.shape[1])
        self._taken = rows
        for taken, words in zip(self._part._words[0], self._words[0], strict=True):
            np.take(words, rows, out=taken, mode="clip")  # the mode that needs no copy
        return self._part

    @property
    def is_small(self) -> bool:
        """Whether threads that share a tree would cost more than they bring."""
        return self.n_samples * self.binned.n_features < self._min_parallel

    def total_weight(self, sample_weight: NDArray | None) -> float:
        """Return what the rows count together."""
        return float(self.n_samples if sample_weight is None else sample_weight.sum())

    def _read_rows(self, sample_weight, target):
        """Return weights and targets as arrays of numbers, none for classes."""
        n = self.n_samples
        if self.is_regression != (target is not None):
            raise ValueError(
                "target is for regression, where the workspace was made without y: pass one of "
                "the two."
            )
        y = self._no_target if target is None else _as_floats(target, n, "target")
        if sample_weight is None:
            return np.ones(n), y
        return _as_floats(sample_weight, n, "sample_weight"), y

    def _run(self, weight, y, flags, criterion, *limits):
        """Grow the tree into the arrays reserved; return the number of nodes, or ``FULL``."""
        binned = self.binned
        return kernels.grow(
            weight, y, self._words, self._sums, self._index, self.leaf, self._squared,
            self._segments, self._squares, self._partial, self._nodes, self._reals, self._totals,
            self._hist, self._counts, self._gains, self._candidates, self._sets, self._bounds,
            self._lists, binned.n_bins, flags, binned.values, binned.edges, binned.exact,
            self._value, *self._rooms, criterion, self._per_word, self._width, self._chunk,
            *limits,
        )  # fmt: skip

    def _reserve(self, capacity, n_kept, counting, bounded):
        """Make room for so many nodes and kept histograms, with numbers of rows or without."""
        n_words, size = self._words.shape[1], self._per_word * self._width
        if capacity > self._capacity:
            self._capacity = capacity
            self._nodes = np.zeros((kernels.N_FIELDS, capacity), dtype=np.int64)
            self._reals = np.zeros((kernels.N_REALS, capacity))
            self._totals = np.zeros((capacity, self._n_sums), dtype=np.int64)
            self._value = np.zeros((capacity, self._n_sums))
            self._segments = np.zeros((2, capacity, self._n_chunks), dtype=np.int32)
            self._squares = np.zeros((capacity, self._n_chunks))
            self._gains = np.zeros((capacity, n_words))
            shape = (capacity, n_words, kernels.N_CANDIDATE + self._n_sums)
            self._candidates = np.zeros(shape, dtype=np.int64)
            shape = (capacity * self._has_categories, n_words, 2 * kernels.SET_WORDS)
            self._sets = np.zeros(shape, dtype=np.uint64)
        if len(self._bounds) != bounded * self._capacity:
            self._bounds = np.zeros((bounded * self._capacity, 2))
        if n_kept > self._n_kept or counting > self._counting:
            self._n_kept, self._counting = max(n_kept, self._n_kept), counting
            kept = (self._n_kept, n_words)
            self._hist = np.empty((*kept, self._n_sums * size), dtype=np.int64)
            self._counts = np.empty((*kept, size if counting else 0), dtype=np.int32)
            n_rooms = 1 if self.is_small else numba.get_num_threads()
            n_counts = self._counts.shape[2]
            self._rooms = kernels.rooms(n_rooms, self._n_sums * size, n_counts, self._n_sums)
        if max(self._capacity, self._n_kept) > self._lists.shape[1]:
            self._lists = np.zeros((3, max(self._capacity, self._n_kept)), dtype=np.int64)


def grow(
    workspace: GrowWorkspace,
    sample_weight: NDArray | None = None,
    *,
    target: NDArray | None = None,
    criterion: str | None = None,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    min_impurity_decrease: float = 0.0,
    l2: float = 0.0,
    columns: NDArray | None = None,
    directions: NDArray | None = None,
    category_smooth: float = CATEGORY_SMOOTH,
    category_l2: float = CATEGORY_L2,
    category_chance: float = CATEGORY_CHANCE,
) -> Tree:
    """Grow one tree; the leaf of every training sample is left in ``workspace.leaf``.

    The same weights, finite, not negative and not all zero, give the same bits at any number of
    threads. ``target`` is for regression only; ``criterion`` None is "gini", or "squared_error".
    Numbers of samples are counted whatever their weight. ``l2`` is added to the weight of a leaf
    when its value is worked out, which draws that towards 0. ``columns`` (n_features,) says which
    columns may be split on; ``directions`` (n_features,) where the answers must rise with a column,
    1, or fall, -1, else 0, for regression. Categories are sorted by mean target, drawn to that of
    the node by ``category_smooth``. ``category_l2`` is added to ``l2`` when a cut of them is
    judged, and it must bring ``category_chance`` of a row's variance for each beyond two. Splits
    that cost more by penalties than they bring are not made.
    """
    binned = workspace.binned
    n = workspace.n_samples
    weight, y = workspace._read_rows(sample_weight, target)
    if criterion is None:
        criterion = "squared_error" if workspace.is_regression else "gini"
    if criterion not in CRITERIA or (criterion == "squared_error") != workspace.is_regression:
        raise ValueError(
            f"criterion={criterion!r}: choose gini or entropy for classes, squared_error for "
            "targets."
        )
    depth = _UNLIMITED if max_depth is None else int(max_depth)
    leaves = 0 if max_leaf_nodes is None else int(max_leaf_nodes)
    most = min(n // max(min_samples_leaf, 1) + 1, leaves or n, 1 << min(depth, 30))
    capacity = min(2 * most, _CAPACITY)
    n_kept = min(most, 1 << min(max(depth - 2, 0), 30), _HIST_BYTES // workspace._hist_bytes + 2)
    flags = workspace._flags
    if columns is not None:
        flags = flags | _flag(~np.asarray(columns, dtype=bool), kernels.BARRED)
    bounded = False
    if directions is not None:
        directions = check_directions(directions, "directions", binned.categorical)
        bounded = bool(directions.any())
    if directions is not None and bounded:
        if not workspace.is_regression:
            raise ValueError("directions are for regression, and y are classes: leave them out.")
        flags = flags | _flag(directions > 0, kernels.RISING)
        flags = flags | _flag(directions < 0, kernels.FALLING)
    with threads_for(0 if workspace.is_small else np.inf):  # little work is done faster alone
        while True:
            workspace._reserve(capacity, n_kept, min_samples_leaf > 1, bounded)
            n_nodes = workspace._run(
                weight, y, flags, CRITERIA[criterion], depth, leaves, int(min_samples_split),
                int(min_samples_leaf), float(min_weight_leaf), float(min_impurity_decrease),
                (float(l2), float(category_smooth), float(category_l2), float(category_chance)),
            )  # fmt: skip
            if n_nodes != kernels.FULL:
                return _collect(workspace, n_nodes)
            capacity = 4 * workspace._capacity  # a tree without limits: again, with more room


def _collect(workspace, n_nodes):
    nodes = workspace._nodes[:, :n_nodes]
    left = nodes[kernels.LEFT].astype(np.int32)
    value = workspace._value[:n_nodes]
    if workspace.is_regression:
        value, weight = value[:, :1].copy(), value[:, 1].copy()
    else:
        value, weight = value.copy(), value.sum(axis=1)
    feature, categories = nodes[kernels.FEATURE].astype(np.int32), None
    if workspace._has_categories:
        split = (feature >= 0) & workspace.binned.categorical[feature]
        if split.any():
            members = workspace._sets[:n_nodes, 0, : kernels.SET_WORDS]
            categories = np.where(split[:, None], members, np.uint64(0))
    return Tree(
        children_left=left,
        children_right=left + (left >= 0),
        feature=feature,
        threshold=workspace._reals[kernels.THRESHOLD, :n_nodes].copy(),
        bin_threshold=nodes[kernels.BIN].astype(np.uint8),
        missing_go_to_left=nodes[kernels.MISSING_LEFT].astype(bool),
        value=value,
        weighted_n_node_samples=weight,
        n_node_samples=nodes[kernels.N_ROWS].copy(),
        impurity=workspace._reals[kernels.IMPURITY, :n_nodes].copy(),
        max_depth=int(nodes[kernels.DEPTH].max()),
        categories=categories,
    )


def _flag(where, bit):
    return where * np.uint8(bit)


def chunk_rows(n):
    """Return how many rows are summed up together; a store keeps them so too."""
    # An even number of chunks, for two threads; few, because short segments cost time. Of many rows
    # a chunk is whole blocks, so that shards of a store can end where chunks do.
    if n < _CHUNK // 2:
        return n
    even = -(-n // (2 * -(-n // (2 * _CHUNK))))
    return even if n < MANY_ROWS else -(-even // BLOCK) * BLOCK


def _as_floats(array, n, name):
    # A read-only array would have the kernel compiled once more.
    if not (type(array) is np.ndarray and array.dtype == np.float64 and array.flags.carray):
        array = np.require(array, dtype=np.float64, requirements=["C", "W"])
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({n},): one per sample.")
    return array


def _check_codes(y, n, n_classes):
    if y is None:
        return np.empty(0, dtype=np.uint8)
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"y has shape {y.shape}, expected ({n},): one class code per sample.")
    most = MAX_CLASSES if n_classes is None else n_classes
    if not 1 <= most <= MAX_CLASSES:
        raise ValueError(f"n_classes={n_classes}: trees on bins take from 1 to {MAX_CLASSES}.")
    if y.min() < 0 or y.max() >= most:
        raise ValueError(
            f"y holds codes from {y.min()} to {y.max()}, expected 0 to {most - 1}: number the "
            "classes with np.unique(y, return_inverse=True)."
        )
    return y.astype(np.uint8)
