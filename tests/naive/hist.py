"""Trees on bins in plain Python: every cut tried, every sum added up anew."""

import bisect
import math

MISSING = 255


def codes_of(column, edges):
    """Bin of each value: the number of edges below it."""
    return [MISSING if math.isnan(x) else bisect.bisect_left(edges, x) for x in column]


def impurity(rows, y, weight, criterion):
    """Weighted impurity of some rows, times their weight."""
    total = sum(weight[i] for i in rows)
    if criterion == "squared_error":
        mean = sum(weight[i] * y[i] for i in rows) / total
        return sum(weight[i] * (y[i] - mean) ** 2 for i in rows)
    shares = [sum(weight[i] for i in rows if y[i] == k) / total for k in set(y)]
    if criterion == "gini":
        return total * (1 - sum(p * p for p in shares))
    return -total * sum(p * math.log2(p) for p in shares if p > 0)


def goes_left(code, last, missing_left):
    return missing_left if code == MISSING else code <= last


def cuts(codes, rows, y, weight, criterion, min_samples=1):
    """All allowed cuts of a node: {(column, last bin on the left, missing left): decrease}.

    The decrease of impurity is that of the node, times its weight.
    """
    whole = impurity(rows, y, weight, criterion)
    found = {}
    for f in range(len(codes[0])):
        seen = sorted({codes[i][f] for i in rows} - {MISSING})
        missing = any(codes[i][f] == MISSING for i in rows)
        for missing_left in (False, True) if missing else (False,):
            for last in seen:
                left = [i for i in rows if goes_left(codes[i][f], last, missing_left)]
                right = [i for i in rows if not goes_left(codes[i][f], last, missing_left)]
                if min(len(left), len(right)) < min_samples:
                    continue
                sides = impurity(left, y, weight, criterion) + impurity(right, y, weight, criterion)
                found[f, last, missing_left] = whole - sides
    return found


def sides(codes, rows, tree, node):
    """The rows of a node that go left, and those that go right."""
    f, last, missing_left = (
        tree.feature[node],
        tree.bin_threshold[node],
        tree.missing_go_to_left[node],
    )
    left = [i for i in rows if goes_left(codes[i][f], last, missing_left)]
    return left, [i for i in rows if i not in set(left)]


def penalised_gain(left, right, y, weight, l2):
    """How much more the sides fit than the whole: Chen and Guestrin 2016, eq. 7, twice."""

    def fit(rows):
        pull = sum(weight[i] * y[i] for i in rows)
        return pull * pull / (sum(weight[i] for i in rows) + l2)

    return fit(left) + fit(right) - fit([*left, *right])


def penalised_gains(codes, rows, y, weight, l2):
    """The gain of every cut of a node, as ``cuts`` has them."""
    found = {}
    for f, last, missing_left in cuts(codes, rows, y, weight, "squared_error"):
        left = [i for i in rows if goes_left(codes[i][f], last, missing_left)]
        right = [i for i in rows if not goes_left(codes[i][f], last, missing_left)]
        found[f, last, missing_left] = penalised_gain(left, right, y, weight, l2)
    return found


def walk(tree, row, *, raw):
    """Leaf that a sample reaches; ``raw`` numbers or bins."""
    node = 0
    while tree.children_left[node] >= 0:
        x = row[tree.feature[node]]
        if raw:
            left = tree.missing_go_to_left[node] if math.isnan(x) else x <= tree.threshold[node]
        else:
            left = goes_left(x, tree.bin_threshold[node], tree.missing_go_to_left[node])
        node = tree.children_left[node] if left else tree.children_right[node]
    return int(node)


def words_of(codes, y, n_bins, per_word):
    """Words as numbers: the class, then one byte a column."""
    words = []
    for first in range(0, len(codes[0]), per_word):
        column = []
        for i, row in enumerate(codes):
            word = y[i] if y else 0
            for j, f in enumerate(range(first, min(first + per_word, len(row)))):
                word += (n_bins[f] if row[f] == MISSING else row[f]) << 8 * (j + 1)
            column.append(word)
        words.append(column)
    return words
