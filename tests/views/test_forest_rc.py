"""Forest-RC: trees against plain Python, the same at any number of jobs, and its errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import views as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier

from counterpoint._kernels import oblique
from counterpoint.views import CombinationTreeClassifier, ForestRCClassifier
from counterpoint.views import combination_tree as module


def nested(tree, node=0):
    if tree.left[node] < 0:
        return tuple(tree.value[node])
    return (
        tuple(tree.features[node]),
        tuple(tree.coefficients[node]),
        tree.threshold[node],
        nested(tree, tree.left[node]),
        nested(tree, tree.left[node] + 1),
    )


def drawn(seed, n_tries, n_terms, d):
    """The sums a tree draws, node by node."""
    rng = np.random.RandomState(seed)
    size = module._FIRST_DRAWS
    while True:
        features, coefficients = module._draw(rng, size, n_tries, n_terms, d)
        for f, c in zip(features, coefficients):
            yield list(zip(f, c))
        size = module._MORE_DRAWS


@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 5), st.sampled_from([2, None]))
@settings(max_examples=25)
def test_tree_matches_naive(seed, n, d, max_depth):
    rng = np.random.default_rng(seed)
    # Eighths are exact in float32, so that sums of gains agree; equal rows are common.
    X = rng.integers(-4, 5, size=(n, d)) / 8
    y = rng.integers(3, size=n)
    weight = rng.integers(0, 4, size=n).astype(float)
    weight[0] = 1.0
    tree = CombinationTreeClassifier(max_depth=max_depth, random_state=seed)
    tree.fit(X, y, weight)
    n_tries, n_terms = int(np.log2(d)) + 1, min(3, d)
    twin = naive.combination_tree(
        tree.combination_tree_.scaled(X), np.searchsorted(tree.classes_, y), weight,
        drawn(seed, n_tries, n_terms, d), max_depth, len(tree.classes_),
    )  # fmt: skip
    assert nested(tree.combination_tree_) == twin


def test_sums_hold_different_columns_with_coefficients_up_to_one():
    features, coefficients = module._draw(np.random.RandomState(0), 500, 2, 3, 5)
    assert all(len(set(row)) == 3 for row in features.reshape(-1, 3).tolist())
    assert_allclose(np.bincount(features.ravel()) / features.size, 0.2, atol=0.03)
    assert np.abs(coefficients).max() <= 1
    assert coefficients.min() < -0.9


def test_large_nodes_lose_little_by_bins():
    """A thousand rows: thresholds on bins are nearly as good as all thresholds."""
    X, y = make_classification(1000, 6, flip_y=0.1, random_state=0)
    X[0] = 1e6  # an outlier must not take the bins
    tree = CombinationTreeClassifier(max_depth=1, n_combinations=1, n_terms=1, random_state=1)
    tree = tree.fit(X, y).combination_tree_
    assert len(tree.left) == 3
    z = tree.scaled(X)[:, tree.features[0, 0]] * tree.coefficients[0, 0]
    order = np.argsort(z)
    ones = np.cumsum(y[order])[:-1]
    below = np.arange(1, 1000)
    rest, ones_rest = 1000 - below, y.sum() - ones
    score = (ones**2 + (below - ones) ** 2) / below + (
        ones_rest**2 + (rest - ones_rest) ** 2
    ) / rest
    ours = (tree.value[1] ** 2).sum() / tree.value[1].sum()
    ours += (tree.value[2] ** 2).sum() / tree.value[2].sum()
    start = (tree.value[0] ** 2).sum() / 1000
    assert ours - start > 0.9 * (score.max() - start)


def test_every_training_row_lies_in_the_leaf_that_counted_it():
    X, y = make_classification(3000, 8, n_classes=3, n_informative=5, random_state=0)
    tree = CombinationTreeClassifier(random_state=0).fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert_array_equal(
            np.bincount(y[leaves == leaf], minlength=3), tree.combination_tree_.value[leaf]
        )
    assert tree.score(X, y) == 1.0
    assert tree.get_n_leaves() == len(np.unique(leaves))
    assert (
        len(tree.combination_tree_.left) > module._FIRST_NODES / 2
    )  # room was made more than once
    assert tree.get_depth() >= np.log2(tree.get_n_leaves())


def test_limits_hold():
    X, y = make_classification(800, 5, flip_y=0.3, random_state=0)
    tree = CombinationTreeClassifier(max_depth=4, min_samples_leaf=20, random_state=0).fit(X, y)
    assert tree.get_depth() == 4
    assert np.bincount(tree.apply(X))[tree.combination_tree_.left < 0].min() >= 20
    tree = CombinationTreeClassifier(min_samples_split=200, random_state=0).fit(X, y)
    inner = tree.combination_tree_.left >= 0
    assert tree.combination_tree_.value[inner].sum(axis=1).min() >= 200


def test_a_slanted_boundary_needs_fewer_leaves():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2000, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    ours = ForestRCClassifier(30, max_depth=4, random_state=0).fit(X[:500], y[:500])
    peer = RandomForestClassifier(30, max_depth=4, random_state=0).fit(X[:500], y[:500])
    assert ours.score(X[500:], y[500:]) > peer.score(X[500:], y[500:])


def test_the_same_at_any_number_of_jobs_and_on_any_scale():
    X, y = load_iris(return_X_y=True)
    one = ForestRCClassifier(8, random_state=3).fit(X, y)
    two = ForestRCClassifier(8, random_state=3, n_jobs=2).fit(X, y)
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert_allclose(one.member_predict_proba(X).mean(axis=0), one.predict_proba(X))
    assert_array_equal(one.member_predict(X)[3], one.estimators_[3].predict(X))
    scaled = ForestRCClassifier(8, random_state=3).fit(X * [1, 1024, 2, 1 / 512] + 64, y)
    assert (scaled.predict(X * [1, 1024, 2, 1 / 512] + 64) == one.predict(X)).mean() > 0.98


def test_bootstrap_draws_and_without_it_all_rows_count():
    X, y = load_iris(return_X_y=True)
    roots = [
        t.combination_tree_.value[0]
        for t in ForestRCClassifier(5, random_state=0).fit(X, y).estimators_
    ]
    assert all(root.sum() >= 150 for root in roots)
    assert len({tuple(root) for root in roots}) == 5
    whole = ForestRCClassifier(5, bootstrap=False, random_state=0).fit(X, y)
    assert all(t.combination_tree_.value[0].tolist() == [50, 50, 50] for t in whole.estimators_)
    assert whole.score(X, y) == 1.0


def test_a_constant_column_is_never_a_reason_to_fail():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.full(150, 0.1 + 0.2)])
    assert ForestRCClassifier(5, n_terms=1, random_state=0).fit(X, y).score(X, y) > 0.95
    flat = CombinationTreeClassifier(random_state=0).fit(np.ones((4, 2)), [0, 1, 1, 1])
    assert flat.get_n_leaves() == 1
    assert flat.predict([[1.0, 1.0]]).tolist() == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_terms": 5}, "n_terms=5: give a whole number from 1 to 4, the number of columns"),
        ({"n_terms": 0}, "n_terms=0: give a whole number from 1 to 4"),
        ({"n_combinations": 1.5}, "n_combinations=1.5: give a whole number from 1"),
        ({"max_depth": 0}, "max_depth=0: give a whole number from 1, or None for no limit"),
        ({"min_samples_split": 1}, "min_samples_split=1: give a whole number from 2"),
        ({"min_samples_leaf": True}, "min_samples_leaf=True: give a whole number from 1"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    for estimator in (ForestRCClassifier(2), CombinationTreeClassifier()):
        with pytest.raises(ValueError, match=message):
            estimator.set_params(**options).fit(X, y)


def test_no_trees_no_weight_and_text_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="n_estimators=0: give a whole number from 1"):
        ForestRCClassifier(0).fit(X, y)
    with pytest.raises(ValueError, match="are all zero"):
        CombinationTreeClassifier().fit(X, y, np.zeros(150))
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["red", "blue", "red"]})
    for estimator in (ForestRCClassifier(2), CombinationTreeClassifier()):
        with pytest.raises(ValueError, match="Column 'colour' holds values such as 'red'"):
            estimator.fit(frame, [0, 1, 0])


def test_halfway_stays_below_the_higher_number():
    low = np.float32(1)
    high = np.nextafter(low, np.float32(2))
    halfway = getattr(oblique._halfway, "py_func", oblique._halfway)
    assert halfway(low, high) == low
    big = np.finfo(np.float32).max
    assert halfway(-big, big) == 0
