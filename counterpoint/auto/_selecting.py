"""Weights of members from cross-fitted probabilities, and an honest estimate of their worth."""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

_LEAST = 1e-6
# Bags of greedy selection, and the share of members in each: Caruana 2004, section 2.3.
_BAGS, _SHARE = 20, 0.5
_ROUNDS = 40


def log_loss(proba: NDArray, y: NDArray) -> float:
    """Return the mean -log of the probability of the truth."""
    return float(-np.log(np.clip(proba[np.arange(len(y)), y], _LEAST, 1.0)).mean())


def error(proba: NDArray, y: NDArray) -> float:
    """Return the share of wrong answers, the first of equals taken."""
    return float((proba.argmax(axis=1) != y).mean())


def greedy_weights(proba: NDArray, y: NDArray, rng) -> NDArray:
    """Return weights by bagged greedy selection with replacement on log-loss.

    proba (n_members, n_samples, n_classes). In each bag a random half of the members takes part;
    members join, repeats allowed, while the mean of those in gets better. Bags are averaged.
    """
    truth = np.clip(proba[:, np.arange(len(y)), y], _LEAST, 1.0)
    n = len(truth)
    weights = np.zeros(n)
    for bag in range(_BAGS):
        size = n if bag == 0 else max(2, round(_SHARE * n))
        members = np.sort(rng.permutation(n)[: min(size, n)])
        total, count = np.zeros(truth.shape[1]), np.zeros(n)
        best, kept = np.inf, count
        for k in range(1, _ROUNDS + 1):
            loss = -np.log((total + truth[members]) / k).mean(axis=1)
            first = int(np.argmin(loss))
            total = total + truth[members[first]]
            count = count.copy()
            count[members[first]] += 1
            if loss[first] < best - 1e-6:
                best, kept = loss[first], count
        weights += kept / kept.sum()
    return weights / weights.sum()


def best_alone(proba: NDArray, y: NDArray, rng) -> NDArray:
    """Return all weight for the member with the least log-loss."""
    losses = [log_loss(p, y) for p in proba]
    return (np.arange(len(proba)) == int(np.argmin(losses))).astype(float)


def top_few(proba: NDArray, y: NDArray, rng) -> NDArray:
    """Return equal weights for the third of the members with the least log-loss."""
    losses = np.array([log_loss(p, y) for p in proba])
    keep = np.argsort(losses, kind="stable")[: max(1, -(-len(proba) // 3))]
    return np.isin(np.arange(len(proba)), keep) / len(keep)


class Mean:
    """A weighted mean of the members, weights by one of the functions above."""

    def __init__(self, weigh, name):
        self.weigh, self.name = weigh, name

    def fit(self, proba, y, rng):
        """Find the weights."""
        self.weights = self.weigh(proba, y, rng)
        return self

    def combine(self, proba):
        """Return the mean."""
        return np.tensordot(self.weights, proba, axes=1)


class Stack:
    """Logistic regression on the members' log odds, strongly held back."""

    name = "stacking"

    def fit(self, proba, y, rng):
        """Fit the regression."""
        self.model = LogisticRegression(C=0.02, max_iter=1000).fit(_logits(proba), y)
        spread = np.abs(self.model.coef_).mean(axis=0).reshape(len(proba), -1).mean(axis=1)
        self.weights = spread / spread.sum() if spread.sum() > 0 else spread
        self.n_classes = proba.shape[2]
        return self

    def combine(self, proba):
        """Return its probabilities."""
        found = np.zeros(proba.shape[1:])
        found[:, self.model.classes_] = self.model.predict_proba(_logits(proba))
        return found


def _logits(proba):
    logs = np.log(np.clip(proba, 1e-3, 1.0))
    logs = logs - logs.mean(axis=2, keepdims=True)
    if proba.shape[2] == 2:
        logs = logs[:, :, 1:]
    return logs.transpose(1, 0, 2).reshape(proba.shape[1], -1)


def rules():
    """Return the ways to combine that are tried."""
    return [
        Mean(best_alone, "best alone"),
        Mean(top_few, "best third"),
        Mean(greedy_weights, "greedy"),
        Stack(),
    ]


def choose_rule(proba: NDArray, y: NDArray, random_state):
    """Choose how to combine by cross-validation on the cross-fitted probabilities.

    Returns
    -------
    rule
        Fitted on all rows.
    table : list of dict
        Log-loss and error of each rule, on rows its weights were not learnt from.
    honest : ndarray of shape (n_samples, n_classes)
        What the whole procedure, choice of the rule included, says about rows it did not see.
    """
    rng = check_random_state(random_state)
    n_folds = min(5, int(np.bincount(y).min()))
    if n_folds < 2:
        n_folds = 2
    folds = list(_folds(y, n_folds, rng))
    held = {rule.name: np.empty(proba.shape[1:]) for rule in rules()}
    for train, test in folds:
        for rule in rules():
            rule.fit(proba[:, train], y[train], rng)
            held[rule.name][test] = rule.combine(proba[:, test])
    losses = {
        name: np.array([log_loss(found[test], y[test]) * len(test) for _, test in folds])
        for name, found in held.items()
    }
    # The rule for a fold is chosen by the other folds, as it will be for new data.
    honest = np.empty(proba.shape[1:])
    for k, (_, test) in enumerate(folds):
        name = min(losses, key=lambda n: losses[n].sum() - losses[n][k])
        honest[test] = held[name][test]
    table = [
        {"rule": name, "log_loss": log_loss(found, y), "error": error(found, y)}
        for name, found in held.items()
    ]
    chosen = min(losses, key=lambda n: losses[n].sum())
    rule = next(r for r in rules() if r.name == chosen).fit(proba, y, rng)
    return rule, table, honest


def _folds(y, n_folds, rng):
    try:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
        yield from splitter.split(np.zeros(len(y)), y)
    except ValueError:  # a class with one row: plain folds
        order = rng.permutation(len(y))
        for part in np.array_split(order, n_folds):
            yield np.setdiff1d(order, part), part
