"""LogitBoost and L2Boost in plain Python, with any regressor; after the papers, step by step."""

from math import exp

import numpy as np

TINY = 2 * np.finfo(float).eps


def logitboost_two(X, y, X_new, n_rounds, make_regressor, *, z_max=4.0, rate=1.0):
    """Friedman, Hastie & Tibshirani 2000, algorithm 3; y is 0 or 1. Return F for ``X_new``."""
    score, new = [0.0] * len(y), [0.0] * len(X_new)
    for _ in range(n_rounds):
        z, w = [], []
        for i in range(len(y)):
            p = 1 / (1 + exp(-2 * score[i]))
            z.append(max(-z_max, min(z_max, 1 / p if y[i] == 1 else -1 / (1 - p))))
            w.append(max(p * (1 - p), TINY))
        f = make_regressor().fit(X, z, sample_weight=w)
        score = [s + rate * v / 2 for s, v in zip(score, f.predict(X), strict=True)]
        new = [s + rate * v / 2 for s, v in zip(new, f.predict(X_new), strict=True)]
    return new


def logitboost_many(X, y, X_new, n_classes, n_rounds, make_regressor, *, z_max=4.0, rate=1.0):
    """Algorithm 6; y is 0 to K - 1. Return F for ``X_new``, (n_samples, n_classes)."""
    score = [[0.0] * n_classes for _ in y]
    new = [[0.0] * n_classes for _ in X_new]
    for _ in range(n_rounds):
        members = []
        for k in range(n_classes):
            z, w = [], []
            for i in range(len(y)):
                p = exp(score[i][k]) / sum(exp(s) for s in score[i])
                z.append(max(-z_max, min(z_max, 1 / p if y[i] == k else -1 / (1 - p))))
                w.append(max(p * (1 - p), TINY))
            members.append(make_regressor().fit(X, z, sample_weight=w))
        for rows, total in ((X, score), (X_new, new)):
            values = np.transpose([f.predict(rows) for f in members]).tolist()
            for row, v in zip(total, values, strict=True):
                for k in range(n_classes):
                    step = (n_classes - 1) / n_classes * (v[k] - sum(v) / n_classes)
                    row[k] += rate * step
    return new


def l2boost(X, y, X_new, n_rounds, make_regressor, *, rate=0.1, line_search=False):
    """Buhlmann & Yu 2003; Eastwood 2010, eq. 3.20-3.24. Return F for ``X_new``."""
    mean = sum(y) / len(y)
    score, new = [mean] * len(y), [mean] * len(X_new)
    for _ in range(n_rounds):
        residual = [t - s for t, s in zip(y, score, strict=True)]
        h = make_regressor().fit(X, residual)
        values = h.predict(X).tolist()
        step = 1.0
        if line_search:
            step = sum(u * v for u, v in zip(residual, values, strict=True))
            step /= sum(v * v for v in values)
        score = [s + rate * step * v for s, v in zip(score, values, strict=True)]
        new = [s + rate * step * v for s, v in zip(new, h.predict(X_new), strict=True)]
    return new


def project(values):
    """Nearest point of the probability simplex, by bisection of what is taken from all."""
    low, high = min(values) - 1.0, max(values)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(v - middle, 0.0) for v in values) > 1:
            low = middle
        else:
            high = middle
    return [max(v - high, 0.0) for v in values]
