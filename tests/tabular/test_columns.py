"""Columns told apart, brought into shape; targets that cannot be classes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.tabular.columns import (
    Column,
    align_columns,
    check_target,
    describe_columns,
    find_column,
    no_header,
    prepare_table,
    text_labels,
)
from counterpoint.tabular.reader import read_table


def check(values):
    values = pd.Series(values)
    check_target(values, text_labels(values), "t")


def test_columns_are_told_apart():
    frame = pd.DataFrame(
        {
            "n": [1.0, None, 3.0] * 10,
            "c": ["b", None, "a"] * 10,
            "flag": [True, False, None] * 10,
            "id": [f"x{k}" for k in range(30)],
            "empty": [None] * 30,
            "when": pd.date_range("2020-01-01", periods=30),
            "same": [1.0, None, 3.0] * 10,
            "only": ["x"] * 30,
            "customer_id": range(1000, 1030),
            "t": list("ab") * 15,
        }
    )
    columns, left_out = describe_columns(frame, "t")
    assert columns == [
        Column("n", "number"),
        Column("c", "category", ("a", "b")),
        Column("flag", "category", ("False", "True"), "yes/no"),
        Column("when", "date", parts=("day", "weekday", "days since"), origin="2020-01-01"),
    ]
    assert left_out["id"] == "an id: every row has a text of its own"
    assert left_out["empty"] == "it has no value at all"
    assert left_out["same"] == "it is the same as 'n'"
    assert left_out["only"] == "it holds one value only, 'x'"
    assert left_out["customer_id"] == "an id: every row has a number of its own"


@pytest.mark.parametrize(
    ("names", "values"),
    [
        (["5.1", "3.5", "1.4", "0.2", "setosa"], True),
        (["6", "148", "72", "35", "1"], True),
        (["-1", "+2", "x"], True),
        (["sepal", "petal", "1.5"], False),
        (["name", "2019", "2020", "2021"], False),
        ([str(k) for k in range(64)], False),
        (["1", "2", "3"], False),
        (["1"], False),
        (["", "a"], False),
    ],
)
def test_a_row_of_values_is_no_header(names, values):
    assert bool(no_header(names)) is values


def test_a_file_without_a_header_is_told_of(tmp_path):
    path = tmp_path / "iris.csv"
    path.write_text("5.1,3.5,setosa\n" + "4.9,3.0,setosa\n6.3,3.3,other\n" * 20)
    with pytest.raises(ValueError, match=r"no target column 'kind'.* These look like values: the"):
        read_table(path, target="kind")
    (note,) = read_table(path, target="setosa").notes
    assert note.startswith("THE COLUMNS ARE CALLED '5.1', '3.5', 'setosa'. These look like values")


def test_how_to_keep_an_id_is_said():
    frame = pd.DataFrame({"name": [f"n{k}" for k in range(40)], "a": [0.5, 1, 2, 3] * 10})
    *_, notes = prepare_table(frame.assign(t=list("ab") * 20), "t")
    told = "column 'name' left out: an id: every row has a text of its own; keep='name' to use it."
    assert told in notes


def test_many_texts_are_left_out():
    frame = pd.DataFrame({"w": [f"w{k % 201}" for k in range(500)], "t": list("ab") * 250})
    with pytest.raises(
        ValueError, match=r"no column to learn 't' from\. 'w' was left out: it has 201"
    ):
        describe_columns(frame, "t")


def test_infinity_is_told_with_its_row():
    frame = pd.DataFrame({"n": [1.0, np.inf], "t": ["a", "b"]})
    with pytest.raises(ValueError, match="'n' holds an infinite number in data row 2"):
        describe_columns(frame, "t")


KNOWN = [Column("n", "number"), Column("c", "category", ("1", "a"))]


@settings(max_examples=30, deadline=None)
@given(st.permutations(["n", "c", "more", "other"]))
def test_order_does_not_matter(order):
    frame = pd.DataFrame({"n": ["1", "2.5"], "c": [1.0, None], "more": [0, 0], "other": [0, 0]})
    X, extra, unseen = align_columns(frame[order], KNOWN)
    assert X.columns.tolist() == ["n", "c"]
    assert X["n"].tolist() == [1.0, 2.5]
    assert X["c"].tolist()[0] == "1"
    assert pd.isna(X["c"].iloc[1])
    assert sorted(extra) == ["more", "other"]
    assert unseen == {}


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match="needs columns 'n', 'c', which the data has not; it has"):
        align_columns(pd.DataFrame({"x": [1]}), KNOWN)
    with pytest.raises(ValueError, match=r"needs a column 'c', .* Did you mean 'C'\?"):
        align_columns(pd.DataFrame({"n": [1], "C": ["a"]}), KNOWN)


def test_words_where_numbers_were():
    frame = pd.DataFrame({"n": ["1", "many"], "c": ["a", "a"]})
    with pytest.raises(ValueError, match="'n' holds 'many' in data row 2, but the model knows it"):
        align_columns(frame, KNOWN)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", "a"], "holds one class only, 'a'"),
        ([None, None], "is empty in every row|one class only"),
        ([f"n{k}" for k in range(30)], "30 different values in 30 rows: it looks like an id"),
        ([k + 0.5 for k in range(30)] * 4, "it looks like a number to estimate"),
        (list(range(30)), "it looks like a number to estimate"),
        (
            ["a", "a", "a", "b", "b", "b", "c", "d"],
            "Of class 'c', 'd' in the target column target='t'",
        ),
    ],
)
def test_targets_that_are_no_classes(values, message):
    values = pd.Series(values)
    labels = text_labels(values).dropna()
    with pytest.raises(ValueError, match=message):
        check_target(values, labels, "t")


@pytest.mark.parametrize("values", [["a", "b"] * 5, [0, 1] * 5, [1.5, 2.5] * 5, [True, False] * 3])
def test_targets_that_are(values):
    check(values)


def test_whole_numbers_are_labels_without_a_point():
    labels = text_labels(pd.Series([1.0, 2.5, None]))
    assert labels.tolist()[:2] == ["1", "2.5"]
    assert pd.isna(labels[2])
    assert text_labels(pd.Series([1, 2])).tolist() == ["1", "2"]


def test_the_nearest_column_is_named():
    assert find_column("a", ["a", "b"], what="column", option="x=") == "a"
    with pytest.raises(ValueError, match="Did you mean 'Class'"):
        find_column("class", ["Age", "Class"], what="target column", option="target=")
    with pytest.raises(ValueError, match="Name one with target="):
        find_column("zzz", ["a", "b"], what="target column", option="target=")
