"""Boosters grown together: their scores stand side by side, and a coupling says what each fits.

Member i has the columns i * k to (i + 1) * k of scores and targets, k the outputs of one member:
one for numbers and for two classes, else one a class. To the loop a round is one member of many
columns; each column gets a tree.
"""

from copy import copy

import numpy as np
from scipy.special import logsumexp

from counterpoint._coupling import pointwise_loss
from counterpoint._kernels import coupled as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint.base import draw_seed
from counterpoint.boosting.additive import ColumnsLearner
from counterpoint.boosting.losses import SquaredLoss
from counterpoint.boosting.newton import LEAST, NewtonClassLoss

# Probabilities nearer than this are equal: the first class of equals wins.
_TIE = 1e-12
# Rows whose slopes are worked out together: what members say of them stays close by.
_BLOCK = 4096


class CoupledLoss(SquaredLoss):
    """Squared error of N members, each with the pull of the others: the mean is the answer.

    ``own`` is what a member alone would lower.
    """

    score = "ensemble_loss"

    def __init__(self, own, coupling, n_members):
        self.own, self.coupling, self.n_members = own, coupling, n_members
        self.n_outputs = n_members * own.n_outputs

    def begin(self, y, weight):
        """Return the targets, once for each member; all start alike."""
        target = self.own.begin(y, weight)
        self.start = np.tile(self.own.start, self.n_members)
        return np.tile(target, self.n_members)

    def request(self, target, scores):
        """Return curvatures of the members' own loss, and the coupled slopes over them."""
        n, k = len(scores), self.own.n_outputs
        # Column after column, as trees take them.
        both = [np.empty((self.n_members, k, n)) for _ in range(1 + self.weighs)]
        for start in range(0, n, _BLOCK):
            rows = slice(start, start + _BLOCK)
            outputs = self.outputs(scores[rows])
            slopes = self.coupling.delta(outputs, target[rows, :k], self.coupling.output)
            for found, part in zip(both, self.newton(slopes, outputs), strict=True):
                found[:, :, rows] = part.transpose(0, 2, 1)
        aims, *curvatures = (found.reshape(-1, n).T for found in both)
        return (curvatures[0] if curvatures else None), aims

    def newton(self, slopes, outputs):
        """Return the steps of all members and, if the loss weighs, curvatures; else these are 1."""
        return (-slopes,)

    def parts(self, scores):
        """Return the scores of each member, a list of (n_samples, k)."""
        return np.split(scores, self.n_members, axis=1)

    def outputs(self, scores):
        """Return what members say, as the coupling wants it: (n_members, n_samples, k)."""
        return np.stack([self.output(part) for part in self.parts(scores)])

    def output(self, scores):
        """Return what one member says."""
        return scores

    def answers(self, scores):
        """Return the mean of the members."""
        return scores.mean(axis=1)

    def notes(self, y, scores):
        """Return losses and errors of the members, on average, and of the ensemble.

        The ambiguity is the mean square of the members' distance to their mean; for the squared
        error the ensemble's loss is the members' less the ambiguity.
        """
        outputs = self.outputs(scores)
        mean = outputs.mean(axis=0)
        everyone = np.concatenate([outputs, mean[None]])
        loss, output = self.coupling.loss, self.coupling.output
        losses = pointwise_loss(everyone, self.code(y), loss, output).mean(axis=1)
        errors = self.errors(everyone, y, losses)
        return {
            "ensemble_error": float(errors[-1]),
            "ensemble_loss": float(losses[-1]),
            "member_error": float(errors[:-1].mean()),
            "member_loss": float(losses[:-1].mean()),
            "ambiguity": float(((outputs - mean) ** 2).mean()),
        }

    def errors(self, everyone, y, losses):
        """Return the root mean squared error of each."""
        return np.sqrt(losses)


class CoupledClassLoss(CoupledLoss):
    """Log-loss of N members, each with the pull of the others; mean probabilities answer."""

    weighs = True
    own: NewtonClassLoss

    def request(self, target, scores):
        """Return curvatures of the members' own loss, and the coupled slopes over them."""
        output = self.coupling.output
        if self.coupling.kernel(output) != "entropy":
            return super().request(target, scores)
        n, k = len(scores), self.own.n_outputs
        outputs, curvatures, aims = np.empty((3, self.n_members, k, n))
        for own, part in zip(outputs, self.parts(scores), strict=True):
            own.T[:] = self.output(part)
        kind = kernels.SIGMOID if output == "sigmoid" else kernels.SOFTMAX
        given = np.ascontiguousarray(target[:, :k].T), kind, self.coupling.strength
        with threads_for(outputs.size):
            kernels.mixed_newton(outputs, *given, LEAST, self.own.shortening, curvatures, aims)
        return curvatures.reshape(-1, n).T, aims.reshape(-1, n).T

    def newton(self, slopes, outputs):
        """Return the steps of all members, and curvatures."""
        return self.own.newton(slopes, outputs)[::-1]

    def output(self, scores):
        """Return the probabilities of one member."""
        return self.own.outputs(scores)

    def code(self, y):
        """Return 1 where it is the class, else 0."""
        return self.own._is_class(y).astype(float)

    def errors(self, everyone, y, losses):
        """Return the share that each gets wrong."""
        if everyone.shape[2] == 1:
            everyone = np.concatenate([1.0 - everyone, everyone], axis=2)
        return (everyone.argmax(axis=2) != y).mean(axis=1)

    def proba(self, scores):
        """Return the mean probabilities of the members."""
        return np.mean([self.own.proba(part) for part in self.parts(scores)], axis=0)

    def log_proba(self, scores):
        """Return the logarithm of ``proba``, exact where that is tiny."""
        logs = np.stack([self.own.log_proba(part) for part in self.parts(scores)])
        return logsumexp(logs, axis=0) - np.log(self.n_members)

    def votes(self, part):
        """Return the most probable class, the first of equals."""
        proba = self.proba(part)
        return (proba > proba.max(axis=1, keepdims=True) - _TIE).argmax(axis=1).astype(np.int32)


class MembersLearner(ColumnsLearner):
    """Train a round: a tree for each column, by draws of the member whose column it is.

    Rows are read, binned and laid out once for all members.
    """

    def __init__(self, learner, draws, n_columns):
        super().__init__(learner)
        self.n_columns = n_columns
        self.members = [copy(learner) for _ in draws]
        for member, rng in zip(self.members, draws, strict=True):
            member.rng = rng

    def some(self, rows, rng):
        """Return a learner on some of the rows, in the same bins, with draws of its own."""
        one = self.learner.some(rows, rng)
        draws = [np.random.RandomState(draw_seed(rng)) for _ in self.members]
        return None if one is None else MembersLearner(one, draws, self.n_columns)

    def fit(self, weight, target=None):
        """Train a model per column of the target."""
        for member in self.members:
            member.begin_round()
        if target.ndim == 1:
            return self.members[0].fit(weight, target)
        return self._join(
            self.members[k // self.n_columns].fit(one_weight, one_target)
            for k, (one_weight, one_target) in enumerate(self._columns(weight, target))
        )
