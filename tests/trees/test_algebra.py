"""Restricting, grafting, simplifying and comparing trees, against trees of nested tuples."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import trees as naive
from random_trees import as_tree, points, random_pair
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import (
    Tree,
    apply,
    from_sklearn,
    graft,
    leaf_boxes,
    relabel,
    restrict,
    same_function,
    simplify,
)
from counterpoint.trees.boxes import leaf_missing
from counterpoint.trees.compare import point_in

SEEDS = st.integers(0, 10_000)
EDGES = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0])


def values(tree, X):
    return tree.value[apply(tree, X)]


def expected(nested, X):
    return np.array([naive.leaf_of(nested, x) for x in X])


def check_order(tree):
    inner = ~tree.is_leaf
    assert (tree.children_left[inner] > np.flatnonzero(inner)).all()
    assert (tree.children_right[inner] > np.flatnonzero(inner)).all()
    assert np.isnan(tree.threshold[tree.is_leaf]).all()
    assert (tree.feature[tree.is_leaf] == -1).all()


@given(SEEDS)
@settings(max_examples=30)
def test_apply_walks_as_the_nested_tree_does(seed):
    nested, tree = random_pair(seed)
    X = points(seed, missing=True)
    np.testing.assert_array_equal(values(tree, X), expected(nested, X))


@given(SEEDS, EDGES, EDGES, st.sampled_from([None, True, False]))
@settings(max_examples=60)
def test_restrict_is_exact_in_the_box(seed, low, high, missing):
    nested, tree = random_pair(seed, depth=5)
    lower, upper = np.array([low, -np.inf]), np.array([np.inf, 2.5])
    if high > low:
        upper[0] = high
    small = restrict(tree, lower, upper, missing=missing)
    X = points(seed, n=300, missing=True)
    unbounded = np.isneginf(lower) & np.isposinf(upper)
    held = unbounded if missing is None else np.full(2, missing)
    inside = np.where(np.isnan(X), held, (lower < X) & (upper >= X)).all(axis=1)
    assume(inside.any())
    np.testing.assert_array_equal(values(small, X[inside]), expected(nested, X[inside]))
    check_order(small)
    assert small.n_leaves <= tree.n_leaves
    assert small.max_depth <= tree.max_depth


@given(SEEDS)
@settings(max_examples=40)
def test_a_restricted_tree_has_no_split_that_its_box_decides(seed):
    tree = random_pair(seed, depth=5)[1]
    small = restrict(tree, np.full(2, -np.inf), np.full(2, np.inf), missing=False)
    _, lower, upper = leaf_boxes(small, 2)
    assert (lower < upper).all()


def test_a_decided_split_stays_for_missing_values_that_go_the_other_way():
    # Left at the first split also come missing values, which the second sends right.
    nested = (0, 1.0, True, (0, 2.0, False, [1.0, 0.0], [0.0, 1.0]), [0.0, 2.0])
    tree = as_tree(nested)
    whole = np.array([np.inf])
    assert restrict(tree, -whole, whole).n_leaves == 3
    assert restrict(tree, -whole, whole, missing=False).n_leaves == 2
    # A box with an edge holds no missing values.
    assert restrict(tree, [-5.0], whole).n_leaves == 2
    assert restrict(tree, [-5.0], whole, missing=[True]).n_leaves == 3
    # Only values between the two thresholds, or only missing ones, reach the lonely leaf.
    assert restrict(tree, [1.0], [1.0], missing=True).value.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        ([0.0], [1.0], "column 1"),
        ([0.0, 2.0], [1.0, 2.0], "empty"),
        ([0.0, np.nan], [1.0, 2.0], "NaN"),
        ([0.0, 1.0], [1.0], "shape"),
    ],
)
def test_restrict_refuses(lower, upper, words):
    tree = as_tree((1, 0.5, True, [1.0, 0.0], [0.0, 1.0]))
    with pytest.raises(ValueError, match=words):
        restrict(tree, lower, upper)


@given(SEEDS, SEEDS)
@settings(max_examples=40)
def test_grafting_the_same_tree_on_every_leaf_gives_its_function(first, second):
    tree = random_pair(first)[1]
    nested, other = random_pair(second)
    X = points(first + second, n=200, missing=True)
    whole = graft(tree, dict.fromkeys(np.flatnonzero(tree.is_leaf), other))
    np.testing.assert_array_equal(values(whole, X), expected(nested, X))
    check_order(whole)
    # The same, with each copy cut down to the leaf it goes to.
    leaf, lower, upper = leaf_boxes(tree, 2)
    held = leaf_missing(tree, 2)
    parts = {
        k: restrict(other, low, high, missing=gaps)
        for k, low, high, gaps in zip(leaf, lower, upper, held, strict=True)
        if ((low < high) | gaps).all()
    }
    cut = graft(tree, parts)
    np.testing.assert_array_equal(values(cut, X), expected(nested, X))
    assert cut.node_count <= whole.node_count


@given(SEEDS, SEEDS, st.data())
@settings(max_examples=40)
def test_graft_changes_one_leaf_only(first, second, data):
    nested, tree = random_pair(first)
    grafted_nested, other = random_pair(second)
    leaf = data.draw(st.sampled_from(np.flatnonzero(tree.is_leaf).tolist()))
    X = points(first, n=200, missing=True)
    there = apply(tree, X) == leaf
    made = graft(tree, {leaf: other})
    wanted = np.where(there[:, None], expected(grafted_nested, X), expected(nested, X))
    np.testing.assert_array_equal(values(made, X), wanted)
    assert made.n_leaves == tree.n_leaves + other.n_leaves - 1


def test_graft_refuses():
    tree = as_tree((0, 0.5, True, [1.0, 0.0], [0.0, 1.0]))
    with pytest.raises(ValueError, match="Node 0 is not a leaf"):
        graft(tree, {0: tree})
    with pytest.raises(ValueError, match="Node 9 is not a leaf"):
        graft(tree, {9: tree})
    with pytest.raises(ValueError, match="3 classes"):
        graft(tree, {1: as_tree([1.0, 2.0, 3.0])})


@given(SEEDS, st.sampled_from(["label", "shares", "value"]))
@settings(max_examples=60)
def test_simplify_keeps_the_function(seed, by):
    nested, tree = random_pair(seed, depth=6, n_classes=2)
    X = points(seed, n=200, missing=True)
    small = simplify(tree, by=by)
    before, after = expected(nested, X), values(small, X)
    if by == "label":
        before, after = before.argmax(axis=1), after.argmax(axis=1)
    elif by == "shares":
        with np.errstate(invalid="ignore"):
            before, after = (np.nan_to_num(v / v.sum(1)[:, None], nan=0.5) for v in (before, after))
    np.testing.assert_array_equal(after, before)
    assert same_function(tree, small, by=by, missing=True) == (True, None)
    check_order(small)
    # No two leaves of one split are left that are equal.
    inner = np.flatnonzero(~small.is_leaf)
    a, b = small.children_left[inner], small.children_right[inner]
    both = small.is_leaf[a] & small.is_leaf[b]
    if by == "label":
        assert (small.label[a[both]] != small.label[b[both]]).all()
    if by == "value":
        assert (small.value[a[both]] != small.value[b[both]]).any(axis=1).all()


def test_simplify_by_hand():
    same = (1, 0.0, True, [3.0, 0.0], [2.0, 1.0])
    tree = as_tree((0, 0.0, True, same, (0, -1.0, True, [0.0, 1.0], [5.0, 5.0])))
    # The right side is decided by the root: x0 <= -1 cannot be; then all say class 0.
    small = simplify(tree, missing=False)
    assert small.node_count == 1
    assert small.label[0] == 0
    assert simplify(tree, by="value", missing=False).n_leaves == 3
    with pytest.raises(ValueError, match="choose 'label'"):
        simplify(tree, by="colour")


def test_a_leaf_made_by_simplify_speaks_for_the_class_of_those_below():
    # Not relabelled: the node's own weights speak for class 1, both leaves for class 0.
    tree = as_tree((0, 0.0, True, [3.0, 0.0], [2.0, 1.0]))
    tree.value[0] = [0.0, 9.0]
    assert simplify(tree).value.tolist() == [[5.0, 1.0]]


@given(SEEDS, SEEDS, st.booleans())
@settings(max_examples=60)
def test_same_function_finds_what_samples_find(first, second, missing):
    nested_a, tree_a = random_pair(first, depth=2, n_classes=2)
    nested_b, tree_b = random_pair(second, depth=2, n_classes=2)
    same, witness = same_function(tree_a, tree_b, missing=missing)
    X = points(first, n=400, missing=missing)
    differ = expected(nested_a, X).argmax(axis=1) != expected(nested_b, X).argmax(axis=1)
    assert not (same and differ.any())
    if not same:
        x = np.resize(witness, 2)
        told = [naive.label_of(naive.leaf_of(nested, x)) for nested in (nested_a, nested_b)]
        assert told[0] != told[1]
        assert missing or not np.isnan(witness).any()


def test_same_function_sees_missing_values_and_values():
    one = as_tree((0, 1.0, True, [1.0, 0.0], [0.0, 1.0]))
    two = as_tree((0, 1.0, False, [2.0, 0.0], [0.0, 1.0]))
    assert same_function(one, two) == (True, None)
    assert same_function(one, two, by="shares") == (True, None)
    same, witness = same_function(one, two, missing=True)
    assert not same
    assert np.isnan(witness).tolist() == [True]
    same, witness = same_function(one, two, by="value")
    assert not same
    assert witness.tolist() == [1.0]


def test_same_function_between_neighbouring_numbers():
    cut = float(np.float32(0.1))
    one = as_tree((0, cut, True, [1.0, 0.0], [0.0, 1.0]))
    two = as_tree((0, np.nextafter(cut, 1), True, [1.0, 0.0], [0.0, 1.0]))
    same, witness = same_function(one, two)
    assert not same
    assert witness[0] == np.nextafter(cut, 1)
    assert same_function(one, two, dtype=np.float32) == (True, None)
    far = as_tree((0, float(np.nextafter(np.float32(cut), 1)), True, [1.0, 0.0], [0.0, 1.0]))
    same, witness = same_function(one, far, dtype=np.float32)
    assert not same
    assert apply(one, witness[None])[0] != apply(far, witness[None])[0]
    with pytest.raises(ValueError, match="classes"):
        same_function(one, as_tree([1.0, 2.0, 3.0]))


@given(st.floats(-1e30, 1e30), st.floats(-1e30, 1e30), st.sampled_from([np.float32, np.float64]))
def test_point_in_is_in_the_box_if_there_is_one(a, b, dtype):
    low, high = min(a, b), max(a, b)
    (x,) = point_in(np.array([low]), np.array([high]), dtype=dtype)
    # float() throughout: NumPy would round a plain number to float32 to compare it with one.
    assert np.isnan(x) or low < float(x) <= high
    if low < float(dtype(high)) <= high:
        assert not np.isnan(x)
    for edges in ([-np.inf, high], [low, np.inf], [-np.inf, np.inf]):
        (x,) = point_in(np.array(edges[:1]), np.array(edges[1:]), dtype=dtype)
        assert edges[0] < float(x) <= edges[1]


@given(SEEDS)
@settings(max_examples=30)
def test_relabel_counts_the_samples_that_reach_each_node(seed):
    tree = random_pair(seed)[1]
    X = points(seed, n=80)
    rng = np.random.default_rng(seed)
    y, weight = rng.integers(3, size=80), rng.integers(0, 3, size=80).astype(float)
    weight[0] = 1.0
    counted = relabel(tree, X, y, weight, empty="parent")
    leaf = apply(tree, X)
    for node in np.flatnonzero(tree.is_leaf):
        rows = leaf == node
        if weight[rows].sum() > 0:
            wanted = np.bincount(y[rows], weight[rows], minlength=3)
            np.testing.assert_array_equal(counted.value[node], wanted)
        assert counted.n_node_samples[node] == (weight[rows] > 0).sum()
    np.testing.assert_array_equal(counted.value[0], np.bincount(y, weight, minlength=3))
    # Without the nodes nobody reaches, the samples still get the same answers.
    dropped = relabel(tree, X, y, weight)
    seen = weight > 0
    np.testing.assert_array_equal(values(dropped, X[seen]), values(counted, X[seen]))
    assert (dropped.weighted_n_node_samples > 0).all()
    check_order(dropped)


def test_relabel_gives_back_what_a_tree_was_grown_on():
    X, y = load_iris(return_X_y=True)
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    again = relabel(tree, X.astype(np.float32), y)
    np.testing.assert_array_equal(again.value, tree.value)
    np.testing.assert_array_equal(again.n_node_samples, tree.n_node_samples)
    np.testing.assert_allclose(again.impurity, tree.impurity, atol=1e-12)


def test_relabel_by_hand():
    tree = as_tree((0, 0.0, True, (1, 0.0, True, [1.0, 0.0], [0.0, 1.0]), [0.0, 1.0]))
    X, y = [[-1.0, 1.0], [-1.0, 2.0], [1.0, 0.0]], [1, 1, 0]
    dropped = relabel(tree, X, y)
    assert dropped.feature.tolist() == [0, -1, -1]
    assert dropped.value.tolist() == [[1.0, 2.0], [0.0, 2.0], [1.0, 0.0]]
    kept = relabel(tree, X, y, empty="parent")
    assert kept.value[2].tolist() == [0.0, 2.0]
    assert kept.n_node_samples.tolist() == [3, 2, 0, 2, 1]
    # All on one side: the root goes too.
    assert relabel(tree, [[-1.0, 1.0]], [0]).value.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("y", "weight", "empty", "words"),
    [
        ([0, 2], None, "drop", "0 to 1"),
        ([0.0, 1.0], None, "drop", "position of a class"),
        ([0], None, "drop", "for each of the 2 samples"),
        ([0, 1], [0.0, 0.0], "drop", "are all zero"),
        ([0, 1], None, "keep", "choose 'drop'"),
    ],
)
def test_relabel_refuses(y, weight, empty, words):
    tree = as_tree((0, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    with pytest.raises(ValueError, match=words):
        relabel(tree, [[0.0], [1.0]], y, weight, empty=empty)


# -- oblique splits ----------------------------------------------------------------------------


def oblique(direction=(1.0, 1.0)):
    tree = as_tree((0, 1.0, True, [2.0, 0.0], (1, 0.0, True, [0.0, 1.0], [0.0, 3.0])))
    normals = np.zeros((5, 2))
    normals[0] = direction
    feature = tree.feature.copy()
    feature[0] = -2
    return Tree(**{**tree.__dict__, "feature": feature, "normals": normals})


def test_an_oblique_split_compares_a_scalar_product():
    X = np.random.default_rng(0).normal(size=(100, 2))
    tree = oblique()
    wanted = np.where(X.sum(axis=1) <= 1.0, 1, np.where(X[:, 1] <= 0.0, 3, 4))
    np.testing.assert_array_equal(apply(tree, X), wanted)
    assert apply(tree, [[np.nan, 5.0]]).tolist() == [1]


def test_oblique_and_straight_trees_are_grafted_and_simplified():
    straight = as_tree((0, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    X = np.random.default_rng(0).normal(size=(200, 2))
    for tree, leaf, other in [(straight, 2, oblique()), (oblique((1.0, -2.0)), 1, oblique())]:
        made = graft(tree, {leaf: other})
        there = apply(tree, X) == leaf
        wanted = np.where(there[:, None], values(other, X), values(tree, X))
        np.testing.assert_array_equal(values(made, X), wanted)
        assert made.normals.shape == (made.node_count, 2)
    small = simplify(oblique())
    assert small.n_leaves == 2
    labels = (values(t, X).argmax(axis=1) for t in (small, oblique()))
    np.testing.assert_array_equal(*labels)


def test_what_needs_columns_refuses_oblique_splits():
    tree, whole = oblique(), np.full(2, np.inf)
    for call in (
        lambda: restrict(tree, -whole, whole),
        lambda: same_function(tree, tree),
        lambda: leaf_boxes(tree, 2),
    ):
        with pytest.raises(ValueError, match="oblique splits"):
            call()
    with pytest.raises(ValueError, match="on 2 columns"):
        apply(tree, np.zeros((1, 3)))
