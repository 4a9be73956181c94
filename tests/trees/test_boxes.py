"""Leaves as boxes, volumes and overlaps, against trees of nested tuples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import trees as naive
from random_trees import as_tree, points, random_pair
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import TreeEnsemble, apply, leaf_boxes, take_trees
from counterpoint.trees.boxes import box_volumes, data_bounds, leaf_missing, overlap
from counterpoint.trees.cells import all_cells, cells_at, count_cells, sample_overlaps

SEEDS = st.integers(0, 10_000)
BOUNDS = (np.array([-1.0, -1.0]), np.array([4.0, 4.0]))


def random_ensemble(seed, n_trees=3, depth=3, **options):
    pairs = [random_pair(seed + 100_000 * k, depth=depth) for k in range(n_trees)]
    options = {"kind": "shares", "dtype": np.float64} | options
    trees = TreeEnsemble(
        trees=tuple(tree for _, tree in pairs),
        weights=np.arange(1.0, n_trees + 1),
        classes=np.arange(3),
        n_features=2,
        **options,
    )
    return [nested for nested, _ in pairs], trees


@given(SEEDS)
@settings(max_examples=40)
def test_leaf_boxes_partition_the_space(seed):
    nested, tree = random_pair(seed)
    leaf, lower, upper = leaf_boxes(tree, 2)
    X = points(seed)
    inside = ((X[:, None] > lower) & (X[:, None] <= upper)).all(axis=2)
    assert (inside.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(leaf[inside.argmax(axis=1)], apply(tree, X))
    wanted = naive.leaves(nested, [-np.inf] * 2, [np.inf] * 2)
    np.testing.assert_array_equal(lower, [low for _, low, _ in wanted])
    np.testing.assert_array_equal(upper, [high for _, _, high in wanted])


@given(SEEDS)
@settings(max_examples=40)
def test_volumes_sum_to_the_whole(seed):
    _, lower, upper = leaf_boxes(random_pair(seed)[1], 2)
    volumes = box_volumes(lower, upper, BOUNDS)
    np.testing.assert_allclose(volumes.sum(), 25.0)
    np.testing.assert_allclose(box_volumes(lower, upper, BOUNDS, relative=True), volumes / 25)
    logs = box_volumes(lower, upper, BOUNDS, log=True)
    np.testing.assert_allclose(np.exp(logs), volumes)
    assert np.isneginf(logs[volumes == 0]).all()


def test_volumes_of_a_column_without_extent():
    lower = np.array([[-np.inf, -np.inf], [0.5, -np.inf], [-np.inf, 2.0]])
    upper = np.array([[0.5, 2.0], [np.inf, 2.0], [np.inf, np.inf]])
    bounds = ([0.0, 2.0], [1.0, 2.0])
    assert box_volumes(lower, upper, bounds).tolist() == [0.5, 0.5, 0.0]
    assert box_volumes(lower, upper, bounds, relative=True).tolist() == [0.5, 0.5, 0.0]


def test_logarithms_of_volumes_where_volumes_are_no_numbers():
    lower, upper = np.full((1, 400), -np.inf), np.full((1, 400), 0.1)
    bounds = (np.zeros(400), np.ones(400))
    assert box_volumes(lower, upper, bounds)[0] == 0.0
    np.testing.assert_allclose(box_volumes(lower, upper, bounds, log=True), 400 * np.log(0.1))


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (([0.0], [1.0]), "shapes"),
        (([0.0, 0.0], [1.0, np.inf]), "finite"),
        (([2.0, 0.0], [1.0, 1.0]), "low not above high"),
    ],
)
def test_volumes_refuse(bounds, words):
    with pytest.raises(ValueError, match=words):
        box_volumes(np.zeros((1, 2)), np.ones((1, 2)), bounds)


def test_data_bounds():
    low, high = data_bounds([[1.0, np.nan, np.nan], [3.0, 2.0, np.nan]])
    assert low.tolist() == [1.0, 2.0, 0.0]
    assert high.tolist() == [3.0, 2.0, 0.0]
    with pytest.raises(ValueError, match="not empty"):
        data_bounds(np.empty((0, 2)))


@given(SEEDS)
@settings(max_examples=30)
def test_leaf_missing_says_where_missing_values_end(seed):
    tree = random_pair(seed)[1]
    X = points(seed, missing=True, n=200)
    leaf = np.flatnonzero(tree.is_leaf)
    at = np.searchsorted(leaf, apply(tree, X))
    assert leaf_missing(tree, 2)[at][np.isnan(X)].all()


def test_leaf_missing_by_hand():
    tree = as_tree((0, 1.0, True, [1.0, 0.0], (1, 2.0, False, [1.0, 0.0], [0.0, 1.0])))
    assert leaf_missing(tree, 2).tolist() == [[True, True], [False, False], [False, True]]


@given(SEEDS, SEEDS)
@settings(max_examples=30)
def test_overlap_of_two_trees_is_their_cells(first, second):
    one, two = random_pair(first), random_pair(second)
    boxes = [leaf_boxes(tree, 2)[1:] for _, tree in (one, two)]
    _, lower, upper = overlap(*boxes[0], *boxes[1])
    wanted = naive.cells([one[0], two[0]], 2)
    got = {(tuple(low), tuple(high)) for low, high in zip(lower, upper, strict=True)}
    assert got == set(wanted)
    with pytest.raises(ValueError, match="same columns"):
        overlap(*boxes[0], np.zeros((1, 3)), np.ones((1, 3)))


@given(SEEDS)
@settings(max_examples=30)
def test_all_cells_are_those_of_the_nested_trees(seed):
    nested, ensemble = random_ensemble(seed)
    lower, upper, scores = all_cells(ensemble)
    wanted = naive.cells(nested, 2)
    assert len(lower) == len(wanted) == count_cells(ensemble)
    for low, high, score in zip(lower, upper, scores, strict=True):
        told = np.zeros(3)
        for weight, leaf in zip(ensemble.weights, wanted[tuple(low), tuple(high)], strict=True):
            told += weight * (np.array(leaf) / sum(leaf) if sum(leaf) else np.full(3, 1 / 3))
        np.testing.assert_allclose(score, told)
    np.testing.assert_allclose(box_volumes(lower, upper, BOUNDS).sum(), 25.0)


@given(SEEDS, st.sampled_from(["votes", "shares", "scores"]))
@settings(max_examples=30)
def test_cells_at_hold_their_samples(seed, kind):
    _, ensemble = random_ensemble(seed, kind=kind, offset=np.array([0.0, 0.5, 0.0]))
    X = points(seed)
    lower, upper, scores = cells_at(ensemble, X)
    assert ((lower < X) & (upper >= X)).all()
    np.testing.assert_allclose(scores, ensemble.score(X))
    cells = {(*low, *high) for low, high in zip(*all_cells(ensemble)[:2], strict=True)}
    assert {(*low, *high) for low, high in zip(lower, upper, strict=True)} <= cells


@given(SEEDS)
@settings(max_examples=20)
def test_drawn_overlaps_are_cells_and_all_are_drawn(seed):
    _, ensemble = random_ensemble(seed, n_trees=2)
    cells = [(*low, *high) for low, high in zip(*all_cells(ensemble)[:2], strict=True)]
    lower, upper, scores = sample_overlaps(ensemble, 3000, random_state=seed)
    at = [cells.index((*low, *high)) for low, high in zip(lower, upper, strict=True)]
    np.testing.assert_allclose(scores, all_cells(ensemble)[2][at])
    assert set(at) == set(range(len(cells)))


def test_draws_of_one_tree_are_even():
    X, y = load_iris(return_X_y=True)
    ensemble = take_trees(DecisionTreeClassifier(random_state=0).fit(X, y))
    lower, _, _ = sample_overlaps(ensemble, 9000, random_state=0)
    counts = np.unique(lower, axis=0, return_counts=True)[1]
    n_leaves = ensemble.trees[0].n_leaves
    assert counts.sum() == 9000
    # Lower edges name some leaves together; none may come less often than a leaf should.
    assert counts.min() > 0.85 * 9000 / n_leaves


def test_draws_are_near_uniform_over_the_cells_of_three_trees():
    # The claim is "roughly": within a factor of 4 of the even share, on the whole.
    _, ensemble = random_ensemble(5, depth=4)
    lower, upper, _ = sample_overlaps(ensemble, 40_000, random_state=0)
    counts = np.unique(np.hstack([lower, upper]), axis=0, return_counts=True)[1]
    share = counts * count_cells(ensemble) / 40_000
    assert len(counts) == count_cells(ensemble)
    assert share.max() < 4
    assert share.min() > 1 / 4


def test_draws_by_data_and_by_volume_follow_them():
    _, ensemble = random_ensemble(3)
    X = np.array([[0.5, 0.5], [2.5, 2.5]])
    lower, upper, _ = sample_overlaps(ensemble, 50, 0, "data", X, noise=0.0)
    held = [((lower < x) & (upper >= x)).all(axis=1) for x in X]
    assert (held[0] ^ held[1]).all() or (held[0] & held[1]).all()
    corners = np.array([BOUNDS[0], BOUNDS[1]])
    lower, upper, _ = sample_overlaps(ensemble, 20_000, 0, "volume", corners)
    boxes, counts = np.unique(np.hstack([lower, upper]), axis=0, return_counts=True)
    shares = box_volumes(boxes[:, :2], boxes[:, 2:], BOUNDS, relative=True)
    np.testing.assert_allclose(counts / 20_000, shares, atol=0.02)


def test_draws_repeat_with_the_seed():
    X, y = load_breast_cancer(return_X_y=True)
    ensemble = take_trees(RandomForestClassifier(8, random_state=0).fit(X, y))
    for how in ("uniform", "data", "volume"):
        one = sample_overlaps(ensemble, 30, 1, how, X)
        two = sample_overlaps(ensemble, 30, 1, how, X)
        for a, b in zip(one, two, strict=True):
            np.testing.assert_array_equal(a, b)


def test_bad_input():
    _, ensemble = random_ensemble(5, depth=4)
    with pytest.raises(ValueError, match="choose 'uniform'"):
        sample_overlaps(ensemble, 3, how="grid")
    with pytest.raises(ValueError, match="n=0: give a whole number"):
        sample_overlaps(ensemble, 0)
    with pytest.raises(ValueError, match="pass X"):
        sample_overlaps(ensemble, 3, how="data")
    with pytest.raises(ValueError, match="missing values"):
        sample_overlaps(ensemble, 3, how="data", X=[[np.nan, 1.0]])
    with pytest.raises(ValueError, match="missing values"):
        cells_at(ensemble, [[np.nan, 1.0]])
    with pytest.raises(ValueError, match="limit=0"):
        count_cells(ensemble, 0)
    assert count_cells(ensemble, 5) == 6
    with pytest.raises(ValueError, match="more than limit=5"):
        all_cells(ensemble, 5)
    with pytest.raises(ValueError, match="column 1"):
        leaf_boxes(as_tree((1, 1.0, True, [1.0, 0.0], [0.0, 1.0])), 1)
