"""Weights of samples reach the members, through views, pipelines and scikit-learn's routing."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.views import (
    BalancedSubsetsClassifier,
    ForestRCClassifier,
    HeterogeneousPoolClassifier,
    InputDecimationClassifier,
    NoiseInjectionClassifier,
    OutputCodeClassifier,
    ProjectionEnsembleClassifier,
    RandomTransformClassifier,
    ViewEnsembleClassifier,
    WholeView,
)

ENSEMBLES = [
    BalancedSubsetsClassifier,
    InputDecimationClassifier,
    NoiseInjectionClassifier,
    OutputCodeClassifier,
    ProjectionEnsembleClassifier,
    RandomTransformClassifier,
    ViewEnsembleClassifier,
]
X, Y = load_iris(return_X_y=True)


class Recorder(GaussianNB):
    """Notes the weights it is fitted with."""

    def fit(self, X, y, sample_weight=None):
        self.weights_ = sample_weight
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("ensemble", [*ENSEMBLES, ForestRCClassifier, HeterogeneousPoolClassifier])
def test_a_class_without_weight_is_not_there(ensemble):
    weight = np.where(Y == 1, 0.0, 1.0)
    fitted = ensemble(random_state=0).fit(X, Y, sample_weight=weight)
    assert fitted.classes_.tolist() == [0, 2]
    assert set(fitted.predict(X)) <= {0, 2}
    alone = ensemble(random_state=0).fit(X[Y != 1], Y[Y != 1], sample_weight=np.ones(100))
    assert_array_equal(fitted.predict(X), alone.predict(X))
    with pytest.raises(ValueError, match="are all zero"):
        ensemble().fit(X, Y, sample_weight=np.zeros(150))


@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_members_get_weights(ensemble):
    weight = np.random.RandomState(0).choice([1.0, 5.0], size=150)
    heavy = ensemble(Recorder(), random_state=0).fit(X, Y, sample_weight=weight)
    for member in heavy.estimators_:
        assert len(np.unique(member.weights_)) > 1
    if ensemble is not BalancedSubsetsClassifier:  # which weighs rows by itself
        light = ensemble(Recorder(), random_state=0).fit(X, Y)
        assert all(member.weights_ is None for member in light.estimators_)


@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_a_learner_that_takes_no_weights_is_named(ensemble):
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        ensemble(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(150))


def test_in_a_pipeline_the_last_step_gets_them():
    weight = np.random.RandomState(0).uniform(0.1, 2, size=150)
    learner = make_pipeline(StandardScaler(), LogisticRegression())
    one = ViewEnsembleClassifier(learner, view=WholeView(), n_estimators=1).fit(X, Y, weight)
    alone = make_pipeline(StandardScaler(), LogisticRegression())
    alone.fit(X, Y, logisticregression__sample_weight=weight)
    assert_allclose(one.predict_proba(X), alone.predict_proba(X))


def test_heavy_rows_count_in_a_forest_of_sums():
    weight = np.where(Y == 2, 10.0, 1.0)
    forest = ForestRCClassifier(3, bootstrap=False, max_depth=1, random_state=0)
    for tree in forest.fit(X, Y, weight).estimators_:
        assert_allclose(tree.combination_tree_.value[0], [50, 50, 500])


def test_balanced_members_learn_priors_by_weight():
    weight = np.where(Y == 2, 3.0, 1.0)
    for correction in ("weights", "probabilities"):
        fitted = BalancedSubsetsClassifier(GaussianNB(), correction=correction, random_state=0)
        fitted.fit(X, Y, weight)
        assert_allclose(fitted.priors_, [0.2, 0.2, 0.6])
        # All rows of all classes are there, so members learn from these weights alone.
        share = np.bincount(Y, fitted.predict_proba(X).max(axis=1))
        assert share[2] > share[1]
    assert_allclose(fitted.class_weights_ @ (fitted.counts_ * [0.6, 0.6, 1.8]), 1.0)


def test_with_weights_the_default_pool_holds_who_takes_them():
    whole = HeterogeneousPoolClassifier(random_state=0).fit(X, Y)
    weighed = HeterogeneousPoolClassifier(random_state=0).fit(X, Y, np.ones(150))
    assert set(whole.names_) - set(weighed.names_) == {
        "linear discriminant",
        "nearest",
        "neighbours",
    }
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        HeterogeneousPoolClassifier([KNeighborsClassifier()]).fit(X, Y, np.ones(150))


def test_routing_asks_every_learner():
    weight = np.random.RandomState(0).uniform(0.1, 2, size=150)
    with sklearn.config_context(enable_metadata_routing=True):
        eager = Recorder().set_fit_request(sample_weight=True)
        quiet = Recorder().set_fit_request(sample_weight=False)
        pool = HeterogeneousPoolClassifier([("eager", eager), ("quiet", quiet)])
        first, second = pool.fit(X, Y, sample_weight=weight).estimators_
        assert_array_equal(first.weights_, weight)
        assert second.weights_ is None
        gated = InputDecimationClassifier(quiet, gate=eager).fit(X, Y, sample_weight=weight)
        assert gated.estimators_[0].weights_ is None
        assert_array_equal(gated.gate_.weights_, weight)
        router = gated.get_metadata_routing()
        assert router.consumes("fit", ["sample_weight"]) == {"sample_weight"}
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            ViewEnsembleClassifier(DecisionTreeClassifier()).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    "model",
    [
        ForestRCClassifier(n_estimators=2, random_state=0),
        *(ProjectionEnsembleClassifier(random_state=seed) for seed in range(5)),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.random_state}",
)
def test_a_row_that_weighs_next_to_nothing_may_lie_far_away(model):
    x = np.append(np.linspace(0, 1e-4, 9), 9e37)
    X, y, weight = np.column_stack([x, x**0.5]), np.arange(10) % 2, np.append(np.ones(9), 1e-100)
    model.fit(X, y, sample_weight=weight)  # warnings are errors here
    assert_allclose(model.predict_proba(X[:9]).sum(axis=1), 1.0)


def test_bits_of_an_output_code_are_members():
    coded = OutputCodeClassifier(random_state=0).fit(X[::2], Y[::2])
    outputs = coded.member_outputs(X, Y)
    bits = np.stack([member.predict(X) for member in coded.estimators_])
    assert_array_equal(outputs.correct, bits == coded.code_book_.T[:, Y])
    assert_array_equal(outputs.correct, MemberOutputs.from_estimator(coded, X, Y).correct)
    labels = coded.member_predict(X)
    # The first class of the half that the bit stands for.
    assert_array_equal(coded.code_book_.T[np.arange(len(bits))[:, None], labels], bits)
    proba = coded.member_predict_proba(X)
    assert_allclose(proba.sum(axis=2), 1.0)
