"""Simple models to beat, and intervals of errors."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.datasets import load_iris

from counterpoint.tabular.baselines import baseline_answers, compare, error_interval


@settings(max_examples=40)
@given(st.integers(1, 500), st.data())
def test_interval_is_wilsons(n, data):
    wrong = data.draw(st.integers(0, n))
    low, high = error_interval(wrong, n)
    expected = binomtest(wrong, n).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0 <= low <= wrong / n + 1e-12
    assert wrong / n - 1e-12 <= high <= 1


def test_interval_of_no_rows():
    assert all(map(math.isnan, error_interval(0, 0)))


def test_compare_counts_rows_one_alone_has_wrong():
    y = np.array([0, 0, 0, 0, 0, 0, 0, 0])
    these = np.array([1, 1, 1, 1, 1, 1, 0, 0])
    model = np.array([0, 0, 0, 0, 0, 1, 1, 0])
    row = compare("these", these, y, model)
    assert (row["name"], row["error"]) == ("these", 0.75)
    assert (row["only_this"], row["only_model"]) == (5, 1)
    # Two-sided binomial of 5 or more in 6, by hand: 2 (6 + 1) / 64.
    assert row["p"] == pytest.approx(14 / 64)


def test_compare_with_itself_is_no_evidence():
    y, said = np.array([0, 1]), np.array([1, 1])
    assert compare("x", said, y, said)["p"] == 1.0
    assert "p" not in compare("x", said, y)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_trained_on_the_training_rows(iris):
    X, y = iris
    answers, how = baseline_answers(X[1::2], y[1::2], X_train=X[::2], y_train=y[::2])
    assert list(answers) == ["Largest class", "Pruned tree", "Logistic regression"]
    assert how == "trained on 75 training rows"
    assert np.mean(answers["Largest class"] == y[1::2]) == pytest.approx(1 / 3)
    assert np.mean(answers["Pruned tree"] == y[1::2]) > 0.85
    assert np.mean(answers["Logistic regression"] == y[1::2]) > 0.9


def test_cross_validated_without_training_rows(iris):
    X, y = iris
    answers, how = baseline_answers(X, y, random_state=3)
    again, _ = baseline_answers(X, y, random_state=3)
    assert how == "cross-validated in 5 parts on the very rows of this page"
    assert all(np.array_equal(answers[name], again[name]) for name in answers)
    # Had they seen the rows they answer for, a tree would make next to no error.
    assert 0 < np.mean(answers["Pruned tree"] != y) < 0.15


def test_words_and_gaps_are_encoded():
    X = pd.DataFrame({"colour": ["red", "blue"] * 20, "size": [1.0, np.nan] * 20})
    y = np.array(["yes", "no"] * 20)
    answers, _ = baseline_answers(X, y)
    assert (answers["Pruned tree"] == y).all()


def test_a_class_with_one_row_cannot_be_cross_validated():
    answers, how = baseline_answers(np.zeros((3, 1)), np.array([0, 0, 1]))
    assert answers == {}
    assert "a class has a single row" in how


def test_what_no_simple_model_can_read_is_left_out():
    texts = np.array(["a b", "b c"] * 10, dtype=object)
    answers, _ = baseline_answers(texts, np.array([0, 1] * 10))
    assert list(answers) == ["Largest class"]
