"""Forests grown by one kernel, against those of scikit-learn and single trees."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine, make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

from counterpoint.trees.growing.random_trees import (
    ROOT,
    RandomTreesClassifier,
    RandomTreesRegressor,
)


@pytest.mark.parametrize(("extra", "leaf"), [(False, 1), (True, 1), (False, 3), (True, 2)])
def test_forests_are_as_good_as_those_of_scikit_learn(extra, leaf):
    X, y = make_classification(600, 12, n_informative=6, flip_y=0.1, random_state=0)
    kind = ExtraTreesClassifier if extra else RandomForestClassifier
    theirs, ours = [], []
    for seed in range(4):
        options = {"min_samples_leaf": leaf, "random_state": seed}
        rows = np.random.RandomState(seed).permutation(600)
        train, test = rows[:300], rows[300:]
        for found, forest in (
            (theirs, kind(60, **options)),
            (ours, RandomTreesClassifier(60, extra=extra, max_features=ROOT, **options)),
        ):
            proba = forest.fit(X[train], y[train]).predict_proba(X[test])
            found.append(np.mean((proba[:, 1] - y[test]) ** 2))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.006)


@pytest.mark.parametrize("extra", [False, True])
def test_forests_for_numbers_are_as_good_as_those_of_scikit_learn(extra):
    X, y = load_diabetes(return_X_y=True)
    kind = ExtraTreesRegressor if extra else RandomForestRegressor
    theirs = kind(100, min_samples_leaf=3, random_state=0).fit(X[:300], y[:300])
    ours = RandomTreesRegressor(100, extra=extra, min_samples_leaf=3, random_state=0)
    ours.fit(X[:300], y[:300])
    r2 = [model.score(X[300:], y[300:]) for model in (theirs, ours)]
    assert r2[1] == pytest.approx(r2[0], abs=0.03)


def test_a_tree_on_all_columns_is_that_of_scikit_learn():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(300, 4)).astype(np.float32), rng.normal(size=300)
    often = np.bincount(np.random.RandomState(5).randint(300, size=300), minlength=300)
    # Of few rows several columns have the same cut, and the first one drawn is taken.
    theirs = DecisionTreeRegressor(min_samples_leaf=10).fit(X, y, sample_weight=often)
    ours = RandomTreesRegressor(1, min_samples_leaf=10, random_state=5).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_rows_without_weight_are_not_there_and_weights_count_as_rows():
    X, y = load_wine(return_X_y=True)
    weight = np.r_[np.zeros(20), np.ones(len(y) - 20)]
    forest = RandomTreesClassifier(20, extra=True, random_state=0)
    some = clone(forest).fit(X, y, sample_weight=weight)
    same = clone(forest).fit(X[20:], y[20:])
    # Draws of a tree are as many as rows are: the trees differ, what they have learnt does not.
    np.testing.assert_array_equal(some.predict(X[20:]), y[20:])
    np.testing.assert_array_equal(same.predict(X[20:]), y[20:])
    heavy = clone(forest).fit(X, y, sample_weight=np.where(y == 0, 1e6, 1.0))
    one_leaf = forest.set_params(min_samples_leaf=len(y)).fit(X, y, np.where(y == 0, 3.0, 1.0))
    share = one_leaf.predict_proba(X[:1])[0]
    np.testing.assert_allclose(share, [177 / 296, 71 / 296, 48 / 296])
    assert heavy.predict(X).tolist() == y.tolist()


def test_the_same_seed_gives_the_same_forest_and_models_can_be_kept():
    X, y = load_wine(return_X_y=True)
    forest = RandomTreesClassifier(10, max_features=ROOT, random_state=3)
    one, two = clone(forest).fit(X, y), clone(forest).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(one.predict_proba(X), again.predict_proba(X))
    np.testing.assert_allclose(one.predict_proba(X).sum(axis=1), 1.0)
    other = clone(forest).set_params(random_state=4).fit(X, y)
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_numbers_far_from_nought_are_told_apart():
    x = np.arange(40.0)[:, None]
    y = 1e9 + np.where(x[:, 0] < 20, 0.0, 1e-2)
    bagged = RandomTreesRegressor(30, random_state=0).fit(x, y)
    np.testing.assert_allclose(bagged.predict(x)[[0, -1]] - 1e9, [0.0, 1e-2], atol=2e-3)


def test_a_forest_that_was_tampered_with_is_refused():
    X, y = load_wine(return_X_y=True)
    forest = RandomTreesClassifier(3, random_state=0).fit(X, y)
    forest._check_sound()
    forest.n_features_in_ = 2
    with pytest.raises(ValueError, match="other classes or columns"):
        forest._check_sound()
