"""Ensembles of random trees for tests, with the nested tuples of their naive twins."""

import numpy as np
from hypothesis import strategies as st

from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.structure import Tree

# Thresholds that no float32 tells apart, and such that are float32 themselves.
LEVELS = [0.0, 0.1, 0.1 + 1e-12, 0.5, 1.0, float(np.float32(1.3)), 2.0]


@st.composite
def ensembles(draw, n_features=3, max_trees=6):
    """Random trees, with the nested tuples of the naive twin."""
    n_classes = draw(st.integers(2, 3))
    kind = draw(st.sampled_from(["votes", "shares"]))
    rng = np.random.RandomState(draw(st.integers(0, 10**6)))
    pure = draw(st.booleans())
    plain = [
        grow(rng, n_features, n_classes, 3, pure) for _ in range(draw(st.integers(1, max_trees)))
    ]
    weights = draw(
        st.sampled_from(
            [
                np.ones(len(plain)),
                np.full(len(plain), 0.1),
                rng.randint(1, 4, len(plain)).astype(float),
                rng.uniform(0.1, 2, len(plain)),
                np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])[: len(plain)],
            ]
        )
    )
    made = TreeEnsemble(
        trees=tuple(to_tree(tree, n_classes) for tree in plain),
        weights=weights,
        classes=np.arange(n_classes),
        n_features=n_features,
        kind=kind,
        dtype=draw(st.sampled_from([np.float32, np.float64])),
    )
    return made, plain


def grow(rng, n_features, n_classes, depth, pure):
    if depth == 0 or rng.rand() < 0.2:
        shares = rng.randint(0, 4, n_classes).astype(float)
        if pure or shares.sum() == 0:
            shares = np.eye(n_classes)[rng.randint(n_classes)]
        return ("leaf", shares.tolist())
    sides = [grow(rng, n_features, n_classes, depth - 1, pure) for _ in range(2)]
    return (int(rng.randint(n_features)), LEVELS[rng.randint(len(LEVELS))], *sides)


def to_tree(plain, n_classes):
    rows = []

    def add(tree, depth):
        me = len(rows)
        rows.append(None)
        if tree[0] == "leaf":
            rows[me] = (-1, -1, -1, np.nan, tree[1], depth)
        else:
            left, right = add(tree[2], depth + 1), add(tree[3], depth + 1)
            rows[me] = (left, right, tree[0], tree[1], [0.0] * n_classes, depth)
        return me

    add(plain, 0)
    left, right, feature, threshold, value, depth = zip(*rows)
    n = len(rows)
    return Tree(
        children_left=np.array(left, dtype=np.int32),
        children_right=np.array(right, dtype=np.int32),
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(threshold),
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.zeros(n, dtype=bool),
        value=np.array(value),
        weighted_n_node_samples=np.ones(n),
        n_node_samples=np.ones(n, dtype=np.int64),
        impurity=np.zeros(n),
        max_depth=max(depth),
    )
