"""Boosters that stop where classes are told apart best, and the temperature they learn there."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, softmax
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from counterpoint.boosting import HistBoostClassifier, HistBoostRegressor
from counterpoint.boosting.calibration import HOLD
from counterpoint.boosting.refinement import best_temperature


def drawn(n, n_classes, factor, seed=0):
    """Return sums that are so many times as sure as the classes, which are drawn by them."""
    rng = np.random.default_rng(seed)
    sums = rng.normal(size=(n, n_classes), scale=1.5)
    y = [rng.choice(n_classes, p=p) for p in softmax(sums, axis=1)]
    return factor * sums, np.array(y), rng.uniform(0.5, 2.0, n)


def table(n_classes=2, n=1500, flip=0.2, seed=0):
    return make_classification(
        n, 12, n_informative=6, n_classes=n_classes, flip_y=flip, class_sep=0.7, random_state=seed
    )


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("factor", [1.3, 3.0, 40.0])
@pytest.mark.parametrize("start", [0.0, 2.0])
def test_the_least_cost_is_scipys(n_classes, factor, start):
    sums, y, cases = drawn(60, n_classes, factor)

    def cost(at):
        log_p = log_softmax(sums / np.exp(at), axis=1)[np.arange(60), y]
        return (HOLD * at**2 - cases @ log_p) / cases.sum()

    best = minimize_scalar(cost, bounds=(0.0, 5.0), method="bounded", options={"xatol": 1e-9})
    at = start
    for _ in range(3):  # as in rounds: it goes on from where it was
        at, found = best_temperature(sums, y, cases, at)
    assert_allclose(at, best.x, atol=2e-3)
    assert_allclose(found, best.fun, atol=1e-5)


def test_scores_that_are_thrice_too_sure_have_temperature_three():
    sums, y, cases = drawn(20_000, 3, 3.0)
    at, _ = best_temperature(sums, y, np.ones_like(cases), 1.0)
    assert np.exp(at) == pytest.approx(3.0, rel=0.05)


def test_scores_that_are_not_sure_enough_stay_as_they_are():
    sums, y, cases = drawn(400, 3, 0.3)
    at, loss = best_temperature(sums, y, cases, 0.7)
    assert at == pytest.approx(0.0, abs=1e-6)
    assert_allclose(loss, log_loss(y, softmax(sums, axis=1), sample_weight=cases), rtol=1e-4)


def test_a_weight_of_two_is_a_row_twice():
    sums, y, _ = drawn(50, 3, 2.0)
    cases = np.where(np.arange(50) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(50), cases.astype(int))
    by_weight = best_temperature(sums, y, cases)
    assert_allclose(by_weight, best_temperature(sums[twice], y[twice], np.ones(len(twice))))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_goes_on_where_but_sureness_is_wrong(n_classes):
    X, y = table(n_classes, flip=0.05, seed=3)
    options = {"early_stopping": True, "learning_rate": 0.3, "random_state": 0}
    own = HistBoostClassifier(**options).fit(X, y)
    plain = HistBoostClassifier(calibrate=False, **options).fit(X, y)
    rows = own.history_
    assert len(rows) == rows["held_refinement"].argmin() + 1
    assert (rows["held_refinement"] <= rows["held_log_loss"] + 1e-6).all()
    assert (rows["held_temperature"] >= 1).all()
    assert len(own.estimators_) > len(plain.estimators_)
    assert rows["held_temperature"].iloc[-1] > 1.2
    assert "held_refinement" not in plain.history_
    # Until then both are one.
    assert_allclose(rows["held_log_loss"][: len(plain.history_)], plain.history_["held_log_loss"])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("stopping", ["auto", True])  # parts held out in turn, and rows held out
def test_probabilities_have_the_temperature_and_answers_are_those_of_the_scores(
    n_classes, stopping
):
    X, y = table(n_classes, 600)
    model = HistBoostClassifier(early_stopping=stopping, random_state=0).fit(X, y)
    scores, size = model.decision_function(X), len(model.estimators_) ** 0.5
    temperature = model.calibration_.link + model.calibration_.shared * size
    if stopping is True:
        assert temperature == pytest.approx(model.history_["held_temperature"].iloc[-1])
    assert temperature >= 1
    wanted = softmax(scores / temperature, axis=1) if n_classes > 2 else expit(scores / temperature)
    proba = model.predict_proba(X)
    assert_allclose(proba if n_classes > 2 else proba[:, 1], wanted, atol=1e-12)
    assert_allclose(np.exp(model.predict_log_proba(X)), proba, atol=1e-12)
    assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    first, *_, last = model.staged_predict_proba(X)
    assert_allclose(last, proba, atol=1e-9)
    assert_allclose(first.sum(axis=1), 1.0)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), proba)


def test_it_costs_no_log_loss_where_labels_are_noisy():
    X, y = table(3, 4000, flip=0.3)
    X_new, y_new = X[2500:], y[2500:]
    losses = [
        log_loss(y_new, HistBoostClassifier(calibrate=c, random_state=0).fit(
            X[:2500], y[:2500]).predict_proba(X_new))
        for c in (True, False)
    ]  # fmt: skip
    assert losses[0] < losses[1] + 0.005


def test_nothing_is_learnt_where_nothing_is_held_out():
    X, y = table(n=200)
    bare = HistBoostClassifier(early_stopping=False, n_estimators=10, random_state=0).fit(X, y)
    assert bare.calibration_ is None
    assert_allclose(bare.predict_proba(X)[:, 1], expit(bare.decision_function(X)))
    # What was learnt in an earlier fit does not stay.
    model = HistBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert model.calibration_ is not None
    assert model.set_params(early_stopping=False).fit(X, y).calibration_ is None
    with pytest.raises(TypeError, match="calibrate"):
        HistBoostRegressor(calibrate=True)
    with pytest.raises(ValueError, match="calibrate"):
        HistBoostClassifier(calibrate="yes").fit(X, y)


def test_weights_of_classes_count_in_the_rows_held_out():
    X, y = make_classification(
        4000, 12, n_informative=6, weights=[0.9], flip_y=0.1, class_sep=0.7, random_state=0
    )
    model = HistBoostClassifier(class_weight="balanced", random_state=0).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    # Of rows that count alike by class half are of each, and so say the probabilities.
    weight = np.where(y == 1, 0.5 / np.mean(y == 1), 0.5 / np.mean(y == 0))
    assert np.average(p, weights=weight) == pytest.approx(0.5, abs=0.05)
