import numpy as np
import pytest
from naive import subset_kernels as naive

from counterpoint._kernels import leaf_kernel as kernels


def random_leaves(seed, n_trees=7, n=23, m=31, most=6):
    rng = np.random.default_rng(seed)
    n_leaves = rng.integers(1, most + 1, size=n_trees)
    ours = np.stack([rng.integers(k, size=n) for k in n_leaves]).astype(np.int32)
    theirs = np.stack([rng.integers(k, size=m) for k in n_leaves]).astype(np.int32)
    return ours, theirs, np.append(0, np.cumsum(n_leaves))


@pytest.mark.parametrize(
    ("n_trees", "most", "m"), [(1, 1, 3), (7, 6, 31), (300, 3, 20), (3, 40, 1500)]
)
def test_both_ways_count_as_the_twin(n_trees, most, m):
    ours, theirs, first = random_leaves(n_trees, n_trees, 9, m, most)
    expected = np.array(naive.leaf_kernel(ours.tolist(), theirs.tolist())) * n_trees
    asked = np.ascontiguousarray(ours.T)
    rows, begin = kernels.list_rows(theirs, first)
    shared = np.full((9, m), np.nan, dtype=np.float32)
    kernels.share_by_lists(asked, first, rows, begin, np.ones(n_trees, np.float32), shared)
    np.testing.assert_allclose(shared, expected, rtol=1e-6)
    shared[:] = np.nan
    kernels.share_by_bytes(asked.astype(np.uint8), theirs.astype(np.uint8), shared)
    np.testing.assert_allclose(shared, expected, rtol=1e-6)


def test_lists_hold_every_row_once():
    _, theirs, first = random_leaves(0)
    rows, begin = kernels.list_rows(theirs, first)
    for t, leaves in enumerate(theirs):
        assert sorted(rows[t].tolist()) == list(range(len(leaves)))
        for leaf in range(first[t + 1] - first[t]):
            at = first[t] + t + leaf
            inside = rows[t, begin[at] : begin[at + 1]]
            np.testing.assert_array_equal(inside, np.flatnonzero(leaves == leaf))


@pytest.mark.parametrize("k", [1, 2, 5, 31])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_nearest_are_those_of_the_twin(k, weighted):
    ours, theirs, first = random_leaves(2)
    weights = [float(1 << t if weighted else 1) for t in range(7)]  # sums of these are exact
    rows, begin = kernels.list_rows(theirs, first)
    found = np.empty((23, k), dtype=np.int32)
    shared = np.empty((23, k), dtype=np.float32)
    each = np.array(weights, dtype=np.float32)
    kernels.nearest_by_lists(ours.T.copy(), first, rows, begin, each, k, found, shared)
    expected = naive.nearest(naive.leaf_kernel(ours.tolist(), theirs.tolist(), weights), k)
    for i, row in enumerate(expected):
        held = found[i] >= 0
        assert sorted(row) == found[i][held].tolist()
        np.testing.assert_allclose(
            shared[i][held] / sum(weights), [row[j] for j in sorted(row)], rtol=1e-6
        )
        assert (shared[i][~held] == 0).all()
