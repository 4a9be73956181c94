"""One tree that says what regression trees say together, exactly and everywhere."""

from dataclasses import replace
from typing import Any

import numpy as np

from counterpoint._validation import check_count
from counterpoint.trees.algebra import graft, restrict, simplify
from counterpoint.trees.boxes import leaf_boxes, leaf_missing
from counterpoint.trees.structure import Tree, require_columns
from counterpoint.trees.take_numbers import take_number_trees


def mean_tree(pool: Any, *, max_leaves: int = 10_000) -> Tree:
    """Melt a few regression trees into one that says what they say together, at every point.

    Into each leaf of the first tree the second is grafted, cut to the box of the leaf; their
    numbers add up there; then the third, and so on. No sample is needed, and nothing is lost; but
    leaves multiply, so this is for few or small trees. :class:`MergedTreeRegressor` makes one small
    tree of many.

    Parameters
    ----------
    pool : regressor or list of trees
        A fitted random forest, extra trees, bagging or gradient boosting regressor of trees with
        splits on columns, one tree, or a list of trees, whose mean is taken.
    max_leaves : int, default=10_000
        Most leaves; where there would be more, an error is raised.

    Returns
    -------
    Tree
        With no counts of samples.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from counterpoint.trees import mean_tree
    >>> from counterpoint.trees.ensemble import predict_trees, stack_trees
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    >>> one = mean_tree(forest)
    >>> said = predict_trees(stack_trees([one]), X.astype(np.float32), kind="values")[0]
    >>> bool(np.allclose(said, forest.predict(X)))
    True
    """
    check_count(max_leaves, "max_leaves")
    taken = take_number_trees(pool)
    if taken.weights is None:
        raise TypeError(
            f"A {type(pool).__name__} does not say a weighted sum of what its trees say: give a "
            "forest, bagging, gradient boosting, or a list of trees."
        )
    require_columns(taken.trees, "The sum of trees")
    n_features = max(taken.n_features, 1)
    edges = np.full(n_features, np.inf)
    total: Any = None
    for tree, weight in zip(taken.trees, taken.weights, strict=True):
        own = _bare(tree, weight * tree.value)
        if total is None:
            # Without splits that those above them decide: no leaf has an empty box.
            total = restrict(_bare(own, own.value + taken.offset), -edges, edges)
        else:
            total = _add(total, own, n_features)
        if total.n_leaves > max_leaves:
            raise ValueError(
                f"max_leaves={max_leaves}: these trees together need more. Give fewer or smaller "
                "trees, more leaves, or use MergedTreeRegressor, which makes one small tree."
            )
    return simplify(total, by="value")


def _add(total, tree, n_features):
    """Graft a tree into every leaf of another, and add up what they say."""
    parts = {}
    boxes = zip(*leaf_boxes(total, n_features), leaf_missing(total, n_features), strict=True)
    for leaf, lower, upper, gaps in boxes:
        part = restrict(tree, lower, upper, missing=gaps)
        parts[int(leaf)] = replace(part, value=part.value + total.value[leaf])
    return graft(total, parts)


def _bare(tree, value):
    """Return a tree with other values and no counts."""
    none = np.zeros(tree.node_count)
    return replace(
        tree,
        value=value,
        bin_threshold=np.zeros(tree.node_count, dtype=np.uint8),
        weighted_n_node_samples=none,
        n_node_samples=none.astype(np.int64),
        impurity=none,
    )
