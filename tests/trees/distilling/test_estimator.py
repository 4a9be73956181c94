"""One model learned from an ensemble, or chosen from it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import distil as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import HistTreeClassifier, take_trees
from counterpoint.trees.distilling.artificial import Sampler
from counterpoint.trees.distilling.estimator import DistilledTreeClassifier
from counterpoint.trees.distilling.similar import (
    SIMILARITIES,
    confusion_matrices,
    most_similar_member,
)
from counterpoint.trees.growing.cases import bootstrap_cases, deal_cases


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def forest(iris):
    return RandomForestClassifier(15, random_state=0).fit(*iris)


# -- samples ---------------------------------------------------------------------------------------


def test_leaves_are_drawn_by_the_rows_in_them(iris):
    """Of a single tree: each leaf gets samples in proportion to its training rows, evenly."""
    X, y = iris
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    sampler = Sampler("leaves", take_trees(tree), X, np.ones(len(X)), 0.0)
    made = sampler.draw(20_000, np.random.RandomState(0))
    assert (made >= X.min(axis=0)).all()
    assert (made <= X.max(axis=0)).all()
    share = np.bincount(tree.apply(X), minlength=tree.tree_.node_count) / len(X)
    drawn = np.bincount(tree.apply(made), minlength=tree.tree_.node_count) / len(made)
    assert_allclose(drawn, share, atol=0.015)
    largest = made[tree.apply(made) == share.argmax()]
    j = next(j for j in range(4) if j not in tree.tree_.feature)  # never asked for: whole range
    low, high = X[:, j].min(), X[:, j].max()
    assert_allclose(
        np.quantile(largest[:, j], [0.25, 0.5]),
        low + (high - low) * np.array([0.25, 0.5]),
        atol=0.1,
    )


def test_leaves_are_drawn_by_weight(iris):
    X, y = iris
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    weight = np.where(y == 0, 10.0, 1.0)
    made = Sampler("leaves", take_trees(tree), X, weight, 0.0).draw(5000, np.random.RandomState(0))
    assert np.mean(tree.predict(made) == 0) == pytest.approx(500 / 600, abs=0.02)


def test_data_and_uniform_samples(iris):
    X, _ = iris
    rng = np.random.RandomState(0)
    exact = Sampler("data", None, X, np.ones(len(X)), 0.0).draw(300, rng)
    assert {tuple(row) for row in exact} <= {tuple(row) for row in X}
    noisy = Sampler("data", None, X, np.ones(len(X)), 0.5).draw(20_000, rng)
    assert_allclose(noisy.std(axis=0), X.std(axis=0) * np.sqrt(1.25), rtol=0.03)
    anywhere = Sampler("uniform", None, X, np.ones(len(X)), 0.0).draw(20_000, rng)
    assert_allclose(anywhere.mean(axis=0), (X.min(axis=0) + X.max(axis=0)) / 2, atol=0.05)


@settings(max_examples=30)
@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 3))
def test_cases_drawn_and_dealt(n, many, seed):
    rng = np.random.RandomState(seed)
    X, codes = rng.randint(3, size=(n, 2)).astype(float), rng.randint(3, size=n)
    weight = rng.randint(1, 4, size=n).astype(float)
    bags = bootstrap_cases(X, codes, weight, many, np.random.RandomState(seed))
    assert_array_equal(bags.sum(axis=1), weight.sum())
    parts = deal_cases(X, codes, weight, many, np.random.RandomState(seed))
    assert_array_equal(parts.sum(axis=0), weight)
    for k in range(3):
        assert np.ptp(parts[:, codes == k].sum(axis=1)) <= 1
    assert np.ptp(parts.sum(axis=1)) <= 1
    # The same rows as copies, in any order: every distinct row gets the same cases.
    copies = rng.permutation(np.repeat(np.arange(n), weight.astype(int)))
    for draw, ours in ((bootstrap_cases, bags), (deal_cases, parts)):
        other = draw(
            X[copies], codes[copies], np.ones(len(copies)), many, np.random.RandomState(seed)
        )
        rows = np.column_stack([X, codes])
        for row in np.unique(rows, axis=0):
            here, there = (rows == row).all(axis=1), (rows[copies] == row).all(axis=1)
            assert_allclose(ours[:, here].sum(axis=1), other[:, there].sum(axis=1))


# -- distilled -------------------------------------------------------------------------------------


def test_a_student_that_can_learns_the_ensemble():
    """Many samples, a full tree: fidelity rises with samples, and is the real agreement."""
    X, y = make_classification(300, 3, n_informative=3, n_redundant=0, random_state=0)
    forest = BaggingClassifier(DecisionTreeClassifier(max_depth=3), 10, random_state=0).fit(X, y)
    fidelity = []
    for n in (50, 500, 20_000):
        model = DistilledTreeClassifier(
            forest,
            estimator=DecisionTreeClassifier(),
            n_samples=n,
            originals="drop",
            random_state=0,
        ).fit(X, y)
        fidelity.append(model.fidelity_)
    assert fidelity == sorted(fidelity)
    assert fidelity[-1] > 0.97
    trees = take_trees(forest)
    fresh = Sampler("leaves", trees, X, np.ones(len(X)), 0).draw(5000, np.random.RandomState(9))
    agreed = np.mean(model.predict(fresh) == forest.predict(fresh))
    assert model.fidelity_ == pytest.approx(agreed, abs=0.01)


def test_originals(iris):
    X, y = iris
    wrong = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)  # never says class 2
    options = dict(
        estimator=DecisionTreeClassifier(), sampling="data", n_samples=300, random_state=0
    )
    by_label = DistilledTreeClassifier(wrong, originals="labels", **options).fit(X, y)
    assert set(by_label.predict(X)) == {0, 1, 2}
    for originals in ("pool", "drop"):
        model = DistilledTreeClassifier(wrong, originals=originals, **options).fit(X, y)
        assert_array_equal(model.predict(X), wrong.predict(X))
        assert model.predict_proba(X).shape == (150, 3)
        assert_array_equal(model.predict_proba(X)[:, 2], 0)


def test_a_fitted_ensemble_is_used_as_it_is(iris, forest):
    X, y = iris
    model = DistilledTreeClassifier(forest, random_state=0).fit(X, y)
    assert model.pool_ is forest
    assert model.sampling_ == "leaves"
    fresh = DistilledTreeClassifier(clone(forest), random_state=0).fit(X, y)
    assert fresh.pool_ is not forest
    pool = [DecisionTreeClassifier(max_depth=d).fit(X, y) for d in (2, 3)]
    assert DistilledTreeClassifier(pool, random_state=0).fit(X, y).fidelity_ > 0.9


@pytest.mark.parametrize(
    "ensemble",
    [
        VotingClassifier([("nb", GaussianNB()), ("nn", KNeighborsClassifier())]),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GradientBoostingClassifier(n_estimators=5),
    ],
    ids=lambda e: type(e).__name__,
)
def test_any_ensemble_can_be_imitated(iris, ensemble):
    X, y = iris
    model = DistilledTreeClassifier(ensemble, random_state=0).fit(X, y)
    has_leaves = isinstance(ensemble, GradientBoostingClassifier)
    assert model.sampling_ == ("leaves" if has_leaves else "data")
    assert model.fidelity_ > 0.85
    assert model.score(X, y) > 0.9


def test_any_student(iris, forest):
    X, y = iris
    model = DistilledTreeClassifier(forest, estimator=LinearSVC(), random_state=0).fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="The learner is a LinearSVC, not one tree"):
        model.as_sklearn()
    with pytest.raises(AttributeError, match="not one tree"):
        model.rules_  # noqa: B018


@pytest.mark.parametrize(
    "student", [None, DecisionTreeClassifier(max_depth=4), HistTreeClassifier(max_depth=4)]
)
def test_a_tree_can_be_handed_on(iris, forest, student):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    names = np.array(["x", "y", "z"])[y]
    fitted = clone(forest).fit(frame, names)
    model = DistilledTreeClassifier(fitted, estimator=student, random_state=0).fit(frame, names)
    tree = model.as_sklearn()
    assert isinstance(tree, DecisionTreeClassifier)
    assert_array_equal(tree.predict(frame), model.predict(frame))
    assert len(model.rules_) == tree.get_n_leaves()
    held = np.stack([rule.covers(X.astype(np.float32)) for rule in model.rules_])
    labels = np.array([rule.label for rule in model.rules_])
    assert_array_equal(held.sum(axis=0), 1)
    assert_array_equal(labels[held.argmax(axis=0)], model.predict(frame))


def test_reproducible_and_in_a_search(iris):
    X, y = iris
    one, two = (DistilledTreeClassifier(random_state=1).fit(X, y).predict_proba(X) for _ in "ab")
    assert_array_equal(one, two)
    search = GridSearchCV(DistilledTreeClassifier(random_state=0), {"n_samples": [50, 200]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.9


def test_weights_count_for_ensemble_and_student(iris):
    X, y = iris
    weight = np.where(y == 2, 0.0, 1.0)
    model = DistilledTreeClassifier(random_state=0).fit(X, y, weight)
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        DistilledTreeClassifier(KNeighborsClassifier()).fit(X, y, y + 1)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        DistilledTreeClassifier(estimator=KNeighborsClassifier()).fit(X, y, y + 1)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"n_samples": 0}, ValueError, "n_samples=0: give a whole number from 1"),
        ({"n_samples": 10.5}, ValueError, "n_samples=10.5"),
        ({"sampling": "leafs"}, ValueError, "sampling='leafs': choose 'auto', 'leaves'"),
        ({"noise": -1}, ValueError, "noise=-1: give a number from 0"),
        ({"originals": "no"}, ValueError, "originals='no': choose 'labels'"),
        ({"estimator": LinearRegression()}, TypeError, "estimator is a LinearRegression"),
        ({"pool": LinearRegression()}, TypeError, "pool is a LinearRegression"),
        (
            {"pool": GaussianNB(), "sampling": "leaves"},
            TypeError,
            "sampling='leaves' needs trees. A GaussianNB was given",
        ),
    ],
)
def test_bad_options(iris, options, error, match):
    with pytest.raises(error, match=match):
        DistilledTreeClassifier(**options).fit(*iris)


def test_an_ensemble_of_other_data(iris, forest):
    X, y = iris
    with pytest.raises(ValueError, match="y holds 5, which the pool does not know"):
        DistilledTreeClassifier(forest).fit(X, y + 5)
    with pytest.raises(ValueError, match="X has 3 columns, but the pool was fitted on 4"):
        DistilledTreeClassifier(forest).fit(X[:, :3], y)
    named = RandomForestClassifier(3).fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.raises(ValueError, match="pass the same, in that order"):
        DistilledTreeClassifier(named).fit(pd.DataFrame(X, columns=list("dcba")), y)


# -- the member most like the ensemble -------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 12), st.data())
def test_similarities_match_naive(n_classes, n, data):
    labels = st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)
    member, whole = data.draw(labels), data.draw(labels)
    (table,) = confusion_matrices(np.array([member]), np.array(whole), n_classes)
    assert table.tolist() == naive.confusion(member, whole, n_classes)
    for name, function in SIMILARITIES.items():
        value = function(table)
        assert_allclose(value, getattr(naive, name)(member, whole), atol=1e-9, err_msg=name)
        if member == whole and not np.isnan(value):
            assert value == pytest.approx(1)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_the_best_member_is_the_most_similar(iris, forest, similarity):
    X, _ = iris
    found = most_similar_member(forest, X, similarity=similarity, n_samples=0)
    assert found.member is forest.estimators_[found.index]
    whole = forest.predict(X).tolist()
    expected = [
        getattr(naive, similarity)(tree.predict(X).astype(int).tolist(), whole)
        for tree in forest.estimators_
    ]
    assert_allclose(found.similarity, expected)
    assert found.index == int(np.argmax(expected))


def test_artificial_samples_and_pools(iris, forest):
    X, y = iris
    found = most_similar_member(forest, X, random_state=0)
    assert found.similarity.max() > 0.9
    again = most_similar_member(forest, X, random_state=0)
    assert_array_equal(found.similarity, again.similarity)
    good = DecisionTreeClassifier(random_state=0).fit(X, y)
    pool = [DecisionTreeClassifier(max_depth=1).fit(X, y), good, clone(good).fit(X, y)]
    assert most_similar_member(pool, X, sampling="data").index == 1
    named = {"nb": GaussianNB().fit(X, y), "lr": LogisticRegression(max_iter=500).fit(X, y)}
    assert most_similar_member(named, X).member in named.values()
    frame = pd.DataFrame(X, columns=list("abcd"))
    bagged = BaggingClassifier(GaussianNB(), 3, random_state=0).fit(frame, y)
    assert most_similar_member(bagged, frame).similarity.shape == (3,)


def test_bad_questions(iris, forest):
    X, y = iris
    with pytest.raises(ValueError, match="similarity='cosine': choose 'agreement'"):
        most_similar_member(forest, X, similarity="cosine")
    with pytest.raises(ValueError, match="n_samples=-1: give a whole number from 0"):
        most_similar_member(forest, X, n_samples=-1)
    with pytest.raises(ValueError, match="sampling='x': choose 'auto'"):
        most_similar_member(forest, X, sampling="x", n_samples=0)
    with pytest.raises(ValueError, match="noise='x'"):
        most_similar_member(forest, X, noise="x")
    with pytest.raises(ValueError, match="correlation' is undefined for every member"):
        most_similar_member(forest, X[y == 0], similarity="correlation", n_samples=0)
    one_a_class = OneVsRestClassifier(GaussianNB()).fit(X, y)
    with pytest.raises(TypeError, match="none of them could stand for the ensemble"):
        most_similar_member(one_a_class, X)


def test_breast_cancer_fidelity():
    """A forest imitated: better than a chance tree, and much smaller than the forest."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(30, random_state=0).fit(X[::2], y[::2])
    model = DistilledTreeClassifier(forest, sampling="data", random_state=0).fit(X[::2], y[::2])
    assert model.fidelity_ > 0.9
    assert model.score(X[1::2], y[1::2]) > 0.9
    leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)
    assert model.as_sklearn().get_n_leaves() < leaves / 5
