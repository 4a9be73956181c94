"""Rules of combination for one sample, in plain Python; proba[member][class]."""

from math import log, prod


def column(proba, c):
    return [p[c] for p in proba]


def mean(values, weights=None):
    weights = weights or [1] * len(values)
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def median(values):
    values = sorted(values)
    n = len(values)
    return values[n // 2] if n % 2 else (values[n // 2 - 1] + values[n // 2]) / 2


def shares(values):
    return [v / sum(values) for v in values]


RULES = {
    "mean": lambda proba, k: [mean(column(proba, c)) for c in range(k)],
    "min": lambda proba, k: [min(column(proba, c)) for c in range(k)],
    "max": lambda proba, k: [max(column(proba, c)) for c in range(k)],
    "median": lambda proba, k: [median(column(proba, c)) for c in range(k)],
    "product": lambda proba, k: shares([prod(column(proba, c)) for c in range(k)]),
    "geometric": lambda proba, k: shares(
        [prod(column(proba, c)) ** (1 / len(proba)) for c in range(k)]
    ),
}


def power_mean(values, power):
    return mean([v**power for v in values]) ** (1 / power)


def fuzzy_measure(members, density, lam):
    """Of a group, one member after the other."""
    g = 0.0
    for m in members:
        g = density[m] + g + lam * density[m] * g
    return g


def levels(values, density, lam):
    """Pairs (support, measure of the members that give at least that support)."""
    found = []
    for a in sorted(set(values), reverse=True):
        group = [m for m, v in enumerate(values) if v >= a]
        found.append((a, fuzzy_measure(group, density, lam)))
    return found


def sugeno(values, density, lam):
    return max(min(a, g) for a, g in levels(values, density, lam))


def choquet(values, density, lam):
    found, total = levels(values, density, lam), 0.0
    for k, (a, g) in enumerate(found):
        below = found[k + 1][0] if k + 1 < len(found) else 0.0
        total += (a - below) * g
    return total


def similarity(kind, profile, template):
    """Decision profile and template, both [member][class]."""
    pairs = [
        (a, b) for p, t in zip(profile, template, strict=True) for a, b in zip(p, t, strict=True)
    ]
    if kind == "euclidean":
        return 1 - mean([(a - b) ** 2 for a, b in pairs])
    if kind == "s1":
        return sum(min(p) for p in pairs) / sum(max(p) for p in pairs)
    if kind == "s2":
        return 1 - mean([abs(a - b) for a, b in pairs])
    if kind == "s3":
        return 1 - mean([max(min(b, 1 - a), min(1 - b, a)) for a, b in pairs])
    return 1 - max(abs(a - b) for a, b in pairs)


def log_odds(error, n, k):
    error = (error * n + 0.5) / (n + 1)
    return (
        max(log((1 - error) / error) + log(k - 1), 0) if k > 2 else max(log((1 - error) / error), 0)
    )
