"""Columns of categories in trees on bins: against slow twins, and by Fisher's theorem."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hist as naive
from numpy.testing import assert_array_equal

from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.workspace import GrowWorkspace, grow


def make(seed, n=70, n_categories=6, missing=0.0):
    """A column of categories, two of numbers, another of categories; targets and weights."""
    rng = np.random.RandomState(seed)
    X = np.stack(
        [
            rng.randint(n_categories, size=n) * 3,
            rng.randint(5, size=n),
            rng.randint(9, size=n),
            rng.randint(3, size=n) + 60,
        ],
        axis=1,
    ).astype(float)
    effect = rng.normal(size=256)
    y = effect[X[:, 0].astype(int)] + 0.3 * X[:, 1] + rng.normal(size=n) * 0.3
    X[rng.uniform(size=X.shape) < missing] = np.nan
    return X, y, rng.uniform(0.1, 2, size=n)


CATEGORICAL = np.array([True, False, False, True])


PLAIN = {"category_smooth": 0.0, "category_l2": 0.0, "category_chance": 0.0}


def gains(codes, here, f, y, weight, is_category, options, min_samples=1):
    """What each cut of a column gains over the node, all penalties taken off."""
    l2, own, chance = options.get("l2", 0.0), [[row[f]] for row in codes], 0.0
    whole = naive.penalised_fit(here, y, weight, l2)
    if is_category:
        cuts = naive.category_cuts(codes, here, f, y, weight, options["category_smooth"])
        chance = naive.category_chance(codes, here, f, y, weight, options["category_chance"])
        l2 += options["category_l2"]
    else:
        cuts = []
        for _, last, missing in naive.cuts(own, here, y, weight, "squared_error"):
            part = [i for i in here if naive.goes_left(own[i][0], last, missing)]
            cuts.append((part, [i for i in here if i not in part]))
    return {
        frozenset(cut[0]): sum(naive.penalised_fit(side, y, weight, l2) for side in cut)
        - whole
        - chance
        for cut in cuts
        if min(map(len, cut)) >= min_samples
    }


def check(binned, y, weight, tree, leaf, options, *, min_samples=1, grown_out=False):
    """Every split is the best of all cuts, and one that loses is not made.

    ``grown_out``: nothing but that ended the tree, so in a leaf there is no cut that gains.
    """
    codes, weight, y = binned.codes.tolist(), weight.tolist(), y.tolist()
    if options.get("l2", 0.0) == 0:
        y = (np.array(y) - np.average(y, weights=weight)).tolist()
    rows = {0: list(range(len(y)))}
    for node in range(tree.node_count):
        here, left = rows[node], tree.children_left[node]
        assert tree.n_node_samples[node] == len(here)
        if left < 0:
            assert (leaf[here] == node).all()
            if not grown_out or len(here) == 1:
                continue
        found = [
            gains(codes, here, f, y, weight, binned.categorical[f], options, min_samples)
            for f in range(len(codes[0]))
        ]
        best = max((gain for column in found for gain in column.values()), default=-np.inf)
        if left < 0:
            assert best < 1e-9
            continue
        sides = naive.sides(codes, here, tree, node)
        rows[left], rows[tree.children_right[node]] = sides
        own = found[tree.feature[node]]
        gain = max(own.get(frozenset(side), -np.inf) for side in sides)
        assert min(map(len, sides)) >= min_samples
        assert gain == pytest.approx(best)
        assert gain > -1e-9


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 4},
        {"max_leaf_nodes": 7, "min_samples_leaf": 4},
        {"max_leaf_nodes": 7, "l2": 2.0},
    ],
)
@pytest.mark.parametrize(("smooth", "l2", "chance"), [(0.0, 0.0, 0.0), (3.0, 1.5, 0.3)])
def test_grow_makes_the_best_cuts_of_sorted_categories(missing, limits, smooth, l2, chance):
    X, y, weight = make(1, missing=missing)
    binned = Binner(categorical=CATEGORICAL).fit_transform(X)
    workspace = GrowWorkspace(binned)
    options = {"category_smooth": smooth, "category_l2": l2, "category_chance": chance, **limits}
    tree = grow(workspace, weight, target=y, **options)
    assert tree.on_categories.any()
    least = limits.get("min_samples_leaf", 1)
    check(binned, y, weight, tree, workspace.leaf, options, min_samples=least)
    for raw, data in ((True, X), (False, binned.codes)):
        walked = [naive.walk(tree, row, raw=raw) for row in data.tolist()]
        assert_array_equal(workspace.leaf, walked)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 60),
    l2=st.sampled_from([0.0, 0.5, 5.0, 50.0]),
    category_l2=st.sampled_from([0.0, 10.0]),
    chance=st.sampled_from([0.0, 0.5]),
)
def test_a_split_that_costs_more_than_it_brings_is_not_made(seed, n, l2, category_l2, chance):
    X, y, weight = make(seed, n=n, missing=0.1)
    binned = Binner(categorical=CATEGORICAL).fit_transform(X)
    workspace = GrowWorkspace(binned)
    options = {"category_smooth": 2.0, "category_l2": category_l2, "category_chance": chance}
    options["l2"] = l2
    tree = grow(workspace, weight, target=y, **options)
    check(binned, y, weight, tree, workspace.leaf, options, grown_out=True)


def test_noise_is_not_parted():
    """Sixty categories that say nothing lose to a column that says little."""
    rng = np.random.RandomState(0)
    X = np.stack([rng.randint(60, size=1000), rng.normal(size=1000)], axis=1)
    y = 0.15 * X[:, 1] + rng.normal(size=1000)
    workspace = GrowWorkspace(Binner(categorical=[True, False]).fit_transform(X))
    assert grow(workspace, target=y, max_depth=1, category_chance=0.0).feature[0] == 0
    assert grow(workspace, target=y, max_depth=1).feature[0] == 1
    effect = rng.normal(size=60)[X[:, 0].astype(int)]
    assert grow(workspace, target=y + effect, max_depth=1).feature[0] == 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 60), k=st.integers(1, 7))
def test_no_subset_of_categories_is_better_than_the_best_cut_of_their_order(seed, n, k):
    """Fisher's theorem, for squared error without smoothing; a gap goes to the better side."""
    rng = np.random.RandomState(seed)
    X = rng.randint(k, size=(n, 1)).astype(float)
    y, weight = rng.normal(size=n), rng.uniform(0.1, 2, size=n)
    X[rng.uniform(size=n) < 0.1] = np.nan
    binned = Binner(categorical=[True]).fit_transform(X)
    tree = grow(GrowWorkspace(binned), weight, target=y, max_depth=1, **PLAIN)
    codes, rows = binned.codes.tolist(), list(range(n))
    subsets = naive.category_subsets(codes, rows, 0)
    if tree.n_leaves == 1:
        assert not subsets
        return
    sides = naive.sides(codes, rows, tree, 0)
    best = max(naive.penalised_gain(*cut, y, weight, 0.0) for cut in subsets)
    assert naive.penalised_gain(*sides, y, weight, 0.0) == pytest.approx(best)


@pytest.mark.parametrize("n", [30, 4000])  # sorted rows, and bins that are counted
def test_what_a_split_has_not_seen_goes_with_the_missing(n):
    rng = np.random.RandomState(0)
    X = rng.choice([2.0, 7.0, 130.0, 254.0], size=(n, 1))
    X[::7] = np.nan
    y = np.isin(X[:, 0], [7.0, 254.0]) + 1.2 * np.isnan(X[:, 0])
    binned = Binner(categorical=[True]).fit_transform(X)
    workspace = GrowWorkspace(binned)
    for sign in (1, -1):
        tree = grow(workspace, target=sign * y, max_depth=1, **PLAIN)
        asked = np.array([[np.nan], [3.0], [255.0], [-1.0], [2.5], [1e30], [7.0], [130.0]])
        leaves = predict_trees(stack_trees([tree]), asked, kind="leaves")[0]
        assert len(set(leaves[:6])) == 1
        assert_array_equal(leaves, [naive.walk(tree, row, raw=True) for row in asked.tolist()])
        assert tree.missing_go_to_left[0] == (sign < 0)
    # Without gaps they go where most of the weight goes.
    whole = ~np.isnan(X[:, 0])
    binned = Binner(categorical=[True]).fit_transform(X[whole])
    tree = grow(GrowWorkspace(binned), target=(X[whole, 0] == 7.0) * 1.0, max_depth=1)
    assert tree.n_node_samples[2 - tree.missing_go_to_left[0]] > whole.sum() / 2
    asked = predict_trees(stack_trees([tree]), np.array([[5.0], [2.0]]), kind="leaves")[0]
    assert asked[0] == asked[1]


def test_chunks_and_threads_do_not_show(monkeypatch):
    X, y, weight = make(3, n=90, missing=0.1)
    binned = Binner(categorical=CATEGORICAL).fit_transform(X)
    grown = []
    threads = numba.get_num_threads()
    for chunk, n_threads in ((90, 1), (7, 1), (1, threads)):
        monkeypatch.setattr(
            "counterpoint.trees.growing.workspace.chunk_rows", lambda n, chunk=chunk: chunk
        )
        workspace = GrowWorkspace(binned)
        workspace._min_parallel = 0
        numba.set_num_threads(n_threads)
        # With a penalty numbers are measured from 0, not from a mean added up chunk by chunk.
        options = {"max_leaf_nodes": 9, "directions": [0, 1, -1, 0], "l2": 1.0}
        tree = grow(workspace, weight, target=y, **options)
        grown.append((tree, workspace.leaf.copy()))
    numba.set_num_threads(threads)
    for tree, leaf in grown[1:]:
        for name in ("value", "threshold", "categories", "missing_go_to_left"):
            assert_array_equal(getattr(tree, name), getattr(grown[0][0], name))
        assert_array_equal(leaf, grown[0][1])


def test_bins_of_categories_are_the_categories_and_what_is_none_becomes_missing():
    binner = Binner(3, categorical=[True, False])
    binned = binner.fit_transform([[0.0, 1.0], [5.0, 2.0], [np.nan, 3.0], [200.0, 4.0]])
    assert binned.codes[:, 0].tolist() == [0, 5, 255, 200]
    assert binned.n_bins.tolist() == [201, 3]
    other = binner.transform([[201.0, 1.0], [-1.0, 1.0], [0.5, 1.0], [1e30, 1.0], [7.0, 1.0]])
    assert other.codes[:, 0].tolist() == [255, 255, 255, 255, 7]


@pytest.mark.parametrize("wrong", [-1.0, 255.0, 300.0, 0.5])
def test_what_is_no_category_is_named(wrong):
    with pytest.raises(ValueError, match=f"Column 1 of X is one of categories and holds {wrong:g}"):
        Binner(categorical=[False, True]).fit([[1.0, 1.0], [2.0, wrong]])


def test_classes_have_no_categories():
    binned = Binner(categorical=[True]).fit_transform([[0.0], [1.0]])
    with pytest.raises(ValueError, match="y are classes"):
        GrowWorkspace(binned, [0, 1])


def test_many_trees_are_asked_at_once():
    X, y, weight = make(2, missing=0.2)
    binned = Binner(categorical=CATEGORICAL).fit_transform(X)
    workspace = GrowWorkspace(binned)
    plain = GrowWorkspace(Binner().fit_transform(X))
    trees = [grow(w, weight, target=y, max_depth=4) for w in (workspace, plain, workspace)]
    assert trees[1].categories is None
    stacked = stack_trees(trees)
    asked = np.where(np.random.RandomState(0).uniform(size=X.shape) < 0.1, 77.0, X)
    leaves = [[naive.walk(tree, row, raw=True) for row in asked.tolist()] for tree in trees]
    assert_array_equal(predict_trees(stacked, asked, kind="leaves"), leaves)
    values = np.array([t.value[at, 0] for t, at in zip(trees, leaves, strict=True)])
    assert_array_equal(predict_trees(stacked, asked, kind="values"), values)
    total = predict_trees(stacked, asked, kind="value_sum", weights=[1.0, 2.0, 0.5])
    np.testing.assert_allclose(total[:, 0], [1.0, 2.0, 0.5] @ values)
