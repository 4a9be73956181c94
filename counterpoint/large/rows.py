"""Rows of one shard of a store, and what a fit keeps for each of them beside the store.

A shard answers questions by sums over its rows. What it keeps (weights, votes, scores) follows from
the store and from the *log* of the fit: the members taken in so far. So a process that has lost it,
or never had it, makes it again by going through the log. Asking twice gives the same answer.
"""

import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numba import get_num_threads
from numpy.typing import NDArray

from counterpoint._kernels import boosting as vote_kernels
from counterpoint._kernels import hist
from counterpoint._kernels import hist_shards as kernels
from counterpoint._kernels.votes import votes_of_leaves
from counterpoint.large.mapping import let_go
from counterpoint.large.store import BinnedStore
from counterpoint.trees.growing.shards import Wanted
from counterpoint.trees.structure import Tree

# Arrays of fewer bytes stay in memory, and larger ones while there is room: those that every pass
# writes to come first. The others are files beside the store.
_MAPPED = 1 << 26
# Bytes that a fit holds, of mapped files too. Of what is more, the pages of a piece of the rows are
# let go of when it has been gone through.
_HELD = 5 << 28
_PIECE = 1 << 21  # rows
_LAST_ONLY = ("aim", "draw")
_NOBODY: tuple[int, list] = (-1, [])  # a member's number, and what it says of each piece


@dataclass(frozen=True)
class Member:
    """A finished tree as the rows see it: where they go, and what a leaf says."""

    number: int  # of the tree, as counted by who grows them; rows of the last one are in place
    nodes: NDArray
    sets: NDArray
    says: NDArray  # the class of each node, or its value

    @classmethod
    def of(cls, tree: Tree, number: int, *, votes: bool) -> "Member":
        """Return the member that a tree is."""
        nodes = np.zeros((hist.N_FIELDS, len(tree.feature)), dtype=np.int64)
        nodes[hist.LEFT] = np.where(tree.is_leaf, -1, tree.children_left)
        nodes[hist.FEATURE], nodes[hist.BIN] = tree.feature, tree.bin_threshold
        nodes[hist.MISSING_LEFT] = tree.missing_go_to_left
        sets = np.zeros((0, 1, 2 * hist.SET_WORDS), dtype=np.uint64)
        if tree.categories is not None:
            sets = np.zeros((len(tree.feature), 1, 2 * hist.SET_WORDS), dtype=np.uint64)
            sets[:, 0, : hist.SET_WORDS] = tree.categories
        says = tree.value.argmax(axis=1).astype(np.uint8) if votes else tree.value[:, 0].copy()
        return cls(number, nodes, sets, says)


@dataclass(frozen=True)
class Job:
    """What a fit does with the rows; made once, sent to every process.

    ``rows`` is the class that keeps them; ``class_factor`` (n_classes,) multiplies weights, and
    ``scale`` divides them. ``more`` is what else that class must know.
    """

    token: str
    rows: type
    class_factor: NDArray | None = None
    scale: float = 1.0
    more: dict[str, Any] = field(default_factory=dict)


class _Room:
    """What is left of the memory that the rows of all fits of this process may take.

    A page of a mapped file that is written to is also written to disk now and then, and each time
    the next writer waits for the system: memory costs less as long as there is enough.
    """

    def __init__(self):
        self._taken, self._lock = 0, threading.Lock()

    def take(self, size):
        """Take so many bytes; say whether there were as many."""
        with self._lock:
            there = self._taken + size <= _HELD
            self._taken += size * there
            return there

    def give_back(self, size):
        """Take note that an array is gone."""
        with self._lock:
            self._taken -= size


_room = _Room()


class Rows:
    """Rows of the groups ``first`` to ``last`` that a single tree is grown on."""

    def __init__(self, store: BinnedStore, first: int, last: int, job: Job, folder: Path | None):
        self.store, self.first, self.last, self.job, self.folder = store, first, last, job, folder
        self.codes = store.codes(first, last)
        self.targets = store.targets(first, last)
        self.is_regression = store.classes is None
        self.n = len(self.targets)
        self.leaf = self.zeros("leaf", (self.n,), np.int32)
        self.weight = self.zeros("weight", (self.n,), np.float64)
        self.y = np.empty(0, dtype=np.uint8) if self.is_regression else self.targets
        self.target = self.targets if self.is_regression else np.empty(0)
        self.flags = np.where(store.cuts["categorical"], hist.CATEGORY, 0).astype(np.uint8)
        self.at: int | None = 0  # the tree that `leaf` is about
        self.n_done = 0  # entries of the log that have been gone through
        self.begin()

    def zeros(self, name, shape, dtype):
        """Return an array for the rows, in memory or in a file of its own."""
        size = np.dtype(dtype).itemsize * int(np.prod(shape))
        if self.folder is None or size < _MAPPED:
            return np.zeros(shape, dtype)
        if _room.take(size):
            array = np.zeros(shape, dtype)
            weakref.finalize(array, _room.give_back, size)
            return array
        file = tempfile.NamedTemporaryFile(prefix=f"{name}-", dir=self.folder)  # noqa: SIM115
        if size > 0 and hasattr(os, "posix_fallocate"):
            try:  # now: on a full disk the first touch of a mapped page would end the process
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                file.close()
                raise OSError(
                    error.errno,
                    f"No space for what a fit keeps of the rows: it takes {size} bytes more in "
                    f"{self.folder}, beside the store or where a worker keeps its files",
                ) from error
        # The file has no name any more once it is closed, and lives as long as the array.
        return np.asarray(np.memmap(file, dtype, "w+", shape=shape))

    # -- pieces ----------------------------------------------------------------------------------

    def _arrays(self):
        """Yield all arrays that have a row for each of the rows."""
        for array in vars(self).values():
            if isinstance(array, np.ndarray) and array.ndim and len(array) == self.n:
                yield array

    def _not_held(self):
        """Return the arrays that are too large to be held; what every pass needs comes first."""
        left, found = _HELD, []
        for array in [*{id(one): one for one in self._arrays()}.values(), self.codes]:
            if array.nbytes <= left:
                left -= array.nbytes
            else:
                found.append(array)
        return found

    def pieces(self) -> Iterator[tuple[slice, slice]]:
        """Yield which groups, and rows, to look at together: all, or a piece of very many."""
        n_groups, group = len(self.codes), self.store.group
        large = self._not_held()
        step = max(1, _PIECE // group) if large else n_groups
        for first in range(0, n_groups, step):
            groups = slice(first, min(first + step, n_groups))
            rows = slice(first * group, min(groups.stop * group, self.n))
            yield groups, rows
            for array in large:
                let_go(array[groups if array is self.codes else rows])

    def by_group(self) -> Iterator[slice]:
        """Yield the place of each group of rows."""
        for _, rows in self.pieces():
            for start in range(rows.start, rows.stop, self.store.group):
                yield slice(start, min(start + self.store.group, rows.stop))

    # -- weights ---------------------------------------------------------------------------------

    def begin(self):
        """Set the weights that training starts from."""
        weights = self.store.weights(self.first, self.last)
        for part in self.by_group():
            self.weight[part] = 1.0 if weights is None else weights[part]
            if self.job.class_factor is not None:
                self.weight[part] *= self.job.class_factor[self.targets[part]]
            self.weight[part] /= self.job.scale
        if weights is not None:
            let_go(weights)

    def is_made(self):
        """Return True: the rows are there, and have gone through the log."""
        return True

    def weight_sums(self):
        """Return the sum of the weights in each group, as they are now."""
        return np.array([self.weight[part].sum() for part in self.by_group()])

    # -- trees -----------------------------------------------------------------------------------

    def measure(self, kind, centre):
        """Answer for ``RowSource.measure``."""
        found = []
        for groups, rows in self.pieces():
            found.append(np.zeros((3, groups.stop - groups.start)))
            weight, target = self.weight[rows], self.target[rows]
            kernels.measure(kind, self.store.group, weight, target, centre, found[-1])
        return np.concatenate(found, axis=1)

    def add_up(self, wanted: Wanted):
        """Answer for ``RowSource.add_up``."""
        shares = min(get_num_threads(), len(self.codes))
        n_new = wanted.nodes.shape[1] - wanted.first
        found = np.zeros((shares, *wanted.shape), dtype=np.int64)
        counts = np.zeros((shares, *wanted.counts_shape), dtype=np.int64)
        n_rows = np.zeros((shares, n_new), dtype=np.int64)
        squares = np.zeros((len(self.codes), n_new))
        self._go_down(
            wanted.tree, wanted.nodes, wanted.sets, wanted.flags, wanted.scales, wanted.built,
            wanted.first, found, counts, n_rows, squares, wanted.per_word, wanted.width, shares,
        )  # fmt: skip
        return _added(found), _added(counts), _added(n_rows), squares

    def go_to(self, member: Member):
        """Move all rows to their leaves in a finished tree."""
        if member.number == self.at and member.number > 0:
            return
        n_nodes = member.nodes.shape[1]
        none = np.zeros((1, 0, 1, 1), dtype=np.int64)
        self.at = None
        self._go_down(
            member.number, member.nodes, member.sets, self.flags, np.zeros(7),
            np.full(n_nodes, -1), n_nodes, none, none, np.zeros((1, 0), dtype=np.int64),
            np.zeros((len(self.codes), 0)), 1, 1, 1,
        )  # fmt: skip

    def _go_down(
        self, tree, nodes, sets, flags, scales, built, first, found, counts, n_rows, squares,
        *layout,
    ):  # fmt: skip
        """Move the rows down a tree, from its root if it is another one, and add them up."""
        for groups, rows in self.pieces():
            if tree != self.at:
                self.leaf[rows] = 0
            kernels.add_up(
                self.codes[groups], self.y[rows], self.weight[rows], self.target[rows],
                self.leaf[rows], nodes, sets, self.store.cuts["n_bins"], flags, scales, built,
                first, found, counts, n_rows, squares[groups], *layout,
            )  # fmt: skip
        self.at = tree

    # -- the log ---------------------------------------------------------------------------------

    def catch_up(self, log, seen=0):
        """Go through what these rows have not seen of a log that begins after ``seen`` entries."""
        fresh = log[self.n_done - seen :]
        for k, (name, args) in enumerate(fresh):
            # Of what the next entry of its kind overwrites, only the last is done.
            if name not in _LAST_ONLY or all(later != name for later, _ in fresh[k + 1 :]):
                getattr(self, name)(*args)
        self.n_done = seen + len(log)


class VoteRows(Rows):
    """Rows with the votes of members, for ``VoteRule``."""

    def begin(self):
        """Begin with no member's votes counted."""
        super().begin()
        many = len(self.store.classes) if len(self.store.classes) > 2 else 0
        self.right = self.zeros("right", (self.n,), np.int32)
        self.tally = self.zeros("tally", (self.n, many), np.int32)
        self.score = self.zeros("score", (self.n, many or 1), np.float64)
        self.wrong = 0
        self._said = _NOBODY

    def kinds(self, member, n_before):
        """Return number and weight of the rows of each kind that occurs, block by block."""
        self.go_to(member)
        found, said = [], []
        for _, rows in self.pieces():
            votes = votes_of_leaves(member.says, self.leaf[rows])
            said.append(votes)
            number, heavy = vote_kernels.count_kinds(
                votes, self.y[rows], self.weight[rows], self.right[rows], self.tally[rows], n_before
            )
            used = np.flatnonzero(number.any(axis=0))
            found.append((used, number[:, used], heavy[:, used]))
        self._said = member.number, said
        return _joined(found)

    def count_in(self, member, n_before, power, alpha, z):
        """Take a member in."""
        self.go_to(member)
        # Most often what was just looked at.
        number, said = self._said
        self._said, self.wrong = _NOBODY, 0
        for k, (_, rows) in enumerate(self.pieces()):
            known = number == member.number > 0
            votes = said[k] if known else votes_of_leaves(member.says, self.leaf[rows])
            self.wrong += vote_kernels.count_in(
                votes, self.y[rows], self.weight[rows], self.right[rows], self.tally[rows],
                self.score[rows], n_before, power, alpha, z,
            )  # fmt: skip

    def n_wrong(self):
        """Return how many rows the weighted vote has wrong."""
        return int(self.wrong)

    def reset(self):
        """Go back to the weights of the beginning."""
        Rows.begin(self)

    def right_by_class(self):
        """Return how many rows of each class the weighted vote has right."""
        n_classes = len(self.store.classes)
        right = np.zeros(n_classes, dtype=np.int64)
        for part in self.by_group():
            score, y = self.score[part], self.y[part]
            votes = score[:, 0] > 0 if n_classes == 2 else score.argmax(axis=1)
            right += np.bincount(y[votes == y], minlength=n_classes)
        return right


class SumRows(Rows):
    """Rows with the sums of members, for ``AdditiveRule``: ``more`` has the loss."""

    def begin(self):
        """Begin with sums of 0."""
        super().begin()
        self.loss = self.job.more["loss"]
        self.cases = self.weight
        self.total = self.zeros("total", (self.n, self.loss.n_outputs), np.float64)
        self.weight = self.zeros("weight", (self.n,), np.float64)
        self.target = self.zeros("target", (self.n,), np.float64)
        self.y = np.empty(0, dtype=np.uint8)
        self.notes = np.zeros((len(self.codes), 0))

    def codes_of(self, part):
        """Return the targets that the loss makes of the rows of a group."""
        y = self.targets[part]
        return self.loss.code(y if self.is_regression else y.astype(np.int32))

    def case_sums(self):
        """Return how many cases each group has."""
        return np.array([self.cases[part].sum() for part in self.by_group()])

    def start_sums(self):
        """Return weighted sums of the loss's targets in each group, (n_groups, n_outputs)."""
        return np.array([self.cases[part] @ self.codes_of(part) for part in self.by_group()])

    def set_start(self, start):
        """Note where scores start."""
        self.loss.start = start

    def top_factors(self):
        """Return the largest factor of weights, for each output."""
        found = [self._request(part)[0] for part in self.by_group()]
        return np.max([factor.max(axis=0) for factor in found], axis=0)

    def _request(self, part):
        return self.loss.slopes(self.codes_of(part), self.loss.scores(self.total[part]))

    def aim(self, column, top):
        """Set weights and targets to what a tree for one output is grown on."""
        self.aimed = column
        for part in self.by_group():
            factor, aim = self._request(part)
            self.target[part] = aim[:, column]
            self.weight[part] = self.cases[part]
            if factor is not None:
                self.weight[part] *= factor[:, column] / top[column]

    def take_in(self, members, alpha):
        """Add what the trees of a round say."""
        for column, member in enumerate(members):
            self.go_to(member)
            for part in self.by_group():
                self.total[part, column] += alpha * member.says[self.leaf[part]]

    def noted(self):
        """Return sums of the loss's notes in each group, and the least and the largest sum."""
        names, rows, low, high = [], [], np.inf, -np.inf
        for part in self.by_group():
            y = self.targets[part]
            found = self.loss.notes(
                y if self.is_regression else y.astype(np.int32), self.loss.scores(self.total[part])
            )
            names = list(found)
            rows.append([value * len(y) for value in found.values()])
            low, high = min(low, self.total[part].min()), max(high, self.total[part].max())
        return names, np.array(rows), float(low), float(high)


class DrawnRows(Rows):
    """Rows that each tree sees as often as a draw says, for bagging."""

    def draw(self, seed):
        """Draw how often each row counts in a tree: Poisson numbers, by group."""
        Rows.begin(self)
        for g, part in enumerate(self.by_group(), start=self.first):
            self.weight[part] *= draw_counts(seed, g, part.stop - part.start, self.store.group)


def draw_counts(seed, first, n, group):
    """Return how often each of n rows counts, from the group ``first`` on: Poisson numbers."""
    counts = np.empty(n)
    for start in range(0, n, group):
        rng = np.random.default_rng([seed, first + start // group])
        stop = min(start + group, n)
        counts[start:stop] = rng.poisson(1.0, stop - start)
    return counts


def _added(shares):
    return shares[0] if len(shares) == 1 else shares.sum(axis=0)


def _joined(found):
    """Return kinds of several pieces as if they had been found in one."""
    if len(found) == 1:
        return found[0]
    used = np.unique(np.concatenate([kinds for kinds, _, _ in found]))
    tables = []
    for which in (1, 2):
        parts = []
        for one in found:
            parts.append(np.zeros((len(one[which]), len(used)), dtype=one[which].dtype))
            parts[-1][:, np.searchsorted(used, one[0])] = one[which]
        tables.append(np.concatenate(parts))
    return used, *tables
