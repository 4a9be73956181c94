"""Ensembles of trees decided cell by cell, in plain Python.

A tree is nested tuples: a leaf is ``("leaf", shares)``, a split ``(feature, threshold, left,
right)``.
"""

from functools import cache
from itertools import product
from math import inf, log


def leaf_of(tree, x):
    while tree[0] != "leaf":
        tree = tree[2] if x[tree[0]] <= tree[1] else tree[3]
    return tree[1]


def decide(trees, weights, kind, x):
    """Class with the highest score, the first of equals; summed tree by tree."""
    n_classes = len(leaf_of(trees[0], x))
    score = [0.0] * n_classes
    for tree, weight in zip(trees, weights, strict=True):
        shares = leaf_of(tree, x)
        if kind == "votes":
            top = shares.index(max(shares))
            shares = [float(c == top) for c in range(n_classes)]
        else:
            total = sum(shares)
            shares = [s / total for s in shares]
        for c in range(n_classes):
            score[c] += weight * shares[c]
    return score.index(max(score))


def thresholds(trees, n_features):
    found = [set() for _ in range(n_features)]
    todo = list(trees)
    while todo:
        tree = todo.pop()
        if tree[0] != "leaf":
            found[tree[0]].add(tree[1])
            todo += tree[2:]
    return [sorted(f) for f in found]


def points(trees, n_features):
    """A point in each cell: the thresholds themselves, and one beyond the last."""
    axes = [[*cuts, (cuts[-1] if cuts else 0.0) + 1.0] for cuts in thresholds(trees, n_features)]
    return list(product(*axes))


def smallest(trees, weights, kind, n_features, deep):
    """Fewest leaves, or least depth, of a tree with the same decisions: try all splits."""
    cuts = thresholds(trees, n_features)
    axes = [[*c, (c[-1] if c else 0.0) + 1.0] for c in cuts]

    @cache
    def label(cell):
        return decide(trees, weights, kind, [axes[f][c] for f, c in enumerate(cell)])

    return smallest_on_grid(label, [len(axis) for axis in axes], deep)


def smallest_on_grid(label, size, deep):
    """Fewest leaves, or least depth, of a tree for labels of cells: try all splits."""

    @cache
    def cost(box):
        labels = {label(cell) for cell in product(*(range(a, b + 1) for a, b in box))}
        if len(labels) == 1:
            return 0 if deep else 1
        best = inf
        for f, (a, b) in enumerate(box):
            for k in range(a, b):
                left = cost((*box[:f], (a, k), *box[f + 1 :]))
                right = cost((*box[:f], (k + 1, b), *box[f + 1 :]))
                best = min(best, 1 + max(left, right) if deep else left + right)
        return best

    return cost(tuple((0, n - 1) for n in size))


def entropy_cost(weights):
    total = sum(weights)
    return -sum(w * log(w / total) for w in weights if w > 0)


def split_boxes(boxes, weights, votes, widths):
    """Costs of all cuts at edges of boxes: {(column, cut): entropy left + right}, box by box."""
    costs = {}
    for f in range(len(widths)):
        edges = {b[f][1] for b in boxes} | {b[f][0] - 1 for b in boxes}
        low, high = min(b[f][0] for b in boxes), max(b[f][1] for b in boxes)
        for k in sorted(e for e in edges if low <= e < high):
            sides = []
            for keep in (lambda c, k=k: c <= k, lambda c, k=k: c > k):
                total = [0.0] * len(votes[0])
                for box, weight, vote in zip(boxes, weights, votes, strict=True):
                    cells = range(box[f][0], box[f][1] + 1)
                    whole = sum(widths[f][c] for c in cells)
                    part = sum(widths[f][c] for c in cells if keep(c)) / whole
                    total = [t + weight * part * v for t, v in zip(total, vote, strict=True)]
                sides.append(total)
            costs[f, k] = sum(entropy_cost(side) for side in sides)
    return costs
