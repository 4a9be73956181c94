"""Trees as arrays: what the growers' tests do not look at already."""

import numpy as np
import pytest
from random_trees import as_tree

from counterpoint.trees import Tree
from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees


def along(direction, cut):
    tree = as_tree((0, cut, True, [1.0, 0.0], [0.0, 1.0]))
    normals = np.zeros((3, len(direction)))
    normals[0] = direction
    return Tree(**{**tree.__dict__, "feature": np.array([-2, -1, -1]), "normals": normals})


def test_what_a_tree_says_of_its_nodes():
    tree = as_tree((0, 1.0, True, [1.0, 2.0], [2.0, 2.0]))
    assert tree.is_leaf.tolist() == [False, True, True]
    assert tree.label.tolist() == [1, 1, 0]
    assert (tree.node_count, tree.n_leaves, tree.is_oblique) == (3, 2, False)
    assert along([1.0], 0.0).is_oblique


def test_a_direction_that_many_nodes_share_is_stacked_once():
    X = np.random.default_rng(0).normal(size=(50, 2))
    straight = as_tree((1, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    trees = [along([1.0, 2.0], 0.0), straight, along([1.0, 2.0], 1.0), along([2.0, -1.0], 0.5)]
    stacked = stack_trees(trees)
    assert stacked.directions.shape == (2, 2)
    sums = X @ [1.0, 2.0]
    wanted = [sums > 0, X[:, 1] > 0, sums > 1, X @ [2.0, -1.0] > 0.5]
    np.testing.assert_array_equal(predict_trees(stacked, X), wanted)
    assert stack_trees([straight]).directions is None


def test_oblique_splits_refuse_bins_and_other_columns():
    stacked = stack_trees([along([1.0, 2.0], 0.0)])
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(ValueError, match="not its bins"):
        predict_trees(stacked, Binner().fit_transform(X))
    with pytest.raises(ValueError, match="on 2 columns"):
        predict_trees(stacked, X[:, :1])
