"""Trees as nested tuples: a leaf is a list of class weights, a split a tuple of
(feature, threshold, missing goes left, left, right). Obvious, slow, and nothing of ours."""

import itertools
import math


def grow_at_random(rng, n_features, n_classes, depth, cuts=(0.0, 1.0, 2.0, 3.0)):
    """A random tree; few thresholds, so that splits repeat, and some leaves are alike."""
    if depth == 0 or rng.random() < 0.2:
        return [float(w) for w in rng.integers(0, 4, size=n_classes)]
    below = [grow_at_random(rng, n_features, n_classes, depth - 1, cuts) for _ in range(2)]
    return (
        int(rng.integers(n_features)),
        float(rng.choice(cuts)),
        bool(rng.random() < 0.5),
        *below,
    )


def as_arrays(tree):
    """The arrays of a tree, nodes in preorder, by name."""
    names = ("children_left", "children_right", "feature", "threshold", "missing", "value")
    nodes = {name: [] for name in names}

    def add(node):
        at = len(nodes["feature"])
        if isinstance(node, list):
            row = (-1, -1, -1, math.nan, False, node)
            for name, entry in zip(names, row, strict=True):
                nodes[name].append(entry)
            return node
        feature, cut, goes_left, left, right = node
        for name, entry in zip(names, (0, 0, feature, cut, goes_left, None), strict=True):
            nodes[name].append(entry)
        nodes["children_left"][at] = at + 1
        first = add(left)
        nodes["children_right"][at] = len(nodes["feature"])
        second = add(right)
        nodes["value"][at] = [a + b for a, b in zip(first, second, strict=True)]
        return nodes["value"][at]

    add(tree)
    return nodes


def depth(tree):
    return 0 if isinstance(tree, list) else 1 + max(depth(tree[3]), depth(tree[4]))


def leaf_of(tree, x):
    """The class weights a sample ends with; NaN is missing."""
    while not isinstance(tree, list):
        feature, cut, missing_left, left, right = tree
        value = x[feature]
        goes_left = missing_left if math.isnan(value) else value <= cut
        tree = left if goes_left else right
    return tree


def label_of(weights):
    return weights.index(max(weights))


def leaves(tree, lower, upper):
    """(class weights, lower, upper) of all leaves, also those nobody can reach."""
    if isinstance(tree, list):
        return [(tree, lower, upper)]
    feature, cut, _, left, right = tree
    low, high = list(lower), list(upper)
    high[feature] = min(high[feature], cut)
    low[feature] = max(low[feature], cut)
    return leaves(left, lower, high) + leaves(right, low, upper)


def cells(trees, n_features):
    """Non-empty overlaps of leaves, one of each tree: {(lower, upper): list of weights}."""
    whole = [-math.inf] * n_features, [math.inf] * n_features
    found = {}
    for choice in itertools.product(*(leaves(tree, *whole) for tree in trees)):
        lower = tuple(max(leaf[1][d] for leaf in choice) for d in range(n_features))
        upper = tuple(min(leaf[2][d] for leaf in choice) for d in range(n_features))
        if all(low < high for low, high in zip(lower, upper, strict=True)):
            found[lower, upper] = [leaf[0] for leaf in choice]
    return found


def is_tree(left, right):
    """Whether a walk from node 0 meets every node once and each after its parent; -1 is no node."""
    n, met, waiting = len(left), [], [(0, -1)]
    while waiting and len(met) <= n:
        node, above = waiting.pop()
        if not above < node < n:
            return False
        met.append(node)
        below = [left[node], right[node]]
        if below != [-1, -1]:
            waiting += [(child, node) for child in below]
    return sorted(met) == list(range(n))
