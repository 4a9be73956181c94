"""Random trees and samples for the tests of the tree algebra."""

import numpy as np
from naive import trees as naive

from counterpoint.trees import Tree


def as_tree(nested):
    arrays = naive.as_arrays(nested)
    value = np.array(arrays["value"], dtype=float)
    n = len(value)
    return Tree(
        children_left=np.array(arrays["children_left"], dtype=np.int32),
        children_right=np.array(arrays["children_right"], dtype=np.int32),
        feature=np.array(arrays["feature"], dtype=np.int32),
        threshold=np.array(arrays["threshold"], dtype=float),
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.array(arrays["missing"], dtype=bool),
        value=value,
        weighted_n_node_samples=value.sum(axis=1),
        n_node_samples=value.sum(axis=1).astype(np.int64),
        impurity=np.zeros(n),
        max_depth=naive.depth(nested),
    )


def random_pair(seed, n_features=2, n_classes=3, depth=4):
    """A tree as nested tuples, and the same as arrays."""
    nested = naive.grow_at_random(np.random.default_rng(seed), n_features, n_classes, depth)
    return nested, as_tree(nested)


def points(seed, n_features=2, n=60, missing=False):
    """Samples between, at and just beside the thresholds of random trees."""
    rng = np.random.default_rng(seed)
    cuts = np.array([0.0, 1.0, 2.0, 3.0])
    grid = np.concatenate(
        [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), cuts + 0.5, [-5.0, 9.0]]
    )
    X = rng.choice(grid, size=(n, n_features))
    X[: n // 2] = rng.uniform(-1, 4, size=(n // 2, n_features))
    if missing:
        X[rng.random(X.shape) < 0.3] = np.nan
    return X
