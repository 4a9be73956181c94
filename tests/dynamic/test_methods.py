"""META-DES, RRC, DES-KL, DES-P, ensembles by margin, and what they stand on."""

import numpy as np
import pytest
from naive import dynamic as naive
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.dynamic import (
    ClusterRegion,
    DivergenceFromChance,
    DynamicSelectionClassifier,
    EnsembleMargin,
    MetaLearned,
    Neighbourhoods,
    NeighbourRegion,
    Queries,
    RandomReference,
    Region,
    _nearest,
)
from counterpoint.dynamic._asking import Asker
from counterpoint.dynamic.methods import COMPETENCES


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(900, 8, n_informative=5, n_classes=3, random_state=0)
    bag = BaggingClassifier(DecisionTreeClassifier(max_depth=4), 12, random_state=0)
    return bag.fit(X[:300], y[:300]), X, y


# -- the nearest rows -------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [5, 150, 1200])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_nearest_rows_are_those_of_sklearn(n_rows, shift):
    rng = np.random.default_rng(0)
    rows, queries = rng.normal(shift, 1, (n_rows, 6)), rng.normal(shift, 1, (70, 6))
    distance, found = _nearest.NearestRows(rows).kneighbors(queries, 4)
    expected = NearestNeighbors(n_neighbors=4, algorithm="kd_tree").fit(rows).kneighbors(queries)
    np.testing.assert_array_equal(found, expected[1])
    np.testing.assert_allclose(distance, expected[0], rtol=1e-9)


def test_of_equally_near_rows_the_first_come_first():
    # A thousand rows in few places: rounding cannot tell them apart, so all are looked at.
    rng = np.random.default_rng(1)
    rows, queries = rng.integers(5, size=(1000, 2)), rng.integers(5, size=(40, 2))
    found = _nearest.NearestRows(rows).kneighbors(queries, 9)[1]
    far = ((queries[:, None, :] - rows) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found, np.argsort(far, axis=1, kind="stable")[:, :9])
    tenths, places = rows / 10, queries / 10 + 0.03
    distance = _nearest.NearestRows(tenths).kneighbors(places, 9)[0]
    far = np.sqrt(((places[:, None, :] - tenths) ** 2).sum(axis=2))
    np.testing.assert_allclose(distance, np.sort(far, axis=1)[:, :9], rtol=1e-12)


def test_most_alike_matches_naive():
    rng = np.random.default_rng(2)
    rows, queries = rng.integers(3, size=(200, 7)), rng.integers(3, size=(15, 7))
    found = _nearest.NearestVotes(rows).alike(queries, 5)
    for q, votes in enumerate(queries):
        assert found[q].tolist() == naive.most_alike(votes.tolist(), rows.tolist(), 5)


def test_two_threads_find_what_one_does(monkeypatch):
    rng = np.random.default_rng(3)
    rows, queries = rng.normal(size=(300, 5)), rng.normal(size=(3000, 5))
    alone = _nearest.NearestRows(rows).kneighbors(queries, 3)
    monkeypatch.setattr(_nearest.numba, "get_num_threads", lambda: 2)
    monkeypatch.setattr(_nearest, "_WORTH_A_THREAD", 0)
    both = _nearest.NearestRows(rows).kneighbors(queries, 3)
    np.testing.assert_array_equal(alone[0], both[0])
    np.testing.assert_array_equal(alone[1], both[1])


def test_rows_are_not_their_own_neighbours():
    X = np.array([[0.0], [0.0], [0.0], [5.0]])
    near = NeighbourRegion(2, scale=False).fit(X, [0, 0, 1, 1]).near_rows()
    rows = near.rows.reshape(4, 2)
    assert not (rows == np.arange(4)[:, None]).any()
    assert set(rows[3]) <= {0, 1, 2}
    with pytest.raises(ValueError, match="at least two"):
        NeighbourRegion(2).fit(X[:1], [0]).near_rows()


# -- asking trees -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bag", "subspaces", "forest", "extra", "list", "odd"])
def test_trees_asked_at_once_say_what_each_says(data, kind):
    _, X, y = data
    y = np.array(["a", "b", "c"])[y]
    # Columns with few values have thresholds that float32 must round.
    X = np.concatenate([X, X.round(1)], axis=1)
    pool = {
        "bag": lambda: BaggingClassifier(n_estimators=7, random_state=0).fit(X, y),
        "subspaces": lambda: BaggingClassifier(
            n_estimators=7, max_features=0.5, random_state=0
        ).fit(X, y),
        "forest": lambda: RandomForestClassifier(7, max_depth=3, random_state=0).fit(X, y),
        "extra": lambda: ExtraTreesClassifier(7, random_state=0).fit(X, y),
        "list": lambda: [
            ("stub", DecisionTreeClassifier(max_depth=1).fit(X, y)),
            ("root", DecisionTreeClassifier(max_depth=1).fit(X[:, :16], np.full(len(y), "b"))),
            ("best first", DecisionTreeClassifier(max_leaf_nodes=9).fit(X, y)),
            ("two", ExtraTreeClassifier(random_state=0).fit(X[y != "a"], y[y != "a"])),
        ],
        "odd": lambda: [
            ("tree", DecisionTreeClassifier().fit(X, y)),
            ("nb", GaussianNB().fit(X, y)),
        ],
    }[kind]()
    classes = np.array(["a", "b", "c"])
    asker = Asker(pool, None, classes, None)
    assert (asker.trees is None) == (kind == "odd")
    for n in (1, 8, 300):
        outputs = MemberOutputs.from_estimator(pool, X[:n])
        votes, proba = asker.ask(X[:n], proba=True)
        np.testing.assert_array_equal(votes, outputs.votes)
        np.testing.assert_array_equal(proba, outputs.proba)
        np.testing.assert_array_equal(asker.ask(X[:n], proba=False)[0], outputs.votes)


def test_missing_values_take_the_long_way(data):
    _, X, y = data
    gaps = X.copy()
    gaps[::7, 0] = np.nan
    forest = RandomForestClassifier(5, random_state=0).fit(gaps, y)
    votes, _ = Asker(forest, None, np.arange(3), None).ask(gaps, proba=False)
    np.testing.assert_array_equal(votes, MemberOutputs.from_estimator(forest, gaps).votes)


# -- methods ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", COMPETENCES)
def test_every_method_is_better_than_its_members(data, method):
    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method=method).fit(X[300:600], y[300:600])
    each = [(m.predict(X[600:]) == y[600:]).mean() for m in bag.estimators_]
    assert model.score(X[600:], y[600:]) > np.mean(each)
    model.batch_size = 11
    again = model.explain_selection(X[600:660])
    decided = again.groupby("query")["decision"].first()
    np.testing.assert_array_equal(decided, model.predict(X[600:660]))
    model.combine = "mean"
    decided = model.explain_selection(X[600:660]).groupby("query")["decision"].first()
    np.testing.assert_array_equal(decided, model.predict(X[600:660]))


def test_random_reference_against_drawing():
    shares, y = np.array([[0.7, 0.2, 0.1], [0.1, 0.45, 0.45]]), np.array([0, 2])
    outputs = MemberOutputs(proba=shares[None], y=y, classes=[0, 1, 2])
    source = RandomReference().fit(outputs, points=np.eye(2)).source_[0]
    rng = np.random.default_rng(0)
    drawn = rng.beta(3 * shares, 3 - 3 * shares, size=(100_000, 2, 3)).argmax(axis=2)
    np.testing.assert_allclose(source, (drawn == y).mean(axis=0), atol=0.02)


def test_divergence_by_hand():
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.9, 0.1], [0.0, 1.0]])
    outputs = MemberOutputs(proba=shares[None], y=np.array([0, 0, 1, 0]), classes=[0, 1])
    source = DivergenceFromChance().fit(outputs, points=np.eye(4)).source_[0]
    entropy = -(0.9 * np.log(0.9) + 0.1 * np.log(0.1)) / np.log(2)
    np.testing.assert_allclose(source, [1.0, 0.0, -(1 - entropy), -1.0], atol=1e-12)


def test_potentials_are_the_plain_sum_and_survive_great_distances(data):
    bag, X, y = data
    outputs = MemberOutputs.from_estimator(bag, X[:50], y[:50])
    method = DivergenceFromChance(scale=False).fit(outputs, points=X[:50])
    queries = Queries(near=None, votes=outputs.votes, proba=None, points=X[50:70])
    pull = np.exp(-((X[50:70, None] - X[None, :50]) ** 2).sum(axis=2))
    expected = method.source_ @ pull.T / pull.sum(axis=1)
    np.testing.assert_allclose(method.estimate(queries), expected, rtol=1e-6)
    far = Queries(near=None, votes=outputs.votes, proba=None, points=X[50:70] + 1e4)
    assert np.isfinite(method.estimate(far)).all()


def test_any_meta_classifier_and_few_rows(data):
    bag, X, y = data
    own = MetaLearned(meta_classifier=LogisticRegression(max_iter=500), consensus=0.9)
    model = DynamicSelectionClassifier(bag, method=own).fit(X[300:500], y[300:500])
    assert model.score(X[600:], y[600:]) > 0.55
    few = DynamicSelectionClassifier(bag, method="meta-des").fit(X[300:306], y[300:306])
    assert few.competence_.k_ == 5
    assert len(few.predict(X[600:])) == 300


def test_meta_des_where_nobody_is_ever_wrong():
    X = np.repeat(np.eye(2), 10, axis=0)
    y = np.repeat([0, 1], 10)
    pool = [GaussianNB().fit(X, y), DecisionTreeClassifier().fit(X, y)]
    model = DynamicSelectionClassifier(pool, method="meta-des").fit(X, y)
    assert model.competence_.meta_classifier_ is None
    np.testing.assert_array_equal(model.predict(X), y)


def test_one_kernel_and_naive_bayes_trust_alike(data):
    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method="meta-des").fit(X[300:600], y[300:600])
    method = model.competence_
    outputs = MemberOutputs.from_estimator(bag, X[600:650])
    near = model.region_.near(X[600:650])
    queries = Queries(near=near, votes=outputs.votes, proba=outputs.proba)
    proba = outputs.proba.transpose(1, 0, 2)
    alike = method._alike(proba, outputs.votes.T, 5)
    shown = np.digitize(
        method._features(near.rows.reshape(50, 7), alike, proba), np.linspace(0.1, 1, 10)
    )
    expected = method.meta_classifier_.predict_proba(shown)[:, 1].reshape(50, -1)
    np.testing.assert_allclose(method.estimate(queries).T, expected, atol=1e-9)


def test_the_ensemble_with_the_largest_margin_decides():
    # Members 0-2 agree on the first query, 2-4 on the second.
    votes = np.array([[0, 0], [0, 1], [0, 2], [1, 2], [2, 2]])
    outputs = MemberOutputs(votes, [0, 2], classes=[0, 1, 2])
    method = EnsembleMargin([[0, 1, 2], [2, 3, 4], [1, 3]]).fit(outputs)
    queries = Queries(near=None, votes=votes, proba=None)
    np.testing.assert_array_equal(
        method.weigh(method.estimate(queries)).T, [[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]
    )
    # Of equal margins the first of the list.
    first = EnsembleMargin([[3], [0, 1, 2]]).fit(outputs)
    np.testing.assert_array_equal(first.weigh(first.estimate(queries))[:, 0], [0, 0, 0, 1, 0])
    searched = EnsembleMargin(random_state=0).fit(outputs)
    assert 1 <= len(searched.ensembles_) <= 40


# -- bad input --------------------------------------------------------------------------------


class Nowhere(Region):
    def fit(self, X, y):
        return self

    def near(self, X):
        none = np.zeros(0)
        start = np.zeros(len(X) + 1, dtype=np.int64)
        return Neighbourhoods(start=start, rows=none.astype(np.int64), pull=none)


@pytest.mark.parametrize("method", ["ola", "lca", "knora-e", "knora-u", "des-p"])
def test_where_nothing_is_near_everybody_votes(data, method):
    bag, X, y = data
    model = DynamicSelectionClassifier(bag, method=method, region=Nowhere())
    model.fit(X[300:600], y[300:600])
    plain = MemberOutputs.from_estimator(bag, X[600:]).majority
    np.testing.assert_array_equal(model.predict(X[600:]), plain)
    for ola in (COMPETENCES["ola"](alpha=0.1), COMPETENCES["ola"](ties="first")):
        model.set_params(method=ola).fit(X[300:600], y[300:600])
        np.testing.assert_array_equal(model.predict(X[600:]), plain)


@pytest.mark.parametrize("pool", ["bag", "list"])
@pytest.mark.parametrize("method", ["knora-e", "meta-des", "rrc"])
def test_a_class_that_validation_rows_miss_can_still_be_predicted(data, pool, method):
    _, X, y = data
    labels = np.array(["a", "b", "c"])[y]
    members = [(str(k), DecisionTreeClassifier(max_depth=d).fit(X[:300], labels[:300]))
               for k, d in enumerate((3, 5, 7))]  # fmt: skip
    pool = (
        members if pool == "list" else BaggingClassifier(random_state=0).fit(X[:300], labels[:300])
    )
    seen = np.flatnonzero(labels[300:600] != "b") + 300
    model = DynamicSelectionClassifier(pool, method=method).fit(X[seen], labels[seen])
    assert model.classes_.tolist() == ["a", "b", "c"]
    decided = model.predict(X[600:])
    assert (decided[labels[600:] == "b"] == "b").mean() > 0.3
    assert model.predict_proba(X[600:]).shape == (300, 3)


def test_wrong_input_says_what_to_change(data):
    bag, X, y = data
    for options, message in [
        ({"method": "meta-des", "region": ClusterRegion(3)}, "META-DES needs k nearest rows"),
        ({"method": COMPETENCES["ola"](ties="last")}, "choose 'share', 'first'"),
        ({"method": EnsembleMargin([])}, "ensembles is empty"),
        ({"method": EnsembleMargin([[0, 0]])}, "distinct positions"),
        ({"method": EnsembleMargin([[12]])}, "pool has 12 members"),
    ]:
        with pytest.raises(ValueError, match=message):
            DynamicSelectionClassifier(bag, **options).fit(X[300:600], y[300:600]).predict(X[:9])
    with pytest.raises(TypeError, match="expected a Region"):
        DynamicSelectionClassifier(bag, region=7).fit(X[300:600], y[300:600])
    words = DecisionTreeClassifier().fit(X[:50], np.array(["a", "b", "c"])[y[:50]])
    with pytest.raises(ValueError, match="words was fitted on the classes"):
        DynamicSelectionClassifier([("words", words)]).fit(X[300:600], y[300:600])
    with pytest.raises(ValueError, match="which the ensemble never saw"):
        DynamicSelectionClassifier(bag).fit(X[300:600], y[300:600] + 1)
