import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import dynamic as naive
from numpy.testing import assert_allclose
from scipy.stats import binom
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint._kernels import dynamic as kernels
from counterpoint.dynamic import (
    ClassLocalAccuracy,
    ClusterRegion,
    Competence,
    DynamicSelectionClassifier,
    LeafRegion,
    NeighbourRegion,
    OverallLocalAccuracy,
)
from counterpoint.dynamic.competence import Queries, best_only
from counterpoint.dynamic.regions import Neighbourhoods

METHODS = ["ola", "lca", "knora-e", "knora-u", "confidence", "margin"]


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(900, 8, n_informative=5, n_classes=3, random_state=0)
    bag = BaggingClassifier(DecisionTreeClassifier(max_depth=4), 12, random_state=0)
    return bag.fit(X[:300], y[:300]), X, y


def test_kernels_match_naive():
    rng = np.random.default_rng(0)
    right = rng.integers(2, size=(40, 6)).astype(np.uint8)
    y = rng.integers(3, size=40)
    sizes = rng.integers(1, 8, size=10)
    start = np.concatenate([[0], np.cumsum(sizes)])
    near, pull = rng.integers(40, size=start[-1]), rng.random(start[-1]) + 0.1
    votes = rng.integers(3, size=(10, 6))
    overall = kernels.overall(start, near, pull, right)
    by_class = kernels.by_class(start, near, pull, right, y, votes)
    unbroken = kernels.unbroken(start, near, right)
    weights = rng.random((10, 6))
    tally = kernels.weighted_vote(votes, weights, 3)
    for q in range(10):
        rows, own = near[start[q] : start[q + 1]].tolist(), pull[start[q] : start[q + 1]].tolist()
        for m in range(6):
            assert overall[q, m] == pytest.approx(naive.overall(rows, own, right, m))
            expected = naive.by_class(rows, own, right, y, votes[q, m], m)
            assert by_class[q, m] == pytest.approx(expected)
            assert unbroken[q, m] == naive.unbroken(rows, right, m)
        for c in range(3):
            assert tally[q, c] == pytest.approx(weights[q][votes[q] == c].sum())


@settings(max_examples=40)
@given(
    arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 6)),
           elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, np.nan])),
    st.sampled_from(["share", "first"]),
)  # fmt: skip
def test_the_best_decide_alone_and_all_where_nothing_is_known(competence, ties):
    say = best_only(competence, ties)
    expected = [naive.best(query.tolist(), ties == "first") for query in competence.T]
    np.testing.assert_array_equal(say.T, expected)


def test_knora_e_by_its_definition(data):
    bag, X, y = data
    model = DynamicSelectionClassifier(
        bag, method="knora-e", region=NeighbourRegion(5, scale=False)
    ).fit(X[300:600], y[300:600])
    near = NearestNeighbors(n_neighbors=5).fit(X[300:600]).kneighbors(X[600:650])[1]
    votes = np.stack([m.predict(X) for m in bag.estimators_]).astype(int)
    right = votes[:, 300:600] == y[300:600]
    for q, rows in enumerate(near):
        for k in range(5, -1, -1):  # fewer and fewer neighbours, until somebody has all right
            chosen = right[:, rows[:k]].all(axis=1)
            if chosen.any():
                break
        expected = np.bincount(votes[chosen, 600 + q], minlength=3).argmax()
        assert model.predict(X[600 + q : 601 + q])[0] == expected


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_batches_do_not_matter_and_answers_are_sound(data, method, combine):
    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method=method, combine=combine)
    model.fit(X[300:600], y[300:600])
    whole = model.predict_proba(X[600:])
    np.testing.assert_allclose(whole.sum(axis=1), 1.0)
    model.batch_size = 7
    np.testing.assert_array_equal(model.predict_proba(X[600:]), whole)
    assert model.score(X[600:], y[600:]) > 0.55


@pytest.mark.parametrize(
    "region", [NeighbourRegion(9, by_distance=True), ClusterRegion(5, random_state=0), LeafRegion()]
)
def test_regions_hold_rows_of_their_own_place(data, region):
    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method="ola", region=region)
    model.fit(X[300:600], y[300:600])
    near = model.region_.near(X[600:620])
    assert (np.diff(near.start) >= 1).all()
    assert near.rows.max() < 300
    assert model.score(X[600:], y[600:]) > 0.55
    if isinstance(region, ClusterRegion):
        cells = model.region_._cell(X[300:600])
        own = model.region_._cell(X[600:601])[0]
        assert (cells[near.rows[: near.start[1]]] == own).all()
        assert near.start[1] == (cells == own).sum()


def test_a_query_in_a_cell_without_rows_sees_all_of_them():
    region = ClusterRegion(2, random_state=0).fit(np.array([[0.0], [0.1], [9.0]]), [0, 0, 1])
    region.names_ = region.names_[:1]
    region.first_ = region.first_[:2]
    cells = region._cell(np.array([[0.0], [9.0]]))
    sizes = np.diff(region.near(np.array([[0.0], [9.0]])).start)
    missing = ~np.isin(cells, region.names_)
    assert (sizes[missing] == 3).all()


def test_a_member_better_by_chance_alone_does_not_decide_alone(data):
    bag, X, y = data
    strict = DynamicSelectionClassifier(bag, method="ola").fit(X[300:600], y[300:600])
    tested = DynamicSelectionClassifier(bag, method=OverallLocalAccuracy(alpha=0.05))
    tested.fit(X[300:600], y[300:600])
    alone, many = strict.explain_selection(X[600:700]), tested.explain_selection(X[600:700])
    assert len(many) > len(alone)
    # Whoever decides alone is among those that may be as good.
    both = alone.merge(many, on=["query", "member"])
    assert len(both) == len(alone)


def test_explain_selection_adds_up(data):
    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method="knora-u").fit(X[300:600], y[300:600])
    told = model.explain_selection(X[600:630])
    np.testing.assert_allclose(told.groupby("query")["say"].sum(), 1.0)
    decided = told.groupby("query")["decision"].first().to_numpy()
    np.testing.assert_array_equal(decided, model.predict(X[600:630]))
    assert told["competence"].between(0, 1).all()


def test_an_unfitted_pool_is_cross_fitted():
    X, y = load_iris(return_X_y=True)
    model = DynamicSelectionClassifier([GaussianNB(), DecisionTreeClassifier(random_state=0)], cv=5)
    model.fit(X, y)
    # A tree fitted on all rows would have no errors among them.
    assert model.outputs_.errors[1] > 0
    assert model.pool_[1][1].score(X, y) == 1.0


def test_a_competence_of_ones_own(data):
    class First(Competence):
        def estimate(self, queries):
            assert queries.votes.shape == self.right_.shape[:1] + queries.near.start[1:].shape
            competence = np.zeros(queries.votes.shape)
            competence[0] = 1
            return competence

    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method=First()).fit(X[300:600], y[300:600])
    np.testing.assert_array_equal(model.predict(X[600:]), bag.estimators_[0].predict(X[600:]))


def test_wrong_input_says_what_to_change(data):
    bag, X, y = data
    for options, message in [
        ({"method": "luck"}, "choose ola, lca"),
        ({"combine": "sum"}, "choose 'vote', 'mean'"),
        ({"region": NeighbourRegion(0)}, "k=0"),
        ({"region": NeighbourRegion(3, backend="magic")}, "choose 'exact', 'pynndescent'"),
        ({"method": OverallLocalAccuracy(alpha=2)}, "alpha=2"),
    ]:
        with pytest.raises(ValueError, match=message):
            DynamicSelectionClassifier(bag, **options).fit(X[300:600], y[300:600]).predict(X[:2])
    with pytest.raises(ValueError, match="svm has no predict_proba"):
        DynamicSelectionClassifier(
            [("svm", LinearSVC()), ("nb", GaussianNB())], method="margin"
        ).fit(X[:100], y[:100])
    frame = pd.DataFrame({"a": ["x", "y"] * 30})
    encoded = make_pipeline(OrdinalEncoder(), GaussianNB())
    with pytest.raises(ValueError, match="need numbers without gaps"):
        DynamicSelectionClassifier([encoded]).fit(frame, [0, 1] * 30)


def test_significance_of_class_wise_accuracy():
    """By hand: one query, ten rows near, six of class 0 and four of class 1."""
    y = np.array([0] * 6 + [1] * 4)
    right = np.array(
        [
            [0, 1, 1, 1, 1, 1, 0, 0, 0, 0],  # says 0: five of six
            [1, 1, 1, 1, 1, 0, 1, 1, 1, 1],  # says 0: five of six
            [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],  # says 0: one of six
            [1, 1, 1, 1, 1, 1, 1, 1, 1, 0],  # says 1: three of four
            [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],  # says 2, which is not near
            [0, 0, 1, 1, 0, 1, 0, 0, 0, 0],  # says 0: three of six, just not too few
        ]
    )
    votes = np.array([[0], [0], [0], [1], [2], [0]])
    near = Neighbourhoods(start=np.array([0, 10]), rows=np.arange(10), pull=np.ones(10))
    outputs = MemberOutputs.from_correct(right)
    competence = ClassLocalAccuracy(alpha=0.05)
    competence.right_ = np.ascontiguousarray(outputs.correct.T).view(np.uint8).T
    competence.y_, competence.n_classes_ = y, 3
    values = competence.estimate(Queries(near=near, votes=votes, proba=None))
    assert_allclose(values[:, 0], [5 / 6, 5 / 6, 1 / 6, 3 / 4, 0, 3 / 6])
    chance = [binom.cdf(hits, n, 5 / 6) for hits, n in ((5, 6), (5, 6), (1, 6), (3, 4), (3, 6))]
    expected = [c > 0.05 for c in chance]
    assert expected == [True, True, False, True, True]
    assert 0.05 < chance[-1] < 0.07
    expected.insert(4, False)
    assert competence.weigh(values)[:, 0].tolist() == [*map(float, expected)]
    # A level that nothing is below lets everybody vote of whom something is known.
    lenient = ClassLocalAccuracy(alpha=1e-30)
    lenient.__dict__.update(competence.__dict__ | {"alpha": 1e-30})
    assert lenient.weigh(values)[:, 0].tolist() == [1.0, 1.0, 1.0, 1.0, 0.0, 1.0]
