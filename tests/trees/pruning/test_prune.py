import pickle

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import pruning as naive
from nested_trees import flat, prune_error_based, prune_tree, rebuilt, trees
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.trees.binning import Binner
from counterpoint.trees.convert import from_sklearn, to_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.growing.workspace import GrowWorkspace, grow
from counterpoint.trees.pruning.bottom_up import prune_bottom_up
from counterpoint.trees.pruning.criteria import upper_limit

BOOK = {
    "children_left": [1, -1, 3, -1, -1],
    "children_right": [2, -1, 4, -1, -1],
    "value": [[15, 1], [6, 0], [9, 1], [9, 0], [0, 1]],
}


# The limit


def test_limits_of_the_book():
    # Quinlan 1993, chapter 4: 0.206, 0.143 and 0.750 without errors. For one error in 16 the
    # book has 0.157, from C4.5's approximation; the exact limit is 0.160.
    actual = upper_limit([0, 0, 0, 1], [6, 9, 1, 16], 0.25)
    np.testing.assert_allclose(actual, [0.206, 0.143, 0.750, 0.1596], atol=5e-4)
    assert binom.cdf(1, 16, actual[3]) == pytest.approx(0.25)


@pytest.mark.parametrize("cf", [0.01, 0.25, 0.7])
def test_limit_is_that_of_the_binomial(cf):
    cases = [(e, n) for n in (1, 2, 5, 17) for e in range(n + 1)]
    expected = [naive.binomial_limit(e, n, cf) for e, n in cases]
    np.testing.assert_allclose(upper_limit(*np.array(cases).T, cf), expected, atol=1e-9)


@pytest.mark.parametrize(("errors", "n"), [(0.0, 2.5), (0.3, 4.1), (2.7, 9.9), (1.5, 2.6)])
def test_limit_of_weights_is_a_point_of_a_beta_distribution(errors, n):
    limit = float(upper_limit(errors, n, 0.25))
    assert naive.beta_share(limit, errors + 1, n - errors) == pytest.approx(0.75, abs=2e-4)


def test_limit_without_cases_is_nan_and_of_errors_alone_one():
    np.testing.assert_array_equal(upper_limit([0, 3], [0, 3]), [np.nan, 1.0])


@pytest.mark.parametrize(("errors", "n"), [(-1, 3), (4, 3)])
def test_limit_of_impossible_counts(errors, n):
    with pytest.raises(ValueError, match="from 0 to n errors"):
        upper_limit(errors, n)


@pytest.mark.parametrize("cf", [0, -0.1, 1, 1.5, np.nan, "a", True])
def test_limit_of_impossible_confidence(cf):
    with pytest.raises(ValueError, match="cf="):
        upper_limit(1, 3, cf)


# Pruning of arrays


def test_example_of_the_book():
    pruning = prune_error_based(**BOOK)
    assert pruning.kept.tolist() == [0]
    assert pruning.new_node.tolist() == [0, 0, 0, 0, 0]
    assert pruning.max_depth == 0
    # 16 cases at 0.1596, against 6 * 0.206 + 9 * 0.143 + 1 * 0.750 = 3.273 below.
    assert pruning.cost == pytest.approx(16 * 0.1596, abs=0.01)
    below = 6 * upper_limit(0, 6) + 9 * upper_limit(0, 9) + upper_limit(0, 1)
    assert below == pytest.approx(3.273, abs=2e-3)


@settings(max_examples=60, deadline=None)
@given(trees(), st.sampled_from([0.05, 0.25, 0.6]), st.booleans())
def test_matches_naive(tree, cf, depth_first):
    left, right, value = flat(tree, depth_first)
    pruning = prune_error_based(left, right, value, cf=cf)
    expected, errors = naive.prune(tree, cf)
    assert rebuilt(pruning, value) == expected
    assert pruning.cost == pytest.approx(errors, abs=1e-7)


@settings(max_examples=30, deadline=None)
@given(trees(max_leaves=6), st.sampled_from([0.05, 0.25, 0.6]))
def test_no_other_pruning_expects_fewer_errors(tree, cf):
    pruning = prune_error_based(*flat(tree, True), cf=cf)
    sums = [
        sum(sum(c) * naive.binomial_limit(sum(c) - max(c), sum(c), cf) for c in leaves)
        for leaves in naive.all_prunings(tree)
    ]
    assert pruning.cost == pytest.approx(min(sums), abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(trees(max_leaves=20), st.sampled_from([1e-6, 0.25, 0.6, 1]), st.booleans())
def test_new_nodes_are_the_old_ones(tree, cf, depth_first):
    left, right, value = flat(tree, depth_first)
    pruning = prune_error_based(left, right, value, cf=cf)
    np.testing.assert_array_equal(pruning.new_node[pruning.kept], np.arange(len(pruning.kept)))
    # What the old leaves held is what the new ones hold.
    moved = np.zeros((len(pruning.kept), value.shape[1]))
    np.add.at(moved, pruning.new_node[left == -1], value[left == -1])
    leaves = pruning.children_left == -1
    np.testing.assert_array_equal(moved[leaves], value[pruning.kept][leaves])
    assert not moved[~leaves].any()


@settings(max_examples=40, deadline=None)
@given(trees(max_leaves=20), st.sampled_from([0.01, 0.25, 0.6]))
def test_pruning_twice_is_pruning_once(tree, cf):
    left, right, value = flat(tree, True)
    once = prune_error_based(left, right, value, cf=cf)
    twice = prune_error_based(once.children_left, once.children_right, value[once.kept], cf=cf)
    np.testing.assert_array_equal(twice.kept, np.arange(len(once.kept)))
    assert twice.cost == pytest.approx(once.cost)


@settings(max_examples=20, deadline=None)
@given(trees())
def test_confidence_of_one_prunes_nothing(tree):
    left, right, value = flat(tree, True)
    pruning = prune_error_based(left, right, value, cf=1)
    np.testing.assert_array_equal(pruning.children_left, left)
    leaves = value[left == -1]
    assert pruning.cost == (leaves.sum(axis=1) - leaves.max(axis=1)).sum()


@settings(max_examples=30, deadline=None)
@given(trees(), st.sampled_from([1e-3, 0.37, 50.0]))
def test_total_undoes_the_scale_of_weights(tree, scale):
    left, right, value = flat(tree, True)
    plain = prune_error_based(left, right, value)
    scaled = prune_error_based(left, right, value * scale, total=value[0].sum())
    np.testing.assert_array_equal(scaled.kept, plain.kept)
    assert scaled.cost == pytest.approx(plain.cost)


def test_more_cases_support_a_split_that_few_do_not():
    assert len(prune_error_based(**BOOK).kept) == 1
    assert len(prune_error_based(**BOOK, total=1600).kept) == 5


def test_equal_costs_are_cut_even_if_rounded():
    cost = [0.1 + 0.2, 0.1, 0.2 - 1e-16]
    assert len(prune_bottom_up([1, -1, -1], [2, -1, -1], cost).kept) == 1
    cost[0] += 1e-6
    assert len(prune_bottom_up([1, -1, -1], [2, -1, -1], cost).kept) == 3


def test_nodes_without_weight_cost_nothing():
    pruning = prune_error_based([1, -1, -1], [2, -1, -1], [[3, 1], [3, 1], [0, 0]])
    assert pruning.kept.tolist() == [0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([1, -1, -1], [2, -1]),
        ([], []),
        ([1, -1, -1], [1, -1, -1]),
        ([1, -1, -1], [-1, -1, -1]),
        ([1, 0, -1], [2, 2, -1]),
        ([1, -1, -1, -1], [2, -1, -1, -1]),
        ([3, -1, -1], [1, -1, -1]),
    ],
)
def test_arrays_that_are_no_tree(left, right):
    with pytest.raises(ValueError, match="children_left"):
        prune_error_based(left, right, np.ones((len(left), 2)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": np.ones((4, 2))}, r"value has shape \(4, 2\), expected \(5, n_classes\)"),
        ({"value": np.ones(5)}, "value has shape"),
        ({"value": -np.ones((5, 1))}, "regression"),
        ({"value": np.full((5, 2), np.nan)}, "non-finite"),
        ({"total": 0}, "total=0"),
        ({"total": 3, "value": np.zeros((5, 2))}, "weights of 0"),
        ({"cf": 0}, "cf=0: give a number above 0 and up to 1"),
        ({"cf": 1.1}, "cf=1.1"),
    ],
)
def test_wrong_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        prune_error_based(**(BOOK | changes))


@pytest.mark.parametrize(
    ("cost", "message"),
    [([1.0, 2.0], "cost has shape"), ([1.0, np.nan, 2.0], "cost is NaN at node 1")],
)
def test_wrong_costs(cost, message):
    with pytest.raises(ValueError, match=message):
        prune_bottom_up([1, -1, -1], [2, -1, -1], cost)


# Trees of this package and of scikit-learn


def noisy(n=300, seed=0, n_classes=3):
    return make_classification(
        n, 6, n_informative=4, flip_y=0.3, n_classes=n_classes, random_state=seed
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_pruned_tree_sends_samples_where_the_pruning_says(weighted):
    X, y = noisy()
    X[::7, 0] = np.nan
    weight = np.random.default_rng(0).random(len(X)) / len(X) if weighted else None
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned, y)
    full = grow(workspace, weight)
    pruned, pruning = prune_tree(full)
    assert 1 < pruned.n_leaves < full.n_leaves
    for data in (X, binned):
        leaves = predict_trees(stack_trees([pruned]), data, kind="leaves")[0]
        np.testing.assert_array_equal(leaves, pruning.new_node[workspace.leaf])
    is_leaf = pruned.children_left == -1
    assert (pruned.feature[is_leaf] == -1).all()
    assert np.isnan(pruned.threshold[is_leaf]).all()
    assert not np.isnan(pruned.threshold[~is_leaf]).any()
    assert pruned.max_depth == pruning.max_depth <= full.max_depth


def test_weights_of_a_tree_are_scaled_to_its_samples():
    X, y = noisy()
    workspace = GrowWorkspace(Binner().fit_transform(X), y)
    plain, _ = prune_tree(grow(workspace))
    light, _ = prune_tree(grow(workspace, np.full(len(X), 1 / len(X))))
    np.testing.assert_array_equal(light.feature, plain.feature)
    fewer, _ = prune_tree(grow(workspace), total=20)
    assert fewer.n_leaves < plain.n_leaves


def test_state_of_a_scikit_learn_tree_is_what_we_fill():
    # to_sklearn builds a tree from its state for pickling. If scikit-learn changes that state,
    # this test says so, and to_sklearn is the one place to change.
    state = DecisionTreeClassifier().fit([[0], [1]], [0, 1]).tree_.__getstate__()
    assert set(state) == {"max_depth", "node_count", "nodes", "values"}
    assert set(state["nodes"].dtype.names) == {
        "left_child",
        "right_child",
        "feature",
        "threshold",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "missing_go_to_left",
    }


@pytest.mark.parametrize("seed", range(3))
def test_there_and_back_again(seed):
    X, y = noisy(seed=seed)
    X[seed::5, :2] = np.nan
    weight = np.random.default_rng(seed).random(len(X))
    tree = DecisionTreeClassifier(random_state=0, max_leaf_nodes=20)
    tree.fit(X, y, sample_weight=weight)
    again = to_sklearn(from_sklearn(tree), tree)
    assert again is not tree
    assert again.tree_ is not tree.tree_
    old, new = tree.tree_.__getstate__(), again.tree_.__getstate__()
    for name in old["nodes"].dtype.names:
        np.testing.assert_array_equal(new["nodes"][name], old["nodes"][name], err_msg=name)
    np.testing.assert_allclose(new["values"], old["values"], rtol=1e-14)
    assert (new["max_depth"], new["node_count"]) == (old["max_depth"], old["node_count"])
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).apply(X), tree.apply(X))


def test_what_cannot_be_taken_from_scikit_learn():
    with pytest.raises(NotFittedError):
        from_sklearn(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="2 outputs, expected one"):
        from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [[0, 1], [1, 0]]))


def test_templates_that_do_not_fit():
    tree = from_sklearn(DecisionTreeClassifier().fit([[0, 0], [0, 1]], [0, 1]))
    with pytest.raises(ValueError, match="tree has 2 classes"):
        to_sklearn(tree, DecisionTreeClassifier().fit([[0, 0], [0, 1], [2, 2]], [0, 1, 2]))
    with pytest.raises(ValueError, match="asks for column 1"):
        to_sklearn(tree, DecisionTreeClassifier().fit([[0], [1]], [0, 1]))


# The estimator


@parametrize_with_checks([PrunedTreeClassifier(grower="hist")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


GROWERS = pytest.mark.parametrize("grower", ["sklearn", "hist"])


@GROWERS
def test_holds_a_real_scikit_learn_tree(grower):
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.array(["a", "b", "c"])[y]
    tree = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, labels)
    inner = tree.as_sklearn()
    assert isinstance(inner, DecisionTreeClassifier)
    assert inner.get_n_leaves() == tree.get_n_leaves() == tree.tree_.n_leaves
    assert inner.get_depth() == tree.get_depth()
    np.testing.assert_array_equal(inner.predict(X), tree.predict(X))
    np.testing.assert_array_equal(inner.predict_proba(X), tree.predict_proba(X))
    np.testing.assert_array_equal(inner.apply(X), tree.apply(X))
    np.testing.assert_allclose(inner.feature_importances_, tree.feature_importances_)
    assert "class: b" in export_text(inner)
    with mpl.rc_context({"backend": "agg"}):
        assert len(plot_tree(inner)) >= tree.tree_.node_count
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(tree)).predict_proba(X), tree.predict_proba(X)
    )


@GROWERS
def test_prunes_and_says_how_much(grower):
    X, y = noisy()
    full = PrunedTreeClassifier(grower=grower, cf=1, random_state=0).fit(X, y)
    tree = clone(full).set_params(cf=0.25).fit(X, y)
    assert full.n_pruned_ == 0
    assert full.estimated_error_ == pytest.approx(1 - full.score(X, y))
    assert tree.unpruned_leaves_ == full.get_n_leaves()
    assert tree.n_pruned_ == full.get_n_leaves() - tree.get_n_leaves() > 0
    assert tree.estimated_error_ > 1 - tree.score(X, y)
    # Every leaf of the full tree lies in one leaf of the pruned tree.
    pairs = set(zip(full.apply(X), tree.apply(X)))
    assert len(pairs) == full.get_n_leaves()


def test_no_pruning_is_the_tree_of_scikit_learn():
    X, y = noisy()
    ours = PrunedTreeClassifier(cf=1, random_state=3).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=3)
    theirs.fit(X, y)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_array_equal(ours.as_sklearn().tree_.threshold, theirs.tree_.threshold)


def test_both_growers_find_the_same_tree():
    X, y = noisy(n=200, seed=1)  # no more distinct values than bins
    one = PrunedTreeClassifier(random_state=0, max_depth=4).fit(X, y)
    two = PrunedTreeClassifier(grower="hist", max_depth=4).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert one.get_n_leaves() == two.get_n_leaves() > 1


@GROWERS
def test_labels_without_a_pattern_leave_the_root(grower):
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 3)), rng.random(200) < 0.2
    tree = PrunedTreeClassifier(grower=grower, cf=1e-6, random_state=0).fit(X, y)
    assert tree.unpruned_leaves_ > 20
    assert tree.get_n_leaves() == 1
    np.testing.assert_allclose(tree.predict_proba(X[:1]), [[1 - y.mean(), y.mean()]])


@GROWERS
def test_whole_weights_are_copies(grower):
    X, y = noisy(n=120)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, y, weight)
    repeated = PrunedTreeClassifier(grower=grower, random_state=0)
    repeated.fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.get_n_leaves() == repeated.get_n_leaves()
    assert weighted.estimated_error_ == pytest.approx(repeated.estimated_error_)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@GROWERS
@pytest.mark.parametrize("scale", [2**-14, 2**5])  # others round, and rounding breaks ties
def test_the_scale_of_other_weights_plays_no_part(grower, scale):
    X, y = noisy()
    weight = np.random.default_rng(0).random(len(X)) + 0.1
    one = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, y, weight)
    two = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, y, weight * scale)
    np.testing.assert_array_equal(one.apply(X), two.apply(X))
    assert one.get_n_leaves() > 1


@GROWERS
def test_leaves_hold_their_least_weight(grower):
    X, y = noisy()
    weight = np.random.default_rng(0).random(len(X)) + 0.01
    tree = PrunedTreeClassifier(grower=grower, cf=1, min_samples_leaf=5, random_state=0)
    tree.fit(X, y, weight)
    held = np.bincount(tree.apply(X), weight * len(X) / weight.sum())
    assert 5 <= held[held > 0].min() < 7


@GROWERS
@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_cases_for_a_split(grower, n):
    X, y = np.arange(n)[:, None], np.arange(n) % 2
    tree = PrunedTreeClassifier(grower=grower, cf=1).fit(X, y)
    assert tree.get_n_leaves() == 1
    tree.set_params(min_samples_leaf=1).fit(X, y)
    assert tree.get_n_leaves() == n


def test_members_of_a_booster_are_not_cut_to_the_root():
    X, y = load_breast_cancer(return_X_y=True)
    booster = AdaBoostClassifier(PrunedTreeClassifier(), n_estimators=5, random_state=0)
    booster.fit(X, y)
    assert all(member.get_n_leaves() > 3 for member in booster.estimators_)


@GROWERS
def test_missing_values_go_their_way(grower):
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    X[:60, 1] = np.nan
    y = np.isnan(X[:, 1]).astype(int)
    tree = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 2
    np.testing.assert_array_equal(tree.predict(X), y)
    np.testing.assert_array_equal(tree.as_sklearn().predict(X), y)


@GROWERS
def test_frames_of_pandas_and_polars(grower):
    X, y = load_iris(return_X_y=True, as_frame=True)
    expected = PrunedTreeClassifier(grower=grower, random_state=0).fit(X.to_numpy(), y)
    for frame in (X, pl.DataFrame(X.to_dict("list"))):
        tree = PrunedTreeClassifier(grower=grower, random_state=0).fit(frame, y)
        np.testing.assert_array_equal(tree.predict(frame), expected.predict(X.to_numpy()))
        assert tree.feature_names_in_.tolist() == list(X.columns)
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(pd.DataFrame(X.to_numpy(), columns=list("abcd")))


@GROWERS
def test_class_weights_multiply_sample_weights(grower):
    X, y = noisy(n_classes=2)
    weight = np.random.default_rng(0).random(len(X))
    one = PrunedTreeClassifier(grower=grower, class_weight={0: 3, 1: 1}, random_state=0)
    two = PrunedTreeClassifier(grower=grower, random_state=0)
    one.fit(X, y, weight)
    two.fit(X, y, weight * np.where(y == 0, 3, 1))
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X))
    assert (one.predict(X) != two.fit(X, y, weight).predict(X)).any()


@GROWERS
def test_classes_without_weight_are_known_but_never_chosen(grower):
    X, y = load_iris(return_X_y=True)
    tree = PrunedTreeClassifier(grower=grower, random_state=0).fit(X, y, y != 1)
    assert tree.classes_.tolist() == [0, 1, 2]
    assert set(tree.predict(X)) == {0, 2}
    assert not tree.predict_proba(X)[:, 1].any()


def test_max_features_makes_growing_random():
    X, y = noisy()
    first, second = (
        PrunedTreeClassifier(max_features=1, random_state=seed).fit(X, y) for seed in (0, 1)
    )
    assert first.tree_.feature[0] != second.tree_.feature[0] or (
        first.tree_.node_count != second.tree_.node_count
    )


def test_log_proba_of_a_class_not_in_the_leaf():
    X, y = load_iris(return_X_y=True)
    tree = PrunedTreeClassifier().fit(X, y)
    np.testing.assert_array_equal(tree.predict_log_proba(X[:1]), [[0.0, -np.inf, -np.inf]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "magic"}, "criterion='magic': choose 'cost-complexity', .*'error-based'"),
        ({"split_criterion": "mse"}, "split_criterion='mse': choose 'entropy', 'gini'"),
        ({"grower": "weka"}, "grower='weka': choose 'sklearn', 'hist'"),
        ({"cf": 0.0}, "cf=0.0"),
        ({"cf": "small"}, "cf='small'"),
        ({"max_depth": 0}, "max_depth=0: give a whole number from 1, or None"),
        ({"min_samples_leaf": 0.1}, "min_samples_leaf=0.1: give a whole number from 1"),
        ({"min_samples_leaf": None}, "min_samples_leaf=None"),
        ({"grower": "hist", "max_features": 2}, "max_features=2 with grower='hist'"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        PrunedTreeClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("weight", "message"), [([0, 0], "zero"), ([-1, 1], "(?i)negative"), ([1], "shape")]
)
def test_wrong_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        PrunedTreeClassifier().fit([[0.0], [1.0]], [0, 1], weight)


def test_class_weights_that_leave_nothing():
    with pytest.raises(ValueError, match="all zero: at least one sample"):
        PrunedTreeClassifier(class_weight={0: 0, 1: 0}).fit([[0.0], [1.0]], [0, 1])


def test_unfitted_tree():
    for ask in ("get_depth", "get_n_leaves"):
        with pytest.raises(NotFittedError):
            getattr(PrunedTreeClassifier(), ask)()
