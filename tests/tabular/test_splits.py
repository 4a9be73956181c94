"""Rows held out by lot, by groups, and by time."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from counterpoint import tabular
from counterpoint.tabular.splits import Rows


def customers(n_customers=60, n_rows=8):
    """Labels that only the customer decides: other customers cannot be told apart."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(n_customers), n_rows)
    X = rng.normal(size=(n_customers, 3))[who] + 0.01 * rng.normal(size=(len(who), 3))
    labels = np.where(rng.random(n_customers) < 0.5, "stay", "leave")[who]
    names = [f"c{k}" for k in who]
    return pd.DataFrame(X, columns=list("abc")).assign(customer_id=names, outcome=labels)


def test_groups_are_never_on_both_sides():
    table = customers()
    groups = pd.factorize(table["customer_id"])[0]
    rows = Rows(table["outcome"].to_numpy(str), 0.25, 0, groups=groups)
    assert not set(groups[rows.train]) & set(groups[rows.test])
    assert_array_equal(np.sort([*rows.train, *rows.test]), np.arange(len(table)))
    assert_array_equal(rows.fit_options()["groups"], groups[rows.train])


def test_the_latest_are_tested_on_and_equal_moments_stay_together():
    rng = np.random.default_rng(0)
    times = rng.integers(20, size=100)
    rows = Rows(rng.normal(size=100), 0.25, 0, times=times)
    assert times[rows.train].max() < times[rows.test].min()
    assert (np.diff(times[rows.train]) >= 0).all()
    assert len(rows.test) >= 25
    for train, test in rows.fold_options()["cv"].split(rows.train):
        assert times[rows.train][train].max() <= times[rows.train][test].min()


def test_without_either_rows_are_drawn_by_class():
    y = np.array(["a"] * 80 + ["b"] * 20)
    rows = Rows(y, 0.25, 0)
    assert (y[rows.test] == "b").sum() == 5
    assert rows.fold_options() == rows.fit_options() == {}


def test_what_rows_by_lot_would_have_promised_is_told():
    table = customers()
    by_lot = tabular.fit(table, "outcome", "random-forest")
    honest = tabular.fit(table, "outcome", "random-forest", group="customer_id")
    assert by_lot.score.error < 0.1  # it knows the customers
    assert honest.score.error > 0.3  # and nothing else
    assert any("group='customer_id' keeps them together" in note for note in by_lot.notes)
    told = next(note for note in honest.notes if "it would have promised" in note)
    assert "whole groups of 'customer_id'" in told
    assert "customer_id" in honest.left_out
    assert [column.name for column in honest.columns] == ["a", "b", "c"]
    assert honest.summary(tree=False)["fit"]["split"] == "whole groups of 'customer_id'"


def test_the_flagship_is_told_of_groups_and_of_time(monkeypatch):
    from counterpoint.auto import OverproduceSelectClassifier

    seen = {}
    plain = OverproduceSelectClassifier.fit

    def fit(self, X, y, sample_weight=None, *, groups=None):
        seen.update(groups=groups, cv=type(self.cv).__name__)
        self.set_params(pool=["naive Bayes", "pruned tree"])
        return plain(self, X, y, sample_weight, groups=groups)

    monkeypatch.setattr(OverproduceSelectClassifier, "fit", fit)
    table = customers(20).assign(day=np.arange(160) % 7)
    fitted = tabular.fit(table, "outcome", "auto", group="customer_id")
    assert len(seen["groups"]) == len(fitted.trained)
    assert seen["cv"] == "int"
    tabular.fit(table, "outcome", "auto", time="day")
    assert (seen["groups"], seen["cv"]) == (None, "TimeSeriesSplit")


def test_dates_ask_for_an_order_in_time():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"day": pd.date_range("2024-01-01", periods=120), "x": rng.normal(size=120)}
    )
    table["y"] = np.cumsum(rng.normal(size=120))
    told = tabular.fit(table, "y", "tree").notes
    assert any("test on the latest rows: time='day'." in note for note in told)
    later = tabular.fit(table, "y", "tree", time="day")
    assert later.split == "the latest by 'day'"
    assert any("off (RMSE) there" in note for note in later.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "customer"}, "There is no column 'customer'.*Name one with group="),
        ({"group": "customer_id", "time": "a"}, "hold out other rows each: give one"),
        ({"time": "outcome"}, "time='outcome' is the target itself"),
        ({"time": "customer_id"}, "time='customer_id': the column holds neither dates nor numbers"),
        ({"group": "one"}, "All rows are of one group"),
        ({"time": "gap"}, "time='gap': the column has 1 gap: fill"),
    ],
)
def test_wrong_input(options, message):
    gap = np.r_[np.nan, np.arange(1.0, 160.0)]
    table = customers(20).assign(one="x", gap=gap)
    with pytest.raises(ValueError, match=message):
        tabular.fit(table, "outcome", "tree", **options)


@pytest.mark.parametrize(("name", "n", "asked"), [("patient", 40, True), ("patient", 3, False)])
def test_people_in_many_rows_ask_for_groups(name, n, asked):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: [f"P{k % n}" for k in range(160)], "a": rng.normal(size=160)})
    notes = tabular.fit(table.assign(y=rng.normal(size=160)), "y", "linear").notes
    assert any("group='patient' keeps them together" in note for note in notes) is asked
