"""Wrong labels that were planted are found; a committee asks for what it does not know."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.trust import QUERY_MEASURES, QueryByCommittee, find_label_errors
from counterpoint.trust.labels import confident_class

POOL = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
        ("linear", LogisticRegression(max_iter=1000))]  # fmt: skip


def planted(share, seed=0):
    X, y = make_classification(
        600, 6, n_informative=4, n_clusters_per_class=1, class_sep=1.5, flip_y=0, random_state=seed
    )
    rng = np.random.default_rng(seed)
    flipped = rng.random(600) < share
    return X, np.where(flipped, 1 - y, y), flipped


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_planted_errors_are_found(share):
    X, given, flipped = planted(share)
    found = find_label_errors(MemberOutputs.from_estimator(POOL, X, given, cv=5))
    assert flipped[found.wrong].mean() > 0.6  # precision
    assert found.wrong[flipped].mean() > 0.6  # recall
    assert abs(found.expected_share - share) < 0.08
    table = found.table()
    assert table["belief"].is_monotonic_increasing
    assert len(table) == found.wrong.sum()
    assert found.joint.sum() == pytest.approx(1)


def test_confident_classes_are_the_naive_twin():
    rng = np.random.default_rng(0)
    proba, y = rng.dirichlet([1, 1, 1], size=50), rng.integers(3, size=50)
    limits = [np.mean([p[k] for p, t in zip(proba, y) if t == k]) for k in range(3)]
    expected = []
    for p in proba:
        above = [k for k in range(3) if p[k] >= limits[k]]
        expected.append(max(above, key=lambda k: p[k]) if above else -1)
    assert confident_class(proba, y, np.ones(50)).tolist() == expected


def test_labels_need_probabilities_and_truth():
    with pytest.raises(ValueError, match="votes only"):
        find_label_errors(MemberOutputs([[0, 1]], [0, 1]))
    with pytest.raises(ValueError, match="has no truth"):
        find_label_errors(MemberOutputs(proba=[[[0.5, 0.5]]]))


def test_query_measures_by_hand():
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], size=(4, 20))
    outputs = MemberOutputs(proba=proba)
    mean = proba.mean(axis=0)
    votes = np.stack([np.bincount(v, minlength=3) for v in outputs.votes.T]) / 4
    expected = {
        "vote-entropy": entropy(votes, axis=1),
        "divergence": np.mean([entropy(p, mean, axis=1) for p in proba], axis=0),
        "consensus": entropy(mean, axis=1),
        "margin": [1 - (sorted(p)[-1] - sorted(p)[-2]) for p in mean],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(QUERY_MEASURES[name](outputs), value, atol=1e-12)


@pytest.mark.parametrize("pool", [None, POOL])
def test_asking_where_members_disagree_learns_faster_than_by_lot(pool):
    """Of 2000 rows, a rare class in a corner: it must be found first."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 2))
    y = ((X[:, 0] > 0.6) & (X[:, 1] > 0.5)).astype(int)
    scores = {"asked": [], "by lot": []}
    for seed in range(3):
        for way, kept in scores.items():
            rng = np.random.default_rng(seed)
            known = np.zeros(1000, dtype=bool)
            known[rng.permutation(1000)[:6]] = True
            known[np.flatnonzero(y[:1000] == 1)[:2]] = True
            committee = QueryByCommittee(pool, random_state=seed)
            for _ in range(6):
                committee.fit(X[:1000][known], y[:1000][known])
                rest = np.flatnonzero(~known)
                at = (
                    committee.query(X[rest], 5)
                    if way == "asked"
                    else rng.permutation(len(rest))[:5]
                )
                known[rest[at]] = True
            kept.append(committee.fit(X[:1000][known], y[:1000][known]).score(X[1000:], y[1000:]))
    assert np.mean(scores["asked"]) > np.mean(scores["by lot"])


def test_a_batch_is_spread_out():
    rng = np.random.default_rng(0)
    X = rng.normal(0, 0.01, (200, 2)) + np.repeat([[0], [2]], 100, axis=0)
    X_new = np.concatenate([X + 1, X + np.array([1, -1])])
    y = np.repeat([0, 1], 100)
    diverse = QueryByCommittee(random_state=0).fit(X, y)
    top = QueryByCommittee(random_state=0, batch="top").fit(X, y)
    a, b = diverse.query(X_new, 8), top.query(X_new, 8)
    assert len(set(a)) == len(set(b)) == 8
    value = top.disagreement(X_new)
    assert value[b].min() >= np.sort(value)[-8]

    def apart(rows):
        return np.mean([np.linalg.norm(X_new[i] - X_new[j]) for i in rows for j in rows])

    assert apart(a) >= apart(b)


def test_it_stops_when_members_stop_disagreeing():
    X, y = load_iris(return_X_y=True)
    easy, target = X[:100], y[:100]
    committee = QueryByCommittee(POOL, random_state=0, patience=2)
    known = np.zeros(100, dtype=bool)
    known[[0, 99]] = True
    for _ in range(20):
        committee.fit(easy[known], target[known])
        if committee.stopped_:
            break
        known[np.flatnonzero(~known)[committee.query(easy[~known], 4)]] = True
    assert committee.stopped_
    assert known.sum() < 80
    assert isinstance(committee.history_, pd.DataFrame)
    assert committee.history_["n_labelled"].is_monotonic_increasing


def test_members_that_can_learn_in_parts_do():
    X, y = load_iris(return_X_y=True)
    pool = [("bayes", GaussianNB()), ("line", SGDClassifier(loss="log_loss", random_state=0))]
    committee = QueryByCommittee(pool)
    with pytest.raises(ValueError, match="first partial_fit needs all labels"):
        committee.partial_fit(X[:3], y[:3])
    for k in range(0, 150, 30):
        committee.partial_fit(X[k : k + 30], y[k : k + 30], classes=[0, 1, 2])
    assert committee.n_labelled_ == 150
    whole = GaussianNB().fit(X, y)
    np.testing.assert_allclose(committee.pool_[0][1].theta_, whole.theta_)
    with pytest.raises(ValueError, match="which is not in classes"):
        committee.partial_fit(X[:1], [7])
    assert not hasattr(QueryByCommittee(POOL), "partial_fit")
    assert not hasattr(QueryByCommittee(), "partial_fit")


def test_wrong_options_are_told():
    X, y = load_iris(return_X_y=True)
    for options, message in [
        ({"measure": "entropi"}, "measure='entropi': choose"),
        ({"batch": 3}, "batch=3: choose"),
        ({"patience": 0}, "patience=0: give a whole number"),
        ({"pool": []}, "empty"),
    ]:
        with pytest.raises(ValueError, match=message):
            QueryByCommittee(**options).fit(X, y)
    fitted = QueryByCommittee(measure=lambda outputs: [1.0]).fit(X, y)
    with pytest.raises(ValueError, match="finite number for each of 150 samples"):
        fitted.query(X)
    assert len(QueryByCommittee().fit(X, y).query(X[:4], 10)) == 4
