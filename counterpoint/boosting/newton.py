"""Losses by their slope and curvature: what boosted trees are fitted to, and what scores mean.

For scores s and a loss L the next tree is fitted to -L'(s) / L''(s) with weights L''(s), so that
the value of a leaf is a Newton step, sum(-L') / (sum(L'') + l2) (Chen and Guestrin 2016, eq. 5).
Losses without curvature take it as 1, and their leaves are set to the step that lowers the loss
most (Friedman 2001, algorithm 4). The interface is that of ``losses.py``.
"""

import numpy as np
from scipy.special import expit, log_expit, xlogy

from counterpoint.boosting.losses import (
    ClassLoss,
    SquaredLoss,
    log_softmax,
    softmax,
    weighted_mean,
)

# Curvatures are kept above this, so that slope over curvature stays a number.
LEAST = 1e-16
_MOST = 700.0  # exp of more is no number any more


class NewtonClassLoss(ClassLoss):
    """Log-loss of classes: log-odds of the second of two, else a score a class."""

    weighs = True
    score = "log_loss"

    def begin(self, y, weight):
        """Return 1 where it is the class, else 0; scores start from the classes' shares."""
        target = self._is_class(y).astype(float)
        # A class may have no row of any weight: its score is low, but a number.
        share = np.clip(weighted_mean(target, weight), LEAST, 1.0 - LEAST)
        self.start = np.log(share / (1.0 - share)) if self.n_outputs == 1 else np.log(share)
        return target

    def request(self, target, scores):
        """Return curvatures, and slopes over curvatures."""
        p = self.outputs(scores)
        return self.newton(p - target, p)

    def outputs(self, scores):
        """Return the probability of the second of two classes, or of each class."""
        return expit(scores) if self.n_outputs == 1 else softmax(scores)

    def newton(self, slope, p):
        """Return curvatures at these probabilities, and the way down a slope over them."""
        curvature = 1.0 - p  # in place from here: columns are long
        curvature *= p
        np.maximum(curvature, LEAST, out=curvature)
        aim = slope / curvature
        np.negative(aim, out=aim)
        if self.n_outputs > 1:
            curvature *= self.shortening
            aim /= self.shortening
        return curvature, aim

    @property
    def shortening(self):
        """How much shorter a step is where the scores of all classes move together."""
        return 1.0 if self.n_outputs == 1 else self.n_classes / (self.n_classes - 1.0)

    def notes(self, y, scores):
        """Return errors for the history."""
        at = np.arange(len(y))
        return {
            "error": float(np.mean(self.votes(scores) != y)),
            "log_loss": float(-np.mean(self.log_proba(scores)[at, y])),
        }

    def sums(self, scores):
        """Return a column for each class, of which ``proba`` is the softmax."""
        return np.hstack([-0.5 * scores, 0.5 * scores]) if self.n_outputs == 1 else scores

    def proba(self, scores):
        """Return the probabilities of the additive model."""
        if self.n_outputs == 1:
            return expit(np.hstack([-scores, scores]))
        return softmax(scores)

    def log_proba(self, scores):
        """Return the logarithm of ``proba``, exact where that is tiny."""
        if self.n_outputs == 1:
            return log_expit(np.hstack([-scores, scores]))
        return log_softmax(scores)


class PoissonLoss(SquaredLoss):
    """Half the Poisson deviance: scores are logarithms of the mean, targets not negative."""

    weighs = True

    def begin(self, y, weight):
        """Return the targets; scores start from the logarithm of their mean."""
        if (y < 0).any() or not y.any():
            raise ValueError(
                f"loss='poisson' takes counts, not negative and not all 0, and y goes from "
                f"{y.min():g} to {y.max():g}: use loss='squared_error'."
            )
        self.start = np.log(weighted_mean(y[:, None], weight))
        return y[:, None]

    def request(self, target, scores):
        """Return curvatures, and slopes over curvatures."""
        mean = np.maximum(self.answers(scores)[:, None], LEAST)
        return mean, (target - mean) / mean

    def answers(self, scores):
        """Return the means that the scores are logarithms of."""
        return np.exp(np.minimum(scores[:, 0], _MOST))

    def notes(self, y, scores):
        """Return the deviance for the history."""
        mean = np.maximum(self.answers(scores), LEAST)
        return {"error": float(2.0 * np.mean(xlogy(y, np.where(y > 0, y, 1.0) / mean) - y + mean))}


class QuantileLoss(SquaredLoss):
    """Pinball loss: the level-th quantile of y given x; for the median half the absolute error."""

    def __init__(self, level):
        self.level = level

    def begin(self, y, weight):
        """Return the targets; scores start from their quantile."""
        self.start = grouped_quantiles(np.zeros(len(y), dtype=int), y, weight, self.level, 1)
        return y[:, None]

    def request(self, target, scores):
        """Return slopes; curvature is taken as 1."""
        self.residual = (target - scores)[:, 0]
        return None, np.where(self.residual > 0, self.level, self.level - 1.0)[:, None]

    def leaf_values(self, leaf, weight, n_nodes):
        """Return for each node the quantile of what is left over at the samples in it."""
        return grouped_quantiles(leaf, self.residual, weight, self.level, n_nodes)

    def notes(self, y, scores):
        """Return the loss for the history."""
        left = y - scores[:, 0]
        return {"error": float(np.mean(np.maximum(self.level * left, (self.level - 1) * left)))}


def grouped_quantiles(group, values, weight, level, n_groups):
    """Return the weighted quantile of the values in each group, 0 in empty ones.

    The least value at which the weight of those not above it reaches ``level`` of the group's;
    where it is reached exactly, the middle between this value and the next.
    """
    order = np.lexsort((values, group))
    group, values, weight = group[order], values[order], weight[order]
    first = np.searchsorted(group, np.arange(n_groups))
    last = np.searchsorted(group, np.arange(n_groups), side="right") - 1
    below = np.cumsum(weight)
    before = np.where(first > 0, below[first - 1], 0.0)
    full = last >= first
    goal = before + level * (below[np.maximum(last, 0)] - before)
    slack = 1e-12 * np.maximum(np.abs(goal), 1e-300)
    at = np.clip(np.searchsorted(below, goal - slack), first, np.maximum(last, 0))
    at = np.minimum(at, len(values) - 1)
    exact = (np.abs(below[at] - goal) <= slack) & (at < last)
    found = (values[at] + values[np.where(exact, at + 1, at)]) / 2.0
    return np.where(full, found, 0.0)


REGRESSION_LOSSES = {
    "squared_error": lambda level: SquaredLoss(),
    "absolute_error": lambda level: QuantileLoss(0.5),
    "quantile": QuantileLoss,
    "poisson": lambda level: PoissonLoss(),
}
