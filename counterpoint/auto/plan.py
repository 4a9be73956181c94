"""Which rows members learn from, and which they are asked about.

On a table that is small for its time limit, every row is asked about by members that learnt from
the others (folds). On a large one some rows are held out once; members learn from few of the
others first and from more of them later, on rungs of a ladder, and are always asked about the
same rows: so what was learnt on different rungs can be combined at any moment.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from counterpoint import _crossfit

# Rows held out: this part, of many rows that one, within bounds; with a time limit no more than so
# many for a second.
_HELD_OUT, _OF_MANY, _MANY_ASKED = 0.2, 0.1, 2_000
FEWEST_ASKED, _MOST_ASKED, _ASKED_A_SECOND = 1_000, 20_000, 700
# Of all rows, those held out that are few enough not to be missed.
_FEW_ENOUGH = 0.05
# Fewest rows of the rarest class for which fewer may be held out.
_OF_RAREST = 10
# Rows of each class, however rare, that come first of all.
_OF_EACH = 2
# From one rung to the next the rows grow by this.
STEP = 4


@dataclass
class Plan:
    """Folds, the rows they ask about, and the rungs.

    Attributes
    ----------
    folds : list of (train, test) pairs
        Positions of rows; a row is in one test part at most.
    asked : ndarray of int
        Rows of all test parts, in order.
    rungs : list of int
        Rows to learn from, rising. The last is all of the first training part; folds have no
        other.
    sample : ndarray of int
        Rows of the first training part, so that the first n of them are a fair sample for every n.
    is_hold_out : bool
        Whether rows are held out once, and the rungs are several.
    blocks : ndarray or None
        Of each row asked, what it belongs together with: its group, or its fold of a splitter. None
        where rows are held out by lot.
    """

    folds: list
    asked: NDArray
    rungs: list[int]
    sample: NDArray
    is_hold_out: bool = False
    blocks: NDArray | None = None

    def splits(self, n_rows: int) -> list:
        """Return the (train, test) rows of a rung."""
        if not self.is_hold_out or n_rows >= len(self.sample):
            return self.folds
        return [(np.sort(self.sample[:n_rows]), self.folds[0][1])]

    def probe(self, n_rows: int) -> list:
        """Return a fair sample of the first training part, and some rows to ask about."""
        return [(np.sort(self.sample[:n_rows]), self.folds[0][1][: max(1, n_rows // 4)])]

    def parts(self, most: int) -> NDArray | None:
        """Return the part of each row asked, of no more than so many; None if lots are as good.

        Blocks stay whole, and those that follow each other are put together.
        """
        if self.blocks is None:
            return None
        own, block = np.unique(self.blocks, return_inverse=True)
        return block * min(most, len(own)) // len(own) if len(own) > 1 else None

    def place(self, parts: list) -> NDArray:
        """Put what was said about the test parts into the order of ``asked``."""
        rows = np.concatenate([test for _, test in self.folds])
        return np.concatenate(parts)[np.argsort(rows, kind="stable")]


def folds_plan(cv, X, y, groups, rng, *, classes: bool) -> Plan:
    """Ask about every row once, or about the rows that a splitter asks about."""
    if not isinstance(cv, int | np.integer):
        folds = _crossfit.some_splits(cv, X, y, groups, classifier=classes)
    else:
        folds = _numbered(int(cv), y, groups, rng, classes)
    asked = np.sort(np.concatenate([test for _, test in folds]))
    train = folds[0][0]
    codes = y[train] if classes else np.zeros(len(train), dtype=int)
    # Not by the stream of seeds: what is looked at must not change what is found.
    sample = train[fair_order(codes, np.random.RandomState(0), least=_OF_EACH)]
    plan = Plan(folds, asked, [min(len(train) for train, _ in folds)], sample)
    if groups is not None or not isinstance(cv, int | np.integer):
        plan.blocks = plan.place([np.full(len(test), k) for k, (_, test) in enumerate(folds)])
    return plan


def _numbered(n_folds, y, groups, rng, classes):
    if classes:
        # That a rare class is missing from some parts is no reason to learn from fewer rows.
        n_folds = min(n_folds, max(2, int(np.bincount(y).max())))
    n_folds = min(n_folds, len(y))
    blank = np.zeros(len(y))
    if groups is not None:
        n_folds = min(n_folds, len(np.unique(groups)))
        _need_two(n_folds)
        if not classes:
            return list(GroupKFold(n_folds, shuffle=True, random_state=rng).split(blank, y, groups))
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=rng)
    else:
        kind = StratifiedKFold if classes else KFold
        splitter = kind(n_folds, shuffle=True, random_state=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with a single row
        folds = list(splitter.split(blank, y, groups))
    return [_of_two_classes(fold, y) for fold in folds] if classes and groups is None else folds


def _of_two_classes(fold, y):
    """Learn from the rows of a class that all others are not, rather than ask about them.

    Many classifiers refuse one class only; they would be lost for the sake of a row or two.
    """
    train, test = fold
    if np.ptp(y[train]) > 0:
        return fold
    rare = y[test] != y[train[0]]
    return np.sort(np.concatenate([train, test[rare]])), test[~rare]


def hold_out_plan(
    y, rng, *, classes: bool, limit: float, first: int, once: bool = False, groups=None, fold=None
) -> Plan:
    """Hold rows out once; members learn from about ``first`` others, then from more and more.

    ``once``: there is time for one fit on all rows at most, so fewer are held out. With ``groups``
    whole groups are. ``fold`` has the (train, test) rows to take instead, of the second no more
    than are asked about in any case.
    """
    codes = y if classes else np.zeros(len(y), dtype=int)
    n_asked = _n_asked(y, classes, limit, once)
    blocks = None
    if fold is not None:
        train, asked = (np.asarray(rows) for rows in fold)
        asked = np.sort(asked[fair_order(codes[asked], rng, least=_OF_EACH)[:n_asked]])
        # Those that follow each other belong together, as in time.
        blocks = np.arange(len(asked)) if groups is None else groups[asked]
    elif groups is not None:
        asked = _whole_groups(groups, n_asked, rng)
        train, blocks = np.setdiff1d(np.arange(len(y)), asked), groups[asked]
    if blocks is None:
        order = fair_order(codes, rng, least=_OF_EACH)
        # Rare classes are learnt from first: what is asked about is the end of the order.
        train, asked = order[:-n_asked], np.sort(order[-n_asked:])
    else:
        train = train[fair_order(codes[train], rng, least=_OF_EACH)]
    rungs = [len(train)]
    while 2 * (rungs[0] // STEP) >= first:
        rungs.insert(0, rungs[0] // STEP)
    held = [(np.sort(train), asked)]
    return Plan(held, asked, rungs, train, is_hold_out=True, blocks=blocks)


def _whole_groups(groups, n_asked, rng):
    """Return the rows of groups drawn by lot, about so many; the smallest one if all are larger."""
    _, own, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    _need_two(len(sizes))
    order = rng.permutation(len(sizes))
    order = order[sizes[order] <= n_asked]
    if not len(order):
        order = [sizes.argmin()]
    n = int(np.searchsorted(np.cumsum(sizes[order]), n_asked)) + 1
    return np.flatnonzero(np.isin(own, order[: min(n, len(sizes) - 1)]))


def _need_two(n_groups):
    if n_groups < 2:
        raise ValueError("groups holds one group only: rows of another are needed to ask about.")


def _n_asked(y, classes, limit, once):
    n = len(y)
    part = max(min(_HELD_OUT * n, _MANY_ASKED), _OF_MANY * n)
    n_asked = min(max(part, FEWEST_ASKED), _MOST_ASKED, _ASKED_A_SECOND * limit)
    n_asked = max(n_asked, FEWEST_ASKED)
    if once:
        # Nobody learns from them later: half of them, if they are many, say enough, unless a class
        # is rare.
        half = min(n_asked, max(n_asked / 2, _FEW_ENOUGH * n))
        rarest = np.unique(y, return_counts=True)[1].min() if classes else n
        n_asked = half if half * rarest / n >= _OF_RAREST else n_asked
    return int(min(n_asked, n // 3))


def fair_order(codes: NDArray, rng, *, least: int) -> NDArray:
    """Order rows so that every beginning holds the classes in their shares.

    ``least`` rows of each class come first of all, or all it has.
    """
    at = np.empty(len(codes))
    for code in np.unique(codes):
        own = rng.permutation(np.flatnonzero(codes == code))
        place = (np.arange(len(own)) + rng.uniform(size=len(own))) / len(own)
        place[:least] = -1.0
        at[own] = place
    return np.argsort(at, kind="stable")
