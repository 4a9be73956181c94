"""Which columns a model needs, and how its answers go with them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence, permutation_importance
from tables import mixed_table, number_table

from counterpoint.report.column_charts import _label, dependence_charts
from counterpoint.tabular import assess, fit
from counterpoint.tabular.dependence import describe_dependence, look_at_columns
from counterpoint.tabular.importance import column_importance


class Formula(RegressorMixin, BaseEstimator):
    """A regressor that is a formula of its columns."""

    def __init__(self, formula=None):
        self.formula = formula

    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return self.formula(np.asarray(X, dtype=float))


def test_means_are_those_of_scikit_learn():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(120, 4)), rng.normal(size=120)
    model = RandomForestRegressor(10, random_state=0).fit(X + 0.1, y)
    found = column_importance(model, X, y, list("abcd"), random_state=7)
    known = permutation_importance(
        model, X, y, scoring="neg_mean_squared_error", n_repeats=5, random_state=7
    )
    assert found["n_repeats"] == 5
    assert found["loss"] == "RMSE"
    whole = np.mean((model.predict(X) - y) ** 2)
    for row in found["rows"]:
        rise = known.importances_mean[row["position"]]
        assert row["rise"] == pytest.approx(np.sqrt(whole + rise) - np.sqrt(whole))
        assert row["low"] < row["rise"] < row["high"]
    rises = [row["rise"] for row in found["rows"]]
    assert rises == sorted(rises, reverse=True)


def test_intervals_hold_what_shuffling_costs():
    # For independent columns of variance 1, shuffling a * x costs 2 a^2 on average, squared.
    held = 0
    for seed in range(40):
        rng = np.random.RandomState(seed)
        X = rng.normal(size=(150, 2))
        model = Formula(lambda X: 1.5 * X[:, 0] + X[:, 1]).fit(X)
        y = model.predict(X) + rng.normal(size=150)
        found = column_importance(model, X, y, ["a", "b"], random_state=seed)
        row = next(row for row in found["rows"] if row["name"] == "a")
        whole = np.mean((model.predict(X) - y) ** 2)
        held += row["low"] <= np.sqrt(whole + 2 * 1.5**2) - np.sqrt(whole) <= row["high"]
    assert held >= 35


def test_a_column_of_words_counts_once():
    fitted = fit(number_table(300), "price", "random-forest")
    found = fitted.summary()["importance"]
    assert {row["name"] for row in found["rows"]} == {"size", "colour", "age"}
    assert found["rows"][0]["name"] == "size"
    assert found["rows"][0]["low"] > 0


def test_classes_are_judged_by_log_loss():
    fitted = fit(mixed_table(240, seed=1), "class", "random-forest")
    found = column_importance(
        fitted.model, fitted.X_test, fitted.y_test, list(fitted.X_test.columns)
    )
    assert found["loss"] == "log-loss"
    assert found["rows"][0]["name"] == "size"
    assert look_at_columns(fitted.model, ["text"] * 20, fitted.y_test, [], random_state=0) == (
        None,
        None,
    )


# -- partial dependence ------------------------------------------------------------------------


def test_a_column_of_numbers_is_as_in_scikit_learn():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    y = np.sin(X["a"]) + X["b"]
    model = RandomForestRegressor(20, random_state=0).fit(X, y)
    told = describe_dependence(model, X, y.to_numpy(), [0, 1], list("abc"))
    for column in told["columns"]:
        known = partial_dependence(
            model, X, [column["name"]], custom_values={column["name"]: column["values"]},
            method="brute",
        )  # fmt: skip
        np.testing.assert_allclose(column["answers"], known["average"])
    pair = told["pair"]
    known = partial_dependence(
        model, X, ["a", "b"], custom_values={"a": pair["first"], "b": pair["second"]},
        method="brute",
    )  # fmt: skip
    np.testing.assert_allclose(pair["answers"], known["average"][0])


def test_words_and_classes():
    fitted = fit(mixed_table(240, seed=1), "class", "random-forest")
    X = fitted.X_test
    told = describe_dependence(fitted.model, X, fitted.y_test, [1, 0], list(X.columns))
    column = told["columns"][0]
    assert (column["name"], column["kind"]) == ("colour", "category")
    (label,) = told["lines"]
    k = list(fitted.model.classes_).index(label)
    assert (fitted.y_test == label).mean() <= 0.5
    for value, answer in zip(column["values"], column["answers"][0], strict=True):
        expected = fitted.model.predict_proba(X.assign(colour=value))[:, k].mean()
        assert answer == pytest.approx(expected)


def test_the_strongest_pair_is_the_one_that_is_no_sum():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
    y = np.zeros(100)
    crossed = Formula(lambda X: 3 * X[:, 0] + X[:, 1] + X[:, 2] * X[:, 3]).fit(X)
    pair = describe_dependence(crossed, X, y, [0, 1, 2, 3], list("abcd"))["pair"]
    assert pair["names"] == ["c", "d"]
    assert pair["strength"] > 0.9
    summed = Formula(lambda X: 3 * X[:, 0] + X[:, 1] ** 2).fit(X)
    pair = describe_dependence(summed, X, y, [0, 1], list("abcd"))["pair"]
    assert pair["strength"] == pytest.approx(0.0, abs=1e-12)


def test_several_classes_have_several_lines():
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier

    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    summary = assess(model, X[1::2], y[1::2]).summary()
    told = summary["dependence"]
    assert told["lines"] == ["0", "1", "2"]
    total = np.sum(told["columns"][0]["answers"], axis=0)
    np.testing.assert_allclose(total, 1.0)


def test_units_and_words_of_the_table_are_told_and_shown(tmp_path):
    rng = np.random.RandomState(0)
    texts = rng.choice(["late and broken box", "all is fine here"], 300)
    parts = rng.randint(0, 9, 300)
    table = pd.DataFrame({"note": [f"{text} {k} times" for k, text in enumerate(texts)]})
    table["discount"] = [f"{5 * k} %" for k in parts]
    table["left"] = np.where(["broken" in t for t in texts] | (parts > 6), "yes", "no")
    table.to_csv(tmp_path / "table.csv", index=False)
    summary = fit(tmp_path / "table.csv", "left", "tree").summary()
    told = {column["name"]: column for column in summary["dependence"]["columns"]}
    assert told["discount"]["unit"] == "%"
    word = next(column for column in told.values() if column["kind"] == "word")
    assert word["values"] == [0, 1]
    assert word["name"].startswith("note: ")
    charts = dependence_charts(summary["dependence"], numbers=False)
    shown = {one["name"]: one for one in charts["columns"]}
    assert shown["discount"]["axis"] == "discount, %"
    bars = [bar["value"] for bar in shown[word["name"]]["bars"]]
    assert bars == ["without it", "with it"]


def test_values_are_written_short():
    assert [_label(v, "number") for v in (5.0, -3.0, 8.2, 1234.5678, 1e-7, "web")] == [
        "5", "\N{MINUS SIGN}3", "8.2", "1235", "1.000e-07", "web",
    ]  # fmt: skip
