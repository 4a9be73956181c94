"""Tree merging in plain Python, step by step as the method is described.

A tree is given as (feature, threshold, left, right) or None for a leaf.
"""

from math import log


class Node:
    """A node of one of the trees as they are now."""

    def __init__(self, rows, depth=0, tree=None, volume=0.0):
        self.rows, self.depth, self.tree, self.volume = rows, depth, tree, volume
        self.split = self.left = self.right = None


def merge(
    trees, X, y, n_classes, cost, margin, corrected, order="samples", weight=None, numbers=False
):
    """Merge; return (counts, None) for a leaf, or (counts, (feature, threshold, left, right)).

    Counts are weights of classes; of numbers, ``n_classes`` is None and they are pairs of weight
    and number.
    """
    weight = weight or [1] * len(X)
    box = [(min(column), max(column)) for column in zip(*X)]
    everything = []

    def build(spec, rows, bounds, depth, tree):
        if spec is None:
            node = Node(rows, depth, tree, volume(bounds, box))
            everything.append(node)
            return node
        feature, threshold, left, right = spec
        parts = divide(rows, (feature, threshold), X)
        boxes = cut_box(bounds, feature, threshold)
        for side, spec_side in ((0, left), (1, right)):
            if not parts[1 - side]:
                return build(spec_side, rows, boxes[side], depth + 1, tree)
        node = Node(rows, depth, tree, volume(bounds, box))
        everything.append(node)
        node.split = (feature, threshold)
        node.left = build(left, parts[0], boxes[0], depth + 1, tree)
        node.right = build(right, parts[1], boxes[1], depth + 1, tree)
        return node

    def counts(rows):
        if numbers:
            return [(weight[r], y[r]) for r in sorted(rows)]
        total = [0] * n_classes
        for r in rows:
            total[y[r]] += weight[r]
        return total

    def price(subtree, there, depth):
        leaves = leaf_rows(subtree)
        below = sum(cost(counts(rows)) for rows in leaves)
        return below if subtree[0] is None else below + margin(below, there, len(leaves), depth)

    def decide(rows, own, depth=0):
        """Return "leaf" or the tree to take, and what every tree has there."""
        candidates = [restrict(smallest(root, set(rows)), rows, X) for root in roots]
        prices = [price(candidate, counts(rows), depth) for candidate in candidates]
        as_leaf = cost(counts(rows))
        rival = sum(prices) / len(prices) if corrected else min(prices)
        if as_leaf <= rival * (1 + 1e-10):
            return "leaf", candidates
        good = [j for j, p in enumerate(prices) if p <= min(prices) * (1 + 1e-10)]
        return (own if own in good else good[0]), candidates

    roots = [build(spec, list(range(len(X))), box, 0, j) for j, spec in enumerate(trees)]
    inside = [node for node in everything if node not in roots]

    def size(node):
        keys = (sum(weight[r] for r in node.rows), node.volume)
        return (*(keys if order == "samples" else keys[::-1]), -node.depth, node.tree)

    for node in sorted(inside, key=size):
        choice, candidates = decide(node.rows, node.tree, node.depth)
        if choice == "leaf":
            node.split = node.left = node.right = None
        elif choice != node.tree:
            plant(candidates[choice], node)
    choice, candidates = decide(list(range(len(X))), 0 if len(trees) == 1 else None)
    kept = (None, list(range(len(X)))) if choice == "leaf" else candidates[choice]
    return describe(kept, counts)


def divide(rows, split, X):
    """Rows that go left and rows that go right."""
    feature, threshold = split
    return (
        [r for r in rows if X[r][feature] <= threshold],
        [r for r in rows if X[r][feature] > threshold],
    )


def cut_box(bounds, feature, threshold):
    """Bounds of the two sides of a split."""
    low, high = bounds[feature]
    cut = min(max(threshold, low), high)
    sides = []
    for part in ((low, cut), (cut, high)):
        side = list(bounds)
        side[feature] = part
        sides.append(side)
    return sides


def volume(bounds, box):
    """Logarithm of the share of the box."""
    total = 0.0
    for (low, high), (least, most) in zip(bounds, box):
        if most > least:
            if high <= low:
                return float("-inf")
            total += log((high - low) / (most - least))
    return round(total, 9)


def smallest(root, rows):
    """Return the smallest node under a root that contains all of the rows."""
    node = root
    while node.split is not None:
        inside = [child for child in (node.left, node.right) if rows <= set(child.rows)]
        if not inside:
            return node
        node = inside[0]
    return node


def restrict(node, rows, X):
    """What a node and those under it make of rows: (None, rows) or (split, left, right)."""
    if node.split is None:
        return (None, rows)
    left, right = divide(rows, node.split, X)
    if not left:
        return restrict(node.right, rows, X)
    if not right:
        return restrict(node.left, rows, X)
    return (node.split, restrict(node.left, left, X), restrict(node.right, right, X))


def leaf_rows(subtree):
    """Rows of each leaf."""
    if subtree[0] is None:
        return [subtree[1]]
    return leaf_rows(subtree[1]) + leaf_rows(subtree[2])


def all_rows(subtree):
    """Rows of all leaves together."""
    return [r for rows in leaf_rows(subtree) for r in rows]


def plant(subtree, node):
    """Make a node the top of a copy of a subtree."""
    node.split = subtree[0]
    if node.split is None:
        node.left = node.right = None
        return
    node.left, node.right = Node(all_rows(subtree[1])), Node(all_rows(subtree[2]))
    plant(subtree[1], node.left)
    plant(subtree[2], node.right)


def describe(subtree, counts):
    """Counts of all nodes, with the splits."""
    own = counts(all_rows(subtree))
    if subtree[0] is None:
        return (own, None)
    return (own, (*subtree[0], describe(subtree[1], counts), describe(subtree[2], counts)))
