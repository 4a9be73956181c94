"""Tables for people: one shape for classes and numbers, the same words everywhere."""

import pytest
from tables import mixed_table, number_table

from counterpoint.tabular import compare, fit
from counterpoint.tabular.telling import TELLINGS, Told, shown, size_words
from counterpoint.tabular.words import number


@pytest.mark.parametrize(
    ("task", "table", "target"),
    [
        ("classification", mixed_table(120), "class"),
        ("regression", number_table(120), "price"),
    ],
)
def test_what_is_told_is_in_the_summary(task, table, target):
    told = TELLINGS[task]
    fitted = fit(table, target, "bagging").summary(tree=False)
    compared = compare(table, target, ["tree"], n_splits=2).summary()
    assert fitted["task"] == compared["task"] == task
    for row in [fitted["score"], *fitted["baselines"]["rows"], *compared["methods"]]:
        assert len(told.scores(row)) == len(told.score_headings)
        assert told.scores(row)[0] == told.words(row[told.measure])
    for row in fitted["members"]["table"]:
        assert {one.key for one in told.members} <= set(row)
    keys = {one.key for one in told.tried}
    assert {told.measure, "weight", "adds", "seconds"} < keys


def test_columns_without_a_value_are_left_out_where_they_may_be():
    columns = [
        Told("Always", "a", number),
        Told("If there", "b", number, optional=True),
        Told("On pages", "c", number, page_only=True),
    ]
    rows = [{"a": None, "b": None, "c": 1.0}, {"a": None, "b": None, "c": 2.0}]
    assert [one.heading for one in shown(columns, rows)] == ["Always"]
    rows[1]["b"] = 0.0
    assert [one.heading for one in shown(columns, rows)] == ["Always", "If there"]
    assert shown(columns, rows, page=True) == columns


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [(None, ""), (0, "0 B"), (999, "999 B"), (3290, "3.29 kB"), (4e6, "4 MB"), (5e10, "50 GB")],
)
def test_sizes_in_words(n_bytes, words):
    assert size_words(n_bytes) == words


def test_no_column_of_zeros():
    told = TELLINGS["classification"]
    rows = [{"error": 0.1, "disagrees": 0.2, "weight": None, "change": 0.0, "kappa": 0.5}] * 3
    assert "Worth, points" not in [one.heading for one in shown(told.members, rows)]
    assert told.worth_of(rows) == "Without any one of them the error would stay as it is."
    rows = [*rows, {**rows[0], "change": -0.001}]
    assert "Worth, points" in [one.heading for one in shown(told.members, rows)]
    assert told.worth_of(rows).startswith("Worth: how much the error")
    assert "the RMSE would stay" in TELLINGS["regression"].worth_of([{**rows[0], "rmse": 1.0}])
