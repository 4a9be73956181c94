"""One tree in place of an ensemble: faithful as said, on rows it was not made from."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import TabularEncoder
from counterpoint.tabular import explain
from counterpoint.tabular.deciding import DecidedClassifier


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    return X + rng.normal(0, 0.4, X.shape), np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def forest(iris):
    X, y = iris
    return RandomForestClassifier(8, random_state=0).fit(X[::2], y[::2])


def test_trees_are_merged(iris, forest):
    X, y = iris
    one = explain(forest, X[::2], y[::2], X_test=X[1::2], y_test=y[1::2])
    assert (one.method, one.n_trees, one.n_members) == ("merged", 8, 8)
    assert (one.n_fit, one.n_test) == (75, 75)
    told, said = one.predict(X[1::2]), forest.predict(X[1::2])
    assert one.fidelity == pytest.approx(np.mean(told == said))
    assert one.error == pytest.approx(np.mean(told != y[1::2]))
    assert one.model_error == pytest.approx(np.mean(said != y[1::2]))
    assert one.fidelity > 0.8
    assert isinstance(one.tree, DecisionTreeClassifier)
    assert one.n_leaves == one.tree.get_n_leaves() == len(one.rules)
    assert one.feature_names == list(X.columns)
    made = f"Merged from the {one.n_members} trees of the ensemble by what the model says about "
    rows = int(one.table_tree.tree.value[0].sum())
    assert rows > 75
    assert one.text().startswith(f"{made}75 rows and {rows - 75} artificial ones: one tree with ")
    assert one.text().endswith("\n".join(one.rules))


def test_sizes_are_those_of_the_tree_cut_back(iris, forest):
    X, y = iris
    one = explain(forest, X[::2], y[::2], X_test=X[1::2], y_test=y[1::2])
    assert [row["n_leaves"] for row in one.sizes][:2] == [2, 4]
    last = one.sizes[-1]
    assert (last["n_leaves"], last["fidelity"], last["error"]) == (
        one.n_leaves, one.fidelity, one.error,
    )  # fmt: skip
    assert [row["agreement"] for row in one.sizes] == sorted(row["agreement"] for row in one.sizes)
    small = explain(forest, X[::2], y[::2], X_test=X[1::2], y_test=y[1::2], max_leaves=4)
    assert small.n_leaves == 4
    assert small.fidelity == next(r["fidelity"] for r in one.sizes if r["n_leaves"] == 4)


def test_rows_are_held_out_where_none_are_given(iris, forest):
    X, y = iris
    one = explain(forest, X, y, random_state=1)
    assert (one.n_fit, one.n_test) == (105, 45)
    assert one.rules == explain(forest, X, y, random_state=1).rules


def test_only_some_of_many_rows_are_used(iris, monkeypatch):
    X, y = iris
    monkeypatch.setattr("counterpoint.tabular.explanation._MOST_ROWS", 60)
    one = explain(RandomForestClassifier(9, random_state=0).fit(X, y), X, y)
    assert (one.n_trees, one.n_members, one.n_fit) == (9, 9, 60)


def test_boosted_trees_are_asked_for_their_sum(iris):
    X, y = iris
    model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    one = explain(model, X, y)
    assert (one.method, one.n_trees) == ("merged", 60)  # a tree for each class and round
    assert one.fidelity > 0.85
    coloured = X.assign(colour=np.random.default_rng(0).choice(["red", "blue"], len(y)))
    y = np.where(coloured["colour"] == "red", "a", y)
    worded = make_pipeline(TabularEncoder(), GradientBoostingClassifier(random_state=0))
    one = explain(worded.fit(coloured, y), coloured, y)
    assert one.method == "merged"
    assert any("colour is" in rule for rule in one.rules)


def test_few_leaves_ask_what_matters_first():
    """One column nearly decides, and many trees of the forest do not begin with it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 8)), columns=list("abcdefgh"))
    X["a"] = rng.integers(2, size=500)
    y = np.where((X["a"] == 1) != (rng.uniform(size=500) < 0.15), "yes", "no")
    model = RandomForestClassifier(40, max_features=1, random_state=0).fit(X, y)
    one = explain(model, X, y, max_leaves=2)
    assert one.table_tree.questions[0].column == "a"
    assert one.fidelity > 0.8


@pytest.mark.parametrize("behind", [False, True])
def test_thresholds_and_costs_decide_for_artificial_rows_too(iris, behind):
    X, y = iris
    y = np.where(y == "c", "c", "other")
    forest = RandomForestClassifier(20, min_samples_leaf=5, random_state=0)
    plain = make_pipeline(StandardScaler(), forest) if behind else forest
    decision = np.array([[5.0, 0.0], [0.0, 1.0]])  # to miss a "c" costs five times as much
    model = DecidedClassifier(plain.fit(X, y), decision)
    assert 1.1 * (plain.predict(X) == "c").sum() < (model.predict(X) == "c").sum()
    one = explain(model, X, y)
    assert one.method == "merged"
    # Crossed rows are answered as the model does, or the tree would say "c" of fewer of them.
    rng = np.random.default_rng(0)
    new = pd.DataFrame({name: rng.permutation(X[name]) for name in X})
    said = model.predict(new)
    assert (one.predict(new) == said).mean() > max(0.85, (plain.predict(new) == said).mean())
    threshold = FixedThresholdClassifier(plain, threshold=0.8, pos_label="other").fit(X, y)
    assert explain(threshold, X, y).fidelity > 0.85


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=3, random_state=0)),
        BaggingClassifier(GaussianNB(), 3, random_state=0),
    ],
    ids=["pipeline", "scores", "no trees"],
)
def test_others_are_distilled_on_the_columns_as_given(iris, model):
    X, y = iris
    one = explain(model.fit(X, y), X, y)
    assert one.method == "distilled"
    assert one.feature_names == list(X.columns)
    assert one.fidelity > 0.8
    thresholds = one.tree.tree_.threshold[one.tree.tree_.feature >= 0]
    assert thresholds.max() > 1.5  # centimetres, not standard deviations
    first = one.text().splitlines()[0]
    told = re.match(
        r"Grown on what the model says about (\d+) rows( and \d+ artificial ones)?: ", first
    )
    rows = int(told[1]) + int(told[2].split()[1] if told[2] else 0)
    assert int(told[1]) == one.n_fit
    assert f" of {rows}, " in one.rules[0]  # what rules count


def test_merged_behind_a_pipeline_has_its_columns():
    X = pd.DataFrame({"colour": ["red", "blue", "green"] * 20, "size": [1.0, np.nan, 3.0] * 20})
    y = np.array(["u", "v", "v"] * 20)
    model = make_pipeline(TabularEncoder(), RandomForestClassifier(5, random_state=0)).fit(X, y)
    one = explain(model, X, y)
    assert one.method == "merged"
    assert one.fidelity == 1.0
    assert set(one.feature_names) >= {"colour_red", "size"}
    assert (one.predict(X) == model.predict(X)).all()


def test_words_and_gaps_are_encoded_for_a_tree_of_its_own():
    X = pd.DataFrame({"colour": ["red", "blue", "green"] * 20, "size": [1.0, np.nan, 3.0] * 20})
    y = np.array(["u", "v", "v"] * 20)
    one = explain(make_pipeline(TabularEncoder(), GaussianNB()).fit(X, y), X, y)
    assert (one.method, one.fidelity) == ("distilled", 1.0)
    assert any("colour is red" in rule for rule in one.rules)


def test_texts_go_through_the_pipeline():
    X = np.array(["good day", "bad day", "good night", "bad night"] * 10, dtype=object)
    y = np.array([1, 0, 1, 0] * 10)
    model = make_pipeline(CountVectorizer(), RandomForestClassifier(5, random_state=0)).fit(X, y)
    one = explain(model, X, y)
    assert one.fidelity == 1.0
    assert set(one.feature_names) == {"good", "bad", "day", "night"}


def test_an_ensemble_that_always_says_the_same_is_a_leaf(iris):
    X, _ = iris
    y = np.array(["only"] * 149 + ["rare"])
    model = RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, y)
    one = explain(model, X, y)
    assert one.n_leaves == 1
    assert "always only" in one.rules[0]
    assert "one tree with 1 leaf." in one.text()


def test_numbers_have_a_tree_too(iris):
    X, _ = iris
    y = X.iloc[:, 0] * 2 + X.iloc[:, 2]
    model = RandomForestRegressor(20, random_state=0).fit(X, y)
    one = explain(model, X, y, n_resamples=2)
    assert (one.method, one.classes) == ("distilled", None)
    told, said = one.predict(X), model.predict(X)
    assert np.corrcoef(told, said)[0, 1] > 0.9
    assert [row["agreement"] for row in one.sizes] == sorted(row["agreement"] for row in one.sizes)
    assert "of the variance of the model's answers" in one.text()
    assert explain(model, X, y, max_leaves=3).n_leaves == 3
    with pytest.raises(ValueError, match="A scorecard decides between classes"):
        one.scorecard()


def test_wrong_input(iris, forest):
    X, y = iris
    with pytest.raises(TypeError, match="A StandardScaler was given, expected a fitted classifier"):
        explain(StandardScaler().fit(X), X, y)
    with pytest.raises(ValueError, match="y holds labels, and the model gives numbers"):
        explain(RandomForestRegressor(2).fit(X, range(150)), X, y)
    with pytest.raises(ValueError, match="max_leaves=0: give a whole number from 1"):
        explain(forest, X, y, max_leaves=0)
    with pytest.raises(ValueError, match="3 rows were given: at least 4 are needed"):
        explain(forest, X[:3], y[:3])
