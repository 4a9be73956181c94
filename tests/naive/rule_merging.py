"""Conflicts of rules in plain Python. Imports nothing of ours."""


def covers(rule, x):
    return all(low < v <= high for low, v, high in zip(rule[0], x, rule[1]))


def fewest_errors(X, codes, weight, labels, lower, upper):
    """Fewest errors of any cut of a box into two parts, one for each label, by trying all."""
    best = float("inf")
    for j in range(len(lower)):
        for t in [lower[j], *(x[j] for x in X), upper[j]]:
            for low, high in (labels, labels[::-1]):
                errors = sum(
                    w
                    for x, code, w in zip(X, codes, weight)
                    if code != (low if x[j] <= t else high)
                )
                best = min(best, errors)
    return best


def contested(first, second, X):
    """Samples that rules of different classes cover: numbers of sample and of both rules."""
    return [
        (i, a, b)
        for i, x in enumerate(X)
        for a, one in enumerate(first)
        for b, other in enumerate(second)
        if one[2] != other[2] and covers(one, x) and covers(other, x)
    ]


def predict_shares(rules, values, scale, x):
    """Class shares of the rules that cover a sample, or of the nearest rule."""
    deciding = [k for k, rule in enumerate(rules) if covers(rule, x)]
    if not deciding:
        far = [
            sum(
                (max(low - v, v - high, 0.0) / s) ** 2
                for low, v, high, s in zip(rule[0], x, rule[1], scale)
            )
            for rule in rules
        ]
        deciding = [far.index(min(far))]
    total = [sum(values[k][c] for k in deciding) for c in range(len(values[0]))]
    return [t / sum(total) for t in total]


def join(rules):
    """Join boxes of a class, again and again from the start, while a hull meets no other class."""
    rules = [list(rule) for rule in rules]
    again = True
    while again:
        again = False
        for k, one in enumerate(rules):
            for c in range(k + 1, len(rules)):
                if rules[c][2] != one[2]:
                    continue
                low = [min(a, b) for a, b in zip(one[0], rules[c][0])]
                high = [max(a, b) for a, b in zip(one[1], rules[c][1])]
                if not any(
                    other[2] != one[2]
                    and all(a < d and b < c_ for a, c_, b, d in zip(other[0], other[1], low, high))
                    for other in rules
                ):
                    rules[k] = [low, high, one[2]]
                    del rules[c]
                    again = True
                    break
            if again:
                break
    return [tuple(rule) for rule in rules]
