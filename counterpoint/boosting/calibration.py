"""Probabilities that fit: a temperature for what members add up to, learnt on rows held out.

Votes and scores of boosting order the classes well and say little about how sure they are: the
members were made to fit the rows they are asked about. So a few rounds are run on a part of the
rows (``Trial``), watched on the rest, and two numbers are learnt there (``Calibration``). The
members of the ensemble itself see every row. From ``MANY`` rows on it costs less to hold some of
them out of the ensemble.
"""

import warnings
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import train_test_split

from counterpoint._interrupts import whole
from counterpoint._tables import select_rows
from counterpoint.boosting.loop import boost

MANY = 20_000  # rows from which on some are held out of the ensemble itself
_HELD = 2_000  # so many: two numbers need no more
_FEW = 50  # cases below which nothing is held out, and the usual temperature is taken
_PART = 0.2  # share of the rows that a trial is watched on
_ROUNDS = 8  # a trial has this share of the rounds, at least _LEAST
_LEAST = 3
# What moving each number away from the usual one by a factor e costs, in log-losses of one case.
_HOLD = 2.0
_BOUNDS = [(-6.0, 6.0), (-9.0, 4.0)]  # logarithms of the two numbers


@dataclass(frozen=True)
class Calibration:
    """Temperature of an ensemble of n members: ``link + shared * n``.

    Probabilities are softmax(sums / temperature), where a vote counts as n times its share. Were
    the members' errors independent, the temperature would be ``link`` however many there are: for
    AdaBoost 1 over the mean weight of a member, the logistic link of the exponential loss. What
    members have in common makes no vote surer: ``shared``.

    Attributes
    ----------
    link, shared : float
    """

    link: float
    shared: float

    def log_proba(self, sums, n_members):
        """Return logarithms of probabilities of sums (n_samples, n_classes)."""
        return _log_softmax(sums / (self.link + self.shared * n_members))


def _log_softmax(sums):
    # As scipy's, at a tenth of the time for few rows.
    below = sums - sums.max(axis=1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=1, keepdims=True))


def learn_calibration(stages, y, weight, usual):
    """Return the calibration under which the classes y are most likely, over all stages.

    Parameters
    ----------
    stages : list of (int, ndarray of shape (n_samples, n_classes))
        Numbers of members, and what they add up to on rows they were not trained on.
    y : ndarray of shape (n_samples,)
        Class codes.
    weight : ndarray of shape (n_samples,)
        What each row counts, in cases.
    usual : Calibration
        Where to stay if the rows say little.
    """
    start = np.log([usual.link, usual.shared])
    found = minimize(
        calibration_cost,
        start,
        args=(stages, y, weight, start),
        jac=True,
        method="TNC",  # of two numbers; others wake up the threads of a matrix library
        bounds=_BOUNDS,
    )
    return Calibration(*np.exp(found.x).tolist())


def calibration_cost(logs, stages, y, weight, start):
    """Return the mean log-loss over rows and stages, the pull to ``start``, and the gradient."""
    both, rows, total = np.exp(logs), np.arange(len(y)), weight.sum()
    cost = _HOLD / total * ((logs - start) ** 2).sum()
    slope = 2.0 * _HOLD / total * (logs - start)
    for n_members, sums in stages:
        temperature = both @ (1.0, n_members)
        log_p = _log_softmax(sums / temperature)
        cost -= weight @ log_p[rows, y] / total / len(stages)
        # Of log p in the temperature: (what is expected of the sums - that of y) / temperature^2.
        short = (np.exp(log_p) * sums).sum(axis=1) - sums[rows, y]
        by_temperature = -(weight @ short) / total / temperature**2 / len(stages)
        slope = slope + by_temperature * both * (1.0, n_members)
    return float(cost), slope


class HeldOut:
    """Rows that the members of an ensemble were not trained on, and what these say of them."""

    def __init__(self, X, y, cases):
        self.X, self.y, self.cases = X, y, cases

    def ask(self, ensemble):
        """Keep what its members add up to: all of them, a half and a quarter."""
        n = len(ensemble.estimators_)
        wanted = {n, -(-n // 2), -(-n // 4)}
        self.stages = [
            (k, ensemble._as_sums(scores, k))
            for k, scores in enumerate(ensemble._staged_scores(self.X), start=1)
            if k in wanted
        ]
        self.usual = ensemble._usual
        return self

    def learn(self):
        """Return the calibration that fits the rows."""
        return learn_calibration(self.stages, self.y, self.cases, self.usual)

    def losses(self):
        """Return the calibrated log-loss of each row, (n_samples,)."""
        n_members, sums = self.stages[-1]
        return -self.learn().log_proba(sums, n_members)[np.arange(len(self.y)), self.y]


class Trial:
    """A few rounds on a part of the rows, looked at on the others."""

    def __init__(self, owner, X, y, weight, part, held):
        self.owner = copy(owner)  # its rules and losses are no business of the owner
        share = weight[part].sum()
        self.owner._n_cases = owner._n_cases * share
        self.X, self.y, self.weight = select_rows(X, part), y[part], weight[part] / share
        self.held = select_rows(X, held), y[held], weight[held] * owner._n_cases
        self.n_members = min(max(_LEAST, -(-owner.n_estimators // _ROUNDS)), owner.n_estimators)
        self.learner = None

    @classmethod
    def of(cls, owner, X, y, weight):
        """Return a trial for an estimator that has read its data; None if they are too few.

        It draws from no generator of the estimator, which goes on as if there had been no trial.
        """
        split = split_rows(y, weight * owner._n_cases)
        return None if split is None else cls(owner, X, y, weight, *split)

    def run(self, rule):
        """Train members by a rule; return the rows held out, with what they say of them."""
        owner, rng = self.owner, np.random.RandomState(0)
        rule.start(self.y, len(owner.classes_), self.weight)
        with whole(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the ensemble itself gives them
            if self.learner is None:  # one for all rules: data are prepared once
                self.learner = owner._make_learner(rule, self.X, self.y, self.weight, rng)
            result = boost(
                rule,
                self.learner,
                self.n_members,
                on_failure=getattr(owner, "on_failure", "stop"),
                progress=False,
            )
            owner.estimators_, owner.estimator_weights_ = result.models, np.array(result.alphas)
            owner._history = result.history
            owner._finish(result)
            return HeldOut(*self.held).ask(owner)


def split_rows(y, cases, most=MANY):
    """Return rows to train on and rows held out, or None: too few rows or but one class left.

    Both are drawn class by class, from ``most`` rows at most; every class keeps a row to train on.
    """
    if cases.sum() < _FEW or len(y) < _FEW / 2:
        return None
    rng, rows = np.random.RandomState(0), np.arange(len(y))
    if len(rows) > most:
        rows, _ = train_test_split(
            rows, train_size=most, stratify=_strata(y, most), random_state=rng
        )
    n_held = max(round(_PART * len(rows)), 1)
    return _hold_out(y, rows, n_held, rng)


def split_many(y):
    """Return rows to train on and the few held out, of very many."""
    return _hold_out(y, np.arange(len(y)), _HELD, np.random.RandomState(0))


def _hold_out(y, rows, n_held, rng):
    part, held = train_test_split(
        rows, test_size=n_held, stratify=_strata(y[rows], n_held), random_state=rng
    )
    lost = ~np.isin(y[held], y[part])  # a class that would have no row to train on
    part, held = np.sort(np.append(part, held[lost])), np.sort(held[~lost])
    return (part, held) if len(held) and len(np.unique(y[part])) > 1 else None


def _strata(y, n_fewest):
    counts = np.bincount(y)
    counts = counts[counts > 0]
    return y if counts.min() >= 2 and len(counts) <= n_fewest else None
