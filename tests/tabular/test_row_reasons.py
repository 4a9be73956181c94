"""Why a model says what it says about a row: votes, rows like it, sets that hold the truth."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from tables import mixed_table, number_table

from counterpoint import MemberOutputs, tabular
from counterpoint._conformal import conformal_limit
from counterpoint.datasets import load
from counterpoint.tabular.contributions import has_shap
from counterpoint.tabular.coverage import class_sets, number_intervals
from counterpoint.tabular.dispute import dispute
from counterpoint.tabular.row_reasons import nearest_rows


@pytest.fixture(scope="module")
def fitted():
    return tabular.fit(mixed_table(), "class", "bagging", random_state=0)


def test_disagreement_is_the_share_of_votes_against(fitted):
    table = tabular.predict(fitted, mixed_table(20, seed=1)).table
    X, _, _ = tabular.columns.align_columns(mixed_table(20, seed=1), fitted.columns)
    votes = MemberOutputs.from_estimator(fitted.model, X)
    labels = votes.classes[votes.votes]
    expected = (labels != table["prediction"].to_numpy()).mean(axis=0)
    np.testing.assert_allclose(table["disagreement"], expected, atol=1e-12)
    assert 0 < table["disagreement"].max() < 1


def test_one_model_has_nobody_to_disagree():
    model = tabular.fit(mixed_table(), "class", "naive-bayes")
    assert "disagreement" not in tabular.predict(model, mixed_table(5)).table
    boosted = tabular.fit(mixed_table(), "class", "gradient-boosting")  # rounds correct each other
    assert "disagreement" not in tabular.predict(boosted, mixed_table(5)).table


def test_numbers_disagree_by_their_spread():
    X = np.arange(30.0)[:, None]
    model = RandomForestRegressor(7, random_state=0).fit(X, X[:, 0] ** 2)
    said = dispute(model, X, model.predict(X))
    by_hand = np.std([tree.predict(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(said.disagreement, by_hand)
    assert (said.tally, said.n_members) == (None, 7)


def slow_distance(a, b, known):
    total = 0.0
    for name in known.columns:
        x, y = a[name], b[name]
        if pd.isna(x) or pd.isna(y):
            total += pd.isna(x) != pd.isna(y)
        elif isinstance(x, str):
            total += x != y
        else:
            values = known[name].dropna().to_numpy()
            place = [((values < v).sum() + (values <= v).sum()) / 2 / len(values) for v in (x, y)]
            total += abs(place[0] - place[1])
    return total / len(known.columns)


def test_nearest_rows_as_one_would_count_them():
    known = mixed_table(40)[["size", "colour", "code"]]
    rows = mixed_table(6, seed=3)[["size", "colour", "code"]]
    rows.loc[0, "colour"] = "mauve"
    found, far = nearest_rows(rows, known, 3)
    for k in range(len(rows)):
        slow = np.array([slow_distance(rows.iloc[k], known.iloc[j], known) for j in range(40)])
        np.testing.assert_allclose(far[k], np.sort(slow)[:3], atol=1e-12)
        np.testing.assert_allclose(slow[found[k]], far[k], atol=1e-12)
    assert nearest_rows(known, known, 1)[1].max() == 0


def test_limits_hold_as_often_as_they_should():
    rng = np.random.default_rng(0)
    held = [
        np.mean(rng.random(50) <= conformal_limit(rng.random(39), 0.9)) for _ in range(400)
    ]  # fmt: skip
    assert 0.89 < np.mean(held) < 0.92  # exactly 0.9 of rows drawn from the same place
    assert conformal_limit(np.arange(8.0), 0.9) == np.inf
    with pytest.raises(ValueError, match=r"coverage=1\.5: give a number above 0 and below 1"):
        conformal_limit(np.arange(8.0), 1.5)


def test_sets_hold_the_truth():
    data = load("german-credit")
    table = data.X.assign(risk=data.y)
    model = tabular.fit(table, "risk", "logistic-regression", test_size=0.5, random_state=0)
    X, y = model.X_test, model.y_test
    sets, limit = class_sets(model.model, X[:250], X[250:], y[250:], 0.9)
    place = np.searchsorted(model.model.classes_, y[:250])
    assert 0.85 < sets[np.arange(250), place].mean() < 0.95
    assert 0 < limit < 1
    assert sets.any(axis=1).all()
    told = tabular.predict(model, X[:20], coverage=0.9)
    assert set(told.table["set"]) <= {"bad", "good", "bad | good"}
    assert any("90.0 % of the sets hold the true class, by 500" in note for note in told.notes)
    few = tabular.fit(mixed_table(24), "class", "naive-bayes")
    told = tabular.predict(few, mixed_table(5), coverage=0.9)
    assert set(told.table["set"]) == {"no | yes"}
    assert any("too few" in note for note in told.notes)


def test_intervals_hold_the_truth():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    y = X[:, 0] * 3 + rng.normal(size=900)
    model = RandomForestRegressor(20, random_state=0).fit(X[:300], y[:300])
    low, high = number_intervals(model, X[600:], X[300:600], y[300:600], 0.8)
    assert 0.74 < ((low <= y[600:]) & (y[600:] <= high)).mean() < 0.86


def test_reasons(fitted):
    new = mixed_table(12, seed=1)
    told = tabular.predict(fitted, new, reasons=True)
    table = told.table
    assert table.columns.tolist() == [
        "row", "prediction", "disagreement", "votes", "columns",
        *(["shap"] if has_shap() else []), "nearest", "path", "tree",
    ]  # fmt: skip
    one = tabular.explain(fitted, random_state=fitted.random_state)
    X, _, _ = tabular.columns.align_columns(new, fitted.columns)
    assert table["tree"].tolist() == one.predict(X).tolist()
    for k, path in enumerate(table["path"]):
        asked = {question.column for question, _ in one.table_tree.way(X.iloc[[k]])}
        assert all(path.count(name) == 1 for name in asked)  # each column once
    assert "(" not in "".join(table["path"])  # what is known of a row is not left open
    first = table.iloc[0]
    assert first["votes"].startswith(f"{first['prediction']} ")
    assert len(first["nearest"].split(", ")) == 5
    summary = told.summary()
    assert summary["votes"] == table["votes"].tolist()
    assert any(note.startswith("the one tree: On 23 rows") for note in told.notes)


def test_reasons_of_numbers_are_in_units_of_the_target():
    table = number_table(120)
    model = tabular.fit(table.assign(price=1000 * table["price"]), "price", "linear")
    first = tabular.predict(model, table.head(3), reasons=True).table.iloc[0]
    told = " ".join([first["columns"], first["nearest"]])
    assert "e+" not in told
    assert re.search(r"[+-]\d{3,}", first["columns"])
    near = [float(cell.split(" ")[0]) for cell in first["nearest"].split(", ")]
    known = np.asarray(model.y_train, dtype=float)
    assert all(np.abs(known - value).min() <= 0.5 for value in near)


def test_what_needs_rows_says_so(fitted, tmp_path):
    bare = tabular.load(tabular.save(fitted, tmp_path / "bare.skops", keep_rows=0))
    with pytest.raises(ValueError, match="keeps no rows to explain its answers by"):
        tabular.predict(bare, mixed_table(5), reasons=True)
    with pytest.raises(ValueError, match="keeps no test rows, which coverage= needs"):
        tabular.predict(bare, mixed_table(5), coverage=0.9)
