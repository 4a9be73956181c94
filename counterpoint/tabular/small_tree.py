"""The single tree of a page, as plain data."""

from typing import Any

import numpy as np
import pandas as pd

from counterpoint.tabular.explanation import OneTree, cut_back, rules_of

__all__ = ["asked_most", "summarise_tree"]

_SHOWN_LEAVES = 16  # one of the sizes that a OneTree knows the fidelity of


def summarise_tree(one: OneTree, own_rows: bool) -> dict[str, Any]:
    """Summarise a tree: what sizes it comes in, and the small one to be looked at."""
    shown = cut_back(one.tree, _SHOWN_LEAVES)
    size = int(shown.get_n_leaves())
    faithful = next(row["fidelity"] for row in one.sizes if row["n_leaves"] == size)
    return {
        "method": one.method,
        "n_leaves": one.n_leaves,
        "fidelity": one.fidelity,
        "error": one.error,
        "ensemble_error": one.ensemble_error,
        "n_fit": one.n_fit,
        "n_held": one.n_held,
        "n_trees": one.n_trees,
        "n_members": one.n_members,
        "from_training_rows": own_rows,
        "sizes": one.sizes,
        "shown_leaves": size,
        "shown_fidelity": faithful,
        "rules": rules_of(shown, one.feature_names, one.indicators),
        "nodes": _nodes(shown, one),
    }


def _nodes(tree: Any, one: OneTree) -> list[dict[str, Any]]:
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
                "question": None if leaf else _question(arrays, k, one),
                "label": str(tree.classes_[top]),
                "class": top,
                "share": float(share[k, top]),
                "weight": float(weight[k]),
            }
        )
    return nodes


def _question(arrays: Any, k: int, one: OneTree) -> str:
    name, limit = one.feature_names[arrays.feature[k]], arrays.threshold[k]
    if name in one.indicators and 0 <= limit < 1:
        column, value = one.indicators[name]
        return f"{column} is not {'missing' if pd.isna(value) else value}"
    return f"{name} ≤ {limit:.4g}"


def asked_most(tree: OneTree | None) -> list[str]:
    """Name the columns a tree asks for, the one that separates most first."""
    if tree is None:
        return []
    importance = tree.tree.feature_importances_
    return [tree.feature_names[k] for k in np.argsort(-importance, kind="stable") if importance[k]]
