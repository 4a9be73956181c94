"""Trees of every size out of one fit: exact prunings, soft labels, sizes out of bag."""

import numpy as np
import pytest
from naive import pruning as naive
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import MergedTreeClassifier, from_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.merging.readable import readable_thresholds, shortest_between
from counterpoint.trees.merging.sizes import best_prunings
from counterpoint.trees.merging.soft import SoftLabels, node_sums

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
    for wrong in ({"diversify": "features"}, {"pool": [DecisionTreeClassifier()]}):
        with pytest.raises(ValueError, match="max_leaf_nodes=4 needs trees"):
            MergedTreeClassifier(max_leaf_nodes=4, **wrong).fit(X, Y)
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
