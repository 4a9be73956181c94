"""Slow twins of counterpoint.diversity: plain Python, straight from the papers' definitions."""

from itertools import combinations
from math import ceil, isnan, nan, sqrt


def _table(a, b):
    n11 = sum(1 for x, y in zip(a, b) if x and y)
    n10 = sum(1 for x, y in zip(a, b) if x and not y)
    n01 = sum(1 for x, y in zip(a, b) if not x and y)
    n00 = sum(1 for x, y in zip(a, b) if not x and not y)
    return n11, n10, n01, n00


def _ratio(a, b):
    return a / b if b else nan


def _q(a, b):
    n11, n10, n01, n00 = _table(a, b)
    return _ratio(n11 * n00 - n10 * n01, n11 * n00 + n10 * n01)


def _rho(a, b):
    n11, n10, n01, n00 = _table(a, b)
    return _ratio(
        n11 * n00 - n10 * n01, sqrt((n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00))
    )


def _kappa(a, b):
    """Cohen's: observed agreement beyond that of two independent coins."""
    n = len(a)
    same = sum(1 for x, y in zip(a, b) if bool(x) == bool(y)) / n
    p, q = sum(map(bool, a)) / n, sum(map(bool, b)) / n
    chance = p * q + (1 - p) * (1 - q)
    return (same - chance) / (1 - chance) if abs(1 - chance) > 1e-12 else nan


def _disagreement(a, b):
    _, n10, n01, _ = _table(a, b)
    return (n10 + n01) / len(a)


def _double_fault(a, b):
    return _table(a, b)[3] / len(a)


def _covariance(a, b):
    n = len(a)
    return (
        sum(1 for x, y in zip(a, b) if x and y) / n - sum(map(bool, a)) * sum(map(bool, b)) / n**2
    )


def _over_pairs(pair):
    def measure(correct):
        values = [pair(a, b) for a, b in combinations([list(c) for c in correct], 2)]
        values = [v for v in values if not isnan(v)]
        return sum(values) / len(values) if values else nan

    return measure


def _right(correct):
    return [sum(bool(x) for x in column) for column in zip(*correct)]


def entropy(correct):
    T = len(correct)
    if T < 2:
        return nan
    right = _right(correct)
    return sum(min(r, T - r) / (T - ceil(T / 2)) for r in right) / len(right)


def kohavi_wolpert_variance(correct):
    T = len(correct)
    right = _right(correct)
    return nan if T < 2 else sum(r * (T - r) for r in right) / (len(right) * T * T)


def interrater_kappa(correct):
    T, right = len(correct), _right(correct)
    n = len(right)
    mean = sum(right) / (n * T)
    if T < 2 or sum(right) in (0, n * T):
        return nan
    return 1 - sum(r * (T - r) for r in right) / T / (n * (T - 1) * mean * (1 - mean))


def difficulty(correct):
    T, right = len(correct), _right(correct)
    rates = [r / T for r in right]
    mean = sum(rates) / len(rates)
    return sum((r - mean) ** 2 for r in rates) / len(rates)


def generalized_diversity(correct):
    T, right = len(correct), _right(correct)
    if T < 2:
        return nan
    p = [right.count(T - i) / len(right) for i in range(T + 1)]  # i members fail
    one = sum(i / T * p[i] for i in range(T + 1))
    two = sum(i / T * (i - 1) / (T - 1) * p[i] for i in range(T + 1))
    return 1 - two / one if one else nan


def coincident_failure_diversity(correct):
    T, right = len(correct), _right(correct)
    if T < 2:
        return nan
    p = [right.count(T - i) / len(right) for i in range(T + 1)]
    if p[0] == 1:
        return 0.0
    return sum((T - i) / (T - 1) * p[i] for i in range(1, T + 1)) / (1 - p[0])


def _winner(votes, y, n_classes):
    """Per sample: share right, share of the best other class, whether the vote is right."""
    T = len(votes)
    for s, truth in enumerate(y):
        cast = [sum(1 for m in votes if m[s] == c) for c in range(n_classes)]
        rival = max([0, *(v for c, v in enumerate(cast) if c != truth)])
        yield cast[truth] / T, rival / T, cast.index(max(cast)) == truth, cast


def vote_measures(votes, y, n_classes):
    """All measures of the vote, by name."""
    T, n = len(votes), len(y)
    rows = list(_winner(votes, y, n_classes))
    margin = [r - o for r, o, _, _ in rows]
    member = sum(1 - r for r, *_ in rows) / n
    vote = sum(not w for _, _, w, _ in rows) / n
    mean = sum(margin) / n
    disagree = sum(1 - sum((v / T) ** 2 for v in cast) for *_, cast in rows) / n
    return {
        "member_error": member,
        "vote_error": vote,
        "ambiguity": sum(w - r for r, _, w, _ in rows) / n,
        "ambiguity_size": sum(abs(w - r) for r, _, w, _ in rows) / n,
        "good_diversity": sum(1 - r for r, _, w, _ in rows if w) / n,
        "bad_diversity": sum(r for r, _, w, _ in rows if not w) / n,
        "margin_min": min(margin),
        "margin_mean": mean,
        "margin_spread": sqrt(sum((m - mean) ** 2 for m in margin) / n),
        "disagreement_error_ratio": disagree / member if member > 1e-15 else nan,
        "improvement_rate": 1 - vote / member if member > 1e-15 else nan,
    }


def label_measures(votes, y, n_classes):
    """All measures of pairs of labels, by name."""
    n = len(y)
    kappas, products, differ = [], [], []
    for a, b in combinations([list(v) for v in votes], 2):
        same = sum(p == q for p, q in zip(a, b)) / n
        chance = sum(a.count(c) * b.count(c) for c in range(n_classes)) / n**2
        error = sum((p != t) + (q != t) for p, q, t in zip(a, b, y)) / (2 * n)
        differ.append(1 - same)
        if abs(1 - chance) > 1e-12:
            kappas.append((same - chance) / (1 - chance))
            products.append(kappas[-1] * error)
    return {
        "label_kappa": sum(kappas) / len(kappas) if kappas else nan,
        "label_disagreement": sum(differ) / len(differ) if differ else nan,
        "kappa_error": sum(products) / len(products) if products else nan,
    }


CORRECT = {
    "q": _over_pairs(_q),
    "correlation": _over_pairs(_rho),
    "kappa": _over_pairs(_kappa),
    "disagreement": _over_pairs(_disagreement),
    "double_fault": _over_pairs(_double_fault),
    "covariance": _over_pairs(_covariance),
    "entropy": entropy,
    "kohavi_wolpert_variance": kohavi_wolpert_variance,
    "interrater_kappa": interrater_kappa,
    "difficulty": difficulty,
    "generalized_diversity": generalized_diversity,
    "coincident_failure_diversity": coincident_failure_diversity,
}
