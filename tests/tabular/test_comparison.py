"""Methods compared: honest intervals, failures noted, Ctrl-C keeps what is done."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.naive_bayes import GaussianNB
from tables import mixed_table

from counterpoint.auto import Candidate
from counterpoint.tabular import compare, comparison
from counterpoint.tabular.rankings import compare_tables

TABLE = mixed_table()


def test_compare():
    found = compare(TABLE, "class", ["majority", "tree", "naive-bayes"], n_repeats=2)
    table = found.table.set_index("method")
    assert table.index[-1] == "majority"
    assert found.errors.shape == (10, 3)
    np.testing.assert_allclose(table["error"], found.errors.mean()[table.index])
    assert (table["low"] < table["error"]).all()
    assert (table["error"] < table["high"]).all()
    # All folds have the same share of each class, but new rows need not.
    assert table.loc["majority", "high"] - table.loc["majority", "low"] > 0.1
    assert not found.interrupted
    assert table["folds"].tolist() == [10, 10, 10]


def test_the_interval_is_that_of_nadeau_and_bengio():
    found = compare(TABLE, "class", ["tree"], n_splits=3)
    errors = found.errors["tree"]
    half = 4.302653 * np.sqrt((1 / 3 + 1 / 2) * errors.var())  # t of 2 degrees of freedom
    wilson = binomtest(round(errors.mean() * 90), 90).proportion_ci(method="wilson")
    row = found.table.iloc[0]
    assert row["low"] == pytest.approx(max(0, min(errors.mean() - half, wilson.low)))
    assert row["high"] == pytest.approx(min(1, max(errors.mean() + half, wilson.high)))


def interrupt_at(monkeypatch, name):
    real = comparison.try_once

    def broken(method, *args, **options):
        if method == name:
            raise KeyboardInterrupt
        return real(method, *args, **options)

    monkeypatch.setattr(comparison, "try_once", broken)


def test_an_interrupt_keeps_what_is_done(monkeypatch):
    interrupt_at(monkeypatch, "tree")
    found = compare(TABLE, "class", ["majority", "tree", "naive-bayes"], n_splits=2)
    assert found.interrupted
    assert found.table["method"].tolist() == ["majority"]
    with pytest.raises(KeyboardInterrupt):
        compare(TABLE, "class", ["tree", "majority"], n_splits=2)


def test_a_method_that_fails_is_noted(monkeypatch):
    real = comparison.try_once

    def broken(method, *args, **options):
        if method == "tree":
            raise ValueError("no good")
        return real(method, *args, **options)

    monkeypatch.setattr(comparison, "try_once", broken)
    found = compare(TABLE, "class", ["tree", "majority"], n_splits=2)
    assert found.table["method"].tolist() == ["majority"]
    assert "tree failed: no good" in found.notes
    with pytest.raises(ValueError, match=r"No method could be fitted\. .*tree failed: no good"):
        compare(TABLE, "class", ["tree"], n_splits=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": []}, "give a list of at least one name"),
        ({"methods": "tree"}, "give a list"),
        ({"methods": ["tree", "tree"]}, "names 'tree' twice"),
        ({"methods": ["trees"]}, "method='trees': choose .* Did you mean 'tree'"),
        ({"n_splits": 1}, "n_splits=1"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"n_splits": 60}, "too few for n_splits=60 folds"),
    ],
)
def test_bad_comparisons(change, message):
    with pytest.raises(ValueError, match=message):
        compare(TABLE, "class", **{"methods": ["majority"], **change})


class Interrupted(GaussianNB):
    def fit(self, X, y):
        raise KeyboardInterrupt


def test_an_interrupt_of_auto_ends_the_comparison(monkeypatch):
    """Alone, auto would go on with the members it has."""

    def pool(*sizes):
        return [
            Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB()),
            Candidate(name="stopped", family="bayes", make=lambda s: Interrupted()),
        ]

    monkeypatch.setattr("counterpoint.auto.overproduce.default_pool", pool)
    found = compare(TABLE, "class", ["majority", "auto", "tree"], n_splits=2)
    assert found.interrupted
    assert found.table["method"].tolist() == ["majority"]


def test_pairs_are_judged_fold_by_fold():
    found = compare(TABLE, "class", ["majority", "tree", "naive-bayes"], n_splits=3, n_repeats=2)
    order = found.table["method"].tolist()
    assert found.pairs["method"].tolist() == order[1:]
    for _, row in found.pairs.iterrows():
        behind = found.errors[row["method"]] - found.errors[order[0]]
        # t of 5 degrees of freedom; a test fold is half as large as its training part
        half = 2.570582 * np.sqrt((1 / 6 + 1 / 2) * behind.var())
        assert row["behind"] == pytest.approx(behind.mean())
        assert row["low"] == pytest.approx(behind.mean() - half)
        assert row["high"] == pytest.approx(behind.mean() + half)
        assert row["apart"] == (row["low"] > 0)
    assert found.verdict().startswith(f"{order[0]} errs least")


def test_size_and_time_are_told():
    table = compare(TABLE, "class", ["majority", "bagging"], n_splits=2).table.set_index("method")
    assert table.loc["bagging", "bytes"] > 10 * table.loc["majority", "bytes"] > 0
    assert (table["answer_seconds"] > 0).all()


def test_several_tables():
    tables = [mixed_table(80, seed) for seed in range(3)]
    found = compare_tables(tables, "class", ["majority", "tree", "naive-bayes"], n_splits=2)
    assert found.errors.shape == (3, 3)
    ranks = found.errors.rank(axis=1).mean()
    assert found.ranks.mean_ranks.to_dict() == pytest.approx(ranks.to_dict())
    assert found.summary()["ranks"]["n_sets"] == 3
    with pytest.raises(ValueError, match="2 targets for 3 tables"):
        compare_tables(tables, ["class", "class"])
    one = compare_tables(tables[:1], "class", ["majority", "tree"], n_splits=2)
    assert one.ranks is None
    assert "too few tables" in one.verdict()


def test_an_interrupt_keeps_whole_tables(monkeypatch):
    calls = []
    real = comparison.try_once

    def broken(method, *args, **options):
        calls.append(method)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return real(method, *args, **options)

    monkeypatch.setattr(comparison, "try_once", broken)
    tables = [mixed_table(80, seed) for seed in range(3)]
    found = compare_tables(tables, "class", ["majority", "naive-bayes"], n_splits=2)
    assert found.interrupted
    assert len(found.comparisons) == 1
