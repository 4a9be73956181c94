"""Slow twins of the views: plain Python that can be checked by eye."""

import itertools
import math

import numpy as np


def kth_neighbour(X, k):
    """Distance of each row to its k-th neighbour, itself not counted."""
    found = []
    for i, row in enumerate(X):
        distances = sorted(math.dist(row, other) for j, other in enumerate(X) if j != i)
        found.append(distances[k - 1])
    return found


def class_correlation(column, is_class, weight):
    """Pearson's correlation of a column with being of a class, by weight; NaN if constant."""
    total = sum(weight)
    mean_x = sum(w * x for w, x in zip(weight, column)) / total
    mean_c = sum(w * c for w, c in zip(weight, is_class)) / total
    xx = sum(w * (x - mean_x) ** 2 for w, x in zip(weight, column))
    cc = sum(w * (c - mean_c) ** 2 for w, c in zip(weight, is_class))
    xc = sum(w * (x - mean_x) * (c - mean_c) for w, x, c in zip(weight, column, is_class))
    if min(column) == max(column) or min(is_class) == max(is_class):
        return math.nan
    return xc / math.sqrt(xx * cc)


def hamming(one, two):
    return sum(a != b for a, b in zip(one, two))


def row_distance(code):
    return min(hamming(code[i], code[j]) for i in range(len(code)) for j in range(i))


def column_distance(code):
    columns = list(zip(*code))
    apart = [hamming(columns[i], columns[j]) for i in range(len(columns)) for j in range(i)]
    return min(min(a, len(code) - a) for a in apart) if apart else math.nan


def splits(code):
    """The splits of the classes that the columns make, each as the side without class 0."""
    found = []
    for column in zip(*code):
        side = frozenset(k for k, bit in enumerate(column) if bit != column[0])
        found.append(side)
    return found


def code_distance(said, word, decoding, loss):
    total = 0.0
    for value, bit in zip(said, word):
        if decoding == "hard":
            total += value != bit
        elif decoding == "soft":
            total += abs(value - bit)
        else:
            margin = value if bit else -value
            if loss == "exponential":
                total += math.exp(-margin)
            elif loss == "logistic":
                total += math.log(1 + math.exp(-2 * margin))
            else:
                total += max(0.0, 1 - margin)
    return total


def equation_6_1(y, drawn):
    """Weight of each drawn row: frequency of its class over the rows of it that were drawn."""
    weights = []
    for label in drawn:
        prior = sum(other == label for other in y) / len(y)
        weights.append(prior / sum(other == label for other in drawn))
    return weights


def combination_tree(X, y, weight, draws, max_depth, n_classes):
    """Grow by depth, left first; ``draws`` yields, node after node, a list of sums to try.

    X (n_samples, n_features) float32 on a common scale. Returns nested tuples: (features,
    coefficients, threshold, left, right), or the class weights of a leaf.
    """

    def gini(rows):
        weights = [sum(weight[i] for i in rows if y[i] == k) for k in range(n_classes)]
        return sum(w * w for w in weights) / sum(weights)

    def node(rows, depth):
        held = [sum(weight[i] for i in rows if y[i] == k) for k in range(n_classes)]
        if sum(w > 0 for w in held) == 1 or depth == max_depth:
            return tuple(held)
        best = None
        for features, coefficients in next(draws):
            z = {}
            for i in rows:
                z[i] = np.float32(0)
                for f, c in zip(features, coefficients):
                    z[i] = np.float32(z[i] + np.float32(c * X[i][f]))
            values = sorted(set(z.values()))
            for low, high in itertools.pairwise(values):
                left = [i for i in rows if z[i] <= low]
                right = [i for i in rows if z[i] > low]
                score = gini(left) + gini(right)
                if best is None or score > best[0]:
                    cut = np.float32(low / np.float32(2)) + np.float32(high / np.float32(2))
                    best = (score, features, coefficients, cut, left, right)
        if best is None:
            return tuple(held)
        _, features, coefficients, cut, left, right = best
        below = node(left, depth + 1)
        return (tuple(features), tuple(coefficients), cut, below, node(right, depth + 1))

    return node([i for i in range(len(y)) if weight[i] > 0], 0)
