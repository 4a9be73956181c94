"""What a tree costs when it is cut back, and what it says, for people and as plain data."""

from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import from_sklearn, tree_rules
from counterpoint.trees.convert import to_sklearn
from counterpoint.trees.pruning.bottom_up import collapse, cut

Indicators = dict[str, tuple[str, Any]]

_SIZES = [2**k for k in range(1, 12)]


def cut_back(tree: DecisionTreeClassifier, max_leaves: int) -> DecisionTreeClassifier:
    """Return a fitted tree cut back to so many leaves, always the split that separates least."""
    arrays = from_sklearn(tree)
    left, right = arrays.children_left.tolist(), arrays.children_right.tolist()
    impurity = arrays.impurity * arrays.weighted_n_node_samples
    is_leaf = arrays.is_leaf.copy()
    n_leaves = int(is_leaf.sum())
    while n_leaves > max_leaves:
        last = [k for k in np.flatnonzero(~is_leaf) if is_leaf[left[k]] and is_leaf[right[k]]]
        lost = [impurity[k] - impurity[left[k]] - impurity[right[k]] for k in last]
        is_leaf[last[int(np.argmin(lost))]] = True
        n_leaves -= 1
    return to_sklearn(cut(arrays, collapse(left, right, is_leaf.tolist(), 0.0)), tree)


def rules_of(
    tree: DecisionTreeClassifier,
    names: list[str],
    indicators: Indicators | None = None,
) -> list[str]:
    """Return the rules of a tree as text, the one with most support first."""
    rules = tree_rules(from_sklearn(tree), tree.classes_, names, indicators)
    return [rule.text for rule in rules]


def tree_sizes(
    tree: DecisionTreeClassifier, rows: NDArray, answers: NDArray, truth: NDArray
) -> list[dict[str, float]]:
    """Say what this tree cut back to 2, 4, 8, ... leaves would cost, itself last.

    ``answers`` are those of the model it stands for, ``truth`` the labels of the rows.
    """
    table = []
    n_leaves = int(tree.get_n_leaves())
    for size in [*takewhile(lambda size: size < n_leaves, _SIZES), n_leaves]:
        tree_answers = cut_back(tree, size).predict(rows)
        table.append(
            {
                "n_leaves": size,
                "fidelity": float(np.mean(tree_answers == answers)),
                "error": float(np.mean(tree_answers != truth)),
            }
        )
    return table


def tree_nodes(
    tree: DecisionTreeClassifier, names: list[str], indicators: Indicators
) -> list[dict[str, Any]]:
    """List nodes for drawing: parents first, the branch for yes before that for no."""
    arrays = tree.tree_
    share = arrays.value[:, 0, :] / arrays.value[:, 0, :].sum(axis=1, keepdims=True)
    weight = arrays.weighted_n_node_samples / arrays.weighted_n_node_samples[0]
    nodes = []
    for k in range(arrays.node_count):
        leaf = arrays.children_left[k] < 0
        top = int(share[k].argmax())
        nodes.append(
            {
                "yes": None if leaf else int(arrays.children_left[k]),
                "no": None if leaf else int(arrays.children_right[k]),
                "question": None if leaf else _question(arrays, k, names, indicators),
                "label": str(tree.classes_[top]),
                "class": top,
                "share": float(share[k, top]),
                "weight": float(weight[k]),
            }
        )
    return nodes


def _question(arrays: Any, k: int, names: list[str], indicators: Indicators) -> str:
    name, limit = names[arrays.feature[k]], arrays.threshold[k]
    if name in indicators and 0 <= limit < 1:
        column, value = indicators[name]
        return f"{column} is not {'missing' if pd.isna(value) else value}"
    return f"{name} ≤ {limit:.4g}"
