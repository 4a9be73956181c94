"""Similarities of two classifiers from their confusion matrix, in plain Python."""

from math import log, nan, sqrt


def confusion(member, whole, n_classes):
    table = [[0] * n_classes for _ in range(n_classes)]
    for a, b in zip(member, whole, strict=True):
        table[a][b] += 1
    return table


def agreement(member, whole):
    return sum(a == b for a, b in zip(member, whole)) / len(whole)


def kappa(member, whole):
    n, classes = len(whole), set(member) | set(whole)
    chance = sum(member.count(k) * whole.count(k) for k in classes) / n**2
    return nan if chance == 1 else (agreement(member, whole) - chance) / (1 - chance)


def balanced(member, whole):
    shares = []
    for k in sorted(set(whole)):
        said = [a for a, b in zip(member, whole) if b == k]
        shares.append(said.count(k) / len(said))
    return sum(shares) / len(shares)


def correlation(member, whole):
    """Correlation of the one-hot codes of two labellings."""
    n, classes = len(whole), set(member) | set(whole)

    def covariance(u, v):
        total = 0.0
        for k in classes:
            a, b = [x == k for x in u], [x == k for x in v]
            total += sum(x * y for x, y in zip(a, b)) / n - sum(a) * sum(b) / n**2
        return total

    spread = covariance(member, member) * covariance(whole, whole)
    return nan if spread < 1e-15 else covariance(member, whole) / sqrt(spread)


def information(member, whole):
    n = len(whole)

    def entropy(values):
        return -sum(values.count(v) / n * log(values.count(v) / n) for v in set(values))

    if entropy(whole) == 0:
        return nan
    both = list(zip(member, whole))
    return (entropy(member) + entropy(whole) - entropy(both)) / entropy(whole)
