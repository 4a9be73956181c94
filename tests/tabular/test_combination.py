"""How an ensemble combines is found out from its answers, and what a member adds follows."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.diversity import trajectory, vote_error
from counterpoint.tabular.combination import find_combination


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    # Noise, so that members err and differ.
    X = X + np.random.default_rng(0).normal(0, 0.8, X.shape)
    return X[::2], y[::2], X[1::2], y[1::2]


def found(model, data):
    X, y, X_test, y_test = data
    model.fit(X, y)
    outputs = MemberOutputs.from_estimator(model, X_test, y_test)
    return outputs, find_combination(model, X_test, outputs, model.predict(X_test))


MODELS = [
    ("a", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ("b", GaussianNB()),
    ("c", DecisionTreeClassifier(max_depth=3, random_state=1)),
]


def test_a_forest_takes_the_mean(data):
    outputs, one = found(RandomForestClassifier(8, max_depth=2, random_state=0), data)
    assert (one.kind, one.weighted) == ("mean", False)
    means = outputs.proba.cumsum(axis=0).round(9).argmax(axis=2)
    assert one.growth == pytest.approx((means != outputs.y).mean(axis=1))
    for k in range(8):
        rest = np.delete(outputs.proba, k, axis=0).sum(axis=0).round(9).argmax(axis=1)
        assert one.without[k] == pytest.approx(np.mean(rest != outputs.y))


def test_a_vote_agrees_with_the_measures(data):
    outputs, one = found(VotingClassifier(MODELS), data)
    assert (one.kind, one.weighted) == ("vote", False)
    assert one.growth == pytest.approx(trajectory(outputs, "vote_error"))
    for k in range(3):
        assert one.without[k] == pytest.approx(vote_error(outputs.take(np.arange(3) != k)))


def test_a_weighted_vote(data):
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=6, random_state=0)
    outputs, one = found(model, data)
    assert (one.kind, one.weighted) == ("vote", True)
    assert one.growth == pytest.approx(trajectory(outputs, "vote_error"))
    for k in range(outputs.n_members):
        rest = outputs.take(np.arange(outputs.n_members) != k)
        assert one.without[k] == pytest.approx(vote_error(rest))


def test_a_weighted_mean(data):
    _, one = found(VotingClassifier(MODELS, voting="soft", weights=[5, 1, 2]), data)
    assert (one.kind, one.weighted) == ("mean", True)


def test_stages_in_a_pipeline(data):
    model = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=4))
    _, one = found(model, data)
    _, _, X_test, y_test = data
    assert one.kind == "stages"
    assert one.without is None
    staged = model[-1].staged_predict(model[:-1].transform(X_test))
    assert one.growth == pytest.approx([np.mean(said != y_test) for said in staged])


def test_where_nothing_fits_a_vote_stands_in(data):
    outputs, one = found(StackingClassifier(MODELS, DecisionTreeClassifier(max_depth=1)), data)
    assert one.kind == "unknown"
    assert one.growth[-1] == pytest.approx(vote_error(outputs))


def test_flags_cannot_be_combined(data):
    _, one = found(OneVsRestClassifier(GaussianNB()), data)
    assert one is None


def test_one_member_has_no_rest(data):
    _, one = found(RandomForestClassifier(1, random_state=0), data)
    assert one.without is None
    assert len(one.growth) == 1
