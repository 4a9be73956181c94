"""Trees whose answers rise or fall with a column, against their slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hist as naive

from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.workspace import GrowWorkspace, grow


def make(seed, n=60, missing=0.0):
    rng = np.random.RandomState(seed)
    X = rng.randint(8, size=(n, 4)).astype(float)
    # Column 0 rises and falls, and column 1 falls: bounds have something to do.
    y = np.sin(X[:, 0]) * 2 - X[:, 1] * 0.5 + rng.normal(size=n)
    X[rng.uniform(size=X.shape) < missing] = np.nan
    return X, y, rng.uniform(0.1, 2, size=n)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    "limits",
    [{"max_depth": 4}, {"max_leaf_nodes": 8, "min_samples_leaf": 3}, {"max_depth": 3, "l2": 2.0}],
)
@pytest.mark.parametrize("categorical", [False, True])
def test_grow_makes_the_best_cuts_within_bounds(missing, limits, categorical):
    X, y, weight = make(1, missing=missing)
    signs = [1, -1, 0, 0]
    is_category = np.array([False, False, False, categorical])
    binned = Binner(categorical=is_category).fit_transform(X)
    workspace = GrowWorkspace(binned)
    penalty = {"category_smooth": 0.0, "category_l2": 0.0, "category_chance": 0.0}
    tree = grow(workspace, weight, target=y, directions=signs, **limits, **penalty)
    codes, l2 = binned.codes.tolist(), limits.get("l2", 0.0)
    centre = np.average(y, weights=weight) if l2 == 0 else 0.0
    target, least = (y - centre).tolist(), limits.get("min_samples_leaf", 1)
    state = {0: (list(range(len(y))), -np.inf, np.inf)}
    for node in range(tree.node_count):
        here, low, high = state[node]
        value = naive.bounded(here, target, weight, l2, low, high)[0]
        assert tree.value[node, 0] == pytest.approx(centre + value)
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            assert (workspace.leaf[here] == node).all()
            continue
        gains = []
        for f in range(4):
            cuts = naive.category_cuts(codes, here, f, target, weight, 0.0)
            if not is_category[f]:
                seen = sorted({codes[i][f] for i in here} - {naive.MISSING})
                below = [[i for i in here if codes[i][f] <= last] for last in seen]
                gaps = [i for i in here if codes[i][f] == naive.MISSING]
                cuts = [
                    (part + more, [i for i in here if i not in part + more])
                    for part in below
                    for more in ([], gaps)
                ]
            for cut in cuts:
                if min(map(len, cut)) >= least:
                    gains.append(naive.bounded_gain(*cut, target, weight, l2, low, high, signs[f]))
        sides = naive.sides(codes, here, tree, node)
        sign = signs[tree.feature[node]]
        own = naive.bounded_gain(*sides, target, weight, l2, low, high, sign)
        assert own == pytest.approx(max(gain for gain in gains if gain is not None))
        assert own > -1e-9
        a, b = (naive.bounded(side, target, weight, l2, low, high)[0] for side in sides)
        middle = (a + b) / 2
        state[left] = (sides[0], middle if sign < 0 else low, middle if sign > 0 else high)
        state[right] = (sides[1], middle if sign > 0 else low, middle if sign < 0 else high)
    assert tree.node_count > 5


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 80),
    l2=st.sampled_from([0.0, 1.0]),
    leaves=st.integers(2, 20),
)
def test_answers_rise_and_fall_as_asked(seed, n, l2, leaves):
    X, y, weight = make(seed, n=n, missing=0.1)
    workspace = GrowWorkspace(Binner().fit_transform(X))
    tree = grow(workspace, weight, target=y, directions=[1, -1, 0, 0], max_leaf_nodes=leaves, l2=l2)
    stacked = stack_trees([tree])
    for f, sign in ((0, 1), (1, -1)):
        asked = np.repeat(X, 10, axis=0)
        asked[:, f] = np.tile(np.arange(-1.0, 9.0), n)
        found = predict_trees(stacked, asked, kind="values")[0].reshape(n, 10)
        assert (np.diff(sign * found, axis=1) >= 0).all()


def test_directions_that_the_data_follow_change_nothing():
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(300, 2))
    y = X[:, 0] * 5 - X[:, 1]
    workspace = GrowWorkspace(Binner().fit_transform(X))
    free = grow(workspace, target=y, max_leaf_nodes=6)
    held = grow(workspace, target=y, max_leaf_nodes=6, directions=[1, -1])
    np.testing.assert_array_equal(held.threshold, free.threshold)
    np.testing.assert_allclose(held.value, free.value)


@pytest.mark.parametrize(
    ("directions", "message"),
    [
        ([1], "directions has 1 values, and X 2 columns"),
        ([2, 0], "directions has 2 for column 0"),
        ([0, -1], "directions has -1 for column 1, which holds categories"),
    ],
)
def test_wrong_directions_are_named(directions, message):
    binned = Binner(categorical=[False, True]).fit_transform([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match=message):
        grow(GrowWorkspace(binned), target=np.array([0.0, 1.0]), directions=directions)


def test_classes_have_no_directions():
    workspace = GrowWorkspace(Binner().fit_transform([[0.0], [1.0]]), [0, 1])
    with pytest.raises(ValueError, match="directions are for regression"):
        grow(workspace, directions=[1])
