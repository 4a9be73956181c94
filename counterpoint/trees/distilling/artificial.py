"""Artificial samples to ask an ensemble about: from its leaves, around the data, or anywhere."""

import numpy as np

from counterpoint._validation import check_choice
from counterpoint.trees.boxes import data_bounds, leaf_boxes
from counterpoint.trees.ensemble import TreeEnsemble, predict_trees, stack_trees
from counterpoint.trees.take import take_trees

SAMPLINGS = ("auto", "leaves", "data", "uniform")


def choose_sampling(sampling, pool):
    """Return the way to sample, and the trees if it needs them."""
    check_choice(sampling, "sampling", SAMPLINGS)
    if sampling in ("data", "uniform"):
        return sampling, None
    try:
        trees = take_trees(pool)
        if any(tree.is_oblique for tree in trees.trees):
            raise ValueError("Leaves of oblique trees are no boxes: set sampling='data'.")
    except (TypeError, ValueError) as error:
        if sampling == "auto":
            return "data", None
        raise type(error)(f"sampling='leaves' needs trees. {error}") from error
    return "leaves", trees


class Sampler:
    """Draws artificial samples that look like X (n_samples, n_features).

    "leaves": any point in a leaf of any tree, by the weight of the rows in it, within the bounds of
    X. "data": a row, by its weight, and normal ``noise``, in standard deviations. "uniform".
    """

    def __init__(self, sampling, trees, X, weight, noise):
        self.sampling, self.X, self.noise = sampling, X, noise
        self.low, self.high = data_bounds(X)
        self.weight = weight
        mean = weight @ X / weight.sum()
        self.spread = np.sqrt(weight @ (X - mean) ** 2 / weight.sum())
        if sampling == "leaves":
            self._lay_out(trees, X, weight)
        elif sampling == "data":
            # By content, so that a weight is the same as copies.
            self.order = np.lexsort(X.T[::-1])
            self.limits = np.cumsum(weight[self.order])

    def _lay_out(self, trees: TreeEnsemble, X, weight):
        lower, upper, held = [], [], []
        leaves = predict_trees(stack_trees(trees.trees), trees.check_rows(X), kind="leaves")
        for tree, reached in zip(trees.trees, leaves, strict=True):
            leaf, low, high = leaf_boxes(tree, trees.n_features)
            lower.append(np.maximum(low, self.low))
            upper.append(np.minimum(high, self.high))
            rows = np.bincount(reached, weights=weight, minlength=tree.node_count)[leaf]
            held.append(rows / weight.sum())
        self.lower, self.upper = np.concatenate(lower), np.concatenate(upper)
        # The boxes of a leaf at the edge may lie beyond the data, as one edge of the box does.
        self.upper = np.maximum(self.lower, self.upper)
        self.limits = np.cumsum(np.concatenate(held))

    def draw(self, n, rng):
        """Draw n samples, (n, n_features)."""
        u = rng.random_sample((n, self.X.shape[1]))
        if self.sampling == "uniform":
            return self.low + u * (self.high - self.low)
        chosen = rng.random_sample(n) * self.limits[-1]
        chosen = np.minimum(
            np.searchsorted(self.limits, chosen, side="right"), len(self.limits) - 1
        )
        if self.sampling == "leaves":
            # From 1 - u, in (0, 1]: a box holds its upper edge but not its lower one.
            lower, upper = self.lower[chosen], self.upper[chosen]
            return lower + (1.0 - u) * (upper - lower)
        rows = self.X[self.order[chosen]]
        return rows + self.noise * self.spread * rng.standard_normal(rows.shape)
