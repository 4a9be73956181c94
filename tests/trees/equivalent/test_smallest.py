"""Ways to the smallest tree: a table of boxes of cells, or a search among cuts; their memory."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from counterpoint._kernels import equivalent as kernels
from counterpoint._kernels import smallest as search_kernels
from counterpoint.trees.equivalent import grid, smallest
from counterpoint.trees.equivalent.melt import equivalent_tree


@pytest.mark.parametrize("minimize", ["leaves", "depth"])
@pytest.mark.parametrize("steps", [1, 1000])
@pytest.mark.parametrize("cells", [0, 8])
def test_a_search_finds_a_tree_as_small_as_the_table_does(minimize, steps, cells, monkeypatch):
    X, y = make_classification(
        60, 3, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )
    forest = RandomForestClassifier(2, max_depth=2, random_state=1).fit(X, y)
    by_table = equivalent_tree(forest, minimize=minimize)
    monkeypatch.setattr(grid, "_MOST_CELLS", 0)
    monkeypatch.setattr(smallest, "_TABLE_FIRST", 0)
    monkeypatch.setattr(smallest, "_TABLE_CELLS", (cells, cells))  # of small boxes on the way
    monkeypatch.setattr(smallest, "_STEPS", steps)
    by_search = equivalent_tree(forest, minimize=minimize)
    assert by_table.smallest
    assert by_search.smallest
    assert by_search.verify().equal
    size = (lambda one: one.n_leaves) if minimize == "leaves" else (lambda one: one.tree.max_depth)
    assert 1 < size(by_search) == size(by_table)


def found(keys, free, code):
    """Return the place of a code in a table in which those that meet go on to the next place."""
    at = int(code) % len(keys)
    while not free[at] and keys[at] != code:
        at = (at + 1) % len(keys)
    assert not free[at]
    return at


def test_what_a_table_holds_is_found_again_in_a_larger_one():
    rng = np.random.default_rng(0)
    codes = np.unique(rng.integers(0, 2**63, 60).astype(np.uint64) * np.uint64(8))  # many meet
    cells = rng.integers(100, size=(len(codes), 4))
    keys, used = np.zeros(1024, dtype=np.uint64), np.zeros(1024, dtype=bool)
    memory = np.zeros((1024, 4), dtype=cells.dtype)
    search_kernels.refill(codes, cells, keys, used, memory)
    assert used.sum() == len(codes)
    for code, cell in zip(codes, cells, strict=True):
        np.testing.assert_array_equal(memory[found(keys, ~used, code)], cell)

    held = np.where(used, np.arange(1024), -1)
    larger, now_held = np.zeros(2048, dtype=np.uint64), np.full(2048, -1)
    kernels.rehash(keys, held, larger, now_held)
    assert (now_held >= 0).sum() == len(codes)
    for code in codes:
        assert now_held[found(larger, now_held < 0, code)] == held[found(keys, ~used, code)]
