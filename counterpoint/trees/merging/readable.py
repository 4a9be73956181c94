"""Thresholds that are easy to read and say the same of every training sample."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.structure import Tree, parents


def readable_thresholds(tree: Tree, X: NDArray) -> Tree:
    """Return a tree whose thresholds have as few digits as the samples allow.

    Between the largest value that goes left at a node and the least that goes right, any threshold
    says the same of these samples; the one with fewest decimals is taken, of these the one nearest
    to the middle. Splits on categories and directions stay as they are.
    """
    leaf = predict_trees(stack_trees([tree]), X, kind="leaves")[0]
    above = parents(tree.children_left, tree.children_right)
    low = np.full(tree.node_count, -np.inf)
    high = np.full(tree.node_count, np.inf)
    rows: list[list[NDArray]] = [[] for _ in range(tree.node_count)]
    for node in range(tree.node_count - 1, -1, -1):
        own = np.flatnonzero(leaf == node) if tree.is_leaf[node] else np.concatenate(rows[node])
        up = int(above[node])
        if up < 0:
            continue
        rows[up].append(own)
        if tree.feature[up] < 0:
            continue
        values = X[own, tree.feature[up]].astype(np.float64)
        values = values[~np.isnan(values)]
        if len(values) and node == tree.children_left[up]:
            low[up] = values.max()
        elif len(values):
            high[up] = values.min()
    threshold = tree.threshold.copy()
    on_columns = ~tree.is_leaf & (tree.feature >= 0) & np.isfinite(tree.threshold)
    for node in np.flatnonzero(on_columns).tolist():
        if np.isfinite(low[node]) and np.isfinite(high[node]):
            threshold[node] = shortest_between(low[node], high[node])
    return replace(tree, threshold=threshold)


def shortest_between(low: float, high: float) -> float:
    """Return the number with fewest digits from ``low``, itself included, to below ``high``."""
    middle = low + (high - low) / 2.0
    start = int(np.floor(np.log10(max(abs(low), abs(high), 1e-300))))
    for place in range(-start, 18 - start):
        unit = 10.0**-place
        first, last = np.ceil(low / unit), np.ceil(high / unit) - 1.0
        near = round(float(np.clip(np.round(middle / unit), first, last)) * unit, place)
        if first <= last and low <= near < high:
            return float(near)
    return float(low)
