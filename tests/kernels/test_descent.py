"""Rows sent down one tree, against the kernel for many trees and a walk by hand."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

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
        left = tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
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


def test_only_the_rows_asked_for_are_marked():
    X, y = table()
    tree = HistTreeRegressor(max_leaf_nodes=20).fit(X, y).tree_
    rows = np.arange(3, len(X), 7)
    assert_array_equal(leaves_of(tree, X, rows)[rows], leaves_of(tree, X)[rows])


def test_rows_that_a_tree_was_not_grown_on_are_found_by_their_bins():
    X, y = table()
    model = HistTreeRegressor(max_leaf_nodes=20)
    data = model.prepare(X)
    rows = np.flatnonzero(np.random.RandomState(1).uniform(size=len(X)) < 0.6)
    model.fit_prepared(data, target=y, rows=rows)
    assert_array_equal(data.leaves(model.tree_), leaves_of(model.tree_, X))
    assert_array_equal(model.predict_prepared(data), model.predict(X))
