"""One round of DECORATE in plain Python; random numbers come from outside."""

import math


def artificial_column(values, noise):
    """Numbers: normal with mean and sample deviation of the column; noise is standard normal."""
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return [mean + deviation * z for z in noise]


def artificial_names(values, names, noise):
    """Names: by frequency, each counted once more than it occurs; noise is uniform."""
    shares = [(values.count(name) + 1) / (len(values) + len(names)) for name in names]
    return [names[pick(shares, u)] for u in noise]


def contrary_label(proba, u):
    """A class drawn with probability inverse to ``proba``; u is uniform."""
    inverse = [1.0 / max(p, 1e-12) for p in proba]
    return pick([v / sum(inverse) for v in inverse], u)


def pick(shares, u):
    reached = 0.0
    for k, share in enumerate(shares):
        reached += share
        if u <= reached:
            return k
    return len(shares) - 1


def decorate_round(make_model, models, X, y, columns_noise, labels_noise):
    """Train one more member; return it and whether it is taken in. Classes are 0, 1, ..."""
    drawn = [
        artificial_column([row[k] for row in X], noise) for k, noise in enumerate(columns_noise)
    ]
    rows = [list(row) for row in zip(*drawn)]
    labels = [contrary_label(p, u) for p, u in zip(mean_proba(models, rows), labels_noise)]
    model = make_model().fit([list(row) for row in X] + rows, list(y) + labels)
    before, after = error(models, X, y), error([*models, model], X, y)
    return model, after <= before


def mean_proba(models, X):
    predicted = [model.predict_proba(X).tolist() for model in models]
    return [[sum(p) / len(models) for p in zip(*sample)] for sample in zip(*predicted)]


def error(models, X, y):
    wrong = 0
    for proba, truth in zip(mean_proba(models, X), y):
        wrong += proba.index(max(proba)) != truth
    return wrong / len(y)
