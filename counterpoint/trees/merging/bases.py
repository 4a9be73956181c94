"""Random bases to grow trees on: discriminants of small samples, made orthogonal."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.structure import LEAF, OBLIQUE, Tree

# Rows that neighbours are looked for among: enough for a locality, few enough for wide sets.
_POOL = 2000
_TRIES = 10


def random_basis(X: NDArray, codes: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return a random basis, a vector a row: (n_features, n_features).

    Around one row after the other, the discriminant of a random half of those nearest to it joins
    the basis, made orthogonal to the ones before, in columns scaled to unit variance. Vectors that
    add nothing, or for which no place with several classes is found, are random ones.
    """
    n, d = X.shape
    scale = X.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    Z = (X - X.mean(axis=0)) / scale
    if n > _POOL:
        chosen = rng.choice(n, _POOL, replace=False)
        Z, codes = Z[chosen], codes[chosen]
    size = min(len(Z), max(20, 4 * d))
    basis = np.zeros((d, d))
    for k in range(d):
        vector = _local_discriminant(Z, codes, size, rng)
        for _ in range(2):  # twice: once leaves rounding behind
            vector = vector - basis[:k].T @ (basis[:k] @ vector)
        while np.linalg.norm(vector) < 1e-6:
            vector = rng.standard_normal(d)
            for _ in range(2):
                vector = vector - basis[:k].T @ (basis[:k] @ vector)
        basis[k] = vector / np.linalg.norm(vector)
    return basis / scale


def _local_discriminant(Z, codes, size, rng):
    d = Z.shape[1]
    for _ in range(_TRIES):
        centre = Z[rng.randint(len(Z))]
        near = np.argpartition(((Z - centre) ** 2).sum(axis=1), size - 1)[:size]
        near = rng.permutation(near)[: max(2, (size + 1) // 2)]
        if len(np.unique(codes[near])) > 1:
            break
    else:
        return rng.standard_normal(d)
    rows, own = Z[near], codes[near]
    # Two of the classes that are there: one direction each time.
    first, second = rng.permutation(np.unique(own))[:2]
    a, b = rows[own == first], rows[own == second]
    within = (a - a.mean(axis=0)).T @ (a - a.mean(axis=0))
    within += (b - b.mean(axis=0)).T @ (b - b.mean(axis=0))
    # Few rows leave directions without spread: a tenth of the mean spread stands in.
    ridge = 0.1 * np.trace(within) / d
    within.flat[:: d + 1] += ridge if ridge > 0 else 1.0
    vector = np.linalg.solve(within, a.mean(axis=0) - b.mean(axis=0))
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else rng.standard_normal(d)


def on_columns(tree: Tree, basis: NDArray) -> Tree:
    """Turn a tree grown on ``X @ basis.T`` into one with oblique splits on ``X``."""
    is_leaf = tree.children_left == LEAF
    return replace(
        tree,
        feature=np.where(is_leaf, LEAF, OBLIQUE).astype(np.int32),
        normals=np.where(is_leaf[:, None], 0.0, basis[np.where(is_leaf, 0, tree.feature)]),
    )
