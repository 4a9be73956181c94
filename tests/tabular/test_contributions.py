"""What each column adds to an answer: as one would count it, and as linear models are known to."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from tables import mixed_table

from counterpoint import tabular
from counterpoint.tabular import contributions
from counterpoint.tabular.contributions import (
    column_contributions,
    contribution_texts,
    shapley_contributions,
)


@pytest.fixture(scope="module")
def fitted():
    return tabular.fit(mixed_table(), "class", "random-forest", random_state=0)


def one_at_a_time(model, X, known, answers):
    """Replace one cell by one cell, and count."""
    result = pd.DataFrame(0.0, index=range(len(X)), columns=X.columns)
    classes = list(model.classes_)
    for i in range(len(X)):
        which = classes.index(answers[i])
        own = model.predict_proba(X.iloc[[i]])[0, which]
        for name in X.columns:
            shares = []
            for j in range(len(known)):
                changed = X.iloc[[i]].copy()
                changed[name] = known[name].iloc[[j]].to_numpy()
                shares.append(model.predict_proba(changed)[0, which])
            result.loc[i, name] = own - np.mean(shares)
    return result


def test_as_one_would_count_them(fitted):
    X, known = fitted.X_test[:2].reset_index(drop=True), fitted.X_train[:5]
    answers = fitted.model.predict(X)
    found = column_contributions(fitted.model, X, known, answers)
    expected = one_at_a_time(fitted.model, X, known, answers)
    pd.testing.assert_frame_equal(found, expected, atol=1e-12)
    assert found.abs().to_numpy().max() > 0.05


@pytest.fixture
def linear():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "c"])
    model = LinearRegression().fit(X, X @ [1.0, -2.0, 0.5] + 3)
    by_hand = np.array([1.0, -2.0, 0.5]) * (X[:4] - X.mean()).to_numpy()
    return model, X, by_hand


@pytest.mark.parametrize("way", [column_contributions, shapley_contributions])
def test_a_linear_model_is_known_by_heart(way, linear):
    """Both are the coefficient times the distance from the mean."""
    if way is shapley_contributions:
        pytest.importorskip("shap", reason="pip install shap to run it")
    model, X, by_hand = linear
    found = way(model, X[:4], X, model.predict(X[:4]))
    np.testing.assert_allclose(found, by_hand, atol=1e-9)


def test_parts_of_one_column_go_together(linear):
    model, X, by_hand = linear
    groups = {"a and c": ["a", "c"], "b": ["b"]}
    found = column_contributions(model, X[:4], X, model.predict(X[:4]), groups=groups)
    assert found.columns.tolist() == ["a and c", "b"]
    np.testing.assert_allclose(found["a and c"], by_hand[:, 0] + by_hand[:, 2], atol=1e-9)


def test_rows_a_few_at_a_time_are_all_rows_at_once(linear, monkeypatch):
    model, X, _ = linear
    whole = column_contributions(model, X, X, model.predict(X))
    monkeypatch.setattr(contributions, "_AT_A_TIME", 70)
    pd.testing.assert_frame_equal(column_contributions(model, X, X, model.predict(X)), whole)


def test_shapley_values_of_words_add_up(fitted):
    pytest.importorskip("shap", reason="pip install shap to run it")
    X, known = fitted.X_test[:3].reset_index(drop=True), fitted.X_train[:12]
    answers = fitted.model.predict(X)
    found = shapley_contributions(fitted.model, X, known, answers)
    which = np.searchsorted(fitted.model.classes_, answers)
    own = fitted.model.predict_proba(X)[np.arange(3), which]
    unknown = fitted.model.predict_proba(known).mean(axis=0)[which]
    np.testing.assert_allclose(found.sum(axis=1), own - unknown, atol=1e-9)


def test_in_words():
    X = pd.DataFrame({"discount": [12.0, np.nan], "channel": ["web", None], "when: day": [1, 2]})
    values = pd.DataFrame(
        {"discount": [0.314, -0.2], "channel": [-0.041, 0.001], "when": [0.02, 0.0]}
    )
    told = contribution_texts(values, X, units={"discount": " %"}, numbers=False)
    assert told == ["discount 12 % +0.31, channel web -0.04, when +0.02", "discount missing -0.20"]
    assert contribution_texts(0 * values, X, units={}, numbers=True) == ["", ""]


def test_numbers_say_what_raises_them():
    table = pd.DataFrame({"size": np.arange(60.0) % 30 / 4, "hue": ["red", "blue"] * 30})
    table["price"] = 90 * table["size"] + 100 * (table["hue"] == "red")
    model = tabular.fit(table, "price", "linear", task="regression", random_state=0)
    told = tabular.predict(model, pd.DataFrame({"size": [0.0, 7.0], "hue": ["red", "blue"]}),
                           reasons=True).table["columns"]  # fmt: skip
    assert told[0].startswith("size 0 -")
    assert told[1].startswith("size 7 +")
    assert "hue red +" in told[0]
    assert "hue blue -" in told[1]


def test_shap_leaves_the_seed_of_others_alone(linear):
    pytest.importorskip("shap", reason="pip install shap to run it")
    model, X, _ = linear
    np.random.seed(3)
    expected = np.random.RandomState(3).rand()
    shapley_contributions(model, X[:2], X, model.predict(X[:2]))
    assert np.random.rand() == expected


def test_without_shap_it_is_said_how_to_get_it(linear, monkeypatch):
    model, X, _ = linear
    monkeypatch.setattr(contributions, "has_shap", lambda: False)
    with pytest.raises(ImportError, match=r"need shap: pip install 'counterpoint\[shap\]'"):
        shapley_contributions(model, X[:2], X, model.predict(X[:2]))


@pytest.mark.parametrize("there", [False, True])
def test_reasons_name_shap_where_it_is_there(fitted, there, monkeypatch):
    if there:
        pytest.importorskip("shap", reason="pip install shap to run it")
    monkeypatch.setattr("counterpoint.tabular.row_reasons.has_shap", lambda: there)
    told = tabular.predict(fitted, mixed_table(3, seed=1), reasons=True).table
    assert ("shap" in told) is there
    assert told["columns"].str.len().min() > 0
