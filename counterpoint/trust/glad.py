"""GLAD: voters have ability, samples have difficulty, and both are found with the truth.

``p(vote right) = sigmoid(ability_m * ease_s)`` with ease above 0; a wrong vote is any other class
[1]_, equations 1 to 3. EM with normal beliefs about ability and the log of ease, of mean 1 and
variance 1; each M step climbs by Newton steps of one number at a time.

References
----------
.. [1] J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma and J. Movellan, "Whose vote should count more:
   optimal integration of labels from labelers of unknown expertise", NIPS 2009.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logsumexp

from counterpoint.trust.votes import VoteLog

_INNER = 3  # rounds of steps on abilities and eases in an M step


@dataclass
class AbilityModel:
    """What EM has found: abilities of members, and ``log_ease`` of samples."""

    prior: NDArray
    ability: NDArray
    log_ease: NDArray
    proba: NDArray
    objective: list[float]
    converged: bool


def fit_abilities(log: VoteLog, *, say: NDArray, max_iter: int, tol: float) -> AbilityModel:
    """Run EM from the shares of the vote."""
    member, sample, weight = log.member, log.sample, log.weight()
    cast = say[member]
    prior = np.maximum(weight @ log.tally(say) / weight.sum(), 1e-10)
    prior /= prior.sum()
    ability, log_ease = np.ones(log.n_members), np.ones(log.n_samples)
    proba = np.empty((log.n_samples, log.n_classes))
    objective: list[float] = []
    converged = False
    for _ in range(max_iter):
        proba, likelihood = _judge(log, prior, ability, log_ease, cast)
        belief = ((ability - 1) ** 2).sum() / 2 + (weight * (log_ease - 1) ** 2).sum() / 2
        objective.append(float((weight @ likelihood - belief) / weight.sum()))
        if len(objective) > 1 and objective[-1] - objective[-2] < tol:
            converged = True
            break
        right = proba[sample, log.label]
        for _ in range(_INNER):
            ease = np.exp(log_ease)
            p = expit(ability[member] * ease[sample])
            share = cast * weight[sample]
            ability = _step(ability, share * (right - p) * ease[sample],
                            share * p * (1 - p) * ease[sample] ** 2, member, 1.0)  # fmt: skip
            drive = ability[member] * ease[sample]
            p = expit(drive)
            # The curvature of Fisher's information: positive, whatever the ability's sign.
            log_ease = _step(log_ease, cast * (right - p) * drive,
                             cast * p * (1 - p) * drive**2, sample, 1.0)  # fmt: skip
        prior = np.maximum(weight @ proba / weight.sum(), 1e-10)
        prior /= prior.sum()
    return AbilityModel(prior, ability, log_ease, proba, objective, converged)


def _judge(log, prior, ability, log_ease, cast):
    """Return the probabilities of the classes, and the log-likelihood of each sample."""
    drive = ability[log.member] * np.exp(log_ease[log.sample])
    right = cast * log_expit(drive)
    wrong = cast * (log_expit(-drive) - np.log(max(log.n_classes - 1, 1)))
    n = log.n_samples
    all_wrong = np.bincount(log.sample, weights=wrong, minlength=n)
    joint = np.log(prior) + all_wrong[:, None]
    for k in range(log.n_classes):
        gain = np.where(log.label == k, right - wrong, 0.0)
        joint[:, k] += np.bincount(log.sample, weights=gain, minlength=n)
    likelihood = logsumexp(joint, axis=1)
    return np.exp(joint - likelihood[:, None]), likelihood


def _step(value, slope, curve, of, mean):
    """Take a Newton step of each number towards the top, half of it where it would be long."""
    n = len(value)
    rise = np.bincount(of, weights=slope, minlength=n) - (value - mean)
    bend = np.bincount(of, weights=curve, minlength=n) + 1.0
    return value + np.clip(rise / bend, -1.0, 1.0) / 2
