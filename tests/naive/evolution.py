"""Recursive least squares, EPNet's importance test and ADDEMUP's crossover, step by step."""

import math

import numpy as np


def recursive_least_squares(rows, wanted, start, first):
    """One pass of RLS: rows[t] are the members' outputs, wanted[t] the target.

    ``first`` is the factor of the unit matrix that P starts from.
    """
    w = np.array(start, dtype=float)
    P = first * np.eye(len(w))
    for row, target in zip(rows, wanted, strict=True):
        gain = P @ row / (1.0 + row @ P @ row)
        w = w + gain * (target - row @ w)
        P = P - np.outer(gain, row @ P)
    return w


def _forward(x, w1, b1, w2, b2):
    hidden = [
        math.tanh(b1[h] + sum(x[j] * w1[j][h] for j in range(len(x)))) for h in range(len(b1))
    ]
    score = [b2[k] + sum(hidden[h] * w2[h][k] for h in range(len(b1))) for k in range(len(b2))]
    top = max(score)
    parts = [math.exp(s - top) for s in score]
    return hidden, [p / sum(parts) for p in parts]


def cross_entropy(x, target, w1, b1, w2, b2):
    out = _forward(x, w1, b1, w2, b2)[1]
    return -sum(t * math.log(o) for t, o in zip(target, out, strict=True))


def importance(X, targets, rate, w1, b1, w2, b2, eps=1e-6):
    """EPNet's test of every weight, gradients by finite differences; two nested lists."""
    found = []
    for layer in (w1, w2):
        tests = []
        for row in layer:
            tests.append([])
            for k in range(len(row)):
                steps = []
                for x, target in zip(X, targets, strict=True):
                    keep = row[k]
                    row[k] = keep + eps
                    up = cross_entropy(x, target, w1, b1, w2, b2)
                    row[k] = keep - eps
                    down = cross_entropy(x, target, w1, b1, w2, b2)
                    row[k] = keep
                    steps.append(keep - rate * (up - down) / (2 * eps))
                mean = sum(steps) / len(steps)
                spread = math.sqrt(sum((s - mean) ** 2 for s in steps))
                tests[-1].append(abs(sum(steps)) / spread)
        found.append(tests)
    return found


def crossed(first, second, from_first, from_second):
    """Hidden units of two children; a parent is a list of units, any objects."""
    children = ([], [])
    for parent, taken in ((first, from_first), (second, from_second)):
        for unit, goes in zip(parent, taken, strict=True):
            children[0 if goes else 1].append(unit)
    return children
