import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import pruning as naive
from nested_trees import prune_tree
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.datasets import load
from counterpoint.trees.algebra import apply, relabel
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.pruning.raising import prune_and_raise
from counterpoint.trees.structure import Tree


@parametrize_with_checks([PrunedTreeClassifier(raising=True)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def _nested(tree: Tree, node=0):
    if tree.children_left[node] == -1:
        return None
    return (
        int(tree.feature[node]),
        float(tree.threshold[node]),
        _nested(tree, tree.children_left[node]),
        _nested(tree, tree.children_right[node]),
    )


def _noisy(seed, n, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n, 2)).astype(float)
    y = (X[:, 0] > 3).astype(int) + (n_classes == 3) * (X[:, 1] > 5)
    flip = rng.random(n) < 0.25
    return X, np.where(flip, rng.integers(n_classes, size=n), y)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 60), st.sampled_from([0.05, 0.25, 0.5]), st.booleans())
def test_raising_matches_naive(seed, n, cf, three):
    X, y = _noisy(seed, n, 3 if three else 2)
    # Splits at random, so that there is something to raise.
    grown = DecisionTreeClassifier(splitter="random", max_features=1, random_state=seed).fit(X, y)
    tree, y = from_sklearn(grown), np.searchsorted(grown.classes_, y)
    found, cost = prune_and_raise(tree, X, y, cf=cf)
    rows = list(zip(X.tolist(), y.tolist(), strict=True))
    expected, errors = naive.raise_branches(_nested(tree), rows, cf)
    assert _nested(found) == expected
    assert cost == pytest.approx(errors, abs=1e-6)
    assert cost <= prune_tree(tree, cf)[1].cost + 1e-9
    # Counts are those of the samples that reach each node now.
    counted = relabel(found, X, y)
    np.testing.assert_allclose(found.value, counted.value)
    np.testing.assert_array_equal(found.n_node_samples, counted.n_node_samples)
    np.testing.assert_allclose(found.weighted_n_node_samples, counted.weighted_n_node_samples)


def test_a_branch_is_raised_by_hand():
    # A first split that tells nothing: 2 of 22 go left. The branch on the right tells all.
    X = np.array([[0.0, 0.0], [0.0, 1.0]] + [[1.0, 0.0]] * 10 + [[1.0, 1.0]] * 10)
    y = X[:, 1].astype(int)
    tree = Tree(
        children_left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
        children_right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
        feature=np.array([0, -1, 1, -1, -1], dtype=np.int32),
        threshold=np.array([0.5, np.nan, 0.5, np.nan, np.nan]),
        bin_threshold=np.zeros(5, dtype=np.uint8),
        missing_go_to_left=np.zeros(5, dtype=bool),
        value=np.array([[11, 11], [1, 1], [10, 10], [10, 0], [0, 10]], dtype=float),
        weighted_n_node_samples=np.array([22.0, 2, 20, 10, 10]),
        n_node_samples=np.array([22, 2, 20, 10, 10]),
        impurity=np.array([1.0, 1, 1, 0, 0]),
        max_depth=2,
    )
    assert prune_tree(tree)[0].n_leaves == 3
    raised, cost = prune_and_raise(tree, X, y)
    assert _nested(raised) == (1, 0.5, None, None)
    assert raised.value.tolist() == [[11, 11], [11, 0], [0, 11]]
    assert raised.impurity.tolist() == [1.0, 0.0, 0.0]
    assert raised.max_depth == 1
    assert cost == pytest.approx(2 * 11 * naive.binomial_limit(0, 11, 0.25))
    assert prune_and_raise(tree, X, y, impurity="gini")[0].impurity.tolist() == [0.5, 0.0, 0.0]


def test_what_is_not_moved_stays_as_it_was_grown():
    X, y = load("iris", return_X_y=True)
    X, codes = X.to_numpy("float32"), np.unique(y, return_inverse=True)[1]
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, codes))
    found, cost = prune_and_raise(tree, X, codes)
    pruned, pruning = prune_tree(tree)
    for name in ("children_left", "feature", "threshold", "value", "impurity", "n_node_samples"):
        np.testing.assert_array_equal(getattr(found, name), getattr(pruned, name))
    assert cost == pytest.approx(pruning.cost)


def test_missing_values_go_on_their_way():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0.5).astype(int)
    grown = DecisionTreeClassifier(splitter="best", max_features=1, random_state=1).fit(X, y)
    X = X.astype(np.float32)
    tree, _ = prune_and_raise(from_sklearn(grown), X, y)
    counted = relabel(tree, X, y)
    np.testing.assert_allclose(tree.value, counted.value)


def test_confidence_of_one_changes_nothing():
    X, y = _noisy(0, 50)
    tree = from_sklearn(DecisionTreeClassifier(min_samples_leaf=5).fit(X, y))
    found, errors = prune_and_raise(tree, X, y, cf=1)
    assert found is tree
    assert errors == (tree.label[apply(tree, X)] != y).sum()


@pytest.mark.parametrize("grower", ["sklearn", "hist"])
def test_the_classifier_raises(grower):
    X, y = load("pima", return_X_y=True)
    plain = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, y)
    raised = clone(plain).set_params(raising=True).fit(X, y)
    assert raised.n_pruned_ == raised.unpruned_leaves_ - raised.get_n_leaves()
    assert raised.estimated_error_ < plain.estimated_error_
    made = raised.as_sklearn()
    np.testing.assert_array_equal(made.predict(X), raised.predict(X))


def test_whole_weights_are_copies():
    X, y = _noisy(3, 60)
    weight = np.random.default_rng(0).integers(0, 4, size=60)
    tree = PrunedTreeClassifier(raising=True, random_state=0).fit(X, y, sample_weight=weight)
    copies = PrunedTreeClassifier(raising=True, random_state=0).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    np.testing.assert_array_equal(tree.tree_.threshold, copies.tree_.threshold)
    np.testing.assert_allclose(tree.tree_.value, copies.tree_.value)


def test_wrong_input():
    X, y = _noisy(0, 20)
    tree = from_sklearn(DecisionTreeClassifier().fit(X, y))
    with pytest.raises(ValueError, match="raising=True with criterion='pessimistic'"):
        PrunedTreeClassifier("pessimistic", raising=True).fit(X, y)
    with pytest.raises(ValueError, match=r"X has shape \(20, 0\), but the tree asks for column"):
        prune_and_raise(tree, X[:, :0], y)
    with pytest.raises(ValueError, match="y must hold the position of a class, from 0 to 1"):
        prune_and_raise(tree, X, y + 1)
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative"):
        prune_and_raise(tree, X, y, [-1.0] * 20)
    with pytest.raises(ValueError, match="cf=0"):
        prune_and_raise(tree, X, y, cf=0)
