"""Histogram trees against their slow twins; small enough to run without the compiler."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hist as naive
from numba import njit

from counterpoint._kernels import binning, forest, hist_scan
from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.workspace import GrowWorkspace, grow

CLASS_CRITERIA = ("gini", "entropy")


def make(seed, n=40, d=3, n_classes=2, missing=0.0, levels=9):
    rng = np.random.RandomState(seed)
    X = rng.randint(levels, size=(n, d)).astype(float)
    y = rng.randint(n_classes, size=n)
    X[:, 0] += 2 * y
    X[rng.uniform(size=X.shape) < missing] = np.nan
    return X, y, rng.uniform(0.1, 2, size=n)


def check_splits(binned, y, weight, tree, leaf, criterion, min_samples=1):
    """Every split is as good as the best of all cuts; every leaf has nothing to split."""
    codes, y, weight = binned.codes.tolist(), np.asarray(y).tolist(), weight.tolist()
    rows = {0: list(range(len(y)))}
    total = sum(weight)
    for node in range(tree.node_count):
        here = rows[node]
        assert tree.n_node_samples[node] == len(here)
        assert tree.weighted_n_node_samples[node] == pytest.approx(sum(weight[i] for i in here))
        own = naive.impurity(here, y, weight, criterion)
        assert tree.impurity[node] == pytest.approx(own / sum(weight[i] for i in here), abs=1e-9)
        if criterion == "squared_error":
            mean = np.average([y[i] for i in here], weights=[weight[i] for i in here])
            assert tree.value[node, 0] == pytest.approx(mean)
        else:
            sums = [sum(weight[i] for i in here if y[i] == k) for k in range(tree.value.shape[1])]
            np.testing.assert_allclose(tree.value[node], sums, rtol=1e-12, atol=1e-12)
        left = tree.children_left[node]
        if left < 0:
            assert all(leaf[i] == node for i in here)
            continue
        found = naive.cuts(codes, here, y, weight, criterion, min_samples)
        chosen = {
            i: naive.goes_left(
                codes[i][tree.feature[node]],
                tree.bin_threshold[node],
                tree.missing_go_to_left[node],
            )
            for i in here
        }
        rows[left] = [i for i in here if chosen[i]]
        rows[tree.children_right[node]] = [i for i in here if not chosen[i]]
        sides = sum(
            naive.impurity(rows[c], y, weight, criterion) for c in (left, tree.children_right[node])
        )
        assert min(len(rows[left]), len(rows[tree.children_right[node]])) >= min_samples
        assert own - sides == pytest.approx(max(found.values()), abs=1e-9 * total)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize(
    ("n_classes", "missing", "limits"),
    [
        (2, 0.0, {"max_depth": 3}),
        (2, 0.3, {"max_depth": 3}),
        (3, 0.2, {"max_depth": 3, "min_samples_leaf": 4}),
        (4, 0.0, {"max_leaf_nodes": 5}),
        (5, 0.1, {"max_depth": 4, "min_samples_split": 10}),
    ],
)
def test_grow_makes_the_best_cuts(criterion, n_classes, missing, limits):
    X, y, weight = make(n_classes, n_classes=n_classes, missing=missing)
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned, y, n_classes=n_classes)
    tree = grow(workspace, weight, criterion=criterion, **limits)
    assert tree.node_count > 3
    min_samples = limits.get("min_samples_leaf", 1)
    check_splits(binned, y, weight, tree, workspace.leaf, criterion, min_samples)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_leaf_nodes": 5, "min_samples_leaf": 3}])
def test_grow_on_targets_makes_the_best_cuts(missing, limits):
    X, y, weight = make(0, missing=missing)
    target = y * 3 + np.random.RandomState(1).normal(size=len(y))
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned)
    tree = grow(workspace, weight, target=target, **limits)
    assert tree.node_count > 3
    min_samples = limits.get("min_samples_leaf", 1)
    check_splits(binned, target, weight, tree, workspace.leaf, "squared_error", min_samples)


@pytest.mark.parametrize("d", [8, 10, 12, 14])
def test_columns_that_share_a_word_are_told_apart(d):
    X, y, weight = make(d, d=d, missing=0.1)
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned, y, n_classes=2)
    tree = grow(workspace, weight, max_depth=2, min_samples_leaf=2)
    check_splits(binned, y, weight, tree, workspace.leaf, "gini", 2)
    target = X[:, d - 1] * (y + 1)  # the last of a word counts
    target[np.isnan(target)] = 0.0
    workspace = GrowWorkspace(binned)
    tree = grow(workspace, weight, target=target, max_depth=2)
    assert d - 1 in tree.feature
    check_splits(binned, target, weight, tree, workspace.leaf, "squared_error")


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_penalty_draws_leaves_to_zero_and_chooses_splits_by_what_is_then_gained(missing):
    X, y, weight = make(2, n=60, missing=missing)
    target = y * 3 + np.random.RandomState(1).normal(size=len(y))
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned)
    tree = grow(workspace, weight, target=target, max_leaf_nodes=6, l2=5.0)
    assert tree.n_leaves == 6
    codes = binned.codes.tolist()
    rows = {0: list(range(len(y)))}
    for node in range(tree.node_count):
        here = rows[node]
        total = sum(weight[i] for i in here)
        pull = sum(weight[i] * target[i] for i in here)
        assert tree.value[node, 0] == pytest.approx(pull / (total + 5.0))
        left = tree.children_left[node]
        if left < 0:
            continue
        sides = naive.sides(codes, here, tree, node)
        rows[left], rows[tree.children_right[node]] = sides
        best = max(naive.penalised_gains(codes, here, target, weight, 5.0).values())
        assert naive.penalised_gain(*sides, target, weight, 5.0) == pytest.approx(best)


def test_columns_that_are_barred_are_not_split_on_and_others_as_if_they_were_not_there():
    X, y, weight = make(6, n=80, d=9, missing=0.1)
    allowed = np.array([True, False, False, True, False, True, False, False, True])
    binned = Binner().fit_transform(X)
    barred = grow(GrowWorkspace(binned, y), weight, max_depth=4, columns=allowed)
    alone = grow(GrowWorkspace(Binner().fit_transform(X[:, allowed]), y), weight, max_depth=4)
    feature = np.append(np.flatnonzero(allowed), -1)[alone.feature]
    np.testing.assert_array_equal(barred.feature, feature)
    np.testing.assert_array_equal(barred.threshold, alone.threshold)
    np.testing.assert_array_equal(barred.value, alone.value)


def test_a_workspace_of_some_rows_grows_what_those_rows_alone_would():
    X, y, weight = make(7, n=90, d=4)
    binned = Binner().fit_transform(X)
    whole = GrowWorkspace(binned, y)
    for seed in range(2):  # the second time in the memory of the first
        rows = np.sort(np.random.RandomState(seed).permutation(len(X))[:50])
        part = whole.take(rows)
        tree = grow(part, weight[rows], max_depth=4)
        alone = GrowWorkspace(Binner().fit(X).transform(X[rows]), y[rows])
        own = grow(alone, weight[rows], max_depth=4)
        np.testing.assert_array_equal(tree.value, own.value)
        np.testing.assert_array_equal(tree.threshold, own.threshold)
        np.testing.assert_array_equal(part.leaf, alone.leaf)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 30),
    d=st.integers(1, 9),
    n_classes=st.integers(1, 4),
    criterion=st.sampled_from(CLASS_CRITERIA),
    depth=st.integers(0, 4),
)
def test_grow_on_any_data(seed, n, d, n_classes, criterion, depth):
    X, y, weight = make(seed, n=n, d=d, n_classes=n_classes, missing=0.15, levels=4)
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned, y, n_classes=n_classes)
    tree = grow(workspace, weight, criterion=criterion, max_depth=depth)
    assert tree.max_depth <= depth
    check_splits(binned, y, weight, tree, workspace.leaf, criterion)
    for leaf in np.unique(workspace.leaf):
        rows = np.flatnonzero(workspace.leaf == leaf).tolist()
        if tree.max_depth < depth and tree.impurity[leaf] > 1e-12:
            cuts = naive.cuts(binned.codes.tolist(), rows, y.tolist(), weight.tolist(), criterion)
            assert not cuts
    for raw, data in ((True, X), (False, binned.codes)):
        walked = [naive.walk(tree, row, raw=raw) for row in data.tolist()]
        np.testing.assert_array_equal(workspace.leaf, walked)


def test_chunks_do_not_show(monkeypatch):
    X, y, weight = make(3, n=50, d=8, missing=0.1)
    binned = Binner().fit_transform(X)
    trees = []
    for chunk in (50, 7, 1):
        monkeypatch.setattr(
            "counterpoint.trees.growing.workspace.chunk_rows", lambda n, chunk=chunk: chunk
        )
        workspace = GrowWorkspace(binned, y)
        trees.append((grow(workspace, weight, max_depth=3), workspace.leaf.copy()))
    for tree, leaf in trees[1:]:
        np.testing.assert_array_equal(tree.value, trees[0][0].value)
        np.testing.assert_array_equal(tree.threshold, trees[0][0].threshold)
        np.testing.assert_array_equal(leaf, trees[0][1])


def test_few_histograms_kept_give_the_same_tree(monkeypatch):
    X, y, weight = make(4, n=60, d=4, n_classes=3)
    binned = Binner().fit_transform(X)
    plenty = grow(GrowWorkspace(binned, y), weight)
    monkeypatch.setattr("counterpoint.trees.growing.workspace._HIST_BYTES", 0)
    few = grow(GrowWorkspace(binned, y), weight)
    assert plenty.node_count > 20
    np.testing.assert_array_equal(few.value, plenty.value)
    np.testing.assert_array_equal(few.bin_threshold, plenty.bin_threshold)


def test_room_for_nodes_is_made_when_needed(monkeypatch):
    X, y, weight = make(5, n=60, d=4, n_classes=3)
    binned = Binner().fit_transform(X)
    at_once = grow(GrowWorkspace(binned, y), weight)
    monkeypatch.setattr("counterpoint.trees.growing.workspace._CAPACITY", 4)
    step_by_step = grow(GrowWorkspace(binned, y), weight)
    assert at_once.node_count > 16
    np.testing.assert_array_equal(step_by_step.value, at_once.value)


@njit
def _call_x_log_x(x, out, exponent, mantissa):
    hist_scan._add_x_log_x(x, -1.0, out, exponent, mantissa)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@settings(max_examples=30, deadline=None)
def test_x_log_x(values):
    x, out = np.array(values), np.ones(len(values))
    _call_x_log_x(x, out, np.empty(len(x)), np.empty(len(x)))
    expected = [1 - v * math.log2(v) if v > 1e-300 else 1.0 for v in values]
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)


@given(counts=st.lists(st.integers(1, 30), min_size=1, max_size=40), max_bins=st.integers(2, 12))
@settings(max_examples=40, deadline=None)
def test_cut_points_share_the_rows(counts, max_bins):
    values = np.arange(len(counts), dtype=float)
    edges = binning.cut_points(values, np.array(counts), max_bins)
    assert len(edges) <= max_bins - 1
    assert (np.diff(edges) > 0).all()
    if len(counts) <= max_bins and len(set(counts)) == 1:
        np.testing.assert_array_equal(edges, values[:-1] + 0.5)
    held = np.bincount(np.searchsorted(edges, values), weights=counts)
    # No bin of several values holds more than its share and half a value too many.
    several = np.bincount(np.searchsorted(edges, values)) > 1
    assert (held[several] <= sum(counts) / max_bins + max(counts)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_encode_matches_naive(dtype):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(30, 3)).astype(dtype)
    X[::7, 1] = np.nan
    edges = np.full((3, 256), np.inf)
    for f, n in enumerate((0, 5, 20)):
        edges[f, :n] = np.sort(rng.choice(X[:, f][~np.isnan(X[:, f])], n, replace=False))
    codes = binning.encode(X, edges)
    for f in range(3):
        cuts = edges[f][np.isfinite(edges[f])].tolist()
        assert codes[:, f].tolist() == naive.codes_of(X[:, f].astype(float).tolist(), cuts)


@pytest.mark.parametrize("per_word", [1, 3, 7])
def test_pack_words_matches_naive(per_word):
    rng = np.random.RandomState(0)
    codes = rng.randint(4, size=(10, 9)).astype(np.uint8)
    codes[rng.uniform(size=codes.shape) < 0.2] = binning.MISSING
    y, n_bins = rng.randint(3, size=10).astype(np.uint8), np.full(9, 4)
    words = np.empty((-(-9 // per_word), 10), dtype=np.uint64)
    binning.pack_words(codes, y, n_bins, per_word, words)
    assert words.tolist() == naive.words_of(codes.tolist(), y.tolist(), [4] * 9, per_word)


@pytest.mark.parametrize("bins", [False, True])
def test_forest_matches_walking(bins):
    X, y, weight = make(0, n=30, n_classes=3, missing=0.2)
    binned = Binner().fit_transform(X)
    workspace = GrowWorkspace(binned, y)
    trees = [grow(workspace, weight, max_depth=depth) for depth in (0, 1, 4)]
    stacked = stack_trees(trees)
    data, rows = (binned, binned.codes) if bins else (X, X)
    leaves = np.array([[naive.walk(t, r, raw=not bins) for r in rows.tolist()] for t in trees])
    np.testing.assert_array_equal(predict_trees(stacked, data, kind="leaves"), leaves)
    votes = np.array([t.value.argmax(axis=1)[own] for t, own in zip(trees, leaves, strict=True)])
    np.testing.assert_array_equal(predict_trees(stacked, data), votes)
    first = np.array([t.value[own, 0] for t, own in zip(trees, leaves, strict=True)])
    np.testing.assert_array_equal(predict_trees(stacked, data, kind="values"), first)
    weights = [0.5, 2.0, 1.0]
    heard = sum(w * (v[:, None] == np.arange(3)) for w, v in zip(weights, votes, strict=True))
    total = sum(w * t.value[own] for w, t, own in zip(weights, trees, leaves, strict=True))
    actual = predict_trees(stacked, data, kind="vote_sum", weights=weights)
    np.testing.assert_allclose(actual, heard)
    actual = predict_trees(stacked, data, kind="value_sum", weights=weights)
    np.testing.assert_allclose(actual, total)


@njit
def _descend(*arguments):
    forest._descend(*arguments)  # only compiled code calls it


def test_descend_sends_missing_its_own_way():
    tree = SimpleNamespace(
        feature=np.zeros(3, np.int32),
        cut=np.array([0.0, np.inf, np.inf]),
        children=np.array([[1, 2, 2], [1, 1, 1], [2, 2, 2]], dtype=np.int32),
    )
    at = np.empty(3, dtype=np.int32)
    X = np.array([[0.0], [0.1], [np.nan]])
    _descend(X, 0, 3, np.nan, 0, 1, tree.feature, tree.cut, tree.children, at)
    assert at.tolist() == [1, 2, 2]
