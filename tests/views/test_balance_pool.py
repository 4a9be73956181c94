"""Balanced subsets with the prior put right, and pools of different learners."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import views as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import TabularEncoder
from counterpoint.views import (
    BalancedSubsetsClassifier,
    BalancedView,
    BootstrapView,
    HeterogeneousPoolClassifier,
    expand_pool,
)
from counterpoint.views.balance import balanced_counts


@pytest.fixture
def churn():
    """One in ten; a logistic model is right, and its true probabilities are known."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    truth = 1 / (1 + np.exp(3.1 - 1.5 * X[:, 0] + X[:, 1]))
    y = np.where(rng.random(6000) < truth, "leaves", "stays")
    return X, y, truth


@given(st.integers(0, 1000), st.floats(0.5, 3))
@settings(max_examples=30)
def test_weights_are_those_of_equation_6_1(seed, ratio):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1, 2], rng.choice(3, size=50, p=[0.1, 0.3, 0.6])])
    X = np.arange(53.0)[:, None]
    view = BalancedView(ratio=ratio, weighted=True)
    seen = view.fit(X, y, None, np.random.RandomState(seed))
    twin = np.array(naive.equation_6_1(y.tolist(), seen.y.tolist()))
    assert_allclose(seen.sample_weight, twin * len(seen.y))
    assert_allclose(view.class_weights_[seen.y], twin)
    assert_allclose(twin.sum(), 1.0)
    assert_array_equal(y[seen.X[:, 0].astype(int)], seen.y)
    assert len(np.unique(seen.X)) == len(seen.X)
    rare = np.bincount(y).argmin()
    assert (seen.y == rare).sum() == (y == rare).sum()  # all rows of the rare class
    doubled = BalancedView(ratio=ratio, weighted=True)
    doubled = doubled.fit(X, y, np.full(53, 2.0), np.random.RandomState(seed))
    assert_allclose(doubled.sample_weight, 2 * seen.sample_weight)


def test_members_see_all_rare_rows_and_other_common_ones(churn):
    X, y, _ = churn
    fitted = BalancedSubsetsClassifier(GaussianNB(), ratio=2.0, random_state=0).fit(X, y)
    n_rare = (y == "leaves").sum()
    assert fitted.counts_.tolist() == [n_rare, 2 * n_rare]
    assert_allclose(fitted.priors_, [n_rare / 6000, 1 - n_rare / 6000])
    assert_allclose(fitted.class_weights_ * fitted.counts_, fitted.priors_)
    means = np.array([model.theta_ for model in fitted.estimators_])
    assert_allclose(means[:, 0], means[0, 0][None].repeat(10, axis=0))
    assert len(np.unique(means[:, 1, 0])) == 10


@pytest.mark.parametrize("correction", ["weights", "probabilities"])
def test_the_prior_is_put_right(churn, correction):
    X, y, truth = churn
    fitted = BalancedSubsetsClassifier(
        LogisticRegression(), correction=correction, random_state=0
    ).fit(X, y)
    said = fitted.predict_proba(X)[:, 0]
    assert_allclose(said.mean(), truth.mean(), atol=0.01)
    assert_allclose(said, truth, atol=0.08)
    raw = BalancedSubsetsClassifier(LogisticRegression(), correction=None, random_state=0).fit(X, y)
    assert raw.predict_proba(X)[:, 0].mean() > 2 * truth.mean()
    assert_allclose(fitted.member_predict_proba(X).mean(axis=0), fitted.predict_proba(X))


def test_corrected_probabilities_by_hand():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:50, 50:60, 100:120]
    X, y = X[rows], y[rows]
    options = {"n_estimators": 3, "random_state": 0}
    raw = BalancedSubsetsClassifier(GaussianNB(), correction=None, **options).fit(X, y)
    right = BalancedSubsetsClassifier(GaussianNB(), correction="probabilities", **options)
    right.fit(X, y)
    assert raw.counts_.tolist() == [10, 10, 10]
    expected = raw.member_predict_proba(X) * (np.array([50, 10, 20]) / 80) / (1 / 3)
    expected /= expected.sum(axis=2, keepdims=True)
    assert_allclose(right.member_predict_proba(X), expected)
    assert_array_equal(right.member_predict(X), expected.argmax(axis=2))


def test_priors_from_elsewhere(churn):
    X, y, _ = churn
    half = {"leaves": 0.5, "stays": 0.5}
    fitted = BalancedSubsetsClassifier(LogisticRegression(), priors=half, random_state=0).fit(X, y)
    assert fitted.priors_.tolist() == [0.5, 0.5]
    raw = BalancedSubsetsClassifier(LogisticRegression(), correction=None, random_state=0).fit(X, y)
    assert_allclose(fitted.predict_proba(X), raw.predict_proba(X), atol=1e-6)


@given(st.integers(5, 40), st.integers(1, 5), st.integers(1, 9))
@settings(max_examples=30)
def test_dealing_uses_all_rows_before_one_again(n_common, n_rare, n_estimators):
    y = np.array([0] * (n_common + n_rare) + [1] * n_rare)
    X = np.arange(len(y), dtype=float)[:, None]
    fitted = BalancedSubsetsClassifier(
        KNeighborsClassifier(1), sampling="deal", correction=None, n_estimators=n_estimators,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    rows = [model._fit_X.ravel() for model in fitted.estimators_]
    for own in rows:
        assert len(set(own)) == len(own) == 2 * n_rare
    used = np.bincount(np.concatenate(rows).astype(int), minlength=len(y))[: n_common + n_rare]
    assert used.max() - used.min() <= 1
    assert used.sum() == n_rare * n_estimators


def test_frames_and_learners_without_weights():
    frame = pd.DataFrame({"size": np.arange(30.0), "colour": ["red", "blue", "red"] * 10})
    y = np.where(frame["colour"] == "blue", "rare", "common")
    learner = make_pipeline(TabularEncoder(), DecisionTreeClassifier())
    assert BalancedSubsetsClassifier(learner, random_state=0).fit(frame, y).score(frame, y) == 1.0
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight, which corr"):
        BalancedSubsetsClassifier(KNeighborsClassifier()).fit(frame, y)
    fitted = BalancedSubsetsClassifier(learner, correction="probabilities", random_state=0)
    assert fitted.fit(frame, y).score(frame, y) == 1.0
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        BalancedSubsetsClassifier(LinearSVC(), correction="probabilities").fit(frame, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_rows": 51}, "Class .*0.* has 50 rows, and min_rows=51"),
        ({"min_rows": 0}, "min_rows=0"),
        ({"ratio": 0}, "ratio=0: give a number above 0"),
        ({"sampling": "bag"}, "sampling='bag': choose 'random', 'deal'"),
        ({"correction": "both"}, "correction='both': choose 'weights'"),
        ({"priors": {0: 0.5, 1: 0.5}}, "priors says nothing of class 2"),
        ({"priors": {0: 0.5, 1: 0.5, 2: 0.5}}, "adding up to 1.5"),
        ({"n_estimators": 0}, "n_estimators=0"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        BalancedSubsetsClassifier(**options).fit(X, y)


# -- pools --------------------------------------------------------------------------------------


def test_grids_are_written_out_and_names_differ():
    pool = expand_pool(
        [
            GaussianNB(),
            GaussianNB(),
            ("near", KNeighborsClassifier(), {"n_neighbors": [1, 3], "p": [1, 2]}),
        ]
    )
    assert [name for name, _ in pool] == [
        "GaussianNB", "GaussianNB 2", "near (n_neighbors=1, p=1)", "near (n_neighbors=1, p=2)",
        "near (n_neighbors=3, p=1)", "near (n_neighbors=3, p=2)",
    ]  # fmt: skip
    assert [(m.n_neighbors, m.p) for _, m in pool[2:]] == [(1, 1), (1, 2), (3, 1), (3, 2)]


def test_a_pool_averages_its_members():
    X, y = load_iris(return_X_y=True)
    members = [GaussianNB(), make_pipeline(StandardScaler(), KNeighborsClassifier(7))]
    pool = HeterogeneousPoolClassifier(members).fit(X, y)
    expected = sum(model.fit(X, y).predict_proba(X) for model in members) / 2
    assert_allclose(pool.predict_proba(X), expected)
    assert pool.names_ == ["GaussianNB", "Pipeline"]
    default = HeterogeneousPoolClassifier(random_state=0).fit(X, y)
    assert len(default.estimators_) == len(default.names_) == 8
    voting = HeterogeneousPoolClassifier([SVC(), GaussianNB()]).fit(X, y)
    assert not hasattr(voting, "predict_proba")
    assert voting.score(X, y) > 0.9


def test_a_pool_on_a_view():
    X, y = load_iris(return_X_y=True)
    pool = HeterogeneousPoolClassifier([GaussianNB()] * 2, view=BootstrapView(), random_state=0)
    pool.fit(X, y)
    assert not np.allclose(pool.estimators_[0].theta_, pool.estimators_[1].theta_)


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ([], r"pool is \[\], expected a list of estimators"),
        ("trees", "pool='trees' of HeterogeneousPoolClassifier is no pool"),
        ([("tree",)], "is no member: give an estimator"),
        ([3], "is no member: give an estimator"),
    ],
)
def test_wrong_pools(pool, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises((TypeError, ValueError), match=message):
        HeterogeneousPoolClassifier(pool).fit(X, y)


def test_a_view_must_be_one():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="view is a str, expected a View"):
        HeterogeneousPoolClassifier(view="rows").fit(X, y)


def test_a_pool_may_be_a_dict():
    X, y = load_iris(return_X_y=True)
    pool = {"tree": DecisionTreeClassifier(random_state=0), "near": KNeighborsClassifier()}
    fitted = HeterogeneousPoolClassifier(pool, random_state=0).fit(X, y)
    assert fitted.names_ == fitted.member_outputs(X, y).names == ["tree", "near"]
    pairs = HeterogeneousPoolClassifier(list(pool.items()), random_state=0).fit(X, y)
    assert_array_equal(fitted.predict_proba(X), pairs.predict_proba(X))


def test_a_ratio_beyond_all_rows_takes_all_rows():
    available = np.array([5, 40, 300])
    assert balanced_counts(available, 1e308).tolist() == [5, 40, 300]
    assert balanced_counts(available, 2.0).tolist() == [5, 10, 10]
