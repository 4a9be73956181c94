"""Weights of members from cross-fitted probabilities, and an honest estimate of their worth."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

_LEAST = 1e-6
# Bags of greedy selection, and the share of members in each: Caruana 2004, section 2.3.
_BAGS, _SHARE = 20, 0.5
_ROUNDS = 40
# Powers that a member's probabilities may be raised to, as logarithms, and what moving away from
# 0 costs: little, but enough for a member without information to stay as it is.
_POWERS, _HOLD = (-2.5, 3.0), 1e-3
# Below this a probability is no longer taken at its word: a logarithm must stay finite.
_DOUBT = 1e-4


def log_loss(proba: NDArray, y: NDArray) -> float:
    """Return the mean -log of the probability of the truth."""
    return float(_losses(proba, y).mean())


def _losses(proba, y):
    return -np.log(np.clip(proba[np.arange(len(y)), y], _LEAST, 1.0))


def error(proba: NDArray, y: NDArray) -> float:
    """Return the share of wrong answers, the first of equals taken."""
    return float((proba.argmax(axis=1) != y).mean())


def tempers(proba: NDArray, y: NDArray) -> NDArray:
    """Return for each member the power that makes its probabilities fit the truth best.

    Forests and neighbours are too careful or too sure, boosting by votes knows no probabilities;
    one number a member mends most of that (temperature scaling, Guo et al. 2017) and leaves its
    decisions as they are.
    """
    found = np.ones(len(proba))
    for m, own in enumerate(proba):
        logs = np.log(np.clip(own, _DOUBT, 1.0))

        def cost(step, logs=logs):
            scaled = logs * np.exp(step)
            total = np.log(np.exp(scaled).sum(axis=1))
            return (total - scaled[np.arange(len(y)), y]).mean() + _HOLD * step**2

        found[m] = np.exp(minimize_scalar(cost, bounds=_POWERS, method="bounded").x)
    return found


def tempered(proba: NDArray, powers: NDArray) -> NDArray:
    """Return the probabilities of each member raised to its power, as shares."""
    raised = np.clip(proba, _DOUBT, 1.0) ** powers[:, None, None]
    return raised / raised.sum(axis=2, keepdims=True)


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

    def keep(self, members, proba, y):
        """Go on with these members."""
        self.weights = _shares(self.weights[members])

    def combine(self, proba):
        """Return the mean."""
        return np.tensordot(self.weights, proba, axes=1)

    def without(self, member, proba):
        """Return what the others come to."""
        weights = self.weights.copy()
        weights[member] = 0.0
        return np.tensordot(_shares(weights), proba, axes=1)


class Stack:
    """Logistic regression on the members' log odds, strongly held back."""

    name = "stacking"

    def fit(self, proba, y, rng):
        """Fit the regression."""
        logits = _logits(proba)
        self.model = LogisticRegression(C=0.02, max_iter=1000).fit(logits, y)
        self.middle = logits.mean(axis=0)
        spread = np.abs(self.model.coef_).mean(axis=0).reshape(len(proba), -1).mean(axis=1)
        self.weights = _shares(spread)
        return self

    def keep(self, members, proba, y):
        """Go on with these members: the regression is fitted again."""
        self.fit(proba[members], y, None)

    def combine(self, proba):
        """Return its probabilities."""
        return self._answer(_logits(proba), proba.shape[1:])

    def without(self, member, proba):
        """Return its probabilities where the member says the same about all rows."""
        logits = _logits(proba)
        own = slice(*(np.array([member, member + 1]) * (logits.shape[1] // len(proba))))
        logits[:, own] = self.middle[own]
        return self._answer(logits, proba.shape[1:])

    def _answer(self, logits, shape):
        found = np.zeros(shape)
        found[:, self.model.classes_] = self.model.predict_proba(logits)
        return found


class Blend:
    """The mean of what several rules say: no choice among them, so no luck in choosing."""

    name = "blend"

    def __init__(self, parts):
        self.parts = parts

    def fit(self, proba, y, rng):
        """Fit each rule."""
        for part in self.parts:
            part.fit(proba, y, rng)
        self.weights = np.mean([part.weights for part in self.parts], axis=0)
        return self

    def keep(self, members, proba, y):
        """Go on with these members."""
        for part in self.parts:
            part.keep(members, proba, y)
        self.weights = np.mean([part.weights for part in self.parts], axis=0)

    def combine(self, proba):
        """Return the mean."""
        return np.mean([part.combine(proba) for part in self.parts], axis=0)

    def without(self, member, proba):
        """Return the mean of the rules without the member."""
        return np.mean([part.without(member, proba) for part in self.parts], axis=0)


def _shares(weights):
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))


def _logits(proba):
    logs = np.log(np.clip(proba, 1e-3, 1.0))
    logs = logs - logs.mean(axis=2, keepdims=True)
    if proba.shape[2] == 2:
        logs = logs[:, :, 1:]
    return logs.transpose(1, 0, 2).reshape(proba.shape[1], -1)


def rules():
    """Return the ways to combine that are tried; the first, unless another is clearly better."""
    return [
        Blend([Mean(top_few, "best third"), Mean(greedy_weights, "greedy"), Stack()]),
        Mean(best_alone, "best alone"),
        Mean(top_few, "best third"),
        Mean(greedy_weights, "greedy"),
        Stack(),
    ]


class Combination:
    """Members tempered, then combined by a rule.

    Attributes
    ----------
    name, weights
        Of the rule.
    powers : ndarray of shape (n_members,)
        Of the members; see :func:`tempers`.
    """

    def __init__(self, rule):
        self.rule = rule

    @property
    def name(self):
        return self.rule.name

    @property
    def weights(self):
        return self.rule.weights

    def fit(self, proba, y, rng, powers=None):
        """Learn powers, unless given, and weights."""
        self.powers = tempers(proba, y) if powers is None else powers
        self.rule.fit(tempered(proba, self.powers), y, rng)
        return self

    def keep(self, members, proba, y):
        """Go on with these members; probabilities are of all."""
        self.rule.keep(members, tempered(proba, self.powers), y)
        self.powers = self.powers[members]

    def combine(self, proba):
        """Return the combined probabilities."""
        return self.rule.combine(tempered(proba, self.powers))

    def without(self, member, proba):
        """Return the combined probabilities without a member."""
        return self.rule.without(member, tempered(proba, self.powers))


def choose_rule(proba: NDArray, y: NDArray, random_state):
    """Choose how to combine by cross-validation on the cross-fitted probabilities.

    The first rule is taken unless another has a lower log-loss by more than one standard error
    of their difference.

    Returns
    -------
    Combination
        Fitted on all rows.
    table : list of dict
        Log-loss and error of each rule, on rows its powers and weights were not learnt from.
    honest : ndarray of shape (n_samples, n_classes)
        What the whole procedure, choice of the rule included, says about rows it did not see.
    """
    rng = check_random_state(random_state)
    n_folds = max(2, min(5, int(np.bincount(y).min())))
    folds = list(_folds(y, n_folds, rng))
    blend, *others = rules()
    held = {rule.name: np.empty(proba.shape[1:]) for rule in (blend, *others)}
    for train, test in folds:
        powers = tempers(proba[:, train], y[train])
        for rule in others:
            found = Combination(rule).fit(proba[:, train], y[train], rng, powers)
            held[rule.name][test] = found.combine(proba[:, test])
    # Its parts are among the others: nothing is to be learnt twice.
    held[blend.name] = np.mean([held[part.name] for part in blend.parts], axis=0)
    losses = {name: _losses(found, y) for name, found in held.items()}
    # The rule for a fold is chosen by the other folds, as it will be for new data.
    honest = np.empty(proba.shape[1:])
    for train, test in folds:
        honest[test] = held[_clear_best(losses, train)][test]
    table = [
        {"rule": name, "log_loss": log_loss(found, y), "error": error(found, y)}
        for name, found in held.items()
    ]
    chosen = _clear_best(losses, np.arange(len(y)))
    rule = next(r for r in rules() if r.name == chosen)
    return Combination(rule).fit(proba, y, rng), table, honest


def _clear_best(losses, rows):
    """Return the rule with the least loss if it is clearly less than that of the first."""
    first = next(iter(losses))
    best = min(losses, key=lambda name: losses[name][rows].mean())
    gain = losses[first][rows] - losses[best][rows]
    return best if gain.mean() > gain.std() / np.sqrt(len(rows)) else first


def _folds(y, n_folds, rng):
    try:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
        yield from splitter.split(np.zeros(len(y)), y)
    except ValueError:  # a class with one row: plain folds
        order = rng.permutation(len(y))
        for part in np.array_split(order, n_folds):
            yield np.setdiff1d(order, part), part
