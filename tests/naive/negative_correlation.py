"""Errors of members of negative correlation learning at one sample, and a joint network."""

import math


def mean_of(outputs):
    return [sum(column) / len(outputs) for column in zip(*outputs, strict=True)]


def ncl(i, outputs, target, lam):
    """Eastwood's thesis, eq. 4.1 with the penalty as first written, eq. 4.2."""
    mean = mean_of(outputs)
    total = 0.0
    for k, d in enumerate(target):
        others = sum(outputs[j][k] - mean[k] for j in range(len(outputs)) if j != i)
        total += 0.5 * (outputs[i][k] - d) ** 2 + lam * (outputs[i][k] - mean[k]) * others
    return total


def root_quartic(i, outputs, target, lam):
    total = 0.0
    for k, d in enumerate(target):
        fourths = [(outputs[i][k] - other[k]) ** 4 for other in outputs]
        total += 0.5 * (outputs[i][k] - d) ** 2 - lam * math.sqrt(sum(fourths) / len(outputs))
    return total


def cross_entropy(output, target, kind):
    total = 0.0
    for f, d in zip(output, target, strict=True):
        if d > 0:
            total -= d * math.log(f)
        if kind == "sigmoid" and d < 1:
            total -= (1 - d) * math.log(1 - f)
    return total


def mixture(i, outputs, target, s, kind):
    own = cross_entropy(outputs[i], target, kind)
    joint = cross_entropy(mean_of(outputs), target, kind)
    return (1 - s) * own + s * len(outputs) * joint


def put_out(signal, kind):
    if kind == "linear":
        return list(signal)
    if kind == "sigmoid":
        return [1 / (1 + math.exp(-a)) for a in signal]
    powers = [math.exp(a) for a in signal]
    return [p / sum(powers) for p in powers]


def slope(error, signals, i, k, kind, step=1e-5):
    """Central difference of ``error(outputs)`` by what goes into output k of member i."""
    values = []
    for sign in (1, -1):
        moved = [list(signal) for signal in signals]
        moved[i][k] += sign * step
        values.append(error([put_out(signal, kind) for signal in moved]))
    return (values[0] - values[1]) / (2 * step)


def joint_step(weights, X, targets, rate):
    """One step of gradient descent of one network whose output is the mean of N blocks.

    ``weights`` is a list of (W, b, V, c), a block of tanh units each; nested lists.
    """
    n_blocks, n = len(weights), len(X)
    hidden = [
        [
            [math.tanh(sum(x[a] * W[a][h] for a in range(len(x))) + b[h]) for h in range(len(b))]
            for x in X
        ]
        for W, b, _, _ in weights
    ]
    moved = []
    outputs = []
    for r in range(n):
        total = [0.0] * len(targets[0])
        for (_, _, V, c), H in zip(weights, hidden, strict=True):
            for k in range(len(c)):
                total[k] += (sum(H[r][h] * V[h][k] for h in range(len(V))) + c[k]) / n_blocks
        outputs.append(total)
    away = [
        [f - d for f, d in zip(*row, strict=True)] for row in zip(outputs, targets, strict=True)
    ]
    for (W, b, V, c), H in zip(weights, hidden, strict=True):
        W, b, V, c = [row[:] for row in W], b[:], [row[:] for row in V], c[:]
        old = [row[:] for row in V]
        for r in range(n):
            for k in range(len(c)):
                g = rate * away[r][k] / (n_blocks * n)
                c[k] -= g
                for h in range(len(b)):
                    V[h][k] -= g * H[r][h]
                    back = g * old[h][k] * (1 - H[r][h] ** 2)
                    b[h] -= back
                    for a in range(len(X[r])):
                        W[a][h] -= back * X[r][a]
        moved.append((W, b, V, c))
    return moved


def pairs(i, outputs, target, lam):
    """The sum over pairs of classes of the error of differences of outputs, over classes."""
    total, n_classes = 0.0, len(target)
    for a in range(n_classes):
        for b in range(a):
            differences = [[f[a] - f[b]] for f in outputs]
            total += ncl(i, differences, [target[a] - target[b]], lam)
    return total / n_classes
