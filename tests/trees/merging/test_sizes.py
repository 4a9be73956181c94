"""Trees of every size out of one fit: exact prunings, soft labels, sizes out of bag."""

import itertools

import numpy as np
import pytest
from naive import pruning as naive
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import MergedTreeClassifier, from_sklearn, refine_leaves, take_trees
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.cases import out_of_bag
from counterpoint.trees.merging.readable import readable_thresholds, shortest_between
from counterpoint.trees.merging.sizes import best_prunings, out_of_bag_errors, sized_trees
from counterpoint.trees.merging.soft import SoftLabels, node_sums
from counterpoint.trees.shrinking import shrink_to_ancestors
from counterpoint.trees.structure import class_shares

X, Y = load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def model():
    return MergedTreeClassifier(25, max_leaf_nodes=12, random_state=0).fit(X[::2], Y[::2])


def nested(tree, node=0):
    """(node, left, right) for the naive twin, whose leaves are lists of nodes."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left == -1:
        return ([node], None, None)
    return ([node], nested(tree, left), nested(tree, right))


@pytest.mark.parametrize("seed", range(4))
def test_prunings_are_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    data, y = make_classification(60, 4, flip_y=0.4, random_state=seed)
    tree = from_sklearn(DecisionTreeClassifier(max_leaf_nodes=9, random_state=0).fit(data, y))
    cost = rng.uniform(size=tree.node_count)
    found = best_prunings(tree, cost, 6)
    cheapest: dict = {}
    for leaves in naive.all_prunings(nested(tree)):
        price = sum(cost[node] for (node,) in leaves)
        cheapest[len(leaves)] = min(price, cheapest.get(len(leaves), np.inf))
    assert set(found) == {size for size in cheapest if size <= 6}
    for size, (price, made) in found.items():
        assert price == pytest.approx(cheapest[size])
        pruning = made()
        kept = pruning.kept[pruning.children_left == -1]
        assert len(kept) == size
        assert cost[kept].sum() == pytest.approx(price)


def test_soft_labels_come_from_trees_that_did_not_see_the_sample():
    data, y = load_iris(return_X_y=True)
    data = data.astype(np.float32)
    rng = np.random.default_rng(0)
    drawn = np.array([np.bincount(rng.integers(150, size=150), minlength=150) for _ in range(6)])
    trees = [
        from_sklearn(DecisionTreeClassifier(max_depth=2).fit(data, y, sample_weight=bag))
        for bag in drawn
    ]
    soft = SoftLabels(trees, data, y, drawn.astype(float), 3)
    for i in (0, 60, 133):
        says = []
        for tree in trees:
            leaf = predict_trees(stack_trees([tree]), data[i : i + 1], kind="leaves")[0][0]
            says.append(tree.value[leaf] / tree.value[leaf].sum())
        apart = [one for one, bag in zip(says, drawn, strict=True) if bag[i] == 0]
        apart = np.mean(apart if apart else says, axis=0)
        np.testing.assert_allclose(soft.judge[i], (apart + np.eye(3)[y[i]]) / 2)
        np.testing.assert_allclose(soft.value[i], (apart + np.mean(says, axis=0)) / 2)


def test_the_path_has_a_tree_of_every_size(model):
    path = model.path_
    assert path.index.tolist() == list(range(1, 13))
    assert (path["leaves"] <= path.index).all()
    assert (np.diff(path["cost"]) <= 1e-9).all()
    assert model.n_leaves_ == path["leaves"].iloc[-1] == model.tree_.n_leaves
    for size in (1, 3, 12):
        other = model.at_size(size)
        assert other.get_n_leaves() == path["leaves"][size] <= size
        proba = other.predict_proba(X[1::2])
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert model.get_n_leaves() == path["leaves"].iloc[-1]  # a copy was changed
    assert model.at_size(4).score(X[1::2], Y[1::2]) > 0.88
    with pytest.raises(ValueError, match="max_leaf_nodes=13"):
        model.at_size(13)


def test_leaves_put_out_what_the_ensemble_says(model):
    sums = node_sums(model.tree_, model.apply(X[::2]), np.ones((len(X[::2]), 1)))
    np.testing.assert_allclose(model.tree_.value.sum(axis=1), sums[:, 0])
    assert model.predict_proba(X[::2]).max() < 1.0  # no leaf is certain


def test_auto_takes_the_size_with_least_error_out_of_bag():
    noisy, y = make_classification(200, 6, n_informative=3, flip_y=0.3, random_state=0)
    model = MergedTreeClassifier(15, max_leaf_nodes="auto", random_state=0).fit(noisy, y)
    assert len(model.path_) == 32
    best = model.path_["oob_error"].idxmin()
    assert model.n_leaves_ == model.path_["leaves"][best]
    assert best < 16  # a third of the labels is noise: large trees learn it
    # The error of a single leaf is that of the larger class, by the bags.
    assert model.path_["oob_error"][1] == pytest.approx(0.5, abs=0.1)


def test_paths_need_samples_out_of_bag():
    with pytest.raises(ValueError, match="max_leaf_nodes=4 needs trees"):
        MergedTreeClassifier(max_leaf_nodes=4, diversify="features").fit(X, Y)
    with pytest.raises(ValueError, match="There is no path of sizes"):
        MergedTreeClassifier(3, random_state=0).fit(X, Y).at_size(3)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.149, 0.151, 0.15), (12.3, 17.9, 15.0), (980.0, 1020.0, 1000.0), (-0.2, 0.1, 0.0),
     (2.0, 2.0000001, 2.0), (5.0, 6.0, 5.0), (1e-9, 3e-9, 2e-9)],
)  # fmt: skip
def test_shortest_numbers(low, high, expected):
    found = shortest_between(low, high)
    assert low <= found < high
    assert found == pytest.approx(expected)


def test_readable_thresholds_say_the_same_of_all_samples():
    rows = X.astype(np.float32)
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(rows, Y))
    short = readable_thresholds(tree, rows)
    before, after = (predict_trees(stack_trees([t]), rows, kind="leaves")[0] for t in (tree, short))
    np.testing.assert_array_equal(before, after)
    inner = ~tree.is_leaf
    digits = [[len(f"{v:.12g}") for v in t.threshold[inner]] for t in (tree, short)]
    assert np.mean(digits[1]) < np.mean(digits[0]) - 1


# What leaves put out


def shrunken(tree, mean, weight, strength, path):
    """A leaf's value as a sum along its path: the root, and every step down, divided."""
    total = list(mean[path[0]])
    for above, below in itertools.pairwise(path):
        for k in range(len(total)):
            step = mean[below][k] - mean[above][k]
            total[k] += step / (1 + strength / weight[above])
    return total


def paths(tree, node=0, above=()):
    """The way to every node."""
    yield (*above, node)
    if tree.children_left[node] != -1:
        for child in (tree.children_left[node], tree.children_right[node]):
            yield from paths(tree, int(child), (*above, node))


def test_values_are_drawn_to_those_above():
    data, y = load_iris(return_X_y=True)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(data, y))
    mean, weight = class_shares(tree.value), tree.weighted_n_node_samples
    made = shrink_to_ancestors(tree.children_left, tree.children_right, mean, weight, 7.0)
    for path in paths(tree):
        expected = shrunken(tree, mean, weight, 7.0, path)
        np.testing.assert_allclose(made[path[-1]], expected, atol=1e-12)
    np.testing.assert_allclose(made.sum(axis=1), 1.0)
    same = shrink_to_ancestors(tree.children_left, tree.children_right, mean, weight, 0.0)
    np.testing.assert_allclose(same, mean, atol=1e-12)
    far = shrink_to_ancestors(tree.children_left, tree.children_right, mean, weight, 1e12)
    np.testing.assert_allclose(far, np.tile(mean[0], (len(mean), 1)), atol=1e-8)


def test_leaves_of_labels_are_refined_leaves():
    options = {"max_leaf_nodes": 6, "leaf_values": "labels", "random_state": 0}
    model = MergedTreeClassifier(10, **options).fit(X, Y)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        np.testing.assert_allclose(
            model.tree_.value[node], np.bincount(Y[leaf == node], minlength=2)
        )
    # One tree fits the labels best with their shares: refining it changes nothing.
    trees = take_trees(model.tree_, n_features=X.shape[1])
    refined = refine_leaves(trees, X, Y, n_steps=500, tol=0.0).trees[0]
    inner = refined.is_leaf
    np.testing.assert_allclose(refined.value[inner], model.tree_.value[inner], atol=1e-6)
    drawn = MergedTreeClassifier(10, shrinkage=50.0, **options).fit(X, Y)
    np.testing.assert_array_equal(drawn.tree_.threshold, model.tree_.threshold)
    assert drawn.predict_proba(X).max() < model.predict_proba(X).max()


def test_a_sample_is_out_of_bag_only_if_its_copies_are():
    data = np.array([[1.0, np.nan], [1.0, np.nan], [1.0, 2.0], [1.0, np.nan], [3.0, 0.0]])
    y = np.array([0, 0, 0, 1, 1])
    drawn = np.array([[2, 0, 0, 1, 0], [0, 0, 1, 0, 3]])
    expected = [[False, False, True, False, True], [True, True, False, True, False]]
    np.testing.assert_array_equal(out_of_bag(data, y, drawn), expected)


def test_weights_are_copies_on_the_path():
    weight = np.random.default_rng(0).integers(0, 3, size=len(X))[::3]
    data, y = X[::3], Y[::3]
    options = {"n_estimators": 5, "max_leaf_nodes": 5, "random_state": 0}
    one = MergedTreeClassifier(**options).fit(data, y, sample_weight=weight)
    copies = np.repeat(data, weight, axis=0)
    other = MergedTreeClassifier(**options).fit(copies, np.repeat(y, weight))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_allclose(one.path_["oob_error"], other.path_["oob_error"])


def test_a_path_ends_where_there_is_a_leaf_for_every_sample():
    model = MergedTreeClassifier(5, max_leaf_nodes=10**18, random_state=0).fit(X[:50], Y[:50])
    assert len(model.path_) == 50
    assert model.n_leaves_ <= 50
    same = MergedTreeClassifier(5, max_leaf_nodes=50, random_state=0).fit(X[:50], Y[:50])
    assert np.array_equal(same.predict_proba(X), model.predict_proba(X))


# Of an ensemble that is there already


def test_a_forest_that_is_there_is_the_same_as_its_trees_and_bags():
    """By hand: its trees, and which samples they were grown on."""
    forest = RandomForestClassifier(15, random_state=0).fit(X, Y)
    model = MergedTreeClassifier(pool=forest, max_leaf_nodes="auto", random_state=0).fit(X, Y)
    bags = np.stack([np.bincount(own, minlength=len(X)) for own in forest.estimators_samples_])
    rows, trees = X.astype(np.float32), [from_sklearn(tree) for tree in forest.estimators_]
    soft = SoftLabels(trees, rows, Y, bags.astype(float), 2)
    expected = out_of_bag_errors(trees, soft, np.ones(len(X)), bags.astype(float), 32)
    np.testing.assert_allclose(model.path_["oob_error"], expected)
    assert model.n_leaves_ == model.path_["leaves"][model.path_["oob_error"].idxmin()]
    on = soft.judged(trees, rows, np.ones(len(X)), np.random.RandomState(0))
    by_hand = sized_trees(soft, on, 32, np.random.RandomState(1))
    assert len(by_hand) == len(model.path_)
    np.testing.assert_allclose(model.path_["cost"][1], by_hand[0].cost / on.weight.sum())


@pytest.mark.parametrize(
    "pool",
    [AdaBoostClassifier(n_estimators=20), GradientBoostingClassifier(n_estimators=20),
     ExtraTreesClassifier(20)],
    ids=lambda pool: type(pool).__name__,
)  # fmt: skip
def test_other_ensembles_judge_by_what_they_say_together(pool):
    names = np.array(["bad", "good"])[Y]
    pool.set_params(random_state=0).fit(X[::2], names[::2])
    model = MergedTreeClassifier(pool=pool, max_leaf_nodes="auto", random_state=0)
    model.fit(X[::2], names[::2])
    assert model.path_["oob_error"].isna().all()  # nobody knows what trees were grown on
    assert 8 < model.n_leaves_ <= 32
    assert (model.predict(X[1::2]) == pool.predict(X[1::2])).mean() > 0.9
    said = take_trees(pool).shares(X[1::2])
    np.testing.assert_array_equal(np.array(["bad", "good"])[said.argmax(1)], pool.predict(X[1::2]))
    np.testing.assert_allclose(said.sum(axis=1), 1.0)
    if isinstance(pool, GradientBoostingClassifier):
        np.testing.assert_allclose(said, pool.predict_proba(X[1::2]), atol=1e-6)


def test_a_pool_is_fitted_first_and_knows_all_classes():
    forest = RandomForestClassifier(10)
    model = MergedTreeClassifier(pool=forest, max_leaf_nodes=4, random_state=0).fit(X, Y)
    assert model.pool_.n_trees == 10
    assert not hasattr(forest, "estimators_")
    forest.fit(X[Y == 1], Y[Y == 1])
    with pytest.raises(ValueError, match="y holds 0, which the pool does not know"):
        MergedTreeClassifier(pool=forest, max_leaf_nodes=4).fit(X, Y)
    # Labels that y lacks, in the order of the trees' own.
    data, y = load_iris(return_X_y=True)
    trees = [from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(data, y))]
    given = take_trees(trees, classes=np.array(["z", "y", "x"]))
    options = {"max_leaf_nodes": 8, "leaf_values": "labels"}
    few = MergedTreeClassifier(pool=given, **options).fit(data[:100], ["z"] * 50 + ["y"] * 50)
    assert few.classes_.tolist() == ["z", "y", "x"]
    assert few.predict(data[[0, 60]]).tolist() == ["z", "y"]
    assert few.tree_.value.sum(axis=0)[2] == 0  # nobody is an "x"
