"""How many leaves any tree needs that decides as an ensemble does: :func:`leaves_needed`."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from counterpoint._kernels import apart as kernels
from counterpoint._validation import check_count, check_number
from counterpoint.trees.compare import point_in
from counterpoint.trees.equivalent.exact import Packed, pack
from counterpoint.trees.take import take_trees

# Turns of moving a cell to where decisions change, cells moved at a time, and mixtures of two
# cells that are tried before they count as not apart.
_TURNS, _CHUNK, _MIXES = 2, 200, 64


@dataclass(frozen=True, kw_only=True)
class LeavesNeeded:
    """Samples of which no two can share a leaf; from :func:`leaves_needed`.

    Attributes
    ----------
    n_leaves : int
        How many they are: no tree with the same decisions has fewer leaves.
    points : ndarray of shape (n_leaves, n_features)
        The samples.
    labels : ndarray of shape (n_leaves,)
        What is decided there.
    """

    n_leaves: int
    points: NDArray
    labels: NDArray


def leaves_needed(
    pool: Any,
    *,
    n_points: int = 2_000,
    time_limit: float | None = None,
    random_state: Any = None,
) -> LeavesNeeded:
    """Prove how many leaves any tree needs that decides as an ensemble does everywhere.

    A leaf of a tree with splits on columns is a box, and all samples in it get one label. So two
    samples with the same label are in different leaves if a sample between them, column by column,
    has another label. Of samples of which that is true for every two, no two share a leaf: such a
    *fooling set* [1]_ is a lower bound on the leaves of every tree, however it was found. Samples
    are drawn, moved to where decisions change in many columns, and kept one after the other if
    they are apart from all that are kept.

    Parameters
    ----------
    pool : fitted ensemble of trees, list of trees, or TreeEnsemble
        What :func:`counterpoint.trees.take_trees` takes.
    n_points : int, default=2_000
        Samples that are drawn, the most that can be proven.
    time_limit : float or None, default=None
        Most seconds; what is kept then is proven.
    random_state : int, RandomState instance or None, default=None
        Seeds the samples.

    Returns
    -------
    LeavesNeeded

    References
    ----------
    .. [1] E. Kushilevitz and N. Nisan, "Communication Complexity", Cambridge University Press,
       1997, section 1.3: no two of a fooling set are in one rectangle of a single answer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import equivalent_tree, leaves_needed
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    >>> smallest = equivalent_tree(forest, minimize="leaves")
    >>> 3 <= leaves_needed(forest, random_state=0).n_leaves <= smallest.n_leaves
    True
    """
    check_count(n_points, "n_points")
    if time_limit is not None:
        check_number(time_limit, "time_limit", low=0, open_low=True, hint=", or None")
    trees = take_trees(pool)
    packed = pack(trees)
    deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
    rng = check_random_state(random_state)
    cells, labels = _apart(packed, int(n_points), deadline, rng)
    return LeavesNeeded(
        n_leaves=len(cells),
        points=_samples(packed, cells, trees.dtype),
        labels=trees.classes[labels],
    )


def _apart(packed: Packed, n_points, deadline, rng):
    n_cells = np.diff(packed.first) + 1
    cells = rng.randint(0, n_cells, size=(n_points, len(n_cells))).astype(np.int64)
    found = np.full(n_points, -1, dtype=np.int64)
    # About a third of the time for better samples, the rest to hold them against each other.
    soon = deadline if np.isinf(deadline) else (2 * time.perf_counter() + deadline) / 3
    for at in range(0, n_points, _CHUNK):
        some = slice(at, at + _CHUNK)
        found[some] = kernels.climb(*_forest(packed), cells[some], n_cells, _TURNS)
        if time.perf_counter() > soon:
            cells, found = cells[: at + _CHUNK], found[: at + _CHUNK]
            break
    cells = np.ascontiguousarray(cells[np.argsort(-found, kind="stable")])
    labels = kernels.label_points(*_forest(packed), cells)
    mixes = rng.random_sample((_MIXES, len(n_cells))) < 0.5
    kept = np.empty(len(cells), dtype=np.int64)
    n_kept = 0
    for at in range(0, len(cells), _CHUNK):
        places = (kept, n_kept, at, min(at + _CHUNK, len(cells)))
        n_kept = int(kernels.keep_apart(*_forest(packed), cells, labels, mixes, *places))
        if time.perf_counter() > deadline:
            break
    return cells[kept[:n_kept]], labels[kept[:n_kept]]


def _forest(packed):
    """Return what the kernels begin with: trees are taken whole, without first cuts of columns."""
    nodes, roots, _, *scores = packed.forest
    return nodes, roots, *scores


def _samples(packed, cells, dtype):
    """Return a sample in each cell; 0 in columns that are not asked for."""
    points = np.zeros((len(cells), packed.n_features), dtype=dtype)
    for at, f in enumerate(packed.columns):
        edges = np.r_[-np.inf, packed.grid[packed.first[at] : packed.first[at + 1]], np.inf]
        points[:, f] = point_in(edges[:-1], edges[1:], dtype=dtype)[cells[:, at]]
    return points
