"""AdaBoost.M2 in plain Python: Freund & Schapire 1996, with lists of mislabel weights."""

from math import log


def adaboost_m2(X, y, n_classes, n_rounds, make_member, *, hard=False, weights=None):
    """Return members, log(1 / beta), pseudo-losses and the weights of samples of each round.

    ``make_member()`` gives an unfitted classifier that knows all classes 0 to K - 1.
    """
    n = len(y)
    first = weights or [1 / n] * n
    w = [
        {label: first[i] / (n_classes - 1) for label in range(n_classes) if label != y[i]}
        for i in range(n)
    ]
    members, alphas, losses, distributions = [], [], [], []
    for _ in range(n_rounds):
        big_w = [sum(row.values()) for row in w]
        q = [{label: row[label] / big_w[i] for label in row} for i, row in enumerate(w)]
        d = [value / sum(big_w) for value in big_w]
        member = make_member().fit(X, y, sample_weight=d)
        p = outputs(member, X, n_classes, hard)
        loss = 0.0
        for i in range(n):
            blame = sum(q[i][label] * p[i][label] for label in q[i])
            loss += 0.5 * d[i] * (1 - p[i][y[i]] + blame)
        beta = loss / (1 - loss)
        for i in range(n):
            for label in w[i]:
                w[i][label] *= beta ** (0.5 * (1 + p[i][y[i]] - p[i][label]))
        members.append(member)
        alphas.append(log(1 / beta))
        losses.append(loss)
        distributions.append(d)
    return members, alphas, losses, distributions


def outputs(member, X, n_classes, hard):
    if not hard:
        return member.predict_proba(X).tolist()
    return [[float(k == predicted) for k in range(n_classes)] for predicted in member.predict(X)]


def scores(members, alphas, X, n_classes, hard=False):
    """Sum over the members of log(1 / beta) p(x, y), for each sample and class."""
    total = [[0.0] * n_classes for _ in X]
    for member, alpha in zip(members, alphas, strict=True):
        for row, p in zip(total, outputs(member, X, n_classes, hard), strict=True):
            for k in range(n_classes):
                row[k] += alpha * p[k]
    return total
