"""Sums over the rows of a shard, row by row."""

import numpy as np


def add_up(codes, y, weight, target, leaf, tree, n_bins, scales, built, first, per_word, width):
    """Return leaves, histograms, counts, numbers of rows and squares, as the kernel has them.

    ``tree`` is a list of (left, feature, bin, missing_left) by node, left -1 for a leaf;
    ``scales`` are (unit of weights, centre, unit of targets).
    """
    n_groups, n_features, group = codes.shape
    n_words = -(-n_features // per_word)
    n_sums = 2 if len(target) else max(y) + 1
    n_built, n_new = max(built) + 1, len(tree) - first
    hist = np.zeros((n_built, n_words, n_sums * per_word * width), dtype=int)
    counts = np.zeros((n_built, n_words, per_word * width), dtype=int)
    n_rows, squares = np.zeros(n_new, dtype=int), np.zeros((n_groups, n_new))
    leaf = list(leaf)
    for i in range(len(leaf)):
        row = [int(codes[i // group, f, i % group]) for f in range(n_features)]
        while tree[leaf[i]][0] >= 0:
            left, f, last, missing_left = tree[leaf[i]]
            goes = missing_left if row[f] == n_bins[f] else row[f] <= last
            leaf[i] = left if goes else left + 1
        w = max(int(weight[i] * scales[0] + 0.5), int(weight[i] > 0))
        g = weight[i] * (target[i] - scales[1]) * scales[2] if len(target) else 0.0
        g = int(g + (0.5 if g > 0 else -0.5)) if len(target) else 0
        if leaf[i] >= first:
            n_rows[leaf[i] - first] += 1
            squares[i // group, leaf[i] - first] += g * g / w
        b = built[leaf[i]]
        for f in range(n_features) if b >= 0 else ():
            k, j = divmod(f, per_word)
            counts[b, k, j * width + row[f]] += 1
            if len(target):
                hist[b, k, j * width + row[f]] += w
                hist[b, k, (per_word + j) * width + row[f]] += g
            else:
                hist[b, k, (y[i] * per_word + j) * width + row[f]] += w
    return leaf, hist, counts, n_rows, squares
