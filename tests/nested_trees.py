"""Random trees as nested (counts, left, right), and to and from arrays."""

import numpy as np
from hypothesis import strategies as st

from counterpoint.trees import Tree
from counterpoint.trees.pruning.bottom_up import cut
from counterpoint.trees.pruning.prune import find_pruning


@st.composite
def trees(draw, max_leaves=12, n_classes=3):
    """Nested (counts, left, right), grown by splitting leaves of one of them at random."""
    counts = st.lists(st.integers(0, 8), min_size=n_classes, max_size=n_classes)
    tree = [draw(counts.filter(any)), None, None]
    leaves = [tree]
    for _ in range(draw(st.integers(0, max_leaves - 1))):
        leaf = leaves.pop(draw(st.integers(0, len(leaves) - 1)))
        # A split of the counts is what one more leaf adds to its sibling.
        other = draw(counts)
        own = leaf[0]
        leaf[1], leaf[2] = [own, None, None], [other, None, None]
        leaves += leaf[1:]
    return add_up(tree)


def add_up(tree):
    _, left, right = tree
    if left is None:
        return tuple(tree)
    left, right = add_up(left), add_up(right)
    return ([a + b for a, b in zip(left[0], right[0])], left, right)


def flat(tree, depth_first):
    """Arrays of a nested tree, in one of two orders with parents before children."""
    left, right, value = [-1], [-1], [tree[0]]
    waiting = [(tree, 0)]
    while waiting:
        (_, *children), node = waiting.pop(-1 if depth_first else 0)
        if children[0] is None:
            continue
        left[node], right[node] = len(left), len(left) + 1
        for k, child in enumerate(children):
            waiting.append((child, len(left)))
            left.append(-1)
            right.append(-1)
            value.append(child[0])
            assert len(left) - 1 == (left if k == 0 else right)[node]
    return np.array(left), np.array(right), np.array(value, dtype=float)


def nested(left, right, value, node=0):
    counts = [int(c) for c in value[node]]
    if left[node] == -1:
        return (counts, None, None)
    return (
        counts,
        nested(left, right, value, left[node]),
        nested(left, right, value, right[node]),
    )


def rebuilt(pruning, value):
    return nested(pruning.children_left, pruning.children_right, value[pruning.kept])


def bare_tree(children_left, children_right, value):
    """A tree of nothing but children and values."""
    n = len(children_left)
    value = np.asarray(value, dtype=float)
    return Tree(
        children_left=np.asarray(children_left),
        children_right=np.asarray(children_right),
        feature=np.zeros(n, dtype=np.int32),
        threshold=np.zeros(n),
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.zeros(n, dtype=bool),
        value=value,
        weighted_n_node_samples=np.zeros(n),
        n_node_samples=np.zeros(n, dtype=np.int64),
        impurity=np.zeros(n),
        max_depth=n,
    )


def prune_error_based(children_left, children_right, value, **options):
    """The pruning of plain arrays by the error-based criterion."""
    tree = bare_tree(children_left, children_right, value)
    return find_pruning(tree, "error-based", **options)[0]


def prune_tree(tree, cf=0.25, total=None):
    """A tree pruned by the error-based criterion, weights scaled to its samples, and how."""
    total = float(tree.n_node_samples[0]) if total is None else total
    pruning, _ = find_pruning(tree, "error-based", cf=cf, total=total)
    return cut(tree, pruning), pruning
