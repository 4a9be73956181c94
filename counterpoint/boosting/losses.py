"""Losses of ensembles that are sums: what to fit next, and what the scores mean.

Scores are (n_samples, n_outputs): one column for numbers and for two classes, else one a class.
"""

from math import fsum

import numpy as np
from scipy.special import expit, log_expit

from counterpoint.combiners.simplex import project_to_simplex

# Friedman, Hastie and Tibshirani (2000) keep weights above twice the machine zero: no sample is
# ever without a say.
_LEAST_WEIGHT = 2.0 * np.finfo(float).eps
# Scores nearer than this are equal: sums of members are rounded, and trees make many equal sums.
_TIE = 1e-12


def softmax(sums):
    """Return exp(sums), every row scaled to add up to 1.

    The same numbers as scipy's, which takes longer for few rows than a tree that is grown on them.
    """
    above = sums - sums.max(axis=-1, keepdims=True)
    np.exp(above, out=above)
    above /= above.sum(axis=-1, keepdims=True)
    return above


def log_softmax(sums):
    """Return the logarithm of ``softmax``, exact where that is tiny."""
    below = sums - sums.max(axis=-1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=-1, keepdims=True))


def weighted_mean(columns, weight):
    """Return the mean of each column by weights that sum to 1, rounded once.

    A matrix product is rounded in another way on another processor; where gains of splits are equal
    but for their last digits, the trees would be others.
    """
    return np.array([fsum((weight * column).tolist()) for column in columns.T])


class SquaredLoss:
    """Half the squared error of a number: the next member is fitted to the residuals."""

    n_outputs = 1
    weighs = False  # the samples' weights never change
    score = "error"  # which of the notes says when to stop

    def begin(self, y, weight):
        """Return the targets, (n_samples, n_outputs); note the start of the scores."""
        target = self.code(y)
        self.start = weighted_mean(target, weight)
        return target

    def code(self, y):
        """Return y as a column of numbers."""
        return y[:, None]

    def request(self, target, scores):
        """Return factors of the weights (None: no change) and what to fit."""
        factor, aim = self.slopes(target, scores)
        return None if factor is None else factor / factor.max(axis=0), aim

    def slopes(self, target, scores):
        """Return the same for each sample by itself: the factors are not cut to at most 1 yet."""
        return None, target - scores

    def scores(self, total):
        """Return the scores, given the sum of the members' values."""
        return self.start + total

    def answers(self, scores):
        """Return predictions, (n_samples,)."""
        return scores[:, 0]

    def votes(self, part):
        """Return the classes a member alone speaks for; numbers have none."""

    def notes(self, y, scores):
        """Return errors for the history."""
        return {"error": float(np.mean((y - scores[:, 0]) ** 2))}


class ClassLoss(SquaredLoss):
    """What losses of classes share."""

    def __init__(self, n_classes):
        self.n_classes = n_classes
        self.n_outputs = 1 if n_classes == 2 else n_classes

    def votes(self, part):
        """Return the class of the highest score, the first of equals."""
        if self.n_outputs == 1:
            return (part[:, 0] > _TIE).astype(np.int32)
        best = np.take_along_axis(part, part.argmax(axis=1)[:, None], axis=1)
        return (part > best - _TIE).argmax(axis=1).astype(np.int32)

    def _is_class(self, y):
        return y[:, None] == (np.ones(1) if self.n_outputs == 1 else np.arange(self.n_classes))


class SquaredClassLoss(ClassLoss):
    """Squared error of classes coded +1 and -1."""

    def code(self, y):
        """Return +1 and -1: for the second of two classes, else for each class."""
        return np.where(self._is_class(y), 1.0, -1.0)

    def notes(self, y, scores):
        """Return errors for the history."""
        return {
            "error": float(np.mean(self.votes(scores) != y)),
            "squared_error": float(np.mean((self.code(y) - scores) ** 2)),
        }

    def proba(self, scores):
        """Return the probabilities nearest to (scores + 1) / 2: those may be off a little."""
        share = (scores + 1.0) / 2.0
        if self.n_outputs == 1:
            share = np.clip(share, 0.0, 1.0)
            return np.hstack([1.0 - share, share])
        return project_to_simplex(share)


class LogisticLoss(ClassLoss):
    """Log-likelihood of classes, by Newton steps: weights, and responses clipped at z_max."""

    weighs = True

    def __init__(self, n_classes, z_max):
        super().__init__(n_classes)
        self.z_max = z_max

    def begin(self, y, weight):
        """Return 1 where it is the class, else 0; scores start from 0."""
        self.start = np.zeros(self.n_outputs)
        return self.code(y)

    def code(self, y):
        """Return 1 where it is the class, else 0."""
        return self._is_class(y).astype(float)

    def slopes(self, target, scores):
        """Return weights p (1 - p), cut to at most 1 later, and responses (y - p) / (p (1 - p))."""
        if self.n_outputs == 1:
            p, q = expit(2.0 * scores), expit(-2.0 * scores)
        else:
            p = softmax(scores)
            q = 1.0 - p
        # The response is 1/p for the class itself, -1/(1 - p) for the others.
        least = 1.0 / self.z_max
        z = np.where(target == 1.0, 1.0 / np.maximum(p, least), -1.0 / np.maximum(q, least))
        return np.maximum(p * q, _LEAST_WEIGHT), z

    def scores(self, total):
        """Return scores that add up to 0 over the classes, for two that of the second alone."""
        if self.n_outputs == 1:
            return total / 2.0
        shrink = (self.n_classes - 1.0) / self.n_classes
        return shrink * (total - total.mean(axis=1, keepdims=True))

    def notes(self, y, scores):
        """Return errors for the history."""
        at = np.arange(len(y))
        return {
            "error": float(np.mean(self.votes(scores) != y)),
            "log_loss": float(-np.mean(self.log_proba(scores)[at, y])),
        }

    def proba(self, scores):
        """Return the probabilities of the additive model."""
        if self.n_outputs == 1:
            return expit(np.hstack([-2.0 * scores, 2.0 * scores]))
        return softmax(scores)

    def log_proba(self, scores):
        """Return the logarithm of ``proba``, exact where that is tiny."""
        if self.n_outputs == 1:
            return log_expit(np.hstack([-2.0 * scores, 2.0 * scores]))
        return log_softmax(scores)
