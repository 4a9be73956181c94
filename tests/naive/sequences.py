"""Hidden Markov models by adding up all paths, one after the other."""

from itertools import product
from math import exp, log, pi


def log_gauss(x, mean, cov):
    """Log density, with the inverse and the determinant by Gauss's elimination."""
    d = len(x)
    rows = [[*cov[i], x[i] - mean[i]] for i in range(d)]
    log_det = 0.0
    for i in range(d):
        log_det += log(rows[i][i])
        for j in range(i + 1, d):
            f = rows[j][i] / rows[i][i]
            rows[j] = [a - f * b for a, b in zip(rows[j], rows[i], strict=True)]
    z = [0.0] * d
    for i in range(d - 1, -1, -1):
        z[i] = (rows[i][d] - sum(rows[i][j] * z[j] for j in range(i + 1, d))) / rows[i][i]
    form = sum((x[i] - mean[i]) * z[i] for i in range(d))
    return -0.5 * (d * log(2 * pi) + log_det + form)


def quadratic(x):
    """1, the columns, and their products."""
    return [1.0, *x, *(x[i] * x[j] for i in range(len(x)) for j in range(i, len(x)))]


def density(x, mixture, means, covs):
    """Density of one event in one state; None in x is missing."""
    seen = [i for i, v in enumerate(x) if v is not None]
    if not seen:
        return 1.0
    return sum(
        share
        * exp(
            log_gauss(
                [x[i] for i in seen],
                [mean[i] for i in seen],
                [[cov[i][j] for j in seen] for i in seen],
            )
        )
        for share, mean, cov in zip(mixture, means, covs, strict=True)
    )


def path_probabilities(sequence, start, move, mixture, means, covs):
    """Joint density of the sequence and of every path of states."""
    n = len(start)
    found = {}
    for path in product(range(n), repeat=len(sequence)):
        p = start[path[0]]
        for t, x in enumerate(sequence):
            if t:
                p *= move[path[t - 1]][path[t]]
            q = path[t]
            p *= density(x, mixture[q], means[q], covs[q])
        found[path] = p
    return found


def log_likelihood(sequence, *model):
    return log(sum(path_probabilities(sequence, *model).values()))


def state_probabilities(sequence, *model):
    """Probability of each state at each event."""
    paths = path_probabilities(sequence, *model)
    total = sum(paths.values())
    n = len(model[0])
    return [
        [sum(p for path, p in paths.items() if path[t] == q) / total for q in range(n)]
        for t in range(len(sequence))
    ]


def best_path(sequence, *model):
    paths = path_probabilities(sequence, *model)
    return max(paths, key=paths.get)


def histories(events, target, horizon, min_events, length):
    """Events are (entity, type) in order; return (entity, first, last, label) by position."""
    found = []
    for entity in sorted({e for e, _ in events}):
        rows = [i for i, (e, _) in enumerate(events) if e == entity]
        stop = len(rows)
        for k, i in enumerate(rows):
            if events[i][1] == target:
                stop = k + 1
                break
        for k in range(stop):
            last = k - horizon
            n = last + 1
            if n < 1 or n < min_events - 1:
                continue
            if length != "any" and n < length:
                continue
            first = 0 if length == "any" else last - length + 1
            found.append((entity, rows[first], rows[last], int(events[rows[k]][1] == target)))
    return found
