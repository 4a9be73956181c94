"""Slow twins of the decompositions: plain Python, one sample at a time, by the definitions.

Every function takes the numbers of one sample and returns a dict of its parts.
"""

import math


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


# squared loss


def ambiguity_decomposition(y, predictions, weights):
    shares = [w / sum(weights) for w in weights]
    ensemble = sum(w * f for w, f in zip(shares, predictions, strict=True))
    return {
        "member_error": sum(w * (f - y) ** 2 for w, f in zip(shares, predictions, strict=True)),
        "ambiguity": sum(w * (f - ensemble) ** 2 for w, f in zip(shares, predictions, strict=True)),
        "error": (ensemble - y) ** 2,
    }


def bias_variance(y, predictions):
    centre = mean(predictions)
    return {
        "bias": (centre - y) ** 2,
        "signed_bias": centre - y,
        "variance": mean((f - centre) ** 2 for f in predictions),
        "error": mean((f - y) ** 2 for f in predictions),
    }


def bias_variance_covariance(y, predictions):
    """Predictions as [trial][member]."""
    n_trials, n = len(predictions), len(predictions[0])
    centre = [mean(trial[i] for trial in predictions) for i in range(n)]
    variances = [mean((trial[i] - centre[i]) ** 2 for trial in predictions) for i in range(n)]
    covariances = [
        math.fsum((trial[i] - centre[i]) * (trial[j] - centre[j]) for trial in predictions)
        / n_trials
        for i in range(n)
        for j in range(n)
        if i != j
    ]
    return {
        "bias": mean(c - y for c in centre) ** 2,
        "signed_bias": mean(c - y for c in centre),
        "variance": mean(variances),
        "covariance": mean(covariances) if n > 1 else math.nan,
        "error": mean((mean(trial) - y) ** 2 for trial in predictions),
    }


# zero-one loss: P the true probabilities of the classes, labels one code a trial


def _setting(P, labels):
    classes = range(len(P))
    Q = [mean(label == k for label in labels) for k in classes]
    best, main = P.index(max(P)), Q.index(max(Q))
    error = sum(P[t] * Q[p] for t in classes for p in classes if t != p)
    return classes, Q, best, main, error


def kohavi_wolpert(P, labels):
    classes, Q, _, _, error = _setting(P, labels)
    return {
        "noise": 0.5 * (1 - sum(P[k] ** 2 for k in classes)),
        "bias": 0.5 * sum((P[k] - Q[k]) ** 2 for k in classes),
        "variance": 0.5 * (1 - sum(Q[k] ** 2 for k in classes)),
        "error": error,
    }


def kohavi_wolpert_unbiased(P, labels):
    parts, n = kohavi_wolpert(P, labels), len(labels)
    classes, Q, _, _, _ = _setting(P, labels)
    parts["bias"] = 0.5 * sum((P[k] - Q[k]) ** 2 - Q[k] * (1 - Q[k]) / (n - 1) for k in classes)
    parts["variance"] = 0.5 * n / (n - 1) * (1 - sum(Q[k] ** 2 for k in classes))
    return parts


def breiman(P, labels):
    classes, Q, best, main, error = _setting(P, labels)
    return {
        "noise": 1 - P[best],
        "bias": (P[best] - P[main]) * Q[main],
        "variance": sum((P[best] - P[k]) * Q[k] for k in classes if k != main),
        "error": error,
    }


def james(P, labels):
    classes, Q, best, main, error = _setting(P, labels)
    loss_of_main = sum(P[t] for t in classes if t != main)
    loss_of_best = sum(P[t] for t in classes if t != best)
    return {
        "noise": loss_of_best,
        "bias": float(best != main),
        "variance": sum(Q[p] for p in classes if p != main),
        "systematic_effect": loss_of_main - loss_of_best,
        "variance_effect": error - loss_of_main,
        "error": error,
    }


def domingos(P, labels):
    classes, Q, best, main, error = _setting(P, labels)

    def probability(event, given):
        """Of true label t and predicted label p, drawn apart; 0 where the condition cannot be."""
        pairs = [(t, p) for t in classes for p in classes if given(t, p)]
        whole = sum(P[t] * Q[p] for t, p in pairs)
        return sum(P[t] * Q[p] for t, p in pairs if event(t, p)) / whole if whole > 0 else 0.0

    wrong_and_right = probability(lambda t, p: p == t, lambda t, p: p != best and t != best)
    alpha1 = Q[best] - sum(Q[p] for p in classes if p != best) * wrong_and_right
    alpha2 = 1.0
    if main != best:
        alpha2 = -probability(lambda t, p: p == best, lambda t, p: p != main)
    return {
        "noise": 1 - P[best],
        "bias": float(best != main),
        "variance": 1 - Q[main],
        "alpha1": alpha1,
        "alpha2": alpha2,
        "margin": Q[best] - max((Q[k] for k in classes if k != best), default=0.0),
        "error": error,
    }


def zero_one_diversity_effect(P, labels):
    """Labels as [trial][member]."""
    classes, n = range(len(P)), len(labels[0])

    def plurality(said):
        counts = [sum(label == k for label in said) for k in classes]
        return counts.index(max(counts))

    def loss(label):
        return 1 - P[label]

    best = P.index(max(P))
    modes = [plurality([trial[i] for trial in labels]) for i in range(n)]
    member_loss = mean(loss(label) for trial in labels for label in trial)
    vote_loss = mean(loss(plurality(trial)) for trial in labels)
    return {
        "noise": loss(best),
        "bias_effect": mean(loss(m) - loss(best) for m in modes),
        "variance_effect": member_loss - mean(loss(m) for m in modes),
        "diversity_effect": member_loss - vote_loss,
        "error": vote_loss,
    }


# Bregman losses: an output is a list of numbers, also where it is a single one


def squared(y, q):
    return (y[0] - q[0]) ** 2


def arithmetic_mean(outputs):
    return [mean(q[0] for q in outputs)]


def poisson(y, q):
    return (y[0] * math.log(y[0] / q[0]) if y[0] > 0 else 0.0) - y[0] + q[0]


def geometric_mean(outputs):
    return [math.exp(mean(math.log(q[0]) for q in outputs))]


def kl(y, q):
    return math.fsum(a * math.log(a / b) for a, b in zip(y, q, strict=True) if a > 0)


def normalised_geometric_mean(outputs):
    columns = zip(*outputs, strict=True)
    raw = [math.exp(mean(math.log(v) for v in column)) for column in columns]
    return [v / sum(raw) for v in raw]


def bernoulli_kl(y, q):
    return kl([1 - y[0], y[0]], [1 - q[0], q[0]])


def mean_of_logits(outputs):
    logit = mean(math.log(q[0] / (1 - q[0])) for q in outputs)
    return [1 / (1 + math.exp(-logit))]


LOSSES = {
    "squared": (squared, arithmetic_mean),
    "poisson": (poisson, geometric_mean),
    "cross-entropy": (kl, normalised_geometric_mean),
    "logistic": (bernoulli_kl, mean_of_logits),
}


def bias_variance_diversity(y, outputs, loss):
    """Outputs as [trial][member], each a list of numbers; error without the noise."""
    B, centroid = LOSSES[loss]
    members = range(len(outputs[0]))
    centres = [centroid([trial[i] for trial in outputs]) for i in members]
    combined = [centroid(trial) for trial in outputs]
    return {
        "bias": mean(B(y, c) for c in centres),
        "variance": mean(B(centres[i], trial[i]) for trial in outputs for i in members),
        "diversity": mean(
            B(c, trial[i]) for trial, c in zip(outputs, combined, strict=True) for i in members
        ),
        "error": mean(B(y, c) for c in combined),
    }
