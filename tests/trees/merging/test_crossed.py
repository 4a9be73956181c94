"""Rows crossed in the leaves of trees, and trees that learn from them."""

import numpy as np
import pytest
from naive import crossed as naive
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import MergedTreeClassifier, from_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.cases import content_order
from counterpoint.trees.merging.crossed import _mates, crossed_rows
from counterpoint.trees.merging.soft import Judged, SoftLabels, node_sums

X, Y = load_iris(return_X_y=True)
X = X.astype(np.float32)


def bagged(n_trees, **options):
    rng = np.random.default_rng(0)
    drawn = np.array(
        [np.bincount(rng.integers(150, size=150), minlength=150) for _ in range(n_trees)]
    )
    trees = [
        from_sklearn(DecisionTreeClassifier(random_state=0, **options).fit(X, Y, sample_weight=bag))
        for bag in drawn
    ]
    return trees, drawn.astype(float)


def leaves(trees, rows):
    return predict_trees(stack_trees(trees), rows, kind="leaves")


@pytest.mark.parametrize("whole", [True, False])
def test_mates_are_drawn_by_weight_within_the_leaf(whole):
    rng = np.random.default_rng(0)
    leaf, order = rng.integers(4, size=30), rng.permutation(30)
    weight = rng.integers(4, size=30).astype(float) if whole else rng.uniform(size=30)
    weight[leaf == 2] = 1.0
    here, share = rng.integers(5, size=50), rng.uniform(size=50)
    expected = naive.mates(here, leaf, weight, order, share)
    found = _mates(here, leaf, weight, order, share)
    assert found.tolist() == [-1 if s is None else s for s in expected]
    assert (found[here == 4] == -1).all()
    assert weight[found[found >= 0]].min() > 0


def test_crossed_rows_hold_values_of_their_neighbours():
    trees, _ = bagged(1, max_depth=2)
    leaf, weight = leaves(trees, X), np.ones(len(X))
    rng = np.random.RandomState(0)
    made = crossed_rows(trees, leaf, X, weight, content_order(X, Y), rng)
    assert made.shape == (1500, 4)
    # With one tree a row never leaves its leaf: every value is one of that leaf's samples.
    for node in np.unique(leaf[0]):
        own, new = X[leaf[0] == node], made[leaves(trees, made)[0] == node]
        for column in range(4):
            assert set(new[:, column]) <= set(own[:, column])
        assert len(new) == pytest.approx(10 * len(own), abs=1)
    assert (made[:, None] == X[None]).all(axis=2).any(axis=1).mean() < 0.9  # most are new


def test_of_many_rows_as_many_are_crossed():
    trees, _ = bagged(1, max_depth=1)
    rows, y = np.tile(X, (40, 1)), np.tile(Y, 40)
    made = crossed_rows(
        trees,
        leaves(trees, rows),
        rows,
        np.ones(6000),
        content_order(rows, y),
        np.random.RandomState(0),
    )
    assert len(made) == 6000


def test_crossed_rows_are_judged_by_all_trees():
    trees, drawn = bagged(4, max_depth=2)
    soft = SoftLabels(trees, X, Y, drawn, 3)
    weight = np.arange(1.0, 151.0)
    on = soft.judged(trees, X, weight, np.random.RandomState(0))
    assert on.n == 150
    np.testing.assert_array_equal(on.judge[:150], soft.judge)
    says = [
        t.value[n] / t.value[n].sum()
        for t, n in zip(trees, leaves(trees, on.X[-1:])[:, 0], strict=True)
    ]
    np.testing.assert_allclose(on.judge[-1], np.mean(says, axis=0))
    np.testing.assert_allclose(on.value[-1], np.mean(says, axis=0))
    assert on.weight[150:].sum() == pytest.approx(weight.sum())
    np.testing.assert_array_equal(on.own()[150:], 0.0)


def test_trees_on_shares_split_by_the_gini_index():
    rng = np.random.default_rng(0)
    rows = rng.integers(5, size=(40, 2)).astype(np.float32)
    shares, weight = rng.dirichlet(np.ones(3), size=40), rng.uniform(0.5, 2.0, size=40)
    on = Judged(X=rows, weight=weight, judge=shares, value=shares, n=40)
    soft = object.__new__(SoftLabels)
    soft.codes = shares.argmax(axis=1)
    tree = soft.grown(on, 2, 0)
    gains = {
        (column, cut): naive.gini_gain(shares.tolist(), weight.tolist(), rows[:, column] <= cut)
        for column in range(2)
        for cut in (0.5, 1.5, 2.5, 3.5)
    }
    assert max(gains, key=gains.get) == (tree.feature[0], tree.threshold[0])


def test_leaves_hold_samples_and_put_out_what_all_rows_say():
    data, y = make_classification(80, 5, flip_y=0.3, random_state=0)
    model = MergedTreeClassifier(8, max_leaf_nodes=10, random_state=0).fit(data, y)
    for tree in model._path_trees:
        leaf = leaves([tree], data.astype(np.float32))[0]
        held = node_sums(tree, leaf, np.ones((80, 1)))[:, 0]
        np.testing.assert_allclose(tree.value.sum(axis=1), held)
        assert held.min() >= 1
        assert tree.n_node_samples.tolist() == held.tolist()
