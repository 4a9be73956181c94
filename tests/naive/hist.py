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
    if tree.categories is not None and math.isnan(tree.threshold[node]):
        members = members_of(tree.categories[node])
        ways = {i: missing_left if codes[i][f] == MISSING else codes[i][f] in members for i in rows}
        left = [i for i in rows if ways[i]]
    return left, [i for i in rows if i not in set(left)]


def penalised_gain(left, right, y, weight, l2):
    """How much more the sides fit than the whole: Chen and Guestrin 2016, eq. 7, twice."""
    return sum(penalised_fit(rows, y, weight, l2) for rows in (left, right)) - penalised_fit(
        [*left, *right], y, weight, l2
    )


def penalised_fit(rows, y, weight, l2):
    """Square of the targets' sum over the weight plus ``l2``."""
    pull = sum(weight[i] * y[i] for i in rows)
    return pull * pull / (sum(weight[i] for i in rows) + l2)


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
        if tree.categories is not None and math.isnan(tree.threshold[node]):
            members = members_of(tree.categories[node])
            known = 0 <= x < 256 and x == int(x) and (raw or x != MISSING)
            left = x in members if known else tree.missing_go_to_left[node]
        elif raw:
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


def members_of(words):
    """The numbers in a set of bits: four words of 64."""
    return {64 * k + b for k, word in enumerate(words) for b in range(64) if int(word) >> b & 1}


def category_cuts(codes, rows, f, y, weight, smooth):
    """All cuts of the categories of a column in the order of their targets: [(left, right)]."""
    known = sorted({codes[i][f] for i in rows} - {MISSING})
    missing = [i for i in rows if codes[i][f] == MISSING]
    mean = sum(weight[i] * y[i] for i in rows) / sum(weight[i] for i in rows)

    def place(code):
        own = [i for i in rows if codes[i][f] == code]
        total = sum(weight[i] for i in own) + smooth
        return (sum(weight[i] * y[i] for i in own) + smooth * mean) / total

    order = sorted(known, key=place)
    return _cut_everywhere([order[:at] for at in range(1, len(order) + 1)], codes, rows, f, missing)


def category_chance(codes, rows, f, y, weight, share):
    """What a cut of categories must bring: a share of a row's variance for each beyond two."""
    known = {codes[i][f] for i in rows} - {MISSING}
    return share * max(len(known) - 2, 0) * impurity(rows, y, weight, "squared_error") / len(rows)


def category_subsets(codes, rows, f):
    """All ways to part the categories of a column in two: [(left, right)]."""
    known = sorted({codes[i][f] for i in rows} - {MISSING})
    missing = [i for i in rows if codes[i][f] == MISSING]
    chosen = [[c for b, c in enumerate(known) if m >> b & 1] for m in range(1, 2 ** len(known))]
    return _cut_everywhere(chosen, codes, rows, f, missing)


def _cut_everywhere(chosen, codes, rows, f, missing):
    found = []
    for left_codes in chosen:
        for extra in ([], missing) if missing else ([],):
            left = [i for i in rows if codes[i][f] in left_codes] + extra
            right = [i for i in rows if i not in set(left)]
            if left and right:
                found.append((left, right))
    return found


def bounded(rows, y, weight, l2, low, high):
    """Value of some rows within bounds, and by how much it lowers the squared error."""
    pull, total = sum(weight[i] * y[i] for i in rows), sum(weight[i] for i in rows) + l2
    value = min(max(pull / total, low), high)
    return value, 2 * pull * value - total * value * value


def bounded_gain(left, right, y, weight, l2, low, high, sign):
    """What a split gains by values within bounds; None if they are in the wrong order."""
    (a, fit_a), (b, fit_b) = (bounded(rows, y, weight, l2, low, high) for rows in (left, right))
    if sign * a > sign * b:
        return None
    return fit_a + fit_b - bounded([*left, *right], y, weight, l2, low, high)[1]
