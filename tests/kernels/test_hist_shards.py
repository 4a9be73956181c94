import numpy as np
import pytest
from naive import hist_shards as naive

from counterpoint._kernels import hist
from counterpoint._kernels import hist_shards as kernels
from counterpoint.trees.binning import Binner
from counterpoint.trees.growing.shards import ShardedWorkspace
from counterpoint.trees.growing.workspace import GrowWorkspace, grow


@pytest.mark.parametrize("shares", [1, 3])
@pytest.mark.parametrize("is_regression", [False, True])
def test_sums_over_rows_match_the_naive_ones(is_regression, shares):
    rng = np.random.default_rng(0)
    n, d, group, n_classes = 250, 5, 60, 3
    n_bins = np.array([4, 7, 2, 7, 5])
    codes = np.zeros((5, d, group), dtype=np.uint8)
    for f in range(d):  # one more than the bins: missing
        codes[:, f] = rng.integers(n_bins[f] + 1, size=(5, group))
    y = np.empty(0, np.uint8) if is_regression else rng.integers(n_classes, size=n).astype(np.uint8)
    target = rng.normal(size=n) if is_regression else np.empty(0)
    weight = rng.exponential(size=n)
    tree = [(1, 1, 3, 0), (3, 0, 1, 1), (5, 4, 2, 0), *[(-1, -1, 0, 0)] * 4]
    fields = np.zeros((hist.N_FIELDS, len(tree)), dtype=np.int64)
    for field, k in ((hist.LEFT, 0), (hist.FEATURE, 1), (hist.BIN, 2), (hist.MISSING_LEFT, 3)):
        fields[field] = [node[k] for node in tree]
    scales = np.zeros(7)
    scales[kernels.WEIGHT_UNIT], scales[kernels.CENTRE] = 2.0**40, 0.1
    scales[kernels.TARGET_UNIT] = 2.0**38
    built, first, per_word, width = np.array([-1, -1, -1, 1, -1, 0, 2]), 3, 3, 8
    leaf = np.zeros(n, dtype=np.int32)
    n_sums = 2 if is_regression else n_classes
    found = np.zeros((shares, 3, 2, n_sums * per_word * width), dtype=np.int64)
    counts = np.zeros((shares, 3, 2, per_word * width), dtype=np.int64)
    n_rows, squares = np.zeros((shares, 4), dtype=np.int64), np.zeros((5, 4))
    kernels.add_up(
        codes, y, weight, target, leaf, fields, np.zeros((0, 1, 8), dtype=np.uint64), n_bins,
        np.zeros(d, dtype=np.uint8), scales, built, first, found, counts, n_rows, squares, per_word,
        width, shares,
    )  # fmt: skip
    expected = naive.add_up(
        codes, y, weight, target, [0] * n, tree, n_bins, (2.0**40, 0.1, 2.0**38), built, first,
        per_word, width,
    )  # fmt: skip
    for actual, right in zip((leaf, *(a.sum(axis=0) for a in (found, counts, n_rows))), expected):
        np.testing.assert_array_equal(actual, right)
    np.testing.assert_allclose(squares, expected[-1], rtol=1e-12)


def test_weights_and_targets_are_measured_by_group():
    rng = np.random.default_rng(1)
    weight, target, partial = rng.uniform(size=25), rng.normal(size=25), np.zeros((3, 3))
    kernels.measure(kernels.TOTALS, 10, weight, target, 0.0, partial)
    kernels.measure(kernels.SPREAD, 10, weight, target, 0.5, partial)
    for g in range(3):
        rows = slice(10 * g, 10 * g + 10)
        w, t = weight[rows], target[rows]
        expected = [w.sum(), w @ t, w @ np.abs(t - 0.5)]
        np.testing.assert_allclose(partial[:, g], expected)


class RowsInMemory:
    """Answers of plain arrays to what a workspace without rows asks."""

    def __init__(self, binned, weight, *, y=None, target=None, group=16):
        self.n_rows, self.group = len(weight), group
        n_groups = -(-self.n_rows // group)
        padded = np.zeros((n_groups * group, binned.n_features), dtype=np.uint8)
        padded[: self.n_rows] = np.minimum(binned.codes, binned.n_bins)  # the last is "missing"
        self.codes = np.ascontiguousarray(padded.reshape(n_groups, group, -1).transpose(0, 2, 1))
        self.y = np.empty(0, np.uint8) if y is None else y.astype(np.uint8)
        self.weight, self.target = weight, np.empty(0) if target is None else target
        self.n_bins, self.leaf = binned.n_bins, np.zeros(self.n_rows, dtype=np.int32)
        self.tree = 0

    def total_weight(self):
        return float(self.weight.sum())

    def measure(self, kind, centre):
        found = np.zeros((3, len(self.codes)))
        kernels.measure(kind, self.group, self.weight, self.target, centre, found)
        return found

    def add_up(self, wanted):
        if wanted.tree != self.tree:
            self.tree, self.leaf[:] = wanted.tree, 0
        n_new = wanted.nodes.shape[1] - wanted.first
        found = np.zeros((1, *wanted.shape), dtype=np.int64)
        counts = np.zeros((1, *wanted.counts_shape), dtype=np.int64)
        n_rows, squares = np.zeros((1, n_new), dtype=np.int64), np.zeros((len(self.codes), n_new))
        kernels.add_up(
            self.codes, self.y, self.weight, self.target, self.leaf, wanted.nodes, wanted.sets,
            self.n_bins, wanted.flags, wanted.scales, wanted.built, wanted.first, found, counts,
            n_rows, squares, wanted.per_word, wanted.width, 1,
        )  # fmt: skip
        return found[0], counts[0], n_rows[0], squares


@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_leaf_nodes": 5, "min_samples_leaf": 3}])
@pytest.mark.parametrize("is_regression", [False, True])
def test_sums_alone_grow_the_tree_that_the_rows_grow(is_regression, limits):
    rng = np.random.default_rng(2)
    X = rng.integers(9, size=(70, 9)).astype(float)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    weight = rng.uniform(0.1, 2.0, size=70)
    y = (np.nan_to_num(X[:, 8]) > 4) + rng.integers(2, size=70)
    target = y + rng.normal(size=70) if is_regression else None
    binned = Binner().fit_transform(X)
    whole = GrowWorkspace(binned, None if is_regression else y)
    expected = grow(whole, weight, target=target, **limits)
    rows = RowsInMemory(binned, weight, y=None if is_regression else y, target=target)
    workspace = ShardedWorkspace(rows, binned, n_classes=None if is_regression else 3)
    tree = grow(workspace, **limits)
    assert tree.node_count == expected.node_count > 5
    for name in ("feature", "bin_threshold", "children_left", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(expected, name))
    np.testing.assert_allclose(tree.value, expected.value, rtol=1e-9)
    np.testing.assert_array_equal(rows.leaf, whole.leaf)
