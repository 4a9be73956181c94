"""The shared base: seeds, reading, and the ensemble an outside author writes."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.base import (
    BaseEnsembleClassifier,
    BaseEnsembleRegressor,
    encode_target,
    fit_member,
    set_random_states,
    validate_data,
)
from counterpoint.exceptions import MemberError


class _Bagged:
    def __init__(self, estimator=None, *, n_estimators=4, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _fit_members(self, X, y, sample_weight, rng):
        learner = self._learners().get("estimator", self._tree())
        options = self._fit_params(sample_weight).get(
            "estimator", {} if sample_weight is None else {"sample_weight": sample_weight}
        )
        self.estimators_ = [
            fit_member(set_random_states(clone(learner), rng), X, y, **options)
            for _ in range(self.n_estimators)
        ]


class RandomTreesClassifier(_Bagged, BaseEnsembleClassifier):
    def _tree(self):
        return DecisionTreeClassifier(splitter="random")


class RandomTreesRegressor(_Bagged, BaseEnsembleRegressor):
    def _tree(self):
        return DecisionTreeRegressor(splitter="random", min_samples_leaf=2)


@parametrize_with_checks(
    [RandomTreesClassifier(), RandomTreesRegressor()],
    expected_failed_checks=lambda estimator: (
        {"check_sample_weight_equivalence_on_dense_data": "leaves count rows, not weights"}
        if isinstance(estimator, RandomTreesRegressor)
        else {}
    ),
)
def test_what_an_outside_author_gets_passes_the_checks(estimator, check):
    check(estimator)


def test_the_ensemble_is_the_weighted_mean_of_its_members():
    X, y = load_iris(return_X_y=True)
    trees = RandomTreesClassifier(DecisionTreeClassifier(max_depth=2), random_state=0).fit(X, y)
    trees.estimator_weights_ = np.array([1.0, 0.0, 2.0, 5.0])
    wanted = np.average(
        [m.predict_proba(X) for m in trees.estimators_], axis=0, weights=[1, 0, 2, 5]
    )
    assert_allclose(trees.predict_proba(X), wanted)
    assert_array_equal(trees.member_outputs(X, y).weights, [1, 0, 2, 5])
    X, y = load_diabetes(return_X_y=True)
    numbers = RandomTreesRegressor(random_state=0).fit(X, y)
    assert_allclose(numbers.predict(X), np.mean([m.predict(X) for m in numbers.estimators_], 0))
    assert numbers.member_predict(X).shape == (4, len(y))


def test_members_without_probabilities_vote():
    X, y = load_iris(return_X_y=True)
    machines = RandomTreesClassifier(LinearSVC()).fit(X, y)
    assert not hasattr(machines, "member_predict_proba")
    assert set(np.unique(machines.predict_proba(X) * 4)) <= {0, 1, 2, 3, 4}
    assert machines.member_outputs(X, y).proba is None


def test_every_random_state_is_seeded_and_fixed_ones_stay_if_asked():
    model = make_pipeline(DecisionTreeClassifier(random_state=3), LogisticRegression())
    rng = np.random.RandomState(0)
    set_random_states(model, rng, only_missing=True)
    assert model[0].random_state == 3
    assert isinstance(model[1].random_state, int)
    set_random_states(model, rng)
    assert model[0].random_state != 3
    assert set_random_states(GaussianNB(), rng).get_params() == GaussianNB().get_params()


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (["red", "green"] * 5, "'red'.*with_encoder"),
        (pd.Categorical(["red", "green"] * 5), "'red'.*with_encoder"),
        (pd.date_range("2026-01-01", periods=10), "dates or times.*Turn it into numbers"),
    ],
)
def test_a_column_of_text_is_named_with_the_way_out(column, words):
    X = pd.DataFrame({"size": range(10), "colour": column})
    with pytest.raises(ValueError, match=f"'colour' holds .*{words}"):
        RandomTreesClassifier().fit(X, [0, 1] * 5)
    assert validate_data(RandomTreesClassifier(), X[["size"]]).shape == (10, 1)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (None, "requires y"),
        ([0.5, 1.2, 3.4], "continuous"),
        (["a", "a", "a"], "one class"),
        ([0.0, 1.0, np.nan], "NaN"),
    ],
)
def test_targets_that_are_no_classes_are_refused(y, match):
    with pytest.raises(ValueError, match=match):
        encode_target(RandomTreesClassifier(), y)


def test_weights_reach_members_or_the_member_is_named():
    X, y = load_iris(return_X_y=True)
    weight = (y != 2).astype(float)
    trees = RandomTreesClassifier(random_state=0).fit(X, y, sample_weight=weight)
    assert 2 not in trees.predict(X)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        RandomTreesClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=weight)


def test_metadata_is_routed_to_the_learner_that_asked_for_it():
    X, y = load_iris(return_X_y=True)
    weight = (y != 2).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = DecisionTreeClassifier().set_fit_request(sample_weight=True)
        assert 2 not in RandomTreesClassifier(asked).fit(X, y, sample_weight=weight).predict(X)
        refused = DecisionTreeClassifier().set_fit_request(sample_weight=False)
        assert 2 in RandomTreesClassifier(refused).fit(X, y, sample_weight=weight).predict(X)
        with pytest.raises(UnsetMetadataPassedError):
            RandomTreesClassifier(DecisionTreeClassifier()).fit(X, y, sample_weight=weight)


def test_what_a_foreign_member_stumbles_over_is_said_with_its_name():
    X, y = np.ones((20, 3)), np.arange(20) % 2
    with pytest.raises(MemberError, match=r"LinearDiscriminantAnalysis.*an IndexError of its"):
        fit_member(LinearDiscriminantAnalysis(), X, y)
