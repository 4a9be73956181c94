"""Mixtures of experts, one number at a time."""

import math


def softmax(scores):
    top = max(scores)
    parts = [math.exp(s - top) for s in scores]
    return [p / sum(parts) for p in parts]


def linear(x, weights, bias):
    """Outputs of one layer: weights[feature][output]."""
    return [b + sum(value * weights[j][k] for j, value in enumerate(x)) for k, b in enumerate(bias)]


def normal(y, mean, variance):
    return math.exp(-0.5 * (y - mean) ** 2 / variance) / math.sqrt(2 * math.pi * variance)


def responsibilities(X, likelihood, gate_weights, gate_bias):
    """likelihood[expert][row] is p_i(y | x); returns [expert][row]."""
    found = [[0.0] * len(X) for _ in likelihood]
    for n, x in enumerate(X):
        share = softmax(linear(x, gate_weights, gate_bias))
        joint = [g * likelihood[i][n] for i, g in enumerate(share)]
        for i, part in enumerate(joint):
            found[i][n] = part / sum(joint)
    return found


def mean_log_likelihood(X, likelihood, weight, gate_weights, gate_bias):
    total = 0.0
    for n, x in enumerate(X):
        share = softmax(linear(x, gate_weights, gate_bias))
        total += weight[n] * math.log(sum(g * likelihood[i][n] for i, g in enumerate(share)))
    return total / sum(weight)
