"""Votes without truth: one step of expectation-maximisation; twin in ``tests/naive/truth.py``."""

import numpy as np

from counterpoint._kernels.compiling import kernel


@kernel()
def truth_step(starts, member, label, say, sample_weight, log_prior, log_confusion, proba, counts):
    """Judge every sample by its votes, and count what each member said of what.

    The votes of sample s are starts[s] to starts[s + 1] of member and label, both int32. say
    (n_members,) is how much a member's vote counts, sample_weight (n_samples,) how much a sample
    does; log_prior (n_classes,) and log_confusion (n_members, n_labels, n_classes), the truth last.
    Writes proba (n_samples, n_classes), adds to counts (of the shape of log_confusion) and returns
    the log-likelihood, each sample's times its weight. All float64.
    """
    n_classes = len(log_prior)
    likelihood = 0.0
    row = np.empty(n_classes)
    for s in range(len(starts) - 1):
        for k in range(n_classes):
            row[k] = log_prior[k]
        for v in range(starts[s], starts[s + 1]):
            m = member[v]
            for k in range(n_classes):
                row[k] += say[m] * log_confusion[m, label[v], k]
        top = row[0]
        for k in range(1, n_classes):
            top = max(top, row[k])
        total = 0.0
        for k in range(n_classes):
            row[k] = np.exp(row[k] - top)
            total += row[k]
        weight = sample_weight[s]
        likelihood += weight * (top + np.log(total))
        for k in range(n_classes):
            row[k] /= total
            proba[s, k] = row[k]
        for v in range(starts[s], starts[s + 1]):
            m = member[v]
            for k in range(n_classes):
                counts[m, label[v], k] += weight * row[k]
    return likelihood
