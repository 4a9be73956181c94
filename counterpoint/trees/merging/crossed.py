"""Rows made of rows: each takes half its values over from another that trees put beside it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.structure import Tree

# So many crossed rows for each case, and no more than the number below or one for each case.
_PER_CASE = 10
_MOST = 5_000
# How often a row is crossed, each time in a leaf of another tree.
_CROSSINGS = 2


def crossed_rows(
    trees: Sequence[Tree],
    leaf: NDArray,
    X: NDArray,
    weight: NDArray,
    order: NDArray,
    rng: np.random.RandomState,
) -> NDArray:
    """Return rows around those of X (n_samples, n_features), for an ensemble to speak of.

    A row is drawn by its weight and crossed with a second one of the leaf that it is in, in a tree
    drawn by lot: every value is that of the one or the other. What comes out is crossed once more,
    in another tree. So all values are those of samples, and neighbours are those of the ensemble.
    ``leaf`` (n_trees, n_samples) are the leaves of X, and ``order`` one of the samples by what they
    hold, so that weights are the same as copies.
    """
    limits = np.cumsum(weight[order])
    n_cases = max(round(limits[-1]), 1)
    n_rows = min(_PER_CASE * n_cases, max(_MOST, n_cases))
    spread = (np.arange(n_rows) + rng.random_sample(n_rows)) / n_rows
    made = X[order[_place(limits, spread * limits[-1])]]
    for _ in range(_CROSSINGS):
        tree_of, share = rng.randint(len(trees), size=n_rows), rng.random_sample(n_rows)
        swap = rng.random_sample(made.shape) < 0.5
        for k, tree in enumerate(trees):
            mine = np.flatnonzero(tree_of == k)
            if not len(mine):
                continue
            here = predict_trees(stack_trees([tree]), made[mine], kind="leaves")[0]
            mate = _mates(here, leaf[k], weight, order, share[mine])
            alone = mate < 0  # no sample is in this leaf
            made[mine] = np.where(swap[mine] & ~alone[:, None], X[mate], made[mine])
    return made


def _mates(here, leaf, weight, order, share):
    """Return for each row a sample of the leaf it is in, by weight; -1 where there is none."""
    within = order[np.argsort(leaf[order], kind="stable")]
    limits = np.cumsum(weight[within])
    before = np.concatenate([[0.0], limits])
    first = np.searchsorted(leaf[within], here, side="left")
    last = np.searchsorted(leaf[within], here, side="right")
    low, high = before[first], before[last]
    found = np.clip(_place(limits, low + share * (high - low)), first, last - 1)
    return np.where(first < last, within[found], -1)


def _place(limits, at):
    """Return where numbers fall among limits that rise."""
    return np.minimum(np.searchsorted(limits, at, side="right"), len(limits) - 1)
