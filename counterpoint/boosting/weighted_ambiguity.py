"""AdaBoost.NC with the ambiguity of the weighted vote: equation 1 of Wang and Yao (2010)."""

import numpy as np

from counterpoint.boosting.rules import NO_ERROR, VoteRule


class WeightedVoteRule(VoteRule):
    """AdaBoost.NC's rule with the members weighted by their say in amb and in its vote H.

    A member's say depends on amb, and amb on its say: in its own round it counts with the say it
    would have without penalty, and from then on with the one it got.
    """

    soft = True

    def start(self, y, n_classes, weight):
        """Begin with nobody's say counted."""
        super().start(y, n_classes, weight)
        self.says = np.zeros((len(y), n_classes))

    def judge(self, answer):
        """Weigh a new member by the penalised weights of the samples it has right and wrong."""
        verdict = super().judge(answer)
        verdict.notes["penalty"] = float(self._penalties(answer).mean())
        return verdict

    def update(self, answer, verdict):
        """Count the member in, with the say it got."""
        noted = super().update(answer, verdict)
        self.says[np.arange(len(self.y)), answer.votes] += verdict.alpha
        return noted

    def _penalties(self, answer):
        """1 - |amb| of every sample, amb = [H = y] - the share of say that is right."""
        rows = np.arange(len(self.y))
        error = max(self.weighted_error(answer), NO_ERROR)
        says = self.says.copy()
        says[rows, answer.votes] += max(np.log((1.0 - error) / error) + self.extra, NO_ERROR)
        won = says.argmax(axis=1) == self.y
        return 1.0 - np.abs(won - says[rows, self.y] / says.sum(axis=1))

    def _pull(self, answer, lam):
        return self._penalties(answer) ** lam
