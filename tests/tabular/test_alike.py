"""Lists of like objects as columns: the same objects back; no list from what is no column."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.tabular.alike import Columns, KeptColumn, Reading
from counterpoint.tabular.kept import kept, unkept

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("model", "where"),
    [
        (RandomForestClassifier(10, random_state=0), "estimators_"),
        (HistGradientBoostingClassifier(max_iter=9), "_predictors"),
        (AdaBoostNCClassifier(n_estimators=9, random_state=0), "estimators_"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_come_back_and_answer_the_same(model, where):
    model.fit(X, Y)
    form = kept(model)
    assert isinstance(vars(form)[where], KeptColumn)
    assert not isinstance(vars(model)[where], KeptColumn)  # what was fitted stays as it was
    again = unkept(form)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    one, other = vars(model)[where][3], vars(again)[where][3]
    assert type(one) is type(other)
    if hasattr(one, "__dict__"):
        assert vars(one).keys() == vars(other).keys()


def there_and_back(values):
    column = Columns(values).column(values)
    return column.how, Reading().values(column)


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (["a"] * 9, "same"),
        ([1, 2, 3], "numbers"),
        ([0.5, -0.0, float("inf")], "numbers"),
        ([np.float32(1), np.float32(2)], "numbers"),
        ([2**70, 1], "list"),
        ([1, 2.0], "list"),
        ([True, False], "list"),
        (["a", "b"], "list"),
        ([None, 1], "list"),
        ([[1], [], [2, 3]], "lists"),
        ([{"a": 1, "b": None}, {"a": 2, "b": None}], "dicts"),
        ([{"a": 1}, {"b": 1}], "list"),
        ([{1: 1}, {1: 2}], "list"),
    ],
    ids=str,
)
def test_values_come_back_as_they_were(values, how):
    found, again = there_and_back(values)
    assert found == how
    assert again == values
    assert [type(value) for value in again] == [type(value) for value in values]


def test_arrays_of_any_length_come_back():
    values = [np.arange(2 * k).reshape(k, 2) for k in (3, 0, 1)]
    how, again = there_and_back(values)
    assert how == "arrays"
    for one, other in zip(values, again, strict=True):
        np.testing.assert_array_equal(one, other)
        assert other.base is None  # to change one changes no other
    assert there_and_back([np.arange(3), np.arange(3.0)])[0] == "list"
    assert there_and_back([np.zeros((1, 2)), np.zeros((1, 3))])[0] == "list"


def test_an_object_in_two_places_stays_one():
    members = [LogisticRegression(C=k + 1.0) for k in range(9)]
    model = {"members": members, "best": members[4]}
    assert not isinstance(kept(model)["members"], KeptColumn)
    again = unkept(kept({"members": members, "best": None}))
    assert [member.C for member in again["members"]] == [member.C for member in members]


BAD = {
    "no column": "nonsense",
    "a number below zero": KeptColumn("same", -1, "x"),
    "too many": KeptColumn("same", 10**9, "x"),
    "another length": KeptColumn("numbers", 3, np.arange(2), True),
    "no array": KeptColumn("numbers", 2, [1, 2], True),
    "a matrix": KeptColumn("numbers", 2, np.eye(2), True),
    "lengths below zero": KeptColumn("arrays", 2, np.arange(3), np.array([4, -1])),
    "lengths too large": KeptColumn("arrays", 1, np.arange(3), np.array([10**9])),
    "lengths that are no numbers": KeptColumn("arrays", 1, np.arange(3), np.array([3.0])),
    "no class": KeptColumn("objects", 1, {"a": KeptColumn("same", 1, 0)}, "LogisticRegression"),
    "a class of others": KeptColumn("objects", 1, {"a": KeptColumn("same", 1, 0)}, dict),
    "rows of two lengths": KeptColumn(
        "dicts", 1, {"a": KeptColumn("same", 1, 0), "b": KeptColumn("same", 2, 0)}
    ),
}


@pytest.mark.parametrize("column", BAD.values(), ids=BAD)
def test_what_no_list_gave_is_refused(column):
    with pytest.raises(ValueError, match="column"):
        Reading().values(column)


def test_many_columns_may_not_stand_for_more_than_one_may():
    inner = [KeptColumn("same", 400, "x") for _ in range(3)]
    reading = Reading(most=1000)
    assert reading.values(inner[0]) is reading.values(inner[0])  # the same one counts once
    reading.values(inner[1])
    with pytest.raises(ValueError, match="too many parts"):
        reading.values(inner[2])
