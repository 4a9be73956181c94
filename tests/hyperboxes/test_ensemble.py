import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from naive import hyperboxes as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.hyperboxes import HyperboxEnsembleClassifier
from counterpoint.trees.cells import cells_at, count_cells
from counterpoint.trees.take import take_trees


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(120, noise=0.25, random_state=0)
    return X, y


@pytest.fixture(scope="module")
def forest(moons):
    return RandomForestClassifier(8, max_depth=4, random_state=0).fit(*moons)


def inside(X, model):
    """Which boxes hold each sample, (n_samples, n_boxes)."""
    lower, upper = model.boxes_
    return ((lower <= X[:, None]) & (X[:, None] <= upper)).all(axis=2)


def test_all_boxes_decide_as_the_ensemble_everywhere(moons, forest):
    model = HyperboxEnsembleClassifier(forest, boxes="all", agglomerate=False).fit(*moons)
    assert model.n_boxes_ == count_cells(take_trees(forest))
    # float32, as trees see samples; beyond the data too.
    X = np.random.default_rng(0).uniform(-4, 4, size=(2000, 2)).astype(np.float32)
    assert inside(X, model).any(axis=1).all()
    assert_array_equal(model.predict(X), forest.predict(X))


def test_merged_boxes_keep_the_decisions_where_boxes_were(moons, forest):
    options = {"boxes": "all", "threshold": 0.7}
    raw = HyperboxEnsembleClassifier(forest, agglomerate=False, **options).fit(*moons)
    model = HyperboxEnsembleClassifier(forest, **options).fit(*moons)
    assert model.n_boxes_ < raw.n_boxes_ == model.n_overlaps_
    X = np.random.default_rng(0).uniform(-4, 4, size=(500, 2)).astype(np.float32)
    held = inside(X, raw).any(axis=1)
    assert held.any()
    assert_array_equal(model.predict(X[held]), forest.predict(X[held]))
    assert model.box_weights_.sum() == raw.box_weights_.sum()


def test_merged_boxes_of_different_classes_never_overlap(moons, forest):
    model = HyperboxEnsembleClassifier(forest, boxes="all", threshold=0.6).fit(*moons)
    lower, upper = model.boxes_
    for a, b in combinations(range(model.n_boxes_), 2):
        if model.box_classes_[a] != model.box_classes_[b]:
            assert not naive.overlap((lower[a], upper[a]), (lower[b], upper[b]))


def test_data_boxes_are_those_that_hold_samples(moons, forest):
    X, y = moons
    model = HyperboxEnsembleClassifier(forest, boxes="data", agglomerate=False).fit(X, y)
    lower, upper, _ = cells_at(take_trees(forest), X)
    expected = np.unique(np.hstack([lower, upper]), axis=0)
    found = np.hstack(model.boxes_)
    assert_allclose(found[np.lexsort(found.T[::-1])], expected[np.lexsort(expected.T[::-1])])
    assert model.box_weights_.min() >= 1
    assert model.box_weights_.sum() == len(X)
    assert_array_equal(model.predict(X.astype(np.float32)), forest.predict(X))


def test_the_largest_are_larger_than_the_drawn(moons, forest):
    X, y = moons
    sizes = {}
    for boxes in ("sample", "largest"):
        model = HyperboxEnsembleClassifier(
            forest, boxes=boxes, n_boxes=20, agglomerate=False, random_state=0
        ).fit(X, y)
        lower, upper = (np.clip(e, X.min(axis=0), X.max(axis=0)) for e in model.boxes_)
        assert model.n_boxes_ <= 20
        sizes[boxes] = np.median(np.prod(upper - lower, axis=1))
    assert sizes["largest"] > sizes["sample"]


def test_the_threshold_is_exceeded(moons, forest):
    X, y = moons
    model = HyperboxEnsembleClassifier(
        forest, boxes="all", threshold=0.8, weighting="certainty", agglomerate=False
    ).fit(X, y)
    assert model.box_certainty_.min() > 0.8
    everything = HyperboxEnsembleClassifier(
        forest, boxes="all", weighting="certainty", agglomerate=False
    ).fit(X, y)
    assert (everything.box_certainty_ > 0.8).sum() == model.n_boxes_ < everything.n_boxes_


def test_certainty_multiplies_membership(moons, forest):
    X, y = moons
    options = {"boxes": "all", "weighting": "certainty", "agglomerate": False}
    # So steep that no other box comes near the one that holds the sample.
    model = HyperboxEnsembleClassifier(forest, gamma=1e9, **options).fit(X, y)
    assert_allclose(
        model.memberships(X.astype(np.float32)).max(axis=1), forest.predict_proba(X).max(axis=1)
    )
    assert any("weighted" in str(rule) for rule in model.rules_)
    # Otherwise a surer neighbour may count more than the box itself.
    fuzzy = HyperboxEnsembleClassifier(forest, **options).fit(X, y)
    assert (fuzzy.memberships(X) >= model.memberships(X)).all()
    assert (fuzzy.memberships(X).max(axis=1) > model.memberships(X).max(axis=1)).any()


def test_merged_certainty_is_a_mean(moons, forest):
    model = HyperboxEnsembleClassifier(forest, threshold=0.6, weighting="certainty").fit(*moons)
    assert ((model.box_certainty_ > 0.6) & (model.box_certainty_ <= 1)).all()
    assert len(np.unique(model.box_certainty_)) > 1


def test_one_tree_gives_its_leaves(moons):
    X, y = moons
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X, y)
    model = HyperboxEnsembleClassifier(tree, boxes="all", agglomerate=False).fit(X, y)
    assert model.n_boxes_ == 6
    assert_array_equal(model.predict(X.astype(np.float32)), tree.predict(X))


def test_fitted_ensembles_stay_and_others_are_fitted(moons, forest):
    X, y = moons
    model = HyperboxEnsembleClassifier(forest).fit(X, y)
    assert model.pool_ is forest
    raw = BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=5)
    model = HyperboxEnsembleClassifier(raw, random_state=0).fit(X, y)
    assert not hasattr(raw, "estimators_")
    assert len(model.pool_.estimators_) == 5
    again = HyperboxEnsembleClassifier(raw, random_state=0).fit(X, y)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).pool is not raw


def test_weights_go_to_the_ensemble(moons):
    X, y = moons
    some = np.arange(len(y)) % 2 == 0
    raw = BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=5)
    for pool in (None, raw):
        model = HyperboxEnsembleClassifier(pool, random_state=0)
        model.fit(X, y, sample_weight=some.astype(float))
        alone = HyperboxEnsembleClassifier(pool, random_state=0)
        alone.fit(X[some], y[some], sample_weight=np.ones(some.sum()))
        assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
        heavy = HyperboxEnsembleClassifier(pool, random_state=0)
        heavy.fit(X, y, sample_weight=np.where(y == 1, 50.0, 1.0))
        assert heavy.predict(X).mean() > model.predict(X).mean()
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        HyperboxEnsembleClassifier(KNeighborsClassifier()).fit(X, y, np.ones(len(y)))


def test_frames_names_and_pickles():
    X, y = load_iris(return_X_y=True, as_frame=True)
    y = pd.Series(np.array(["setosa", "versicolor", "virginica"])[y])
    model = HyperboxEnsembleClassifier(threshold=0.5, random_state=0).fit(X, y)
    assert "petal width (cm)" in str(model.rules_)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert set(model.predict(X)) == set(y)


def test_it_keeps_most_of_the_accuracy_with_few_boxes():
    X, y = load_iris(return_X_y=True)
    model = HyperboxEnsembleClassifier(threshold=0.7, random_state=0)
    assert cross_val_score(model, X, y, cv=5).mean() > 0.92
    assert model.fit(X, y).n_boxes_ <= 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boxes": "some"}, r"boxes='some': choose 'data', 'all', 'largest', 'sample'"),
        ({"n_boxes": 0}, r"n_boxes=0: give a whole number from 1"),
        ({"max_boxes": 2.5}, r"max_boxes=2.5: give a whole number from 1"),
        ({"threshold": 1.0}, r"threshold=1.0: give a number from 0 and below 1"),
        ({"threshold": -0.1}, r"threshold=-0.1"),
        ({"weighting": "votes"}, r"weighting='votes': choose None, 'certainty'"),
        ({"theta": 2}, r"theta=2: give"),
        ({"gamma": 0}, r"gamma=0: give numbers above 0"),
    ],
)
def test_wrong_options(moons, forest, options, message):
    with pytest.raises(ValueError, match=message):
        HyperboxEnsembleClassifier(forest, **options).fit(*moons)


def test_a_threshold_that_leaves_no_box():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    model = HyperboxEnsembleClassifier(DecisionTreeClassifier(), threshold=0.9)
    with pytest.raises(ValueError, match=r"threshold=0.9 leaves none of 1 boxes: .* agree to 0.5"):
        model.fit(X, y)


def test_too_many_boxes(moons, forest):
    model = HyperboxEnsembleClassifier(forest, boxes="all", max_boxes=10)
    with pytest.raises(ValueError, match="more than limit=10 overlaps"):
        model.fit(*moons)


def test_wrong_ensembles(moons):
    X, y = moons
    with pytest.raises(TypeError, match="expected a fitted random forest"):
        HyperboxEnsembleClassifier(LogisticRegression()).fit(X, y)
    with pytest.raises(TypeError, match="sums up to a score"):
        HyperboxEnsembleClassifier(GradientBoostingClassifier(n_estimators=2)).fit(X, y)
    tree = DecisionTreeClassifier().fit(X[:, :1], y)
    with pytest.raises(ValueError, match="X has 2 columns, but the ensemble was fitted on 1"):
        HyperboxEnsembleClassifier(tree).fit(X, y)


def test_missing_values_are_refused(moons):
    X, y = moons
    X = X.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        HyperboxEnsembleClassifier().fit(X, y)
