"""A time limit holds, by a clock that only members move."""

import itertools
import pickle
import subprocess
import sys
import time
import tracemalloc
import warnings
from dataclasses import replace
from typing import ClassVar

import numba
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from counterpoint._kernels.compiling import compile_time, compiled_within
from counterpoint.auto import (
    Candidate,
    OverproduceSelectClassifier,
    default_number_pool,
    default_pool,
)
from counterpoint.auto.budget import Budget
from counterpoint.auto.deadline import TimeUp, cut_off
from counterpoint.auto.fold_mean import FoldMeanClassifier
from counterpoint.auto.plan import fair_order

N = 60_000


class Clock:
    now = 0.0
    sizes: ClassVar[dict] = {}  # of fits, by what a member costs


class Paid(ClassifierMixin, BaseEstimator):
    """Takes so many seconds for all rows, by a power of their number; rows are its skill."""

    def __init__(self, seconds=1.0, power=1.0, skill=0.3):
        self.seconds, self.power, self.skill = seconds, power, skill

    def fit(self, X, y):
        Clock.sizes.setdefault(self.seconds, []).append(len(X))
        Clock.now += self.seconds * (len(X) / N) ** self.power
        self.classes_ = np.unique(y)
        self.n_seen_ = len(X)
        return self

    def predict_proba(self, X):
        share = 0.5 + self.skill * X[:, 0]
        return np.stack([1 - share, share], axis=1)


@pytest.fixture
def clock(monkeypatch):
    Clock.now, Clock.sizes = 0.0, {}
    for name in ("monotonic", "thread_time"):
        monkeypatch.setattr(time, name, lambda: Clock.now)
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
    assert 0 < clock.now <= 1.1 * limit
    assert {"m0", "m1"} <= set(model.leaderboard_["member"])
    assert "m4" not in set(model.leaderboard_["member"])
    assert "rows held out" in said
    assert model.outputs_.n_samples == 6_000


def test_those_that_carry_the_ensemble_learn_from_all_rows_where_there_is_time(clock, data):
    pool = [("useless", Paid(3.0, skill=0.0)), ("good", Paid(3.0)), ("dear", Paid(500.0))]
    model, _ = fit(data, pool, 30.0)
    seen = {name: member.n_seen_ for name, member in model.pool_}
    assert seen["good"] >= 48_000
    assert "useless" not in seen or model.estimator_weights_[0] < 0.2
    assert clock.now <= 33.0


def test_a_small_table_is_cross_fitted_and_a_large_one_is_not(clock, data):
    X, y = data
    folds, said = fit((X[:10_000], y[:10_000]), [("m", Paid(0.5)), ("n", Paid(1.0))], 30.0)
    assert folds.outputs_.n_samples == 10_000
    assert not said
    held_out, _ = fit((X, y), [("m", Paid(30.0)), ("n", Paid(60.0))], 30.0)
    assert held_out.outputs_.n_samples == 6_000


def test_the_first_member_learns_from_all_rows_without_climbing_there(clock, data):
    model, _ = fit(data, [("first", Paid(6.0)), ("other", Paid(7.0))], 20.0)
    own = clock.sizes[6.0]
    assert own[-1] == N
    assert sum(n > 2000 for n in own) <= 3  # no rung between, or one; all but those held out; all
    assert dict(model.pool_)["first"].n_seen_ == N


def test_what_is_clearly_too_dear_is_not_looked_at_on_more_rows(clock, data):
    # 24 s for all rows; by what 400 rows more have cost it is plain that there is no time for it.
    fit(data, [("first", Paid(1.0)), ("dear", Paid(24.0))], 20.0)
    assert clock.sizes[24.0] == [100, 500]


def test_few_rows_held_out_are_not_worth_last_fits(clock, data):
    model, _ = fit(data, [("m", Paid(0.5)), ("n", Paid(0.7))], 3.0)
    held = model.outputs_.n_samples
    assert held < 0.05 * N
    assert {own.n_seen_ for _, own in model.pool_} == {N - held}


def test_no_copy_of_the_table_is_kept_for_each_member(clock, data):
    X, y = data
    X = np.repeat(X[:20_000], 40, axis=1)
    pool = [(f"m{k}", Paid(0.1 + 0.01 * k)) for k in range(12)]
    tracemalloc.start()
    try:
        model, _ = fit((X, y[:20_000]), pool, 4.0)
        assert tracemalloc.get_traced_memory()[1] < 4 * X.nbytes
    finally:
        tracemalloc.stop()
    assert len(pickle.dumps(model)) < X.nbytes


def test_a_first_member_that_takes_too_long_is_no_reason_to_wait_for_it(clock, data):
    model, said = fit(data, [("slow", Paid(100.0)), ("other", Paid(1.0))], 20.0)
    assert clock.now <= 1.1 * 20.0
    assert dict(model.pool_)["other"].n_seen_ == N
    alone, said = fit(data, [("slow", Paid(100.0))], 20.0)
    assert clock.now <= 2.2 * 20.0
    assert 2_000 <= alone.pool_[0][1].n_seen_ < N
    assert "learn from" in said
    began = clock.now
    wide, _ = fit(data, [("slower", Paid(400.0)), ("other", Paid(1.0))], 20.0)
    assert clock.now - began <= 1.1 * 20.0
    assert "slower" in set(wide.leaderboard_["member"])  # on fewer rows yet: 2,000 take 13 s


def test_where_there_is_no_time_to_fit_again_the_folds_stand_in(clock, data):
    X, y = (part[:1500] for part in data)
    pool = [("m", Paid(60.0 * N / 1500))]  # five folds take 240 s, and one is tried in any case
    model, _ = fit((X, y), pool, 100.0)
    kept = dict(model.pool_)
    assert isinstance(kept["m"], FoldMeanClassifier)
    assert [own.n_seen_ for own in kept["m"].estimators] == [1200] * 5
    np.testing.assert_allclose(kept["m"].predict_proba(X), Paid().predict_proba(X))


def test_the_majority_alone_is_no_answer_where_another_could_learn(clock, data):
    X, y = (part[:1500] for part in data)
    pool = [("dear", Paid(150_000, 2.0)), ("less dear", Paid(120_000, 2.0))]  # 60 and 48 s a fold
    pool.append(("majority", DummyClassifier()))
    model, _ = fit((X, y), pool, 100.0)
    assert "less dear" in set(model.leaderboard_["member"])
    assert np.ptp(model.predict_proba(X)[:, 1]) > 0.3
    alone, _ = fit((X, y), pool[2:], 100.0)
    assert np.ptp(alone.predict_proba(X)[:, 1]) == 0


def test_the_default_pool_begins_with_strong_and_different_members():
    first = default_pool(60_000, 30, 2)[:5]
    assert {c.family for c in first[:3]} == {"boosting", "linear", "trees"}
    names = [c.name for c in first]
    assert names[0] == default_number_pool(60_000, 30)[0].name == "boosted trees, quick"
    assert names[2] == default_number_pool(60_000, 30)[2].name == "extra trees, quick"
    assert names[3:] == ["boosted trees", "boosted trees, many leaves"]
    assert {c.dearer_than for c in first[3:]} == {names[0]}
    assert default_pool(9_000, 30, 2)[0].name == default_pool(500, 3, 5)[0].name == "boosted trees"
    letters = {c.name: c.make(0) for c in default_pool(60_000, 30, 26)}
    assert "boosted trees, many leaves" not in letters
    assert letters["boosted trees, quick"].n_estimators == 57
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] * X[:, 1] > 0  # the linear ones are of no use here
    model, said = fit((X, y), None, 1e-9)
    assert [name for name, _ in model.pool_] == ["boosted trees, quick"]
    assert model.score(X, y) > 0.9
    assert "In the time there was, 1 of 25 members was tried" in said


def test_a_budget_foretells_what_grows_faster_than_rows(clock):
    budget = Budget(100.0, began=0.0)
    assert budget.price(0, 1000) == np.inf
    budget.saw(0, 1000, 1.0)
    assert budget.price(0, 2000) == pytest.approx(1.1 * 2**1.15)
    assert budget.price(0, 4000) == pytest.approx(1.15 * 4**1.15)
    budget.saw(0, 2000, 4.0)  # four times as long on twice the rows
    assert budget.price(0, 8000) == pytest.approx(1.15 * 64)
    assert budget.price(0, 500) == pytest.approx(1.05)
    for n_rows, seconds in ((500, 1.0), (2000, 1.3)):  # 0.9 s on any, and 0.2 for a thousand
        budget.saw(2, n_rows, seconds)
    assert budget.price(2, 32_000) == pytest.approx(1.15 * 7.3 * 16**0.05)
    assert budget.least_price(0, 8000) == pytest.approx(4.0 + 6 * 3.0)  # three more for a thousand
    assert budget.least_price(1, 8000) == budget.most_rows(1) == 0
    budget.saw(1, 100, 0.5)  # most of which is what it costs on any
    assert budget.price(1, 10_000) == pytest.approx(1.15 * 0.5 * 100**0.6)
    assert budget.least_price(1, 10_000) == 0.5
    assert (budget.most_rows(0), budget.most_rows(1)) == (2000, 100)
    assert budget.affords(50.0)
    assert not budget.affords(51.0)
    assert budget.rows_for(0, 1.15 * 64, 100_000) == pytest.approx(8000, rel=0.25)
    clock.now = 60.0
    budget.forgive(10.0)
    assert budget.left == 50.0
    budget.keep_for_choice(10_000, 2, 8)
    choice = 2 * (0.15 + 4e-5 * 1e4 * 2**0.4) + 4e-8 * 1e4 * 8 * 4
    assert budget.for_trying == pytest.approx(50.0 - choice)
    clock.now = 110.0 + 2.9 - choice
    assert not budget.is_late()
    clock.now = 110.0 + 3.1 - choice
    assert budget.is_late()
    assert budget.is_late(spare=0.25)
    assert not budget.is_over()
    clock.now = 60.0
    budget.keep_for_last_fits([0, 2], 2000, new=0.2)  # what 30 s are enough for
    assert budget.for_trying == pytest.approx(50.0 - choice - 1.05 * (4.0 + 1.3))
    budget.keep_for_last_fits([0, 2], 8000, new=0.2)  # 0 would take 74 s: nothing is kept for it
    assert budget.for_trying == pytest.approx(50.0 - choice - budget.price(2, 8000))
    budget.saw(3, 1000, 30.0)
    for new, kept in ((0.1, 0.0), (0.25, 31.5), (0.9, 31.5)):  # more, the more rows are new
        budget.keep_for_last_fits([3], 1000, new=new)
        assert budget.for_trying == pytest.approx(50.0 - choice - kept)
    slow, idle = Budget(100.0, began=0.0), Budget(100.0, began=0.0, alone=False)
    slow._worked = idle._worked = 60.0 - 20.0  # it worked for a third of the time
    for budget, times in ((slow, 3), (idle, 1)):
        budget.keep_for_choice(10_000, 2, 8)
        assert budget.for_trying == pytest.approx(40.0 - times * choice)
    unlimited = Budget(None, began=0.0)
    assert unlimited.affords(1e9)
    assert unlimited.left == np.inf


def test_every_beginning_of_a_fair_order_holds_the_classes_in_their_shares():
    codes = np.repeat([0, 1, 2], [9000, 4, 996])
    order = fair_order(codes, np.random.RandomState(0), least=2)
    assert sorted(order) == list(range(10_000))
    assert np.bincount(codes[order[:6]]).tolist() == [2, 2, 2]
    for n in (100, 1000, 5000):
        count = np.bincount(codes[order[:n]])
        assert abs(count[0] - 0.9 * n) < 0.02 * n + 5
        assert count[1] >= 2


def test_no_look_at_what_costs_more_than_one_that_is_too_dear(clock, data):
    pool = [
        Candidate(name=name, family="given", make=lambda s, c=cost: Paid(c), dearer_than=kin)
        for name, cost, kin in (("a", 35.0, ""), ("b", 0.1, ""), ("c", 70.0, "a"))
    ]
    fit([part[:1500] for part in data], pool, 10.0)  # five folds of "a" take 3.5 s
    assert 1200 in clock.sizes[35.0]
    assert 70.0 not in clock.sizes


class Endless(Paid):
    """Quick on few rows; on more it does not end before it is cut off."""

    def fit(self, X, y):
        super().fit(X, y)
        if len(X) > 600:
            Clock.now += 1000.0
            began = time.perf_counter()
            while time.perf_counter() < began + 60.0:
                time.sleep(0.01)
        return self


def test_a_fit_that_takes_far_longer_than_foretold_is_cut_off(clock, data):
    X, y = (part[:1500] for part in data)
    began = time.perf_counter()
    model, said = fit((X, y), [("quick", Paid(0.1)), ("endless", Endless(0.2))], 10.0)
    assert time.perf_counter() - began < 50.0
    assert clock.sizes[0.2][-1] == 1200
    assert set(model.leaderboard_["member"]) == {"quick"}
    assert "1 of 2 members was tried" in said
    assert model.stop_reason_ == "time_limit"
    assert isinstance(model.pool_[0][1], FoldMeanClassifier)  # no time for a last fit, either


class Stuck(Paid):
    """On many rows it takes 8 s, and would go on."""

    def fit(self, X, y):
        super().fit(X, y)
        if len(X) > 5_000:
            Clock.now += 8.0
            began = time.perf_counter()
            while time.perf_counter() < began + 30.0:
                time.sleep(0.01)
        return self


class Awake(Paid):
    """Takes a moment of this world, too, in which it may be cut off."""

    def fit(self, X, y):
        time.sleep(0.15)
        return super().fit(X, y)


def test_where_the_first_one_is_cut_off_there_is_time_for_another(clock, data):
    pool = [("stuck", Stuck(0.2)), ("awake", Awake(0.5)), ("dear", Paid(60.0))]
    model, _ = fit(data, pool, 10.0)
    assert "awake" in set(model.leaderboard_["member"])
    assert clock.now <= 11.0
    # All that is left is dear: it learns from few rows.
    began = clock.now
    model, _ = fit(data, [("stuck", Stuck(0.2)), ("dear", Paid(90.0))], 10.0)
    assert clock.now - began <= 11.0
    assert set(model.leaderboard_["member"]) & {"stuck", "dear"}


PROFILED = """
import sys, time
from counterpoint.auto.deadline import TimeUp, cut_off
for k in range(30):
    try:
        with cut_off(lambda: k % 2):
            time.sleep(0.05 + 0.001 * k)  # ends when it is raised, a little before or after
    except TimeUp:
        pass
sys.setprofile(lambda *args: None)
print([len(str(k)) for k in range(3)])
"""


def test_nothing_is_left_to_be_looked_for():
    """A raise called back has Python 3.11 look for it for ever under a profiler."""
    done = subprocess.run(
        [sys.executable, "-c", PROFILED], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[1, 1, 1]\n"


def test_what_is_cut_off_ends_at_once_and_nothing_comes_later():
    began = time.monotonic()
    with pytest.raises(TimeUp), cut_off(lambda: time.monotonic() > began + 0.1):
        sum(n % 2 for n in itertools.count())
    assert time.monotonic() < began + 10.0
    with cut_off(lambda: True), compiled_within() as found:
        numba.njit(lambda x: x - 1)(1.0)  # never after compiling, which is not counted
        time.sleep(0.2)
    assert len(found) == 1


def test_compiling_is_not_taken_from_the_limit():
    with compile_time() as seconds:
        numba.njit(lambda x: x + 1)(1.0)
    assert len(seconds) == 1
    assert seconds[0] > 0


def test_quick_kin_stands_in_where_there_is_no_time(clock, data):
    """With few rows and little time the strongest member is tried in its quick form."""
    kin = {c.name: c.quick.name for c in default_pool(1500, 19, 7) if c.quick is not None}
    assert kin == {"boosted trees": "boosted trees, quick",
                   "extra trees, half of the columns": "extra trees, quick"}  # fmt: skip
    assert sum(c.quick is not None for c in default_number_pool(1500, 19)) == 2
    slow, quick, other = (
        Candidate(name=name, family="given", make=lambda s, c=cost: Paid(c))
        for name, cost in (("slow", 90.0), ("quick", 30.0), ("other", 0.1))
    )
    few = [part[:1500] for part in data]  # five folds of "slow" take 9 s, of "quick" 3 s
    for limit, kin, tried in (
        (10.0, quick, {"quick", "other"}),
        (100.0, quick, {"slow", "other"}),
        (10.0, replace(slow, name="as slow"), {"other"}),
        (10.0, None, {"other"}),
    ):
        model, _ = fit(few, [replace(slow, quick=kin), other], limit)
        assert set(model.leaderboard_["member"]) == tried
