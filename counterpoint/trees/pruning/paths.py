"""Prunings with one number to choose: the strength of a node is from where on it is a leaf."""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from counterpoint._validation import check_choice
from counterpoint.trees.structure import LEAF, Tree, check_tree, parents

NODE_COSTS = ("impurity", "error")


@dataclass(frozen=True, kw_only=True)
class PruningPath:
    """The trees that cost-complexity pruning makes; from :func:`cost_complexity_path`."""

    ccp_alphas: NDArray  # 0 for the whole tree, then from which on each weakest link is cut
    costs: NDArray  # summed over the leaves after each cut, per case; (n_steps,), as the alphas
    strength: NDArray  # from which on each node is a leaf, or part of one; -inf for leaves


def cost_complexity_path(tree: Tree, node_cost: str = "impurity") -> PruningPath:
    """Cut the weakest link of a tree, again and again, until the root is left.

    The weakest link is the inner node that loses least per leaf when it is made a leaf:
    (cost as a leaf - cost of its leaves) / (number of its leaves - 1). Of equals the first.

    Parameters
    ----------
    tree : Tree
    node_cost : {"impurity", "error"}, default="impurity"
        What a leaf costs, times its share of the weight: its impurity, as in scikit-learn, or
        its error rate, as in CART's book.

    Returns
    -------
    PruningPath
        With the ``ccp_alphas`` and ``impurities`` of scikit-learn's
        ``cost_complexity_pruning_path`` when the cost is the impurity.

    References
    ----------
    .. [1] L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, "Classification and
       Regression Trees", 1984, chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import cost_complexity_path, from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, y))
    >>> cost_complexity_path(tree).ccp_alphas.round(3).tolist()
    [0.0, 0.26, 0.333]
    """
    cost = _node_costs(check_tree(tree), node_cost).tolist()
    parent = parents(tree.children_left, tree.children_right).tolist()
    leaf = (tree.children_left == LEAF).tolist()
    # The same sums in the same order as scikit-learn's, so that equal links stay equal.
    below, n_leaves = [0.0] * len(cost), [0] * len(cost)
    for node in range(len(cost)):
        if leaf[node]:
            below[node] = cost[node]
            up = parent[node]
            while up != LEAF:
                below[up] += cost[node]
                n_leaves[up] += 1
                up = parent[up]

    def link(node):
        return (cost[node] - below[node]) / (n_leaves[node] - 1)

    waiting = [(link(node), node) for node in range(len(cost)) if not leaf[node]]
    current = {node: alpha for alpha, node in waiting}
    heapify(waiting)
    alphas, costs, strength = [0.0], [below[0]], np.full(len(cost), -np.inf)
    reached = -np.inf
    while current:
        alpha, node = heappop(waiting)
        if current.get(node) != alpha:
            continue  # cut with a node above it, or weighed again since
        # Rounding can make a link a hair weaker than one cut before it.
        reached = max(reached, alpha)
        lost, gone = cost[node] - below[node], n_leaves[node] - 1
        under = [node]
        while under:
            at = under.pop()
            if current.pop(at, None) is not None:
                strength[at] = reached
                under += [int(tree.children_left[at]), int(tree.children_right[at])]
        below[node] = cost[node]
        up = parent[node]
        while up != LEAF:
            n_leaves[up] -= gone
            below[up] += lost
            current[up] = link(up)
            heappush(waiting, (current[up], up))
            up = parent[up]
        alphas.append(alpha)
        costs.append(below[0])
    return PruningPath(ccp_alphas=np.array(alphas), costs=np.array(costs), strength=strength)


def split_gains(tree: Tree) -> NDArray:
    """Decrease of impurity by each split, per case of its node; -inf for leaves."""
    gain = np.full(tree.node_count, -np.inf)
    inner = np.flatnonzero(tree.children_left != LEAF)
    weight = tree.weighted_n_node_samples
    left, right = tree.children_left[inner], tree.children_right[inner]
    held = np.where(weight[inner] > 0, weight[inner], 1.0)
    after = weight[left] * tree.impurity[left] + weight[right] * tree.impurity[right]
    gain[inner] = tree.impurity[inner] - after / held
    return gain


def critical_strength(tree: Tree) -> NDArray:
    """Return the largest gain of a split at or under each node; -inf for leaves."""
    strength, parent = split_gains(tree), parents(tree.children_left, tree.children_right).tolist()
    for node in range(len(parent) - 1, 0, -1):
        strength[parent[node]] = max(strength[parent[node]], strength[node])
    return strength


def errors_along(tree: Tree, strength: NDArray, errors: NDArray, levels: NDArray) -> NDArray:
    """Errors of the tree cut at each level, where ``errors`` are those of each node as a leaf."""
    parent = parents(tree.children_left, tree.children_right).tolist()
    below = np.where(tree.children_left == LEAF, errors, 0.0).tolist()
    for node in range(len(below) - 1, 0, -1):
        below[parent[node]] += below[node]
    inner = np.flatnonzero(tree.children_left != LEAF)
    # Children come after their parents, and must be cut before them.
    order = inner[np.lexsort((-inner, strength[inner]))]
    totals = [below[0]]
    for node in order.tolist():
        more = errors[node] - below[node]
        at = node
        while at != LEAF:
            below[at] += more
            at = parent[at]
        totals.append(below[0])
    return np.array(totals)[np.searchsorted(strength[order], levels, side="right")]


def choose_level(
    tree: Tree,
    strength: NDArray,
    judges: Iterable[tuple[Tree, NDArray, NDArray, float]],
    *,
    one_se: bool = False,
    geometric: bool = False,
) -> tuple[float, float]:
    """Choose where to cut a tree by the errors that other trees, or held-out rows, show.

    One level between every two strengths of the tree is tried: their mean, or the geometric one,
    as in CART. ``judges`` are (tree, strength, held-out errors of each node as a leaf, weight held
    out). Returns level and error; of levels as good the highest, with ``one_se`` the highest
    within one standard error of the best.
    """
    known = np.unique(strength[tree.children_left != LEAF])
    if len(known) == 0:
        return 0.0, float("nan")
    if geometric:
        middle = np.sqrt(np.maximum(known[:-1], 0.0) * np.maximum(known[1:], 0.0))
    else:
        middle = (known[:-1] + known[1:]) / 2
    # Beyond the last strength there is the root, of this tree and of every other.
    levels = np.concatenate([middle, [np.inf]])
    if known[0] > 0:
        levels = np.concatenate([[0.0], levels])
    errors, n_cases = np.zeros(len(levels)), 0.0
    for judge, own, node_errors, n in judges:
        errors += errors_along(judge, own, node_errors, levels)
        n_cases += n
    if n_cases == 0:
        raise ValueError("There are too few samples to hold some out: give the number instead.")
    rate = errors / n_cases
    best = rate.min()
    allowed = best + 1e-10
    if one_se:
        allowed += np.sqrt(best * (1 - best) / n_cases)
    at = int(np.flatnonzero(rate <= allowed)[-1])
    return float(min(levels[at], known[-1])), float(rate[at])


def node_errors(tree: Tree, leaf: NDArray, codes: NDArray, weight: NDArray) -> NDArray:
    """Weight of the rows in each node that are not of its heaviest class; unknown ones neither."""
    held = np.zeros((tree.node_count, tree.value.shape[1] + 1))
    k = held.shape[1] - 1
    np.add.at(held, (leaf, np.where((codes >= 0) & (codes < k), codes, k)), weight)
    parent = parents(tree.children_left, tree.children_right).tolist()
    for node in range(tree.node_count - 1, 0, -1):
        held[parent[node]] += held[node]
    label = tree.value.argmax(axis=1)
    return held.sum(axis=1) - held[np.arange(tree.node_count), label]


def _node_costs(tree, node_cost):
    check_choice(node_cost, "node_cost", NODE_COSTS)
    total = tree.weighted_n_node_samples[0]
    if not total > 0:
        raise ValueError(f"tree has weight {total:g} at its root: give a number above 0.")
    if node_cost == "impurity":
        return tree.weighted_n_node_samples * tree.impurity / total
    return np.maximum(tree.value.sum(axis=1) - tree.value.max(axis=1), 0.0) / total
