"""Dawid and Skene's model of voters: each has a confusion matrix, found with the truth by EM.

``p(votes) = sum_k prior_k prod_m confusion_m[k, vote_m]``: given the truth, members err
independently. The E step judges every sample by Bayes' rule, the M step counts what each member
said of what; the likelihood never falls [1]_. In the one-coin model a member has one accuracy for
all classes and errs evenly over the others.

References
----------
.. [1] A. P. Dawid and A. M. Skene, "Maximum likelihood estimation of observer error-rates using
   the EM algorithm", Journal of the Royal Statistical Society C 28, 1979, section 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels.truth import truth_step
from counterpoint.trust.votes import VoteLog

_FLOOR = 1e-10  # a label that a member never gave to a class is not thereby impossible


@dataclass
class VoterModel:
    """What EM has found: ``confusion`` is (n_members, n_classes, n_classes), the truth first."""

    prior: NDArray
    confusion: NDArray
    proba: NDArray
    objective: list[float]
    converged: bool


def fit_voters(
    log: VoteLog,
    *,
    one_coin: bool,
    say: NDArray,
    smoothing: float,
    max_iter: int,
    tol: float,
    sample_weight: NDArray | None = None,
    start: NDArray | None = None,
) -> VoterModel:
    """Run EM from the shares of the vote, or from the probabilities ``start``.

    ``smoothing`` votes are added to each member's counts, as its own vote were in part a guess;
    ``objective`` is the mean log-likelihood of a sample with them, after each step.
    """
    weight = log.weight() if sample_weight is None else sample_weight
    total = weight.sum()
    proba = np.array(log.tally(say) if start is None else start)
    shape = (log.n_members, log.n_classes, log.n_classes)
    counts = _count(log, proba, weight)
    objective: list[float] = []
    prior = confusion = np.empty(0)
    converged = False
    for _ in range(max_iter):
        prior = np.maximum(weight @ proba / total, _FLOOR)
        prior /= prior.sum()
        confusion = _confusion(counts, one_coin, smoothing)
        log_confusion = np.log(confusion)
        counts = np.zeros(shape)
        reached = truth_step(
            log.starts, log.member, log.label, say, weight, np.log(prior),
            np.ascontiguousarray(log_confusion.transpose(0, 2, 1)), proba, counts,
        )  # fmt: skip
        reached += smoothing * _belief(log_confusion, one_coin, say)
        objective.append(float(reached / total))
        if len(objective) > 1 and objective[-1] - objective[-2] < tol:
            converged = True
            break
    return VoterModel(prior, confusion, proba, objective, converged)


def _belief(log_confusion: NDArray, one_coin: bool, say: NDArray) -> float:
    """Return the log of the prior belief that smoothing stands for, a member's by its say."""
    n_classes = log_confusion.shape[1]
    if not one_coin:
        return float(say @ log_confusion.sum(axis=(1, 2)))
    right = log_confusion[:, 0, 0]
    wrong = log_confusion[:, 0, 1] if n_classes > 1 else 0.0
    return float(say @ (right + wrong))


def _count(log: VoteLog, proba: NDArray, weight: NDArray) -> NDArray:
    """Return how often each member gave each label to each class, (member, label, class)."""
    cell = log.member * log.n_classes + log.label
    size = log.n_members * log.n_classes
    share = (weight[:, None] * proba)[log.sample]
    columns = [np.bincount(cell, weights=column, minlength=size) for column in share.T]
    return np.stack(columns, axis=1).reshape(log.n_members, log.n_classes, log.n_classes)


def _confusion(counts: NDArray, one_coin: bool, smoothing: float) -> NDArray:
    """Return (member, truth, label): what maximises the likelihood, given the counts."""
    n_classes = counts.shape[1]
    table = counts.transpose(0, 2, 1)
    if one_coin:
        right = np.trace(table, axis1=1, axis2=2) + smoothing
        whole = table.sum(axis=(1, 2)) + 2 * smoothing
        accuracy = np.where(whole > 0, right / np.where(whole > 0, whole, 1), 1 / n_classes)
        accuracy = np.clip(accuracy, _FLOOR, 1 - _FLOOR)[:, None, None]
        if n_classes == 1:
            return np.ones_like(table)
        same = np.eye(n_classes)
        return accuracy * same + (1 - accuracy) * (1 - same) / (n_classes - 1)
    table = table + smoothing
    whole = table.sum(axis=2, keepdims=True)
    share = np.where(whole > 0, table / np.where(whole > 0, whole, 1), 1 / n_classes)
    share = np.maximum(share, _FLOOR)
    return share / share.sum(axis=2, keepdims=True)
