"""Trees as arrays: what the growers' tests do not look at already."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import trees as naive
from random_trees import as_tree
from sklearn.tree import DecisionTreeClassifier

from counterpoint._kernels import trees as kernels
from counterpoint.trees import (
    Tree,
    apply,
    as_sklearn,
    certify,
    cost_complexity_path,
    equivalent_tree,
    from_sklearn,
    graft,
    leaf_boxes,
    prune,
    refine_leaves,
    relabel,
    restrict,
    same_function,
    simplify,
    take_trees,
    tree_rules,
)
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


SMALL = as_tree((0, 1.0, True, [1.0, 2.0], (1, 0.0, False, [2.0, 0.0], [0.0, 2.0])))
ROWS = np.zeros((4, 2))
TAKE_A_TREE = {
    "apply": lambda tree: apply(tree, ROWS),
    "as_sklearn": lambda tree: as_sklearn(tree, [0, 1], 2),
    "certify": lambda tree: certify(tree, take_trees(SMALL)),
    "cost_complexity_path": cost_complexity_path,
    "equivalent_tree": equivalent_tree,
    "graft": lambda tree: graft(tree, {1: SMALL}),
    "graft a branch": lambda tree: graft(SMALL, {1: tree}),
    "leaf_boxes": lambda tree: leaf_boxes(tree, 2),
    "predict_trees": lambda tree: predict_trees(stack_trees([tree]), ROWS),
    "prune": prune,
    "refine_leaves": lambda tree: refine_leaves(tree, ROWS, [0, 1, 0, 1]),
    "relabel": lambda tree: relabel(tree, ROWS, [0, 1, 0, 1]),
    "restrict": lambda tree: restrict(tree, [0, 0], [1, 1]),
    "same_function": lambda tree: same_function(SMALL, tree),
    "simplify": simplify,
    "take_trees": take_trees,
    "tree_rules": tree_rules,
}
NO_TREES = {
    "far child": ("children_left", 0, 10**7, "node 0 has a child that is not among the nodes"),
    "own child": ("children_left", 0, 0, "node 0 has a child that is not among the nodes"),
    "one child": ("children_right", 2, -1, "node 2 has one child"),
    "two parents": ("children_left", 2, 4, "node 4 is a child twice"),
    "column": ("feature", 0, -7, "feature -7 at node 0"),
    "oblique": ("feature", 0, -2, "feature -2 at node 0"),
    "far column": ("feature", 0, 2**31 - 1, "feature 2147483647 at node 0"),
    "threshold": ("threshold", 2, np.nan, "threshold NaN at node 2"),
    "value": ("value", 4, np.inf, "value that are not finite"),
}


@pytest.mark.parametrize("function", TAKE_A_TREE)
@pytest.mark.parametrize("fault", NO_TREES)
def test_arrays_that_are_no_tree_are_told_before_use(function, fault):
    part, node, given, message = NO_TREES[fault]
    array = getattr(SMALL, part).copy()
    array[node] = given
    TAKE_A_TREE[function](SMALL)
    with pytest.raises(ValueError, match=message):
        TAKE_A_TREE[function](replace(SMALL, **{part: array}))


@pytest.mark.parametrize("function", TAKE_A_TREE)
@pytest.mark.parametrize("thing", [1.5, None, "tree"])
def test_what_is_no_tree_is_named(function, thing):
    with pytest.raises(TypeError, match=f"{type(thing).__name__}"):
        TAKE_A_TREE[function](thing)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_depth": 10**9}, "max_depth=1000000000, but its longest path has 2 splits"),
        ({"max_depth": 1}, "max_depth=1, but"),
        ({"value": np.ones((4, 2))}, r"value of shape \(4, 2\), expected \(5, at least 1\)"),
        ({"value": np.ones(5)}, r"value of shape \(5,\)"),
        ({"threshold": np.zeros(3)}, r"threshold of shape \(3,\), expected \(5,\)"),
        ({"threshold": np.zeros(5, dtype=">f8")}, "threshold of type >f8"),
        ({"children_left": np.zeros(5)}, "children_left of type float64"),
        ({"children_left": np.array([1, -1, 3, -1, -1])}, "children of different types"),
        ({"children_left": [1, 2]}, "children_left of type list"),
        ({"normals": np.ones((5, 1))}, "feature 1 at node 2"),
    ],
)
def test_arrays_that_do_not_agree(changes, message):
    with pytest.raises(ValueError, match=message):
        apply(replace(SMALL, **changes), ROWS)


def test_other_arguments_of_functions_on_trees_are_named():
    with pytest.raises(ValueError, match=r"n_features=4\.5: give a whole number"):
        leaf_boxes(SMALL, 4.5)
    with pytest.raises(TypeError, match=r"subtrees is a float: give a mapping"):
        graft(SMALL, 1.5)
    with pytest.raises(ValueError, match=r"leaf=1\.5: give a whole number"):
        graft(SMALL, {1.5: SMALL})
    with pytest.raises(TypeError, match="ensemble is a float: give a TreeEnsemble"):
        certify(SMALL, 1.5)
    ensemble = take_trees(SMALL)
    with pytest.raises(ValueError, match="feature 1 at node 2"):
        take_trees(replace(ensemble, n_features=1))
    with pytest.raises(ValueError, match=r"weights has shape \(2,\), expected \(1,\)"):
        certify(SMALL, replace(ensemble, weights=np.ones(2)))


@pytest.mark.parametrize("fault", ["left_child", "right_child", "feature", "threshold"])
def test_a_tree_of_scikit_learn_is_checked_too(fault):
    model = DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0])
    state = model.tree_.__getstate__()
    state["nodes"][fault][0] = 10**7 if fault != "threshold" else np.nan
    model.tree_.__setstate__(state)
    with pytest.raises(ValueError, match="The tree of scikit-learn"):
        from_sklearn(model)


CHILDREN = st.integers(1, 7).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-2, n), min_size=n, max_size=n)] * 2)
)


@given(CHILDREN)
def test_the_first_fault_is_there_if_and_only_if_it_is_no_tree(children):
    fault, _ = kernels.first_fault(*(np.array(side, dtype=np.int64) for side in children))
    assert (fault == kernels.SOUND) == naive.is_tree(*children)


def test_every_tree_is_one():
    for seed in range(20):
        tree = as_tree(naive.grow_at_random(np.random.default_rng(seed), 2, 2, 4))
        sides = tree.children_left, tree.children_right
        assert naive.is_tree(*(side.tolist() for side in sides))
        sides = (side.astype(np.int64) for side in sides)
        assert kernels.first_fault(*sides) == (kernels.SOUND, tree.max_depth)
