"""Pruning by volume, and overlaps met on walks."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import make_ripley
from counterpoint.trees import EnsembleTreeClassifier, from_sklearn, take_trees
from counterpoint.trees.boxes import box_volumes, data_bounds
from counterpoint.trees.cells import all_cells, sample_overlaps
from counterpoint.trees.pruning.volume import prune_by_volume

X, Y = make_ripley(random_state=0)
X = X.astype(np.float32).astype(float)
TREES = take_trees(
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), 5, random_state=0).fit(X, Y)
)


def by_hand(tree, low, high, least, node=0):
    """Labels by (volume, label) of leaves; a node below the least becomes one leaf."""
    whole = np.prod(BOUNDS[1] - BOUNDS[0])
    volume = np.prod(np.maximum(high - low, 0)) / whole
    if tree.children_left[node] == -1:
        return [(volume, int(tree.value[node].argmax()))]
    parts = []
    for side, child in enumerate((tree.children_left[node], tree.children_right[node])):
        edges = [low.copy(), high.copy()]
        f, at = tree.feature[node], tree.threshold[node]
        edges[1 - side][f] = min(max(at, low[f]), high[f])
        parts += by_hand(tree, *edges, least if volume >= least else 0.0, child)
    if volume >= least:
        return parts
    each = [sum(v for v, label in parts if label == k) for k in (0, 1)]
    return [(volume, int(np.argmax(each)))]


BOUNDS = data_bounds(X)


@pytest.mark.parametrize("least", [0.0, 0.01, 0.1, 0.6, 1.0])
def test_small_nodes_become_leaves_that_decide_by_volume(least):
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, Y))
    pruned = prune_by_volume(tree, BOUNDS, least)
    expected = [leaf for leaf in by_hand(tree, *BOUNDS, least) if leaf[0] > 0]
    ours = [leaf for leaf in by_hand(pruned, *BOUNDS, 0.0) if leaf[0] > 0]
    assert [label for _, label in ours] == [label for _, label in expected]
    np.testing.assert_allclose([v for v, _ in ours], [v for v, _ in expected], atol=1e-12)


def test_an_equivalent_tree_gets_smaller_with_the_threshold():
    pool = BaggingClassifier(DecisionTreeClassifier(max_depth=4), 5, random_state=0)
    sizes, agreements = [], []
    for least in (0.0, 0.001, 0.01, 0.1):
        pruning = {"criterion": "volume", "least": least}
        one = EnsembleTreeClassifier(pool, pruning=pruning, random_state=0).fit(X, Y)
        sizes.append(one.n_leaves_)
        agreements.append(one.faithfulness_.agreement if least else 1.0)
        assert one.exact_ == (least == 0)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 2
    assert min(agreements) > 0.8


def shares(n, steps, seed=0, start=X[:1]):
    """How far the overlaps met on a walk are from their shares of the volume: total variation."""
    lower, upper, _ = all_cells(TREES)
    exact = box_volumes(lower, upper, BOUNDS, relative=True)
    rows = np.concatenate([start, np.stack(BOUNDS)]) if len(start) == 1 else start
    met, *_ = sample_overlaps(TREES, n, seed, "walk", rows, steps=steps, noise=0.3)
    where = {tuple(edge): k for k, edge in enumerate(lower)}
    seen = np.bincount([where[tuple(edge)] for edge in met], minlength=len(lower)) / n
    assert exact.sum() == pytest.approx(1.0)
    return 0.5 * np.abs(seen - exact).sum()


def test_walks_converge_to_the_shares_of_volume():
    far = shares(20_000, 20, start=X[:30])
    near = shares(20_000, 20_000)
    longer = shares(300_000, 300_000)
    assert far > near > longer
    assert longer < 0.02


def test_walks_make_a_tree_that_agrees():
    one = EnsembleTreeClassifier(
        BaggingClassifier(DecisionTreeClassifier(max_depth=3), 5, random_state=0),
        method="sample", sampling="walk", n_overlaps=2000, random_state=0,
    ).fit(X, Y)  # fmt: skip
    assert one.faithfulness_.agreement > 0.97
