"""What goes round by round is priced by a few rounds on all rows; only fits move the clock."""

import time
import warnings
from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from counterpoint.auto import (
    Candidate,
    OverproduceSelectClassifier,
    default_number_pool,
    default_pool,
)
from counterpoint.auto.budget import Budget
from counterpoint.auto.plan import hold_out_plan

# Up to so many rows the cost of a round grows faster than they do, beyond it not at all: as that
# of trees on a wide table, which have more and more leaves until they have all they may have.
SATURATED = 2_000


class Clock:
    now = 0.0
    fits: ClassVar[list] = []  # rows and rounds


class Boosted(ClassifierMixin, BaseEstimator):
    """Takes so many seconds for a hundred rounds."""

    def __init__(self, seconds=1.0, n_estimators=100, power=1.5):
        self.seconds, self.n_estimators, self.power = seconds, n_estimators, power

    def fit(self, X, y):
        Clock.fits.append((len(X), self.n_estimators))
        part = min(1.0, len(X) / SATURATED) ** self.power
        Clock.now += self.seconds * part * self.n_estimators / 100
        self.classes_, self.n_seen_ = np.unique(y), len(X)
        return self

    def predict_proba(self, X):
        share = 0.5 + 0.3 * X[:, 0]
        return np.stack([1 - share, share], axis=1)


class Blind(Boosted):
    """Says the same of all rows, near the truth in the mean: nothing is gained by it."""

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


@pytest.fixture
def clock(monkeypatch):
    Clock.now, Clock.fits = 0.0, []
    for name in ("monotonic", "thread_time"):
        monkeypatch.setattr(time, name, lambda: Clock.now)
    return Clock


def rows(n):
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(n, 1))
    return X, (rng.random(n) < 0.5 + 0.3 * X[:, 0]).astype(int)


def booster(seconds, *, n_rounds=100, name="boosted", **options):
    return Candidate(
        name=name, family="given", n_rounds=n_rounds,
        make=lambda s, n=100: Boosted(seconds, n, **options),
    )  # fmt: skip


def fit(n, pool, limit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OverproduceSelectClassifier(pool, time_limit=limit, random_state=0).fit(*rows(n))
    return dict(model.pool_), set(model.leaderboard_["member"])


def test_a_few_rounds_on_all_rows_tell_what_few_rows_do_not(clock):
    """By 500 and 2,000 rows all rows would take three times as long as they do."""
    kept, _ = fit(5_000, [booster(5.0)], 10.0)
    assert kept["boosted"].n_seen_ >= 4_500
    assert kept["boosted"].n_estimators == 100
    assert clock.now <= 11.0
    looks = [n_rows for n_rows, n_rounds in clock.fits if n_rounds < 100]
    assert max(looks) >= 2_000
    clock.now = 0.0
    clock.fits.clear()
    unaware, _ = fit(5_000, [booster(5.0, n_rounds=0)], 10.0)
    assert unaware["boosted"].n_seen_ < 4_500


@pytest.mark.parametrize("seconds", [12.0, 16.0])
def test_where_time_is_short_it_goes_fewer_rounds_on_more_rows(clock, seconds):
    kept, _ = fit(5_000, [booster(seconds)], 10.0)
    assert kept["boosted"].n_seen_ >= 4_500
    assert 25 <= kept["boosted"].n_estimators < 100
    assert clock.now <= 11.0


def test_of_many_rows_some_are_enough_and_all_rounds_are_gone(clock, monkeypatch):
    monkeypatch.setitem(globals(), "SATURATED", 60_000)
    kept, _ = fit(60_000, [booster(40.0, power=1.0)], 20.0)
    assert 10_000 <= kept["boosted"].n_seen_ < 60_000
    assert kept["boosted"].n_estimators == 100
    assert clock.now <= 22.0


def test_quick_kin_goes_fewer_rounds_too(clock):
    """On 1,500 rows, five folds; of all its rounds they would take 12 s."""
    slow = Candidate(
        name="slow", family="given", make=lambda s: Boosted(50.0, power=1.0),
        quick=booster(3.3, name="quick", power=1.0),
    )  # fmt: skip
    kept, tried = fit(1_500, [slow], 10.0)
    assert tried == {"quick"}
    own = kept["quick"]
    assert 25 <= getattr(own, "estimators", [own])[0].n_estimators < 100


def test_no_time_is_kept_to_fit_those_again_who_count_for_nothing(clock, monkeypatch):
    monkeypatch.setitem(globals(), "SATURATED", 5_000)
    blind = [
        Candidate(
            name=name, family="given", n_rounds=100,
            make=lambda s, n=100: Blind(0.9, n, power=1.0),
        )
        for name in ("blind", "blind as well")
    ]  # fmt: skip
    last = booster(2.6, name="last", power=1.0, n_rounds=0)
    kept, tried = fit(5_000, [booster(0.9, power=1.0), *blind, last], 10.0)
    assert "last" in tried
    assert kept["boosted"].n_seen_ == 5_000
    assert clock.now <= 11.0


def test_a_last_fit_begins_if_it_ends_before_it_is_cut_off(clock):
    budget = Budget(100.0, began=0.0)
    clock.now = 90.0
    assert budget.may_begin(12.9)
    assert not budget.may_begin(13.1)


def test_the_default_pool_says_what_goes_round_by_round():
    for pool in (default_pool(5_000, 300, 2), default_number_pool(5_000, 300)):
        boosted, _, forest = pool[:3]
        assert (boosted.n_rounds, forest.n_rounds) == (100, 50)
        assert boosted.make(0).n_estimators == 100
        assert [boosted.make(0, n).learning_rate for n in (100, 60, 30)] == ["auto", 0.2, 0.3]
        assert boosted.make(0, 7).n_estimators == forest.make(0, 7).n_estimators == 7
        assert forest.make(0).n_estimators == 50
        assert boosted.make(0).max_bins == 63
    assert default_pool(60_000, 30, 2)[0].make(0).max_bins == 255
    assert default_pool(60_000, 30, 26)[0].n_rounds == 57


def test_what_costs_less_now_was_seen_to_cost_less():
    budget = Budget(10.0, began=0.0)
    budget.saw(0, 500, 1.0)
    budget.saw(0, 1000, 3.0)
    before = budget.price(0, 4000)
    budget.rescale(0, 0.25)
    budget.rescale(1, 0.25)
    assert budget.price(0, 4000) == pytest.approx(before / 4)
    assert budget.price(1, 4000) == np.inf


@pytest.mark.parametrize(
    ("n", "held", "held_once"),
    [(5_000, 1_000, 500), (20_000, 2_000, 1_000), (60_000, 6_000, 3_000)],
)
def test_fewer_rows_are_held_out_where_nobody_learns_from_them_later(n, held, held_once):
    y = np.arange(n) % 2
    for once, size in ((False, held), (True, held_once)):
        plan = hold_out_plan(
            y, np.random.RandomState(0), classes=True, limit=10.0, first=2_000, once=once
        )
        assert len(plan.asked) == size
        assert plan.rungs[-1] == n - size


def test_of_a_rare_class_no_fewer_rows_are_held_out():
    y = (np.arange(5_000) % 100 == 0).astype(int)
    plan = hold_out_plan(
        y, np.random.RandomState(0), classes=True, limit=10.0, first=2_000, once=True
    )
    assert len(plan.asked) == 1_000
    assert y[plan.asked].sum() >= 8


def test_whole_groups_and_the_last_fold_of_a_splitter_are_held_out():
    y = np.arange(9_000) % 2
    groups = np.arange(9_000) // 30
    make = partial(hold_out_plan, y, classes=True, limit=10.0, first=2_000)
    plan = make(np.random.RandomState(0), groups=groups)
    (train, asked), parts = plan.folds[0], plan.parts(5)
    assert not set(groups[train]) & set(groups[asked])
    assert 1_800 <= len(asked) <= 1_830
    assert len(np.unique(parts)) == 5
    assert all(len(np.unique(parts[groups[asked] == g])) == 1 for g in np.unique(groups[asked]))
    # One group has nearly all rows: it is learnt from.
    odd = np.where(np.arange(9_000) < 8_500, 0, groups)
    assert make(np.random.RandomState(0), groups=odd).rungs[-1] >= 8_500
    with pytest.raises(ValueError, match="one group only"):
        make(np.random.RandomState(0), groups=np.zeros(9_000))
    fold = (np.arange(7_500), np.arange(7_500, 9_000))
    plan = make(np.random.RandomState(0), fold=fold)
    assert plan.rungs[-1] == 7_500
    assert plan.asked.min() == 7_500
    assert (np.diff(plan.parts(5)) >= 0).all()
