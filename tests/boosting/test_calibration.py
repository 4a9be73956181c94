"""Probabilities of boosters: the temperature, what it is learnt from, and what it leaves alone."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    ArcX4Classifier,
    L2BoostClassifier,
    LogitBoostClassifier,
    calibration,
)
from counterpoint.boosting.calibration import (
    Calibration,
    calibration_cost,
    learn_calibration,
    split_many,
)
from counterpoint.trees import HistTreeClassifier
from counterpoint.trees.binning import BinnedData

TREE = HistTreeClassifier(max_depth=3)
BOOSTERS = [
    AdaBoostClassifier(TREE, n_estimators=20),
    AdaBoostM2Classifier(TREE, n_estimators=20),
    ArcX4Classifier(TREE, n_estimators=20, random_state=0),
    LogitBoostClassifier(n_estimators=20),
    L2BoostClassifier(n_estimators=50),
]


def problem(n_classes=3, n=600):
    return make_classification(
        n, 10, n_informative=6, n_classes=n_classes, flip_y=0.1, class_sep=0.7, random_state=0
    )


@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda b: type(b).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_only_probabilities_change_and_they_fit_better(booster, n_classes):
    X, y = problem(n_classes)
    own = booster.fit(X[:400], y[:400])
    plain = pickle.loads(pickle.dumps(own)).set_params(calibrate=False).fit(X[:400], y[:400])
    assert_array_equal(own.decision_function(X), plain.decision_function(X))
    proba = own.predict_proba(X)
    assert_array_equal(own.classes_[proba.argmax(axis=1)], own.predict(X))
    assert_array_equal(own.predict(X), plain.predict(X))
    *_, last = own.staged_predict_proba(X)
    assert_allclose(last, proba, atol=1e-9)
    assert_allclose(np.exp(own.predict_log_proba(X)), proba, atol=1e-12)
    assert_array_equal(pickle.loads(pickle.dumps(own)).predict_proba(X), proba)
    before = np.clip(plain.predict_proba(X[400:]), 1e-15, 1)
    assert log_loss(y[400:], proba[400:]) < log_loss(y[400:], before) + 0.01


def drawn(n, link, shared, seed=0):
    """Return sizes and sums whose classes are drawn by a known temperature."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    sizes = np.array([4.0, 8.0, 16.0])
    # Bayes: normal sums with mean m * [k = y] and variance m * T have log-odds of sums / T.
    temperature = (link + shared * sizes)[:, None, None]
    mean = 3.0 * temperature
    noise = np.sqrt(mean * temperature) * rng.standard_normal((3, n, 3))
    return sizes, mean * np.eye(3)[y] + noise, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "booster",
    [
        *(b for b in BOOSTERS if not isinstance(b, ArcX4Classifier)),  # which draws its rows
        AdaBoostClassifier(TREE, n_estimators=20, confidence=True),
    ],
    ids=lambda b: f"{type(b).__name__}{'+' if getattr(b, 'confidence', False) else ''}",
)
def test_bins_of_rows_held_out_say_what_their_numbers_say(monkeypatch, booster, n_classes):
    X, y = problem(n_classes)
    X[::9, 0] = np.nan
    asked = []
    ask = calibration.HeldOut.ask

    def noted(self, ensemble):
        asked.append(isinstance(self.X, BinnedData))
        return ask(self, ensemble)

    monkeypatch.setattr(calibration.HeldOut, "ask", noted)
    by_bins = clone(booster).fit(X, y)
    monkeypatch.setattr(type(booster), "_answers_bins", lambda self: False)
    by_numbers = clone(booster).fit(X, y)
    assert asked == [True, False]
    assert by_bins.calibration_ == by_numbers.calibration_


def test_the_temperature_that_made_the_classes_is_found():
    sizes, sums, y = drawn(20_000, 1.5, 0.3)
    found = learn_calibration(sizes, sums, y, np.ones(len(y)), Calibration(1.0, 0.1))
    assert_allclose([found.link + found.shared * k for k in (4, 8, 16)], [2.7, 3.9, 6.3], rtol=0.05)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_slope_and_curve_are_those_of_the_cost(n_classes):
    sizes, sums, y = drawn(50, 1.0, 0.2)
    given = sizes, sums[:, :, :n_classes], y % n_classes, np.linspace(0.5, 2, 50), np.log([1, 0.2])
    for at in ([0.3, -1.0], [-1.0, 0.5]):
        slope = approx_fprime(np.array(at), lambda x: calibration_cost(x, *given)[0], 1e-7)
        assert_allclose(calibration_cost(np.array(at), *given)[1], slope, rtol=1e-4)
        curve = approx_fprime(np.array(at), lambda x: calibration_cost(x, *given)[1], 1e-7)
        assert_allclose(calibration_cost(np.array(at), *given)[2], curve, rtol=1e-4)


@pytest.mark.parametrize("scale", [1e-6, 0.1, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_other_temperature_is_better(n_classes, scale):
    sizes, sums, y = drawn(60, 1.0, 0.2, seed=1)
    sums, y = scale * sums[:, :, :n_classes], y % n_classes
    weight, start = np.ones(60), np.log([1.0, 0.2])
    found = learn_calibration(sizes, sums, y, weight, Calibration(1.0, 0.2))
    given = sizes, sums, y, weight, start
    best = minimize(lambda x: calibration_cost(x, *given)[0], start, bounds=[(-6, 6), (-9, 4)])
    own = calibration_cost(np.log([found.link, found.shared]), *given)[0]
    assert own <= best.fun + 1e-6


def test_few_rows_take_the_usual_temperature():
    X, y = problem(2, 40)
    boosted = AdaBoostClassifier(TREE, n_estimators=5).fit(X, y)
    share = (boosted.decision_function(X)[:, None] * [-1, 1] + 2) / 4
    sums = len(boosted.estimators_) * share
    usual = 1.0 + 0.2 * len(boosted.estimators_)
    assert_allclose(boosted.predict_proba(X), softmax(sums / usual, axis=1))


def test_of_many_rows_some_are_held_out(monkeypatch):
    monkeypatch.setattr("counterpoint.boosting.staged.MANY", 500)
    monkeypatch.setattr("counterpoint.boosting.calibration._HELD", 100)
    X, y = problem(2)
    boosted = AdaBoostClassifier(TREE, n_estimators=10).fit(X, y)
    assert boosted.estimators_[0].tree_.weighted_n_node_samples[0] == pytest.approx(1.0)
    whole = AdaBoostClassifier(TREE, n_estimators=10, calibrate=False).fit(X, y)
    assert (boosted.estimator_weights_ != whole.estimator_weights_).any()
    assert boosted.calibration_ != AdaBoostClassifier._usual
    kept, _ = split_many(np.unique(y, return_inverse=True)[1])
    alone = AdaBoostClassifier(TREE, n_estimators=10, calibrate=False).fit(X[kept], y[kept])
    assert_allclose(boosted.estimator_weights_, alone.estimator_weights_, rtol=1e-9)
    for own, other in zip(boosted.estimators_, alone.estimators_, strict=True):
        assert_array_equal(own.tree_.threshold, other.tree_.threshold)
