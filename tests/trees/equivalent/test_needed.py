from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from made_ensembles import ensembles
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

from counterpoint.trees import equivalent_tree, leaves_needed, take_trees


@settings(deadline=None, max_examples=25)
@given(ensembles(n_features=3, max_trees=4))
def test_no_smaller_tree_and_all_pairs_are_apart(made):
    ensemble, _ = made
    needed = leaves_needed(ensemble, n_points=60, random_state=0)
    smallest = equivalent_tree(ensemble, minimize="leaves")
    assert needed.n_leaves <= smallest.n_leaves
    decided = ensemble.classes[ensemble.score(needed.points).argmax(axis=1)]
    np.testing.assert_array_equal(needed.labels, decided)
    # Ask at every point between two that has each column from one of those kept.
    values = [np.unique(needed.points[:, f]) for f in range(3)]
    every = np.array(list(product(*values)))
    said = ensemble.predict(every)
    for i, j in combinations(range(needed.n_leaves), 2):
        if needed.labels[i] == needed.labels[j]:
            low, high = np.sort(needed.points[[i, j]], axis=0)
            between = ((low <= every) & (every <= high)).all(axis=1)
            assert (said[between] != needed.labels[i]).any()


def test_the_smallest_tree_of_iris_is_proven_twice():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    votes = take_trees(list(forest.estimators_))
    needed = leaves_needed(votes, n_points=500, random_state=0)
    assert needed.n_leaves == equivalent_tree(votes, minimize="leaves").n_leaves


def test_more_samples_prove_more_and_a_limit_keeps_what_is_proven():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    votes = take_trees(list(forest.estimators_))
    few, more = (leaves_needed(votes, n_points=n, random_state=0).n_leaves for n in (100, 400))
    assert few < more
    assert more > 300
    stopped = leaves_needed(votes, n_points=5000, time_limit=1e-6, random_state=0)
    assert 1 <= stopped.n_leaves <= 200


def test_one_class_needs_one_leaf_and_bad_input():
    alone = RandomForestClassifier(2, random_state=0).fit([[0.0], [1.0]], [1, 1])
    assert leaves_needed(alone, random_state=0).n_leaves == 1
    with pytest.raises(ValueError, match="n_points=0"):
        leaves_needed(alone, n_points=0)
    with pytest.raises(ValueError, match="time_limit"):
        leaves_needed(alone, time_limit=0)
