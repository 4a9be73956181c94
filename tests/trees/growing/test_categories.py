"""Columns of categories and monotone answers in the estimator of one tree."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.boosting import HistBoostRegressor, L2BoostRegressor
from counterpoint.plots import TreeDisplay
from counterpoint.trees import (
    HistTreeRegressor,
    leaf_boxes,
    merge_trees,
    restrict,
    same_function,
    simplify,
    tree_rules,
)
from counterpoint.trees.growing.monotone import keep_in_order
from counterpoint.trees.pruning.raising import prune_and_raise
from counterpoint.trees.structure import check_tree


@parametrize_with_checks(
    [
        HistTreeRegressor(categorical_features="from_dtype"),
        HistTreeRegressor(categorical_features=[], max_depth=3),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def frame(n=300, seed=0):
    rng = np.random.RandomState(seed)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", "grey"], n),
            "weight": rng.normal(size=n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"]),
        }
    )
    y = X["colour"].isin(["red", "grey"]) * 3.0 + (X["size"] == "M") + 0.1 * X["weight"]
    X.loc[::13, "colour"] = None
    return X, y.to_numpy()


def coded(X):
    """The same by hand."""
    colours, sizes = ["blue", "green", "grey", "red"], ["S", "M", "L"]
    return np.stack(
        [
            X["colour"].map({value: k for k, value in enumerate(colours)}),
            X["weight"],
            X["size"].astype(object).map({value: k for k, value in enumerate(sizes)}),
        ],
        axis=1,
    ).astype(float)


@pytest.mark.parametrize("chosen", ["from_dtype", ["colour", "size"], [0, -1], [True, False, True]])
def test_names_of_categories_are_numbered_and_kept_with_the_model(chosen):
    X, y = frame()
    tree = HistTreeRegressor(max_leaf_nodes=6, categorical_features=chosen).fit(X, y)
    assert tree.categories_ == [["blue", "green", "grey", "red"], None, ["S", "M", "L"]]
    assert tree.is_categorical_.tolist() == [True, False, True]
    assert tree.tree_.on_categories[0]
    by_hand = HistTreeRegressor(max_leaf_nodes=6, categorical_features=[0, 2]).fit(coded(X), y)
    assert_array_equal(by_hand.predict(coded(X)), tree.predict(X))
    assert_array_equal(
        tree.predict(X[["colour", "weight", "size"]].astype(object)), tree.predict(X)
    )
    twin = pl.DataFrame(
        {
            "colour": [value if isinstance(value, str) else None for value in X["colour"]],
            "weight": X["weight"].tolist(),
            "size": pl.Series(X["size"].tolist(), dtype=pl.Enum(["S", "M", "L"])),
        }
    )
    assert_array_equal(tree.predict(twin), tree.predict(X))
    if chosen == "from_dtype":
        assert_array_equal(tree.fit(twin, y).predict(X), by_hand.predict(coded(X)))
    # What was never seen counts as missing.
    strange, gap = X[:5].copy(), X[:5].copy()
    strange["colour"], gap["colour"] = "pink", None
    assert_array_equal(tree.predict(strange), tree.predict(gap))


def test_models_are_kept_with_their_categories():
    X, y = frame()
    tree = HistTreeRegressor(categorical_features="from_dtype", monotonic_cst={"weight": 1})
    tree.fit(X, y)
    data = skops.io.dumps(tree)
    again = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    for other in (pickle.loads(pickle.dumps(tree)), again):
        assert_array_equal(other.predict(X), tree.predict(X))


def test_categories_of_the_last_fit_are_forgotten():
    X, y = frame()
    tree = HistTreeRegressor(categorical_features="from_dtype").fit(X, y)
    tree.set_params(categorical_features=None).fit(coded(X), y)
    assert tree.categories_ is None
    assert not tree.tree_.on_categories.any()


def test_of_very_many_values_the_rarest_share_a_number():
    names = np.repeat([f"v{k:03}" for k in range(300)], np.where(np.arange(300) % 5, 3, 1))
    X = pd.DataFrame({"name": names})
    y = X["name"].str[1:].astype(float).to_numpy()
    tree = HistTreeRegressor(categorical_features="from_dtype").fit(X, y)
    assert len(tree.categories_[0]) == 300
    rare = tree.categories_[0][254:]
    assert all(int(name[1:]) % 5 == 0 for name in rare)
    assert len(set(tree.apply(pd.DataFrame({"name": rare})))) == 1


@pytest.mark.parametrize("wrong", [-1.0, 300.0, 0.5])
def test_numbers_that_are_no_categories(wrong):
    X, y = np.array([[0.0], [1.0], [wrong], [2.0]]), [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(
        ValueError, match=rf"Column 0 of X is one of categories and holds {wrong:g}"
    ):
        HistTreeRegressor(categorical_features=[0]).fit(X, y)
    tree = HistTreeRegressor(categorical_features=[0]).fit(
        X[[0, 1, 3]].repeat(20, axis=0), np.repeat([0.0, 1.0, 3.0], 20)
    )
    assert tree.predict([[wrong]]) == tree.predict([[np.nan]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categorical_features": ["taste"]}, "categorical_features has 'taste'"),
        ({"categorical_features": "all"}, "categorical_features='all': give 'from_dtype'"),
        ({"categorical_features": None}, "Column 'colour' holds values such as"),
        ({"monotonic_cst": {"wait": 1}}, "'wait', which is no name.*Did you mean 'weight'"),
        ({"monotonic_cst": {"colour": 1}}, "column 0, which holds categories"),
        ({"monotonic_cst": {"weight": "up"}}, "monotonic_cst must be numbers"),
        ({"monotonic_cst": [0, 2, 0]}, "monotonic_cst has 2 for column 1"),
        ({"monotonic_cst": [1]}, "monotonic_cst has 1 values, and X 3 columns"),
    ],
)
def test_wrong_options_are_named(options, message):
    X, y = frame()
    with pytest.raises(ValueError, match=message):
        HistTreeRegressor(**{"categorical_features": "from_dtype", **options}).fit(X, y)


def test_names_are_not_asked_for_by_place():
    X, y = frame()
    tree = HistTreeRegressor(categorical_features="from_dtype").fit(X, y)
    with pytest.raises(ValueError, match="give a frame with the same columns"):
        tree.predict(X.to_numpy())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X: X.drop(columns="weight"), ValueError, "feature names should match"),
        (lambda X: X[["weight", "colour", "size"]], ValueError, "feature names should match"),
        (lambda X: X.assign(colour=[["red"]] * len(X)), TypeError, "Column 'colour' holds categor"),
        (lambda X: X.assign(weight="heavy"), ValueError, "Column 'weight' holds values such as"),
    ],
    ids=["fewer", "order", "lists", "words"],
)
@pytest.mark.parametrize("kind", [HistTreeRegressor, HistBoostRegressor])
def test_a_frame_with_other_columns_is_named(kind, change, error, message):
    X, y = frame()
    rounds = {"n_estimators": 3} if kind is HistBoostRegressor else {}
    model = kind(categorical_features="from_dtype", **rounds).fit(X, y)
    with pytest.raises(error, match=message):
        model.predict(change(X))


def test_trees_with_categories_are_boosted():
    X, y = frame()
    base = HistTreeRegressor(max_depth=2, categorical_features="from_dtype")
    boosted = L2BoostRegressor(base, n_estimators=20, learning_rate=0.3).fit(X, y)
    *_, last = boosted.staged_predict(X)
    np.testing.assert_allclose(boosted.predict(X), last)
    assert boosted.score(X, y) > 0.8


# -- the tree as arrays --------------------------------------------------------------------------


@pytest.fixture
def tree():
    X, y = frame()
    grown = HistTreeRegressor(max_depth=3, categorical_features="from_dtype").fit(X, y).tree_
    return replace(grown, value=np.repeat(grown.value, 2, axis=1))


@pytest.mark.parametrize(
    "use",
    [
        lambda t: leaf_boxes(t, 3),
        lambda t: restrict(t, [-1.0] * 3, [1.0] * 3),
        simplify,
        lambda t: same_function(t, t),
        tree_rules,
        lambda t: merge_trees([t, t], np.zeros((2, 3)), [0, 1]),
        lambda t: prune_and_raise(t, np.zeros((2, 3)), [0, 1]),
        lambda t: TreeDisplay.from_tree(t),
    ],
    ids=["boxes", "restrict", "simplify", "compare", "rules", "merge", "raise", "picture"],
)
def test_what_needs_thresholds_refuses_categories(tree, use):
    with pytest.raises(ValueError, match=r"has splits on categories, and .* needs thresholds"):
        use(tree)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: None, "threshold NaN at node 0, which is a split"),
        (lambda c: c.astype(np.int64), "categories of type int64"),
        (lambda c: c.astype(np.uint32), "categories of type uint32"),
        (lambda c: c[:, :3], r"shape \(\d+, 3\): give uint64"),
        (lambda c: c[:2], "categories of shape"),
    ],
)
def test_sets_that_are_none_are_named(tree, change, message):
    with pytest.raises(ValueError, match=message):
        check_tree(replace(tree, categories=change(tree.categories)))


# -- answers that rise and fall ------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_answers_rise_or_fall_with_a_column(sign):
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.uniform(-3, 3, size=(400, 2)), columns=["a", "b"])
    y = sign * (np.sin(3 * X["a"]) + X["a"]) + rng.normal(size=400)
    for constraint in ({"a": sign}, [sign, 0]):
        tree = HistTreeRegressor(max_leaf_nodes=30, monotonic_cst=constraint).fit(X, y)
        grid = pd.DataFrame({"a": np.linspace(-3, 3, 200), "b": 0.3})
        assert (np.diff(sign * tree.predict(grid)) >= 0).all()
        assert tree.get_n_leaves() > 5


def test_values_set_later_are_kept_in_order():
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(300, 2))
    tree = HistTreeRegressor(max_leaf_nodes=12, monotonic_cst=[1, -1]).fit(X, X @ [1.0, -2.0])
    directions = np.array([1.0, -1.0])
    given = rng.normal(size=tree.tree_.node_count)
    assert_array_equal(keep_in_order(tree.tree_, given, np.zeros(2)), given)
    held = keep_in_order(tree.tree_, given, directions)
    tree.tree_ = replace(tree.tree_, value=held[:, None])
    for f in (0, 1):
        asked = np.repeat(X[:20], 50, axis=0)
        asked[:, f] = np.tile(np.linspace(0, 1, 50), 20)
        found = tree.predict(asked).reshape(20, 50)
        assert (np.diff(directions[f] * found, axis=1) >= 0).all()
