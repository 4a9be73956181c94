"""Signed and weighted ambiguity in AdaBoost.NC: equation 1 of Wang and Yao (2010) in place of 2."""

import numpy as np
import pytest
from naive import boosting as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.trees import HistTreeClassifier

STUMP = HistTreeClassifier(max_depth=1)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("kind", ["signed", "weighted"])
def test_weights_follow_the_equations(kind, load):
    X, y = load(return_X_y=True)
    model = AdaBoostNCClassifier(STUMP, n_estimators=6, lam=0.5, ambiguity=kind, on_failure="stop")
    model.fit(X, y)
    votes = model.member_predict(X).tolist()
    alphas, means = naive.adaboost_nc_with(votes, y.tolist(), len(model.classes_), 0.5, kind)
    assert_allclose(model.estimator_weights_, alphas, rtol=1e-6)
    assert_allclose(model.history_["penalty"], means, rtol=1e-9)
    assert np.ptp(model.history_["penalty"]) > 0  # the penalty acts


@pytest.mark.parametrize("kind", ["signed", "weighted"])
def test_without_penalty_all_are_adaboost(kind):
    X, y = load_breast_cancer(return_X_y=True)
    plain = AdaBoostNCClassifier(STUMP, n_estimators=8, lam=0.0).fit(X, y)
    other = AdaBoostNCClassifier(STUMP, n_estimators=8, lam=0.0, ambiguity=kind).fit(X, y)
    assert_allclose(other.estimator_weights_, plain.estimator_weights_, rtol=1e-6)
    assert_array_equal(other.predict(X), plain.predict(X))


@pytest.mark.parametrize("kind", ["signed", "weighted"])
def test_a_warm_start_goes_on_as_one_fit_would(kind):
    X, y = load_wine(return_X_y=True)
    given = {"lam": 1.0, "ambiguity": kind, "calibrate": False, "confidence": True}
    whole = AdaBoostNCClassifier(STUMP, n_estimators=6, **given).fit(X, y)
    halves = AdaBoostNCClassifier(STUMP, n_estimators=3, warm_start=True, **given).fit(X, y)
    halves.set_params(n_estimators=6).fit(X, y)
    assert_allclose(halves.estimator_weights_, whole.estimator_weights_, rtol=1e-6)


def test_what_is_safe_is_known_of_the_absolute_ambiguity_only():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="ambiguity='signed' and lam='auto': give lam"):
        AdaBoostNCClassifier(ambiguity="signed").fit(X, y)
