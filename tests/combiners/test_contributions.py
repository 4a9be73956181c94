"""How an ensemble combines is known or found out, and what a member adds follows."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.combiners import (
    COMBINERS,
    CombinedClassifier,
    MeanCombiner,
    StagedCombiner,
    VoteCombiner,
    combiner_of,
    growth,
    member_contributions,
)
from counterpoint.diversity import trajectory, vote_error
from counterpoint.selection import EnsembleSelectionClassifier


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    # Noise, so that members err and differ.
    X = X + np.random.default_rng(0).normal(0, 0.8, X.shape)
    return X[::2], y[::2], X[1::2], y[1::2]


def asked(model, data):
    X, y, X_test, y_test = data
    model.fit(X, y)
    outputs = MemberOutputs.from_estimator(model, X_test, y_test)
    return outputs, combiner_of(model, X_test, outputs)


def error(support, outputs):
    return np.mean(np.round(support, 9).argmax(axis=1) != outputs.y)


MODELS = [
    ("a", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ("b", GaussianNB()),
    ("c", DecisionTreeClassifier(max_depth=3, random_state=1)),
]


def test_a_forest_takes_the_mean(data):
    outputs, rule = asked(RandomForestClassifier(8, max_depth=2, random_state=0), data)
    assert isinstance(rule, MeanCombiner)
    means = outputs.proba.cumsum(axis=0).round(9).argmax(axis=2)
    assert growth(outputs, rule) == pytest.approx((means != outputs.y).mean(axis=1))
    table = member_contributions(outputs, rule)
    for k in range(8):
        rest = error(np.delete(outputs.proba, k, axis=0).sum(axis=0), outputs)
        assert table["adds"][k] == pytest.approx(rest - growth(outputs, rule)[-1])
        assert table["disagrees"][k] == np.mean(outputs.votes[k] != means[-1])
    assert table["weight"].tolist() == [1 / 8] * 8
    np.testing.assert_allclose(table["error"], outputs.errors)


@pytest.mark.parametrize(
    "model",
    [
        VotingClassifier(MODELS),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=6, random_state=0),
    ],
)
def test_a_vote_agrees_with_the_measures(data, model):
    outputs, rule = asked(model, data)
    assert isinstance(rule, VoteCombiner)
    grown = growth(outputs, rule)
    assert grown == pytest.approx(trajectory(outputs, "vote_error"))
    adds = member_contributions(outputs, rule)["adds"]
    for k in range(outputs.n_members):
        rest = outputs.take(np.arange(outputs.n_members) != k)
        assert adds[k] == pytest.approx(vote_error(rest) - grown[-1])
    np.testing.assert_array_equal(growth(outputs), grown)  # None is the outputs' own vote


@pytest.mark.parametrize(
    "model",
    [
        VotingClassifier(MODELS, voting="soft", weights=[5, 1, 2]),
        VotingClassifier(MODELS, weights=[5, 1, 2]),
        StackingClassifier(MODELS, DecisionTreeClassifier(max_depth=2)),
        StackingClassifier(MODELS, RidgeClassifier()),
        CalibratedClassifierCV(GaussianNB(), cv=3),
        BaggingClassifier(LinearSVC(), 5, random_state=0),
        CombinedClassifier(MODELS, combiner="choquet"),
        EnsembleSelectionClassifier(MODELS),
        make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=4)),
        make_pipeline(StandardScaler(), ExtraTreesClassifier(9, random_state=0)),
        AdaBoostNCClassifier(n_estimators=5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_rule_gives_the_ensembles_answer(data, model):
    outputs, rule = asked(model, data)
    np.testing.assert_array_equal(rule.predict(outputs), model.predict(data[2]))
    grown = growth(outputs, rule)
    assert len(grown) == outputs.n_members
    assert grown[-1] == pytest.approx(np.mean(model.predict(data[2]) != data[3]))
    table = member_contributions(outputs, rule)
    assert table["weight"].sum() == pytest.approx(1)


def test_two_classes_stacked(data):
    two = tuple(part[data[1 if len(part) == len(data[1]) else 3] < 2] for part in data)
    model = StackingClassifier(MODELS)
    outputs, rule = asked(model, two)
    np.testing.assert_allclose(rule.combine(outputs), model.predict_proba(two[2]))


def test_stages_in_a_pipeline(data):
    model = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=4))
    outputs, rule = asked(model, data)
    _, _, X_test, y_test = data
    assert isinstance(rule, StagedCombiner)
    assert member_contributions(outputs, rule)["adds"].isna().all()
    staged = model[-1].staged_predict(model[:-1].transform(X_test))
    assert growth(outputs, rule) == pytest.approx([np.mean(said != y_test) for said in staged])
    with pytest.raises(ValueError, match="combiner_of"):
        rule.combine(MemberOutputs.from_estimator(model, X_test[:5]))


def test_where_nothing_fits_a_vote_stands_in(data):
    model = StackingClassifier(MODELS, DecisionTreeClassifier(max_depth=1), passthrough=True)
    outputs, rule = asked(model, data)
    assert rule is None
    assert growth(outputs)[-1] == pytest.approx(vote_error(outputs))


def test_flags_cannot_be_combined(data):
    outputs, rule = asked(OneVsRestClassifier(GaussianNB()), data)
    assert rule is None
    with pytest.raises(ValueError, match="needs the members' labels"):
        growth(outputs)


def test_one_member_has_no_rest(data):
    outputs, rule = asked(RandomForestClassifier(1, random_state=0), data)
    assert member_contributions(outputs, rule)["adds"].isna().all()
    assert len(growth(outputs, rule)) == 1


@pytest.mark.parametrize("name", COMBINERS)
def test_every_rule_tells_what_members_are_worth(name):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    proba = rng.dirichlet(np.ones(3), size=(4, 60))
    proba[np.arange(3)[:, None], np.arange(60), y] += 0.6
    outputs = MemberOutputs(proba=proba / proba.sum(axis=2, keepdims=True), y=y)
    rule = COMBINERS[name]().fit(outputs)
    for loss in ("error", "log-loss", "squared"):
        table = member_contributions(outputs, rule, loss=loss)
        assert np.isfinite(table[["error", "weight", "adds", "disagrees"]].to_numpy()).all()
    fewer = rule.keep(np.array([0, 1]), outputs)
    assert fewer.combine(outputs.take([0, 1])).shape == (60, 3)
    assert growth(outputs, rule).shape == (4,)


@pytest.mark.parametrize("loss", ["hinge", np.array([1.0, np.nan])])
def test_a_loss_that_is_none_is_refused_by_name(loss):
    outputs = MemberOutputs([[0, 1, 1], [0, 1, 0], [1, 1, 1]], [0, 1, 1])
    with pytest.raises(ValueError, match=r"loss=.*'error', 'log-loss', 'squared'"):
        member_contributions(outputs, loss=loss)
