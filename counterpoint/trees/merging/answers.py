"""One tree that says what an ensemble of trees says, as far as so many leaves can."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.ensemble import TreeEnsemble, predict_trees, stack_trees
from counterpoint.trees.merging.soft import SoftLabels, node_sums
from counterpoint.trees.pruning.bottom_up import collapse, cut
from counterpoint.trees.structure import Tree, impurities


def answer_tree(
    ensemble: TreeEnsemble,
    X: NDArray,
    answers: NDArray,
    most: int,
    random_state: Any,
    ask: Callable[[NDArray], NDArray],
) -> Tree:
    """Grow a tree of ``most`` leaves on what an ensemble says of rows, and of crossed ones.

    ``answers`` (n_samples,) are labels given to X, and ``ask`` gives those of other rows: they need
    not be the ensemble's, if a threshold or costs decide. Splits are chosen by half its shares and
    half the answers; nodes count the answers, to crossed rows too, so that prunings can be judged
    by how often they say the same.
    """
    rows = ensemble.check_rows(X)
    trees, shares = list(ensemble.trees), ensemble.shares
    codes = ensemble.positions(answers)
    seen = np.ones((len(trees), len(rows)))  # nobody knows what trees were grown on
    soft = SoftLabels(trees, rows, codes, seen, ensemble.n_classes, said=shares(rows))
    on = soft.judged(trees, rows, np.ones(len(rows)), random_state, shares)
    codes = np.concatenate([codes, ensemble.positions(ask(on.X[on.n :]))])
    answered = np.eye(ensemble.n_classes)[codes]
    tree = soft.grown(replace(on, judge=0.5 * (on.value + answered)), most, random_state)
    leaf = predict_trees(stack_trees([tree]), on.X, kind="leaves")[0]
    value = node_sums(tree, leaf, answered)
    held = value.sum(axis=1)
    counted = replace(
        tree,
        value=value,
        impurity=impurities(value),
        bin_threshold=np.zeros(tree.node_count, dtype=np.uint8),
        weighted_n_node_samples=held,
        n_node_samples=held.astype(np.int64),
    )
    # Where there is one answer only, shares are no reason to go on.
    same = (tree.is_leaf | (value.max(axis=1) == held)).tolist()
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    return cut(counted, collapse(left, right, same, 0.0))
