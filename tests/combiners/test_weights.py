"""Weights of samples reach members that take them, and the choice; metadata routing is kept."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.combiners import CombinedClassifier, WeightedVoteCombiner
from counterpoint.dynamic import DynamicSelectionClassifier, DynamicSelectionRegressor
from counterpoint.selection import (
    EnsembleSelectionClassifier,
    EnsembleSelectionRegressor,
    EvolvedEnsembleClassifier,
)

CLASSIFIERS = [CombinedClassifier, EnsembleSelectionClassifier, DynamicSelectionClassifier]
REGRESSORS = [EnsembleSelectionRegressor, DynamicSelectionRegressor]
X, Y = load_iris(return_X_y=True)
WEIGHT = np.random.default_rng(0).integers(0, 4, size=len(Y)).astype(float)


def bayes_and_a_line():
    return [
        ("bayes", GaussianNB()),
        ("line", make_pipeline(StandardScaler(), LogisticRegression())),
    ]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_weights_reach_the_members_of_a_pool(kind):
    model = kind(bayes_and_a_line()).fit(X, Y, sample_weight=WEIGHT)
    alone = GaussianNB().fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.pool_[0][1].theta_, alone.theta_)
    line = LogisticRegression().fit(StandardScaler().fit_transform(X), Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.pool_[1][1][-1].coef_, line.coef_)


@pytest.mark.filterwarnings("ignore:near is fitted already")
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_member_that_takes_none_is_named(kind):
    pool = [*bayes_and_a_line(), ("near", KNeighborsClassifier())]
    with pytest.raises(ValueError, match="near takes no sample_weight"):
        kind(pool).fit(X, Y, sample_weight=WEIGHT)
    fitted = ("near", KNeighborsClassifier().fit(X, Y))  # is asked as it is
    kind([*bayes_and_a_line(), fitted]).fit(X, Y, sample_weight=WEIGHT)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_regressors_take_weights_and_their_default_pool_those_that_do(kind):
    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y))
    model = kind().fit(X, y, sample_weight=weight)
    assert model.names_ == ["ridge regression", "tree"]
    assert kind().fit(X, y).names_[-1] == "nearest neighbours"
    outputs = model.member_outputs(X, y, sample_weight=weight)
    np.testing.assert_array_equal(outputs.values, model.member_predict(X))
    assert len(outputs.errors) == len(outputs.values)
    pool = [LinearRegression(), DecisionTreeRegressor(max_depth=3, random_state=0)]
    model = kind(pool).fit(X, y, sample_weight=weight)
    alone = LinearRegression().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.pool_[0][1].coef_, alone.coef_)
    with pytest.raises(ValueError, match="KNeighborsRegressor 0 takes no sample_weight"):
        kind([KNeighborsRegressor()]).fit(X, y, sample_weight=weight)


def test_rules_and_searches_count_samples_by_weight():
    noise = np.where(np.arange(len(Y)) % 2, Y, (Y + 1) % 3)
    right = np.arange(len(Y)) % 2 + 0.0  # weight for rows with the right label alone
    pool = bayes_and_a_line()
    searched = EnsembleSelectionClassifier(pool, criterion="error").fit(X, noise, right)
    assert searched.trace_.errors.min() < 0.1
    evolved = EvolvedEnsembleClassifier(pool, random_state=0).fit(X, noise, right)
    assert evolved.history_["fitness"].min() < 0.1
    rule = CombinedClassifier(pool, combiner=WeightedVoteCombiner("accuracy")).fit(X, noise, right)
    error = searched.trace_.errors.min()
    assert rule.score(X[1::2], Y[1::2]) > 0.9 > error


def test_an_ensemble_as_pool_takes_weights():
    bag = BaggingClassifier(GaussianNB(), 3, random_state=0)
    model = CombinedClassifier(bag).fit(X, Y, sample_weight=WEIGHT)
    other = BaggingClassifier(GaussianNB(), 3, random_state=0).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("kind", [*CLASSIFIERS, EvolvedEnsembleClassifier])
def test_with_routing_members_get_what_they_ask_for(kind):
    with config_context(enable_metadata_routing=True):
        asks = GaussianNB().set_fit_request(sample_weight=True)
        does_not = LogisticRegression(max_iter=500).set_fit_request(sample_weight=False)
        pool = [("asks", asks), ("does not", does_not)]
        model = kind(pool)
        if kind is EvolvedEnsembleClassifier:
            model.set_params(n_generations=1, population=4, random_state=0)
        model.fit(X, Y, sample_weight=WEIGHT)
        if kind is not EvolvedEnsembleClassifier:
            weighted = GaussianNB().fit(X, Y, sample_weight=WEIGHT)
            np.testing.assert_allclose(model.pool_[0][1].theta_, weighted.theta_)
            plain = LogisticRegression(max_iter=500).fit(X, Y)
            np.testing.assert_allclose(model.pool_[1][1].coef_, plain.coef_)
        request = model.get_metadata_routing()
        assert request.consumes("fit", ["sample_weight"]) == {"sample_weight"}


def test_auto_leaves_out_what_takes_no_weights():
    pool = [*bayes_and_a_line(), ("near", KNeighborsClassifier())]
    model = OverproduceSelectClassifier(pool, cv=3, random_state=0)
    with pytest.warns(UserWarning, match="1 of 3 members could not be trained"):
        model.fit(X, Y, sample_weight=WEIGHT)
    assert [text.split(":")[0] for text in model.failed_] == ["near"]
