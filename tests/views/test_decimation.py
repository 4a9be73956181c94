"""Input decimation: planted columns are found, all of them and no other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import views as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from counterpoint.views import InputDecimationClassifier, class_correlations


@pytest.fixture
def planted():
    """Four classes; three columns say something of each, nine say nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=400)
    X = rng.normal(size=(400, 21))
    columns = rng.permutation(21)[:12].reshape(4, 3)
    for k in range(4):
        X[:, columns[k]] += 2.0 * (y == k)[:, None] * [1, -1, 1.5]
    return X, np.array(["n", "e", "s", "w"])[y], columns, ["n", "e", "s", "w"]


def test_the_planted_columns_are_found(planted):
    X, y, columns, names = planted
    fitted = InputDecimationClassifier(n_features=3, random_state=0).fit(X, y)
    for label, chosen in zip(fitted.classes_, fitted.columns_):
        assert set(chosen) == set(columns[names.index(label)])
    assert fitted.favourites_.tolist() == fitted.classes_.tolist()
    for view, chosen in zip(fitted.views_, fitted.columns_):
        assert_array_equal(view.columns, chosen)


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_correlations_match_naive(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(3, size=(10, 3)).astype(float)
    X[:, 0] = 0.1 * 3  # constant, and not a round number
    y = np.concatenate([[0, 1, 2], rng.integers(3, size=7)])
    weight = rng.integers(1, 4, size=10).astype(float)
    ours = class_correlations(X, y, weight)
    twin = [
        [naive.class_correlation(column, (y == k).astype(int), weight) for column in X.T.tolist()]
        for k in range(3)
    ]
    assert_allclose(ours, twin, atol=1e-12)
    assert np.isnan(ours[:, 0]).all()


def test_validation_chooses_a_number_of_columns(planted):
    X, y, *_ = planted
    fitted = InputDecimationClassifier(GaussianNB(), n_features="validate", random_state=0).fit(
        X, y
    )
    assert list(fitted.scores_) == [1, 2, 4, 8, 16, 21]
    best = max(fitted.scores_, key=fitted.scores_.get)
    assert fitted.columns_.shape[1] == best
    assert fitted.scores_[1] < fitted.scores_[best]


def test_the_gate_weighs_members_by_the_support_of_their_class(planted):
    X, y, *_ = planted
    gate = LogisticRegression()
    fitted = InputDecimationClassifier(GaussianNB(), n_features=3, n_per_class=2, gate=gate)
    fitted.fit(X, y)
    support = LogisticRegression().fit(X, y).predict_proba(X)
    members = fitted.member_predict_proba(X)
    assert fitted.favourites_.tolist() == np.repeat(fitted.classes_, 2).tolist()
    expected = sum(members[m] * support[:, [m // 2]] for m in range(8)) / 2
    assert_allclose(fitted.predict_proba(X), expected)
    weighted = InputDecimationClassifier(GaussianNB(), gate=gate).fit(X, y, np.ones(len(y)))
    assert weighted.gate_ is not gate


def test_sub_ensembles_and_seeds(planted):
    X, y, *_ = planted
    bagged = InputDecimationClassifier(BaggingClassifier(n_estimators=3), random_state=0).fit(X, y)
    assert all(len(model.estimators_) == 3 for model in bagged.estimators_)
    several = InputDecimationClassifier(n_per_class=3, random_state=0).fit(X, y)
    seeds = {model.random_state for model in several.estimators_}
    assert len(several.estimators_) == len(seeds) == 12


def test_two_classes_see_the_same_columns():
    X, y = load_iris(return_X_y=True)
    fitted = InputDecimationClassifier(n_features=2).fit(X[:100], y[:100])
    assert_array_equal(fitted.columns_[0], fitted.columns_[1])


def test_constant_columns_are_never_chosen():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([np.full(150, 7.1), X, np.zeros(150)])
    assert set(InputDecimationClassifier(n_features=1.0).fit(X, y).columns_[0]) == {1, 2, 3, 4}
    with pytest.raises(ValueError, match="n_features=5, but only 4 of 6 columns vary"):
        InputDecimationClassifier(n_features=5).fit(X, y)
    with pytest.raises(ValueError, match="All columns of X are constant"):
        InputDecimationClassifier().fit(np.ones((10, 2)), np.arange(10) % 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"n_features": 5},
            "n_features=5, but there are 4 columns: give a whole number from 1 to 4",
        ),
        ({"n_features": 0}, "n_features=0, but there are 4 columns"),
        ({"n_features": "all"}, "n_features='all', but there are 4 columns: give a whole number"),
        ({"n_features": np.ones(2)}, "n_features=array"),
        ({"n_per_class": 0}, "n_per_class=0"),
        ({"n_features": "validate", "cv": 1}, "cv=1: give a number of folds from 2"),
        ({"n_features": "validate", "cv": 51}, "Class .*0.* has 50 rows, too few for cv=51 folds"),
        ({"gate": LinearSVC()}, "gate is a LinearSVC, which has no predict_proba"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        InputDecimationClassifier(**options).fit(X, y)
