"""Slow twins of voting without truth: plain Python, obvious."""

import math


def truth_step(starts, member, label, say, sample_weight, log_prior, log_confusion):
    n_classes = len(log_prior)
    proba, likelihood = [], 0.0
    counts = [[[0.0] * n_classes for _ in rows] for rows in log_confusion]
    for s in range(len(starts) - 1):
        votes = [(member[v], label[v]) for v in range(starts[s], starts[s + 1])]
        joint = [
            math.exp(log_prior[k]) * math.prod(math.exp(say[m] * log_confusion[m][said][k])
                                               for m, said in votes)
            for k in range(n_classes)
        ]  # fmt: skip
        likelihood += sample_weight[s] * math.log(sum(joint))
        proba.append([j / sum(joint) for j in joint])
        for m, said in votes:
            for k in range(n_classes):
                counts[m][said][k] += sample_weight[s] * proba[-1][k]
    return proba, counts, likelihood


def dawid_skene(votes, n_classes, n_steps):
    """Dawid and Skene (1979) without smoothing; votes[m][s] is a class or None."""
    n_members, n_samples = len(votes), len(votes[0])
    proba = []
    for s in range(n_samples):
        cast = [sum(votes[m][s] == k for m in range(n_members)) for k in range(n_classes)]
        proba.append([c / sum(cast) for c in cast])
    for _ in range(n_steps):
        prior = [sum(p[k] for p in proba) / n_samples for k in range(n_classes)]
        confusion = []
        for m in range(n_members):
            table = [[0.0] * n_classes for _ in range(n_classes)]
            for s in range(n_samples):
                if votes[m][s] is not None:
                    for k in range(n_classes):
                        table[k][votes[m][s]] += proba[s][k]
            confusion.append([
                [x / sum(row) if sum(row) > 0 else 1 / n_classes for x in row] for row in table
            ])  # fmt: skip
        for s in range(n_samples):
            joint = [
                prior[k] * math.prod(confusion[m][k][votes[m][s]] for m in range(n_members)
                                     if votes[m][s] is not None)
                for k in range(n_classes)
            ]  # fmt: skip
            proba[s] = [j / sum(joint) for j in joint]
    return proba, confusion


def spectral_weights(flags, n_steps=2000):
    """Leading eigenvector of the covariance of votes of plus and minus one, diagonal unknown.

    Parisi et al. (2014): off the diagonal the covariance has rank one; a power iteration that
    puts the rank-one guess on the diagonal.
    """
    n_members, n = len(flags), len(flags[0])
    means = [sum(f) / n for f in flags]
    cov = [
        [sum((a - means[i]) * (b - means[j]) for a, b in zip(flags[i], flags[j])) / n
         for j in range(n_members)]
        for i in range(n_members)
    ]  # fmt: skip
    v = [1.0] * n_members
    for _ in range(n_steps):
        new = []
        for i in range(n_members):
            others = [j for j in range(n_members) if j != i]
            below = sum(v[j] ** 2 for j in others)
            new.append(sum(cov[i][j] * v[j] for j in others) / below if below > 0 else 0.0)
        v = [(a + b) / 2 for a, b in zip(v, new)]
    return v
