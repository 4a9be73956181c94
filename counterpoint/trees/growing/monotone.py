"""Answers that rise or fall with a column: what is asked for, and values that keep to it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import check_floats
from counterpoint._validation import did_you_mean
from counterpoint.trees.structure import Tree


def read_directions(
    monotonic_cst: Any, n_features: int, names: ArrayLike | None, categorical: NDArray | None
) -> NDArray | None:
    """Return 1, 0 or -1 for each column; None if nothing is asked for.

    ``monotonic_cst`` is given for each column, or by the names of some.
    """
    if monotonic_cst is None:
        return None
    directions = monotonic_cst
    if isinstance(monotonic_cst, Mapping):
        known = [] if names is None else np.asarray(names).tolist()
        directions = [0.0] * n_features
        for name, direction in monotonic_cst.items():
            if name not in known:
                raise ValueError(
                    f"monotonic_cst has {name!r}, which is no name of a column of X: give names of "
                    "columns in a frame, or an array with 1, 0 or -1 for each."
                    + did_you_mean(name, known)
                )
            directions[known.index(name)] = direction
    if categorical is None:
        categorical = np.zeros(n_features, dtype=bool)
    directions = check_directions(directions, "monotonic_cst", categorical)
    return directions if directions.any() else None


def check_directions(directions: ArrayLike, name: str, categorical: NDArray) -> NDArray:
    """Return 1, 0 or -1 for each column, 0 for those of categories, which have no order."""
    given = check_floats(directions, name, ("n_features",))
    if len(given) != len(categorical):
        raise ValueError(
            f"{name} has {len(given)} values, and X {len(categorical)} columns: give one for each."
        )
    wrong = ~np.isin(given, (-1, 0, 1))
    if wrong.any():
        raise ValueError(
            f"{name} has {given[wrong][0]:g} for column {wrong.argmax()}: give 1 where answers "
            "must rise with the column, -1 where they must fall, else 0."
        )
    both = (given != 0) & categorical
    if both.any():
        raise ValueError(
            f"{name} has {given[both][0]:g} for column {both.argmax()}, which holds categories: "
            "they have no order to rise or fall with. Give 0, or take the column as numbers."
        )
    return given


def keep_in_order(tree: Tree, values: NDArray, directions: NDArray) -> NDArray:
    """Return values (n_nodes,) of leaves such that answers rise and fall as asked.

    Below a split on a column that is asked for, no value crosses the middle of the two sides' mean
    values, so that what leaves are set to after growing keeps to what the tree was grown for.
    """
    n, left, right = tree.node_count, tree.children_left, tree.children_right
    weight = np.where(tree.is_leaf, tree.n_node_samples, 0).astype(float)
    total = weight * values
    splits = np.flatnonzero(~tree.is_leaf)
    for node in splits[::-1]:
        for child in (left[node], right[node]):
            weight[node] += weight[child]
            total[node] += total[child]
    mean = total / weight
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    for node in splits:
        sides = [left[node], right[node]]
        low[sides], high[sides] = low[node], high[node]
        sign = directions[tree.feature[node]]
        if sign:
            middle = (np.clip(mean[sides], low[node], high[node]) / 2).sum()
            high[sides[0 if sign > 0 else 1]] = middle
            low[sides[1 if sign > 0 else 0]] = middle
    return np.clip(values, low, high)
