"""Classes or numbers: found from the target, asked where it may be either."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.tabular import fit, read_table
from counterpoint.tabular.targets import find_task, prepare, texts_of


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b"] * 20, "classification"),
        ([0, 1] * 20, "classification"),
        ([1.5, 2.5] * 20, "classification"),  # two values are two classes, whatever they look like
        (list(range(1, 11)) * 5, "classification"),  # marks from 1 to 10
        (np.linspace(0, 1, 50).tolist(), "regression"),
        ([0.5, *range(30)], "regression"),
        ([100 * k * k for k in range(40)] + [400, 900], "regression"),  # too many for classes
        ([True, False] * 20, "classification"),
    ],
)
def test_found_from_the_values(values, expected):
    assert find_task(pd.Series(values), "t") == expected


@pytest.mark.parametrize(
    "values", [list(range(40)) * 3, list(range(15)), list(range(1000, 1400, 7))]
)
def test_whole_numbers_that_may_be_either_are_asked_about(values):
    with pytest.raises(ValueError, match="looks like a number; use task=regression"):
        find_task(pd.Series(values), "t")
    assert find_task(pd.Series(values), "t", "regression") == "regression"
    assert find_task(pd.Series(values), "t", "classification") == "classification"


def test_whole_numbers_with_a_unit_are_numbers(tmp_path):
    rows = "".join(f"{k % 7},${1000 + 37 * k}\n" for k in range(60))
    (tmp_path / "prices.csv").write_text(f"rooms,price\n{rows}")
    read = read_table(tmp_path / "prices.csv", target="price")
    _, y, *_ = prepare(read.frame, "price", forms=read.forms)
    assert y[:3].tolist() == [1000.0, 1037.0, 1074.0]
    with pytest.raises(ValueError, match="looks like a number"):
        find_task(pd.Series(np.arange(1000, 1060)), "n", form=",")  # a comma is no unit


def test_numbers_cannot_be_made_of_words():
    with pytest.raises(ValueError, match="holds words, and task='regression' needs numbers"):
        find_task(pd.Series(list("abcd")), "t", "regression")
    with pytest.raises(ValueError, match=r"task='regresion': choose .* Did you mean 'regression'"):
        find_task(pd.Series([1, 2]), "t", "regresion")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.5, np.inf] + [2.5] * 10, "infinite number in data row 2"),
        ([1.5, 2.25, 3.5], "3 rows have a number"),
        ([7] * 10, "one number only, 7"),
        ([np.nan] * 10, "is empty in every row"),
    ],
)
def test_targets_with_nothing_to_estimate(values, message):
    frame = pd.DataFrame({"x": range(len(values)), "t": values})
    with pytest.raises(ValueError, match=message):
        fit(frame, "t", "mean", task="regression")


def test_numbers_come_back_exactly():
    rng = np.random.RandomState(0)
    values = np.concatenate([rng.normal(size=50) * 10.0 ** rng.randint(-12, 12, 50), [3.0, 2**60]])
    frame = pd.DataFrame({"x": rng.normal(size=52), "t": values})
    y = prepare(frame, "t")[1]
    np.testing.assert_array_equal(y, values)
    np.testing.assert_array_equal(texts_of(y).astype(float), values)


def test_many_classes_can_be_asked_for():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"x": rng.normal(size=120), "t": np.repeat(np.arange(30), 4)})
    fitted = fit(frame, "t", "tree", task="classification", test_size=0.5)
    assert len(fitted.classes) == 30
    assert fitted.task == "classification"
