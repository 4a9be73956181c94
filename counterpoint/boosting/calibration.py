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

from counterpoint._interrupts import whole
from counterpoint._kernels.temperature import tempered
from counterpoint._tables import select_rows
from counterpoint.boosting.learners import Learner
from counterpoint.boosting.loop import boost
from counterpoint.boosting.losses import log_softmax

MANY = 20_000  # rows from which on some are held out of the ensemble itself
_HELD = 2_000  # so many: two numbers need no more
_MOST = 10_000  # rows of a trial
_FEW = 50  # cases below which nothing is held out, and the usual temperature is taken
_PART = 0.2  # share of the rows that a trial is watched on
_ROUNDS = 8  # a trial has this share of the rounds
# What moving each number away from the usual one by a factor e costs, in log-losses of one case.
HOLD = 2.0
_LOW, _HIGH = np.array([-6.0, -9.0]), np.array([6.0, 4.0])  # logarithms of the two numbers
# Newton steps at most and how far they go, how much less cost ends them, and what damping does.
_STEPS, _FURTHEST, _ENOUGH, _STIFF = 50, 0.9, 1e-6, 1e6


@dataclass(frozen=True)
class Calibration:
    """Temperature of an ensemble of some size: ``link + shared * size``.

    Probabilities are softmax(sums / temperature). For votes the size is the number of members, and
    a vote counts as that many times its share. Were the members' errors independent, the
    temperature would be ``link`` however many there are: for AdaBoost 1 over the mean weight of a
    member, the logistic link of the exponential loss. What members have in common makes no vote
    surer: ``shared``. Where members add up to a score, that grows too sure more slowly, and the
    size is the root of their number.

    Attributes
    ----------
    link, shared : float
    """

    link: float
    shared: float

    def log_proba(self, sums, size):
        """Return logarithms of probabilities of sums (n_samples, n_classes)."""
        return log_softmax(sums / (self.link + self.shared * size))


def learn_calibration(sizes, sums, y, weight, usual, near=None):
    """Return the calibration under which the classes y are most likely, over all stages.

    Parameters
    ----------
    sizes : ndarray of shape (n_stages,)
        How large the ensemble was.
    sums : ndarray of shape (n_stages, n_samples, n_classes)
        What its members added up to on rows they were not trained on.
    y : ndarray of shape (n_samples,)
        Class codes.
    weight : ndarray of shape (n_samples,)
        What each row counts, in cases.
    usual : Calibration
        Where to stay if the rows say little.
    near : Calibration or None
        Where to look first; None: at the usual one.
    """
    start, at = (np.log([one.link, one.shared]) for one in (usual, near or usual))
    cost, slope, curve = calibration_cost(at, sizes, sums, y, weight, start)
    damping, tries = 0.0, 0
    # Damped Newton steps (Marquardt 1963): a handful, where a library's method takes three times as
    # many looks, and as long once more for itself.
    while tries < _STEPS and damping < _STIFF:
        tries += 1
        step = _downhill(at, slope, curve, damping)
        if abs(slope @ step) < _ENOUGH:  # twice what it brings: no need to look
            at = at + step
            break
        there = calibration_cost(at + step, sizes, sums, y, weight, start)
        less = cost - there[0]
        if less < 0:
            damping = max(4.0 * damping, 0.1)
            continue
        at, (cost, slope, curve), damping = at + step, there, damping / 4.0
        if less < _ENOUGH:
            break
    return Calibration(*np.exp(at).tolist())


def _downhill(at, slope, curve, damping):
    """Return a damped Newton step of two numbers that stays within their bounds."""
    (a, b), (_, d) = curve
    free = np.where(slope > 0, at > _LOW, at < _HIGH)
    slope, b = slope * free, b * free.all()
    # As much on the diagonal as makes it a bowl, whatever the curve.
    least = 0.5 * (a + d) - np.hypot(0.5 * (a - d), b)
    more = damping * max(abs(a), abs(d)) + max(0.0, 1e-3 * max(abs(a), abs(d), 1e-3) - least)
    a, d = a + more, d + more
    step = np.array([b * slope[1] - d * slope[0], b * slope[0] - a * slope[1]]) / (a * d - b * b)
    step *= min(1.0, _FURTHEST / max(np.abs(step).max(), 1e-300))
    return np.clip(at + step, _LOW, _HIGH) - at


def calibration_cost(logs, sizes, sums, y, weight, start):
    """Return the mean log-loss over rows and stages and the pull to ``start``; slope and curve."""
    both, total = np.exp(logs), weight.sum() * len(sizes)
    pull = HOLD / weight.sum()
    temperature = both[0] + both[1] * sizes
    # Log p of y, how far what is expected of the sums is above that of y, and their variance.
    looks = (tempered(own, y, weight, t) for own, t in zip(sums, temperature, strict=True))
    log_p, short, spread = np.array(list(looks)).T
    cost = pull * ((logs - start) ** 2).sum() - log_p.sum() / total
    # Of log p in the inverse of the temperature: -short, and -spread once more.
    first = -short / total / temperature**2
    second = (spread / temperature + 2.0 * short) / total / temperature**3
    # The temperature is the sum of two parts, and each is its own slope in its logarithm.
    parts = np.stack([np.full(len(sizes), both[0]), both[1] * sizes])
    slope = parts @ first
    curve = (parts * second) @ parts.T
    curve[[0, 1], [0, 1]] += slope + 2.0 * pull
    return float(cost), slope + 2.0 * pull * (logs - start), curve


class HeldOut:
    """Rows that the members of an ensemble were not trained on, and what these say of them."""

    def __init__(self, X, y, cases):
        self.X, self.y, self.cases, self._found = X, y, cases, None

    def ask(self, ensemble):
        """Keep what its members add up to: all of them, and some shares of them."""
        n = len(ensemble.estimators_)
        wanted = sorted({-(-n // part) for part in ensemble._looked_at})
        self.sizes = np.array([ensemble._size(k) for k in wanted])
        self.sums = np.stack(
            [
                ensemble._as_sums(scores, k)
                for k, scores in enumerate(ensemble._staged_scores(self.X), start=1)
                if k in wanted
            ]
        )
        self.usual = ensemble._usual
        return self

    def learn(self, near=None):
        """Return the calibration that fits the rows; ``near`` is one of an ensemble like it."""
        if self._found is None:
            given = self.sizes, self.sums, self.y, self.cases, self.usual
            self._found = learn_calibration(*given, near)
        return self._found

    def losses(self, calibration):
        """Return the log-loss of each row under a calibration, (n_samples,)."""
        log_p = calibration.log_proba(self.sums[-1], self.sizes[-1])
        return -log_p[np.arange(len(self.y)), self.y]


def gain_and_noise(less, cases):
    """Return by how much losses of rows are less on average, and its standard error."""
    gain = np.average(less, weights=cases)
    return gain, np.sqrt(np.average((less - gain) ** 2, weights=cases) / cases.sum())


class RememberingLearner(Learner):
    """Train a member only once for the same weights: rules that are tried begin alike."""

    def __init__(self, learner):
        self.learner, self._known = learner, {}
        self.is_small = learner.is_small

    def fit(self, weight, target=None):
        """Train one member, or return the one of these weights."""
        known = weight.tobytes()
        if known not in self._known:
            self._known[known] = self.learner.fit(weight, target)
        return self._known[known]

    def answer(self, model):
        """Return what a member predicts for the training samples."""
        return self.learner.answer(model)

    def recover(self, failure):
        """Leave it to the learner."""
        return self.learner.recover(failure)


class Trial:
    """A few rounds on a part of the rows, looked at on the others."""

    def __init__(self, owner, X, y, weight, shared, n_members, part, held):
        self.owner = copy(owner)  # its rules and losses are no business of the owner
        self.owner._kept = None
        share = weight[part].sum()
        self.owner._n_cases = owner._n_cases * share
        self.y, self.weight = y[part], weight[part] / share
        self.shared, self.part = shared, part
        # Some rows of X may be held out already.
        self.X, self.rows = X, np.arange(len(y)) if owner._kept is None else owner._kept
        self.held, self.asked = held, (y[held], weight[held] * owner._n_cases)
        rounds = max(owner._least_rounds, -(-n_members // _ROUNDS))
        self.n_members = min(rounds, n_members)
        self.learner = self.bins = None

    @classmethod
    def of(cls, owner, X, y, weight, shared, n_members):
        """Return a trial for an estimator that has read its data; None if they are too few.

        It draws from no generator of the estimator, which goes on as if there had been no trial.
        ``shared`` is the estimator's learner: its bins do for the trial, where there are any.
        ``n_members`` are those of the ensemble: a share of them is trained.
        """
        split = split_rows(y, weight * owner._n_cases)
        return None if split is None else cls(owner, X, y, weight, shared, n_members, *split)

    def race(self, rules):
        """Return, for each rule, what the rows held out say of its members; None as in ``of``."""
        try:
            return [self.run(rule, again=True) for rule in rules]
        # A member may be anybody's and raise anything when it needs all rows; what else is wrong,
        # training on all rows will say.
        except Exception:
            return None

    def run(self, rule, *, again=False):
        """Train members by a rule; return the rows held out, with what they say of them.

        ``again``: rules on votes follow one another, and members of the same weights are the same.
        """
        owner = self.owner
        rule.start(self.y, len(owner.classes_), self.weight)
        with whole(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the ensemble itself gives them
            if self.learner is None:  # one for all rules: data are prepared once
                self.learner = self._make_learner(rule)
                if again and not self.learner.is_random:
                    self.learner = RememberingLearner(self.learner)
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
            by_bins = self.bins is not None and owner._answers_bins()
            rows = self.bins if by_bins else select_rows(self.X, self.rows[self.held])
            return HeldOut(rows, *self.asked).ask(owner)

    def _make_learner(self, rule):
        # To seed a generator takes as long as to grow a small tree.
        rng = np.random.RandomState(0) if self.shared.is_random else None
        learner = self.shared.some(self.part, rng)
        if learner is not None:
            self.bins = self.shared.bins(self.held)
            return learner
        X = select_rows(self.X, self.rows[self.part])
        rng = np.random.RandomState(0)
        return self.owner._make_learner(rule, X, self.y, self.weight, rng)


def split_rows(y, cases):
    """Return rows to train on and rows held out, or None: too few rows or but one class left.

    They are drawn class by class, from ``_MOST`` rows at most; every class keeps a row to train on.
    """
    if cases.sum() < _FEW or len(y) < _FEW / 2:
        return None
    rng, rows = np.random.RandomState(0), np.arange(len(y))
    if len(rows) > _MOST:
        rows = rows[_draw(y, _MOST, rng)]
    return _hold_out(y, rows, max(round(_PART * len(rows)), 1), rng)


def split_many(y):
    """Return rows to train on and the few held out, of very many."""
    return _hold_out(y, np.arange(len(y)), _HELD, np.random.RandomState(0))


def _hold_out(y, rows, n_held, rng):
    out = _draw(y[rows], n_held, rng)
    # A class that would have no row to train on keeps its own.
    kept = np.bincount(y[rows[~out]], minlength=y.max() + 1)
    out &= kept[y[rows]] > 0
    part, held = rows[~out], rows[out]
    return (part, held) if len(held) and len(np.unique(y[part])) > 1 else None


def _draw(y, n_drawn, rng):
    """Return which of the rows are drawn: so many, evenly spread over rows sorted by class."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    drawn = np.zeros(len(y), dtype=bool)
    places = (np.arange(n_drawn) + rng.uniform()) * len(y) / n_drawn
    drawn[order[places.astype(np.int64)]] = True
    return drawn
