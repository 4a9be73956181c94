"""Members can be asked one by one, weights arrive, and mistakes are named: in every booster."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from counterpoint import MemberOutputs
from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaBoostSVMClassifier,
    ArcX4Classifier,
    DecorateClassifier,
    L2BoostClassifier,
    L2BoostRegressor,
    LogitBoostClassifier,
    NCABSVMClassifier,
)

X, Y = load_iris(return_X_y=True)
LABELS = np.array(["setosa", "versicolor", "virginica"])[Y]
VOTERS = [
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    ArcX4Classifier,
    DecorateClassifier,
]
MACHINES = [AdaBoostSVMClassifier, NCABSVMClassifier]
SUMS = [LogitBoostClassifier, L2BoostClassifier]


@pytest.mark.parametrize("kind", [*VOTERS, *MACHINES, *SUMS])
def test_every_member_can_be_asked(kind):
    model = kind(n_estimators=4).fit(X, LABELS)
    n = len(model.estimators_)
    assert model.estimator_weights_.shape == (n,)
    assert isinstance(model.history_, pd.DataFrame)
    assert len(model.history_) == n
    votes = model.member_predict(X)
    assert votes.shape == (n, len(X))
    assert set(votes.ravel()) <= set(LABELS)
    outputs = model.member_outputs(X, LABELS)
    assert isinstance(outputs, MemberOutputs)
    assert_array_equal(outputs.classes[outputs.votes], votes)
    assert hasattr(model, "member_predict_proba") == (kind in VOTERS)
    if kind in VOTERS:
        proba = model.member_predict_proba(X)
        assert proba.shape == (n, len(X), 3)
        assert_array_equal(model.classes_[proba.argmax(axis=2)], votes)


def test_members_without_probabilities_have_none():
    model = AdaBoostClassifier(LinearSVC(), n_estimators=2, on_failure="stop")
    assert not hasattr(model, "member_predict_proba")
    assert model.fit(X, Y).member_outputs(X, Y).proba is None


def test_what_the_rounds_of_a_sum_add_makes_the_sum():
    X, y = load_diabetes(return_X_y=True)
    model = L2BoostRegressor(n_estimators=6).fit(X, y)
    assert_allclose(model.start_ + model.member_predict(X).sum(axis=0), model.predict(X))


@pytest.mark.parametrize("kind", [*VOTERS, *SUMS, L2BoostRegressor])
def test_a_number_in_place_of_the_learner_says_what_to_write(kind):
    name = kind.__name__
    repr(kind(10))
    with pytest.raises(TypeError, match=rf"write {name}\(n_estimators=10\)"):
        kind(10).fit(X, Y)


def test_weights_are_routed_to_the_loop_which_gives_members_its_own():
    weight = np.where(Y == 2, 3.0, 1.0)
    plain = AdaBoostClassifier(GaussianNB(), n_estimators=3)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = AdaBoostClassifier(GaussianNB(), n_estimators=3)
        routed.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        consumed = routed.get_metadata_routing().consumes("fit", ["sample_weight", "eval_set"])
        assert consumed == {"sample_weight"}
        scores = cross_validate(routed, X, Y, cv=3, params={"sample_weight": weight})
        assert len(scores["test_score"]) == 3
        one = routed.fit(X, Y, sample_weight=weight)
    other = plain.fit(X, Y, sample_weight=weight)
    assert_array_equal(one.estimator_weights_, other.estimator_weights_)


@pytest.mark.parametrize("kind", [AdaBoostClassifier, LogitBoostClassifier])
def test_a_label_of_evaluation_data_that_training_has_not_is_named(kind):
    with pytest.raises(ValueError, match="eval_set holds the label 'rose'"):
        kind(n_estimators=2).fit(X, LABELS, eval_set=(X[:2], ["setosa", "rose"]))
