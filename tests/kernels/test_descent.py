"""Rows sent down one tree, against the kernel for many trees and a walk by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from counterpoint.trees import HistTreeRegressor
from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import leaves_of, predict_trees, stack_trees


def table(n=700, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = rng.randint(0, 5, n)  # a bin for each value
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    return X, np.nansum(X, axis=1) + np.isnan(X[:, 0]) + rng.normal(size=n)


def walk(tree, x):
    node = 0
    while tree.children_left[node] >= 0:
        value = x[tree.feature[node]]
        left = value <= tree.threshold[node]
        if not np.isnan(value) and tree.on_categories[node]:
            word, bit = divmod(int(value), 64)
            left = int(tree.categories[node, word]) >> bit & 1
        elif np.isnan(value):
            left = tree.missing_go_to_left[node]
        node = tree.children_left[node] if left else tree.children_right[node]
    return node


@pytest.mark.parametrize("max_leaf_nodes", [2, 40, None])
def test_numbers_and_bins_end_in_the_same_leaves(max_leaf_nodes):
    X, y = table()
    tree = HistTreeRegressor(max_leaf_nodes=max_leaf_nodes).fit(X, y).tree_
    leaf = leaves_of(tree, X)
    assert leaf.tolist() == [walk(tree, x) for x in X]
    assert_array_equal(leaf, predict_trees(stack_trees([tree]), X, kind="leaves")[0])
    assert_array_equal(leaf, leaves_of(tree, Binner().fit_transform(X)))


def by_category(n=700, seed=0):
    """Column 2 holds 200 categories, 1 five, in no order of their effect; some are missing."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1], X[:, 2] = rng.randint(5, size=n), rng.randint(200, size=n) // 9 * 9
    y = rng.normal(size=5)[X[:, 1].astype(int)] + 3 * rng.normal(size=200)[X[:, 2].astype(int)]
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    return X, y + np.maximum(np.nan_to_num(X[:, 0]), 0)


BY_CATEGORY = [False, True, True]


@pytest.mark.parametrize("max_leaf_nodes", [2, 40, None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_categories_end_in_the_same_leaves(max_leaf_nodes, dtype):
    X, y = by_category()
    X = X.astype(dtype)
    model = HistTreeRegressor(max_leaf_nodes=max_leaf_nodes, categorical_features=BY_CATEGORY)
    tree = model.fit(X, y).tree_
    assert tree.on_categories.any()
    leaf = leaves_of(tree, X)
    assert leaf.tolist() == [walk(tree, x) for x in X]
    assert_array_equal(leaf, leaves_of(tree, Binner(categorical=BY_CATEGORY).fit_transform(X)))
    # Numbers never seen, and such as are no category at all.
    strange = np.repeat(X[:60], 6, axis=0)
    strange[:, 2] = np.tile([1.0, 250.0, 255.0, 256.0, -1.0, 9.5], 60)
    expected = predict_trees(stack_trees([tree]), strange, kind="leaves")[0]
    assert_array_equal(leaves_of(tree, strange), expected)


def test_values_of_trees_with_categories_add_up():
    X, y = by_category()
    model = HistTreeRegressor(max_leaf_nodes=6, categorical_features=BY_CATEGORY)
    trees = [model.fit(X, y * scale).tree_ for scale in (1.0, -2.0, 0.5)]
    weights = [1.0, 0.25, -3.0]
    total = predict_trees(stack_trees(trees), X, kind="value_sum", weights=weights)
    expected = sum(
        w * np.array([tree.value[walk(tree, x)] for x in X])
        for w, tree in zip(weights, trees, strict=True)
    )
    assert_allclose(total, expected, atol=1e-12)


def test_only_the_rows_asked_for_are_marked():
    X, y = table()
    tree = HistTreeRegressor(max_leaf_nodes=20).fit(X, y).tree_
    rows = np.arange(3, len(X), 7)
    assert_array_equal(leaves_of(tree, X, rows)[rows], leaves_of(tree, X)[rows])


@pytest.mark.parametrize("categorical", [None, BY_CATEGORY])
def test_rows_that_a_tree_was_not_grown_on_are_found_by_their_bins(categorical):
    X, y = table() if categorical is None else by_category()
    model = HistTreeRegressor(max_leaf_nodes=20, categorical_features=categorical)
    data = model.prepare(X)
    rows = np.flatnonzero(np.random.RandomState(1).uniform(size=len(X)) < 0.6)
    model.fit_prepared(data, target=y, rows=rows)
    assert model.tree_.on_categories.any() == (categorical is not None)
    assert_array_equal(data.leaves(model.tree_), leaves_of(model.tree_, X))
    assert_array_equal(model.predict_prepared(data), model.predict(X))
