"""Proof that an ensemble of trees decides for one class everywhere in a box.

It shares nothing with the kernels that build the tree: thresholds stay numbers, trees are
walked one after the other in the order of the ensemble, and scores are summed as the ensemble
sums them.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part

PROVEN, REFUTED, GAVE_UP = 0, 1, 2


@part()
def _decided(
    score, t, label, lower, upper, roots, left, right, feature, cut, table, offset, slack, stack
):
    """Tell whether no leaf of the trees from ``t`` on can take the lead from ``label``."""
    for c in range(len(score)):
        if c == label:
            continue
        lead = score[label] - score[c] + offset[label] - offset[c]
        for s in range(t, len(roots)):
            least = np.inf
            stack[0], top = roots[s], 1
            while top > 0:
                top -= 1
                node = stack[top]
                f = feature[node]
                if f < 0:
                    least = min(least, table[node, label] - table[node, c])
                    continue
                if upper[f] > cut[node]:
                    stack[top] = right[node]
                    top += 1
                if lower[f] < cut[node]:
                    stack[top] = left[node]
                    top += 1
            lead += least
        if slack > 0 and lead <= slack:
            return False
        if slack == 0 and (lead < 0 or (lead == 0 and c < label)):
            return False
    return True


@kernel()
def prove(
    lower, upper, labels, begin, limit,
    roots, left, right, feature, cut, table, offset, slack, depth, edges,
):  # fmt: skip
    """Prove boxes ``begin`` and after, in which a tree says ``labels``, until one fails.

    A box holds ``lower < x <= upper``. In a leaf ``feature`` is -1. ``slack`` is how far sums of
    scores may be off; 0 if they are exact. At most ``limit`` overlaps of leaves are looked at.
    Returns (how it ended, box it ended at, overlaps looked at); ``edges`` (2, n_features) are
    then those of an overlap where the ensemble decides otherwise.
    """
    n_trees, n_classes, n_features = len(roots), table.shape[1], lower.shape[1]
    score = np.zeros((n_trees + 1, n_classes))
    size = n_trees * (depth + 1) + 1
    node_at = np.empty(size, dtype=np.int64)
    tree_at = np.empty(size, dtype=np.int64)
    stage = np.empty(size, dtype=np.int64)
    kept = np.empty(size)
    stack = np.empty(2 * depth + 4, dtype=np.int64)
    looked = 0
    for b in range(begin, len(lower)):
        if looked >= limit:
            return GAVE_UP, b, looked
        label = labels[b]
        edges[0], edges[1] = lower[b], upper[b]
        empty = False
        for f in range(n_features):
            empty |= edges[0, f] >= edges[1, f]
        if empty or _decided(
            score[0], 0, label, edges[0], edges[1],
            roots, left, right, feature, cut, table, offset, slack, stack,
        ):  # fmt: skip
            looked += 1
            continue
        top, t, node = 0, 0, roots[0]
        while True:
            narrowed = False
            while feature[node] >= 0:
                f, x = feature[node], cut[node]
                if edges[1, f] <= x:
                    node = left[node]
                elif edges[0, f] >= x:
                    node = right[node]
                else:
                    node_at[top], tree_at[top], stage[top] = node, t, 0
                    kept[top] = edges[1, f]
                    edges[1, f] = x
                    top += 1
                    narrowed = True
                    node = left[node]
            for c in range(n_classes):
                score[t + 1, c] = score[t, c] + table[node, c]
            t += 1
            # Where the box is as before and the last word was "open", ask no second time.
            narrowed |= top > 0 and stage[top - 1] == 1 and tree_at[top - 1] == t - 1
            back = False
            if t == n_trees:
                looked += 1
                best = 0
                for c in range(1, n_classes):
                    if score[t, c] + offset[c] > score[t, best] + offset[best]:
                        best = c
                if best != label:
                    return REFUTED, b, looked
                back = True
            elif narrowed and _decided(
                score[t], t, label, edges[0], edges[1],
                roots, left, right, feature, cut, table, offset, slack, stack,
            ):  # fmt: skip
                looked += 1
                back = True
            if looked >= limit and not (back and top == 0):
                return GAVE_UP, b, looked
            if not back:
                node = roots[t]
                continue
            down = False
            while top > 0 and not down:
                parent = node_at[top - 1]
                f = feature[parent]
                if stage[top - 1] == 0:
                    edges[1, f], kept[top - 1] = kept[top - 1], edges[0, f]
                    edges[0, f], stage[top - 1] = cut[parent], 1
                    t, node = tree_at[top - 1], right[parent]
                    down = True
                else:
                    edges[0, f] = kept[top - 1]
                    top -= 1
            if not down:
                break
    return PROVEN, len(lower), looked
