"""Regression trees merged: the same engine, judged by squared errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import merging as naive
from naive import pruning as naive_pruning
from scipy.stats import chi2
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor, export_text

from counterpoint.trees import (
    HistTreeRegressor,
    MergedTreeClassifier,
    MergedTreeRegressor,
    from_sklearn,
    mean_tree,
)
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.merging.merge import merge_arrays
from counterpoint.trees.merging.soft import SoftNumbers
from counterpoint.trees.merging.targets import NumberTargets
from counterpoint.trees.pruning.numbers import NUMBER, number_criterion
from counterpoint.trees.take_numbers import take_number_trees

X, Y = load_diabetes(return_X_y=True)
X, NEW, Y, Y_NEW = X[::2], X[1::2], Y[::2], Y[1::2]


@pytest.fixture(scope="module")
def model():
    return MergedTreeRegressor(25, max_leaf_nodes=12, random_state=0).fit(X, Y)


def grown(rows, y, n_trees, seed=0, **options):
    rng = np.random.default_rng(seed)
    made = []
    for k in range(n_trees):
        drawn = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        tree = DecisionTreeRegressor(random_state=k, **options)
        made.append(tree.fit(rows, y, sample_weight=drawn))
    return made


def merged(trees, rows, y, weight=None, **options):
    weight = np.ones(len(y)) if weight is None else weight
    own = {"criterion": "error-based", "corrected": True, "order": "samples", **options}
    arrays = [from_sklearn(tree) for tree in trees]
    return merge_arrays(arrays, rows, NumberTargets(y, weight), classes=None, **own)


def said(tree, rows):
    return predict_trees(stack_trees([tree]), rows.astype(np.float32), kind="values")[0]


# Against the naive twin


def spec(tree, node=0):
    if tree.children_left[node] == -1:
        return None
    left, right = tree.children_left[node], tree.children_right[node]
    return (
        int(tree.feature[node]),
        float(tree.threshold[node]),
        spec(tree, left),
        spec(tree, right),
    )


def described(tree, node=0):
    if tree.children_left[node] == -1:
        return (tree.value[node, 0], None)
    left, right = tree.children_left[node], tree.children_right[node]
    split = int(tree.feature[node]), float(tree.threshold[node])
    return (tree.value[node, 0], (*split, described(tree, left), described(tree, right)))


def averaged(made):
    """The twin's tree with means in the places of its lists of cases."""
    cases, below = made
    mean = sum(w * y for w, y in cases) / sum(w for w, _ in cases)
    if below is None:
        return (mean, None)
    return (mean, (*below[:2], averaged(below[2]), averaged(below[3])))


def assert_same(one, two):
    assert one[0] == pytest.approx(two[0])
    assert (one[1] is None) == (two[1] is None)
    if one[1] is not None:
        assert one[1][:2] == two[1][:2]
        assert_same(one[1][2], two[1][2])
        assert_same(one[1][3], two[1][3])


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(6, 24),
    st.sampled_from(NUMBER),
    st.booleans(),
    st.sampled_from(["samples", "volume"]),
    st.booleans(),
)
def test_matches_naive(seed, n, criterion, corrected, order, weighted):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 6, size=(n, 2)).astype(float)
    y = rng.normal(size=n) + rows[:, 0]
    weight = rng.integers(1, 4, size=n) if weighted else np.ones(n, dtype=int)
    trees = grown(rows, y, int(rng.integers(1, 4)), seed=seed, max_depth=int(rng.integers(1, 5)))
    options = {"criterion": criterion, "corrected": corrected, "order": order}
    actual = merged(trees, rows, y, weight, **options)
    everybody = list(zip(weight.tolist(), y.tolist(), strict=True))
    expected = naive.merge(
        [spec(tree.tree_) for tree in trees],
        rows.tolist(),
        y.tolist(),
        None,
        lambda cases: naive_pruning.number_cost(cases, criterion, everybody),
        lambda *there: 0.0,
        corrected,
        order,
        weight.tolist(),
        numbers=True,
    )
    assert_same(described(actual.tree), averaged(expected))


def test_the_cost_of_a_leaf_is_the_limit_of_its_variance():
    y = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    value = NumberTargets(y, np.ones(5)).amounts.sum(axis=0)[None]
    scale = y.var()  # costs are in squares of the spread
    cost = number_criterion("error-based", root=value[0], cf=0.1).leaf_cost(value)[0]
    # One-sided limit of a variance: sum of squares over the quantile, times five cases.
    assert cost * scale == pytest.approx(5 * 5 * y.var() / chi2.ppf(0.1, 4))
    cost = number_criterion("pessimistic", root=value[0]).leaf_cost(value)[0]
    assert cost * scale == pytest.approx(5 * y.var() * 6 / 4)
    cost = number_criterion("minimum-error", root=value[0], m=0.0).leaf_cost(value)[0]
    assert cost * scale == pytest.approx(5 * y.var())


# Identities


@pytest.mark.parametrize("criterion", NUMBER)
def test_merging_one_tree_is_pruning_it(criterion):
    tree = DecisionTreeRegressor(min_samples_leaf=3, random_state=0).fit(X, Y)
    one = merged([tree], X, Y, criterion=criterion, corrected=False)
    arrays = from_sklearn(tree)
    assert 1 < one.tree.n_leaves <= arrays.n_leaves
    # What is left is a part of the tree: every split is one of its own, and nothing is grafted.
    own = set(zip(arrays.feature.tolist(), arrays.threshold.tolist(), strict=True))
    kept = ~one.tree.is_leaf
    feature, threshold = one.tree.feature[kept].tolist(), one.tree.threshold[kept].tolist()
    assert set(zip(feature, threshold, strict=True)) <= own
    assert one.n_grafts == 0


def test_merging_a_tree_without_noise_gives_that_tree():
    rows = np.arange(64, dtype=float)[:, None]
    y = np.repeat([3.0, 9.0, 1.0, 7.0], 16)
    tree = DecisionTreeRegressor().fit(rows, y)
    one = merged([tree], rows, y).tree
    for name in ("children_left", "children_right", "feature", "threshold", "value", "impurity"):
        np.testing.assert_allclose(getattr(one, name), getattr(from_sklearn(tree), name))
    same = MergedTreeRegressor(pool=[tree], max_leaf_nodes=None).fit(rows, y)
    np.testing.assert_allclose(same.predict(rows), y)


@pytest.mark.parametrize("depth", [2, 4])
def test_the_mean_of_two_trees_is_exact_at_every_point(depth):
    first, second = grown(X, Y, 2, max_depth=depth)
    one = mean_tree([first, second])
    rng = np.random.default_rng(0)
    points = rng.uniform(X.min(axis=0), X.max(axis=0), size=(500, X.shape[1]))
    points[::3, 2] = np.nan
    cuts = np.concatenate([tree.tree_.threshold for tree in (first, second)])
    edges = np.tile(cuts[:40, None], X.shape[1]).astype(np.float32)  # on thresholds too
    for rows in (points, edges, X):
        mean = (first.predict(rows) + second.predict(rows)) / 2
        np.testing.assert_allclose(said(one, rows), mean)
    assert one.n_leaves <= first.get_n_leaves() * second.get_n_leaves()


def test_sums_of_trees_on_some_columns_are_exact():
    tree = DecisionTreeRegressor(max_depth=3)
    bag = BaggingRegressor(tree, 3, max_features=0.4, random_state=0).fit(X, Y)
    np.testing.assert_allclose(said(mean_tree(bag), NEW), bag.predict(NEW))


def test_sums_of_boosted_trees_are_exact():
    for start in (None, "zero"):
        model = GradientBoostingRegressor(n_estimators=6, max_depth=2, init=start, random_state=0)
        one = mean_tree(model.fit(X, Y))
        np.testing.assert_allclose(said(one, NEW), model.predict(NEW))
    with pytest.raises(ValueError, match="max_leaves=20"):
        mean_tree(model, max_leaves=20)
    with pytest.raises(TypeError, match="AdaBoostRegressor does not say a weighted sum"):
        mean_tree(AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, Y))


def test_scale_and_place_of_numbers_play_no_part():
    trees = grown(X, Y, 5)
    one, other = merged(trees, X, Y), merged(trees, X, 1e6 + 1e-3 * Y)
    np.testing.assert_array_equal(one.tree.threshold, other.tree.threshold)
    np.testing.assert_allclose(other.tree.value, 1e6 + 1e-3 * one.tree.value)
    large = MergedTreeRegressor(5, random_state=0).fit(X, 1e35 * (Y - Y.mean()))
    assert np.isfinite(large.predict(X)).all()


# The path of sizes


def test_the_path_has_a_tree_of_every_size(model):
    path = model.path_
    assert path.index.tolist() == list(range(1, 13))
    assert (path["leaves"] <= path.index).all()
    assert (np.diff(path["cost"]) <= 1e-9).all()
    assert model.n_leaves_ == path["leaves"].iloc[-1] == model.tree_.n_leaves
    assert path["oob_error"][1] == pytest.approx(Y.var(), rel=0.1)
    assert model.at_size(4).get_n_leaves() == path["leaves"][4] <= 4
    assert model.at_size(8).score(NEW, Y_NEW) > 0.25
    with pytest.raises(ValueError, match="max_leaf_nodes=13"):
        model.at_size(13)


def test_soft_numbers_come_from_trees_that_did_not_see_the_sample():
    rng = np.random.default_rng(0)
    drawn = np.array([np.bincount(rng.integers(len(X), size=len(X)), minlength=len(X))] * 4)
    drawn = np.array([rng.permutation(bag) for bag in drawn]).astype(float)
    trees = [DecisionTreeRegressor(max_depth=2).fit(X, Y, sample_weight=bag) for bag in drawn]
    rows = X.astype(np.float32)
    soft = SoftNumbers([from_sklearn(t) for t in trees], rows, Y, np.ones(len(X)), drawn)
    says = np.array([tree.predict(rows) for tree in trees])
    for i in (0, 60, 133):
        apart = says[drawn[:, i] == 0, i] if (drawn[:, i] == 0).any() else says[:, i]
        judge = soft.centre + soft.scale * soft.judge[i, 1]
        assert judge == pytest.approx((Y[i] + apart.mean() + says[:, i].mean()) / 3)
        value = soft.centre + soft.scale * soft.value[i, 0]
        assert value == pytest.approx((apart.mean() + says[:, i].mean()) / 2)


def test_leaves_of_labels_are_means_of_their_targets():
    model = MergedTreeRegressor(10, max_leaf_nodes=6, leaf_values="labels", random_state=0)
    leaf = model.fit(X, Y).apply(X)
    for node in np.unique(leaf):
        assert model.tree_.value[node, 0] == pytest.approx(Y[leaf == node].mean())
        assert model.tree_.impurity[node] == pytest.approx(Y[leaf == node].var())


def test_auto_takes_the_size_with_least_error_out_of_bag():
    rows, y = make_friedman1(200, noise=6.0, random_state=0)
    model = MergedTreeRegressor(15, random_state=0).fit(rows, y)
    assert len(model.path_) == 32
    best = model.path_["oob_error"].idxmin()
    assert model.n_leaves_ == model.path_["leaves"][best]
    assert best < 16  # mostly noise: large trees learn it


def test_a_merged_tree_is_better_than_one_grown_alone():
    rows, y = make_friedman1(600, noise=1.0, random_state=0)
    train, test = slice(0, 250), slice(250, None)
    model = MergedTreeRegressor(50, max_leaf_nodes=16, random_state=0).fit(rows[train], y[train])
    alone = DecisionTreeRegressor(max_leaf_nodes=16, random_state=0).fit(rows[train], y[train])
    assert model.score(rows[test], y[test]) > alone.score(rows[test], y[test]) + 0.03


# Pools


@pytest.mark.parametrize(
    "pool",
    [
        RandomForestRegressor(8, random_state=0),
        ExtraTreesRegressor(6, random_state=0),
        BaggingRegressor(DecisionTreeRegressor(), 6, max_features=0.6, random_state=0),
        AdaBoostRegressor(n_estimators=5, random_state=0),
        GradientBoostingRegressor(n_estimators=15, random_state=0),
        VotingRegressor([("a", DecisionTreeRegressor(max_depth=3)), ("b", HistTreeRegressor())]),
    ],
    ids=lambda pool: type(pool).__name__,
)
def test_pools_of_all_kinds(pool):
    fitted = clone(pool).fit(X, Y)
    for given_pool in (fitted, pool):
        model = MergedTreeRegressor(pool=given_pool, random_state=0).fit(X, Y)
        assert 1 < model.n_leaves_ <= 32
        assert len(model.unmerged_leaves_) == len(take_number_trees(fitted).trees)
        assert model.at_size(3).score(X, Y) > 0.2
    knows = isinstance(pool, RandomForestRegressor | BaggingRegressor)
    assert model.path_["oob_error"].notna().all() == knows


def test_bags_of_a_pool_are_those_it_drew():
    forest = RandomForestRegressor(6, random_state=0).fit(X, Y)
    trees = take_number_trees(forest)
    drawn = trees.drawn(len(X))
    for tree, bag in zip(forest.estimators_, drawn, strict=True):
        weight = tree.tree_.weighted_n_node_samples[0]
        assert bag.sum() == weight == len(X)
        assert np.count_nonzero(bag) == tree.tree_.n_node_samples[0]
    assert trees.drawn(10) is None  # of other rows


def test_pools_that_have_no_trees():
    for wrong, what in (
        (LinearRegression().fit(X, Y), "LinearRegression was given"),
        (MergedTreeClassifier(2, random_state=0).fit(X, Y > 100), "MergedTreeClassifier was given"),
        (BaggingRegressor(LinearRegression(), 2).fit(X, Y), "Member 0 is a LinearRegression"),
        ([3, 4], "Member 0 is a int, not a regression tree"),
    ):
        with pytest.raises(TypeError, match=what):
            MergedTreeRegressor(pool=wrong).fit(X, Y)
    with pytest.raises(ValueError, match="X has 9 columns"):
        MergedTreeRegressor(pool=RandomForestRegressor(2).fit(X, Y)).fit(X[:, :9], Y)


# As an estimator


def test_reading_it(model):
    np.testing.assert_allclose(model.as_sklearn().predict(X), model.predict(X))
    assert "feature_2" in export_text(model.as_sklearn())
    rules = model.rules_
    assert sum(rule.support for rule in rules) == len(X)
    held = rules[0].covers(X.astype(np.float32))
    np.testing.assert_allclose(model.predict(X)[held], rules[0].label)
    assert "+-" in str(rules)
    assert "sure" not in str(rules)
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    named = MergedTreeRegressor(5, max_leaf_nodes=3, readable=True, random_state=0).fit(frame, Y)
    assert "if " in str(named.rules_)
    assert "x2" not in str(named.rules_)


@pytest.mark.parametrize("path", [None, 6])
def test_weights_are_copies(path):
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, size=len(X))
    options = {"n_estimators": 5, "max_leaf_nodes": path, "random_state": 0}
    one = MergedTreeRegressor(**options).fit(X, Y, sample_weight=weight)
    other = MergedTreeRegressor(**options).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(one.predict(NEW), other.predict(NEW))


def test_readable_thresholds_say_the_same():
    plain, short = (
        MergedTreeRegressor(10, max_leaf_nodes=8, readable=r, random_state=0).fit(X, Y)
        for r in (False, True)
    )
    np.testing.assert_array_equal(plain.predict(X), short.predict(X))
    inner = ~plain.tree_.is_leaf
    digits = [[len(f"{v:.12g}") for v in m.tree_.threshold[inner]] for m in (plain, short)]
    assert np.mean(digits[1]) < np.mean(digits[0]) - 1


def test_confidence_that_no_limit_has():
    model = MergedTreeRegressor(3, cf=1e-50, random_state=0).fit(X, Y)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("wrong", [{"criterion": "mdl"}, {"diversify": "bases"}, {"cf": 1.5},
    {"leaf_values": "means"}, {"shrinkage": -1.0}, {"max_leaf_nodes": 0}, {"m": -1}])  # fmt: skip
def test_wrong_options(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        MergedTreeRegressor(3, **wrong).fit(X, Y)
