"""A time limit holds, by a clock that only members move."""

import time
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.auto.budget import Budget, draw_rows

N = 60_000


class Clock:
    now = 0.0


class Paid(ClassifierMixin, BaseEstimator):
    """Takes so many seconds for all rows, by a power of their number; rows are its skill."""

    def __init__(self, seconds=1.0, power=1.0, skill=0.3):
        self.seconds, self.power, self.skill = seconds, power, skill

    def fit(self, X, y):
        Clock.now += self.seconds * (len(X) / N) ** self.power
        self.classes_ = np.unique(y)
        self.n_seen_ = len(X)
        return self

    def predict_proba(self, X):
        share = 0.5 + self.skill * X[:, 0]
        return np.stack([1 - share, share], axis=1)


@pytest.fixture
def clock(monkeypatch):
    Clock.now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: Clock.now)
    return Clock


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(N, 1))
    return X, (rng.random(N) < 0.5 + 0.3 * X[:, 0]).astype(int)


def fit(data, pool, limit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = OverproduceSelectClassifier(pool, time_limit=limit, random_state=0).fit(*data)
    return model, " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("limit", [10.0, 30.0])
def test_the_limit_holds_with_the_last_fits(clock, data, limit):
    costs = [(2, 1.0), (0.1, 1.0), (400, 2.0), (5, 1.2), (1000, 1.0), (8, 1.0), (60, 1.5)]
    pool = [(f"m{k}", Paid(*cost)) for k, cost in enumerate(costs)]
    model, said = fit(data, pool, limit)
    assert clock.now <= 1.1 * limit
    assert all(member.n_seen_ == N for _, member in model.pool_)
    assert {"m0", "m1"} <= set(model.leaderboard_["member"])
    assert "m4" not in set(model.leaderboard_["member"])
    assert model.stop_reason_ == "time_limit"
    assert f"members were chosen on {500 * limit:.0f} of {N} rows" in said
    assert model.outputs_.n_samples == pytest.approx(500 * limit, abs=2)  # by class


def test_a_first_member_that_takes_too_long_learns_from_fewer_rows(clock, data):
    model, said = fit(data, [("slow", Paid(100.0)), ("other", Paid(1.0))], 20.0)
    assert clock.now <= 1.1 * 100.0 * (5 * 0.8 + 2) * 10_000 / N  # it is cross-fitted in any case
    assert 10_000 <= model.pool_[0][1].n_seen_ < N
    assert "there was time to learn from" in said


def test_the_default_pool_begins_with_a_strong_member_when_time_is_short(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] * X[:, 1] > 0  # the linear ones are of no use here
    model, said = fit((X, y), None, 1e-9)
    assert [name for name, _ in model.pool_] == ["gradient boosting"]
    assert model.score(X, y) > 0.9
    assert "1 of 26 members were tried" in said


def test_a_budget_foretells_what_grows_faster_than_rows(clock):
    budget = Budget(100.0, 160_000, began=0.0)
    assert budget.n_tried_on == 20_000
    fold, probed = 1.0, 1.0 / 6.4**2  # a fit that takes four times as long on twice the rows
    budget.set_aside(0, fold, probed, 5)
    assert budget.left - budget.for_trying() == pytest.approx(1.15 * 100 + 2.7)
    assert not budget.can_begin(0.01, 5)
    assert budget.rows_at_the_end([0]) == int(160_000 * 100 / 115)
    unlimited = Budget(None, 160_000, began=0.0)
    assert unlimited.n_tried_on == unlimited.rows_at_the_end([]) == 160_000
    assert unlimited.can_begin(1e9, 5)


def test_rare_classes_are_drawn():
    codes = np.repeat([0, 1, 2], [9000, 4, 996])
    rows = draw_rows(codes, 1000, np.random.RandomState(0), least=5)
    assert np.bincount(codes[rows]).tolist() == [900, 4, 100]
    assert (np.diff(rows) > 0).all()
