"""Boosting rules whose rows are kept by a crew: the arithmetic is that of the rules themselves."""

import numpy as np

from counterpoint._kernels import boosting as kernels
from counterpoint.boosting.additive import AdditiveRule, check_size
from counterpoint.boosting.rules import Verdict, VoteRule


class ShardedVoteRule(VoteRule):
    """``VoteRule`` on the rows of a crew; ``answer.votes`` is a ``Member``."""

    def __init__(self, rule, crew):
        given = {"bonus": rule.bonus, "confidence": rule.confidence, "signed": rule.signed}
        super().__init__(rule.lam, **given)
        self.crew = crew

    def start(self, y, n_classes, weight):
        """Begin with no member's votes counted."""
        self._begin(self.crew.n_rows, n_classes)
        self.crew.log.clear()

    def request(self):
        """Weights lie with the rows."""
        return None, None

    def _kinds(self, answer):
        many, mass = kernels.new_kinds(self.n_members)
        for used, number, heavy in self.crew.each("kinds", answer.votes, self.n_members):
            own_many, own_mass = many[used], mass[used]
            kernels.add_kinds(own_many, own_mass, number, heavy)
            many[used], mass[used] = own_many, own_mass
        return many, mass

    def _count_in(self, answer, power, alpha, z):
        args = (answer.votes, self.n_members, power, alpha, z)
        self.crew.log.append(("count_in", args))
        return sum(self.crew.each("n_wrong"))

    def right_by_class(self):
        """Return how many samples of each class the vote now has right, and how many there are."""
        right = np.sum(self.crew.each("right_by_class"), axis=0)
        return right, np.array(self.crew.store.class_counts)

    def reset(self):
        """Go back to the weights of the beginning."""
        self.crew.log.append(("reset", ()))
        self._judged = self._penalised = self._summed = None


class ShardedSumRule(AdditiveRule):
    """``AdditiveRule`` on the rows of a crew; ``answer.votes`` is a list of ``Member``."""

    def __init__(self, rule, crew):
        super().__init__(rule.loss, rule.learning_rate, False, rule.cases, False)
        self.crew = crew

    def start(self, y, n_classes, weight):
        """Begin from the loss's start."""
        self.crew.log.clear()
        start = np.zeros(self.loss.n_outputs)
        if not self.loss.weighs:
            total = np.concatenate(self.crew.each("case_sums")).sum()
            start = np.concatenate(self.crew.each("start_sums")).sum(axis=0) / total
        self.loss.start = start
        self.crew.log.append(("set_start", (start,)))

    def request(self):
        """Return the largest factor of weights, for each output."""
        if not self.loss.weighs:
            return None, np.ones(self.loss.n_outputs)
        return None, np.max(self.crew.each("top_factors"), axis=0)

    def judge(self, answer):
        """Take the learning rate for weight."""
        return Verdict(self.learning_rate)

    def update(self, answer, verdict):
        """Add the member to the scores."""
        self.crew.log.append(("take_in", (answer.votes, verdict.alpha)))
        noted = self.crew.each("noted")
        check_size(min(n[2] for n in noted), max(n[3] for n in noted), self.learning_rate)
        sums = np.concatenate([n[1] for n in noted]).sum(axis=0) / self.crew.n_rows
        return {f"train_{k}": float(v) for k, v in zip(noted[0][0], sums, strict=True)}
