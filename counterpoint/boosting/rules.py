"""What makes a boosting method: how samples are weighted and what a member is worth.

``Rule`` is the base class for all of them; a new one is a subclass with two methods. ``VoteRule``
is AdaBoost.NC, of which AdaBoost is the case without penalty.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._arrays import code_type
from counterpoint._kernels import boosting as kernels
from counterpoint._kernels.threads import threads_for

# A weighted error below one in a million is none: its member would outvote all others.
NO_ERROR = 1e-6


@dataclass
class Verdict:
    """What a rule makes of a member.

    Attributes
    ----------
    alpha : float
        The member's weight.
    failure : str
        Empty when the member is taken in, else why not: "perfect", "chance", "alike" or "worse".
    notes : dict
        What goes into the row of ``history_``.
    last : str
        Why a member that is taken in ends training; empty if it does not.
    """

    alpha: float
    failure: str = ""
    notes: dict = field(default_factory=dict)
    last: str = ""


class Rule(ABC):
    """What makes a boosting method.

    The loop calls ``start`` once and then, for every member, ``request``, ``judge`` and, if the
    member is taken in, ``update``; ``reset`` where training restarts after a failure. A rule must
    have ``judge`` and ``update``; the other three keep weights of the samples and ask for members
    trained by them.

    Attributes
    ----------
    y : ndarray of shape (n_samples,)
        Class codes 0, 1, ..., or numbers for regression.
    n_classes : int or None
        Number of classes; None for regression.
    first_weight : ndarray of shape (n_samples,)
        The weights that training starts from; they add up to 1.
    weight : ndarray of shape (n_samples,)
        The weights now.

    See Also
    --------
    BaseBoostingClassifier : The estimator around a rule.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.boosting import MemberAnswer, Rule, Verdict
    >>> class Doubling(Rule):
    ...     def judge(self, answer):
    ...         return Verdict(alpha=1.0)
    ...     def update(self, answer, verdict):
    ...         self.weight = np.where(answer.votes == self.y, 1.0, 2.0) * self.weight
    ...         self.weight /= self.weight.sum()
    >>> rule = Doubling()
    >>> rule.start(np.array([0, 0, 1]), 2, np.full(3, 1 / 3))
    >>> answer = MemberAnswer(None, votes=np.array([0, 1, 1]))
    >>> rule.update(answer, rule.judge(answer))
    >>> rule.weight.tolist()
    [0.25, 0.5, 0.25]
    """

    def start(self, y: NDArray, n_classes: int | None, weight: NDArray) -> None:
        """Begin a fit.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Class codes, or numbers for regression.
        n_classes : int or None
        weight : ndarray of shape (n_samples,)
            Weights of the samples, which add up to 1.
        """
        self.y, self.n_classes = y, n_classes
        self.first_weight, self.weight = weight, weight.copy()

    def request(self) -> tuple[NDArray, NDArray | None]:
        """Return what to train the next member on.

        Returns
        -------
        weight : ndarray of shape (n_samples,)
        target : ndarray of shape (n_samples,) or (n_samples, n_outputs), or None for y itself
        """
        return self.weight, None

    @abstractmethod
    def judge(self, answer: Any) -> Verdict:
        """Weigh a new member, without counting it in.

        Parameters
        ----------
        answer : MemberAnswer

        Returns
        -------
        Verdict
        """

    @abstractmethod
    def update(self, answer: Any, verdict: Verdict) -> dict[str, Any] | None:
        """Count a member in: change the weights of the samples.

        A warm start calls this for the members there are, without ``judge``.

        Parameters
        ----------
        answer : MemberAnswer
        verdict : Verdict
            What ``judge`` returned; only its ``alpha`` and ``notes`` in a warm start.

        Returns
        -------
        dict or None
            More for the row of ``history_``.
        """

    def reset(self) -> None:
        """Go back to the first weights after a failure; members stay."""
        self.weight = self.first_weight.copy()


class SafeLam:
    """Lambda of each round as a share of the largest under which boosting still learns.

    A member of weighted error e lowers the exponential loss by a factor Z(e) below 1; p ** lam can
    raise it by at most the least p to the power -lam. ``strength`` is the share of log(1 / Z) that
    lam * log(1 / p) may take: below 1 the loss still falls, whatever the task.
    """

    def __init__(self, strength):
        self.strength = strength

    def __call__(self, rule, answer):
        """Lambda of the round in which this member joins."""
        n, k = rule.n_members + 1, rule.n_classes
        if n == 1 or self.strength == 0:  # one member agrees with itself
            return 0.0
        error = max(rule.weighted_error(answer), NO_ERROR)
        if error >= 1.0 - 1.0 / k:
            return 0.0
        odds = (1.0 - error) * (k - 1.0) / error
        gain = -log(odds) / k - log(error * k / (k - 1.0))
        least = -(-n // k) / n  # of a sample whose members are split over all classes
        return self.strength * gain / -log(least)


class VoteRule(Rule):
    """AdaBoost.NC's rule on votes (discrete) or probabilities (``confidence``).

    ``lam``, the penalty, may be a function of the rule and a member's answer that sets it each
    round: ``SafeLam``.
    ``bonus`` adds log(K - 1) to a member's weight, as SAMME does; chance is then 1 - 1/K, else 1/2.
    ``signed`` takes p = 1 - amb in place of 1 - |amb|.
    """

    def __init__(self, lam=0.0, *, bonus=True, confidence=False, signed=False):
        self.lam, self.bonus, self.confidence, self.signed = lam, bonus, confidence, signed

    def start(self, y, n_classes, weight):
        """Begin with no member's votes counted."""
        super().start(y, n_classes, weight)
        self.codes = y.astype(code_type(n_classes))
        self.right = np.zeros(len(y), dtype=np.int32)
        many = n_classes if n_classes > 2 else 0
        self.tally = np.zeros((len(y), many), dtype=np.int32)
        self.score = np.zeros((len(y), many or 1))
        self._begin(len(y), n_classes)

    def _begin(self, n_samples, n_classes):
        """Begin with no member, whoever keeps the votes."""
        self.n_samples, self.n_classes, self.n_members = n_samples, n_classes, 0
        self._judged = self._penalised = self._summed = None
        self.extra = np.log(n_classes - 1.0) if self.bonus and n_classes > 2 else 0.0

    def _power(self, answer):
        """Return p ** lambda for the vote lost or won with k members right: so few values."""
        if self._penalised is None or self._penalised[0] is not answer:
            lam = self.lam(self, answer) if callable(self.lam) else self.lam
            self._penalised = answer, lam, self._powers(lam)
        return self._penalised[2]

    def _powers(self, lam):
        n = self.n_members + 1
        if lam == 0:
            return np.ones((2, n + 1))
        p = np.empty((2, n + 1))
        p[1] = np.arange(n + 1) / n  # 1 - (1 - share)
        p[0] = 1.0 + p[1] if self.signed else 1.0 - p[1]  # 1 - (0 - share) or 1 - |0 - share|
        return np.power(p, lam, out=p)

    @property
    def soft(self):
        """Whether samples are looked at one by one, not in kinds that are alike."""
        return self.confidence

    def current_lam(self, answer):
        """Penalty of the round in which this member joins."""
        self._power(answer)
        return self._penalised[1]

    def weighted_error(self, answer):
        """Weight of the samples that a member has wrong; with probabilities, of its doubts."""
        if self.confidence:
            truth = answer.proba[np.arange(len(self.y)), self.y]
            return float(np.sum(self.weight * (1.0 - truth)))
        _, mass = self._kinds_of(answer)
        wrong = mass.reshape(4, 2, -1)[:, 0]  # by (vote and vote before), right or not, how many
        return float(wrong.cumsum()[-1])  # one after the other, as the kernel adds

    def judge(self, answer):
        """Weigh a new member by the penalised weights of the samples it has right and wrong."""
        lam = self.current_lam(answer)
        sums, n = self._sums(answer, self._power(answer)), self.n_samples
        right, wrong = sums[kernels.RIGHT], sums[kernels.WRONG]
        if self.soft:
            right, wrong = self._soft_sums(answer, lam)
        penalty = n - sums[kernels.AMBIGUITY] if self.signed else sums[kernels.PENALTY]
        notes = {
            "lam": float(lam),
            "error": sums[kernels.ERROR],
            "penalty": penalty / n,
            "ambiguity": sums[kernels.AMBIGUITY] / n,
            "covariance": (
                sums[kernels.BOTH] / n - sums[kernels.HITS] * sums[kernels.BEFORE] / n**2
                if self.n_members
                else np.nan
            ),
        }
        # By the plain error: the penalty alone can make the sum over wrong samples small.
        error = wrong / (right + wrong) if self.confidence else sums[kernels.ERROR]
        if error <= NO_ERROR:
            return Verdict(np.inf, "perfect", notes)
        alpha = np.log(right / wrong) + self.extra if right > 0 else -np.inf
        return Verdict(float(alpha), "" if alpha > 0 else "chance", notes)

    def _sums(self, answer, power):
        """Return what is summed over the samples; these are gone through once for a member."""
        known = self._summed
        if known is None or known[0] is not answer or known[1] is not power:
            sums = kernels.sum_kinds(*self._kinds_of(answer), power)
            known = self._summed = answer, power, sums
        return known[2]

    def _kinds_of(self, answer):
        if self._judged is None or self._judged[0] is not answer:
            self._judged = (answer, self._kinds(answer))
        return self._judged[1]

    def _kinds(self, answer):
        """Return number and weight of the samples of each kind, were the member counted in."""
        many, mass = kernels.new_kinds(self.n_members)
        with threads_for(5 * self.n_classes * len(self.y)):
            found = kernels.count_kinds(
                self._codes(answer.votes), self.codes, self.weight, self.right, self.tally,
                self.n_members,
            )  # fmt: skip
        kernels.add_kinds(many, mass, *found)
        return many, mass

    def _codes(self, votes):
        # Small numbers: the rounds of large data wait for memory.
        return votes.astype(self.codes.dtype, copy=False)

    def update(self, answer, verdict):
        """Count the member in and reweigh the samples."""
        if self.soft:
            return self._update_soft(answer, verdict, self.current_lam(answer))
        power = self._power(answer)
        z = kernels.new_total(self._sums(answer, power), verdict.alpha)
        wrong = self._count_in(answer, power, verdict.alpha, z)
        self._end_round()
        return {"z": z, "train_error": wrong / self.n_samples}

    def _count_in(self, answer, power, alpha, z):
        """Count the member in; return how many samples the weighted vote then has wrong."""
        with threads_for(5 * self.n_classes * len(self.y)):
            return kernels.count_in(
                self._codes(answer.votes), self.codes, self.weight, self.right, self.tally,
                self.score, self.n_members, power, alpha, z,
            )  # fmt: skip

    def _end_round(self):
        self.n_members += 1
        self._judged = self._penalised = self._summed = None
        if hasattr(self.lam, "update"):
            self.lam.update(self)

    def ensemble_votes(self):
        """Class codes that the weighted vote now gives the training samples."""
        if self.n_classes == 2:
            return (self.score[:, 0] > 0).astype(np.int64)
        return self.score.argmax(axis=1)

    def right_by_class(self):
        """Return how many samples of each class the vote now has right, and how many there are."""
        right = np.bincount(self.y[self.ensemble_votes() == self.y], minlength=self.n_classes)
        return right, np.bincount(self.y, minlength=self.n_classes)

    def reset(self):
        """Go back to the weights of the beginning."""
        super().reset()
        self._judged = self._penalised = self._summed = None

    # -- confidence-rated: f = 2 P(truth) - 1 takes the place of +1 and -1 ----------------------

    def _votes_after(self, answer):
        right = self.right + (answer.votes == self.y)
        if self.n_classes == 2:
            n = self.n_members + 1
            wins = (2 * right > n) | ((2 * right == n) & (self.y == 0))
        else:
            tally = self.tally.copy()
            tally[np.arange(len(self.y)), answer.votes] += 1
            wins = tally.argmax(axis=1) == self.y
        return right, wins.astype(np.int64)

    def _proba(self, answer):
        if self.confidence:
            return answer.proba
        return np.eye(self.n_classes)[answer.votes]

    def _truth(self, answer):
        return self._proba(answer)[np.arange(len(self.y)), self.y]

    def _pull(self, answer, lam):
        """Return p ** lambda of every sample, this member included."""
        right, wins = self._votes_after(answer)
        return self._powers(lam)[wins, right]

    def _soft_sums(self, answer, lam):
        pulled = self.weight * self._pull(answer, lam)
        truth = self._truth(answer)
        return float(pulled @ truth), float(pulled @ (1.0 - truth))

    def _update_soft(self, answer, verdict, lam):
        right, _ = self._votes_after(answer)
        pull, proba = self._pull(answer, lam), self._proba(answer)
        self.right = right.astype(np.int32)
        if self.n_classes == 2:
            self.score[:, 0] += verdict.alpha * (2.0 * proba[:, 1] - 1.0)
        else:
            self.tally[np.arange(len(self.y)), answer.votes] += 1
            self.score += verdict.alpha * proba
        weight = self.weight * pull * np.exp(-verdict.alpha * (self._truth(answer) - 0.5))
        z = weight.sum()
        self.weight = weight / z
        # The vote is of the members counted so far, this one included.
        error = float(np.mean(self.ensemble_votes() != self.y))
        self._end_round()
        return {"z": z, "train_error": error}
