"""BrownBoost: the potential, the time, and what it does with noise."""

import numpy as np
import pytest
from naive import boosting as naive
from scipy.special import erfinv
from sklearn.datasets import load_breast_cancer, load_wine

from counterpoint.boosting import BrownBoostClassifier
from counterpoint.trees import HistTreeClassifier

STUMP = HistTreeClassifier(max_depth=1)
X, Y = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("target_error", [0.03, 0.1, 0.3])
def test_the_potential_never_rises_and_ends_as_the_bound(target_error):
    model = BrownBoostClassifier(STUMP, target_error=target_error, n_estimators=200).fit(X, Y)
    history = model.history_
    potential = np.append(target_error / 2, history["potential"])
    assert (np.diff(potential) <= 1e-9).all()
    assert (history["time"] > 0).all()
    assert (np.diff(history["time_left"]) < 0).all()
    c = erfinv(1 - target_error) ** 2
    assert history["time"].sum() == pytest.approx(c - history["time_left"].iloc[-1])
    if model.stop_reason_ == "time is up":
        # At the end the potential is at least 1/2 where the margin is not positive.
        assert history["train_error"].iloc[-1] <= 2 * history["potential"].iloc[-1] + 1e-9
        assert history["train_error"].iloc[-1] <= target_error + 1e-9


def test_steps_are_those_of_the_naive_twin():
    model = BrownBoostClassifier(STUMP, target_error=1e-4, n_estimators=4).fit(X[::8], Y[::8])
    right = (model.member_predict(X[::8]) == Y[::8]).tolist()
    steps = naive.brownboost(right, float(erfinv(1 - 1e-4) ** 2))
    assert len(steps) == 4
    np.testing.assert_allclose(model.estimator_weights_, [a for a, _ in steps], rtol=5e-3)
    np.testing.assert_allclose(model.history_["time"], [t for _, t in steps], rtol=5e-3)


def test_samples_far_on_the_wrong_side_lose_their_weight():
    rule = BrownBoostClassifier(target_error=0.1).make_rule()
    rule.start(np.zeros(4, dtype=int), 2, np.full(4, 0.25))
    rule.margin, rule.left = np.array([-6.0, -0.4, 0.4, 6.0]), 0.4
    weight = rule.request()[0]
    assert weight[1] > weight[2] > max(weight[0], weight[3])  # AdaBoost's would only fall


def test_many_classes_and_a_warm_start():
    X, y = load_wine(return_X_y=True)
    depth = HistTreeClassifier(max_depth=2)
    whole = BrownBoostClassifier(depth, n_estimators=6, target_error=0.01).fit(X, y)
    halves = BrownBoostClassifier(depth, n_estimators=3, target_error=0.01, warm_start=True)
    halves.fit(X, y).set_params(n_estimators=6).fit(X, y)
    np.testing.assert_allclose(halves.estimator_weights_, whole.estimator_weights_, rtol=1e-6)
    assert whole.score(X, y) > 0.95


def test_members_vote_with_labels():
    with pytest.raises(ValueError, match="confidence=True: BrownBoost"):
        BrownBoostClassifier(confidence=True).fit(X, Y)
