"""Ways to the smallest tree: a table of all boxes of cells, or a search among cuts."""

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

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
