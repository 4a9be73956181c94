"""What measures read: member outputs, counts, or plain right/wrong flags, as the user has them."""

from dataclasses import dataclass

import numpy as np

from counterpoint._kernels import votes as _votes
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs, PairCounts


def as_outputs(outputs):
    """Return ``MemberOutputs``; an array is taken as right/wrong flags."""
    if isinstance(outputs, MemberOutputs):
        return outputs
    if isinstance(outputs, PairCounts):
        raise TypeError(
            "PairCounts know how often members were right, not on which samples: this needs "
            "MemberOutputs or flags of shape (n_members, n_samples)."
        )
    return MemberOutputs.from_correct(outputs)


def as_counts(outputs):
    """Return ``PairCounts`` of outputs, counts or right/wrong flags."""
    if isinstance(outputs, PairCounts):
        return outputs
    return as_outputs(outputs).counts


@dataclass
class VoteSummary:
    """One vote per sample, read once for all measures that need it.

    right, other : share of the vote that the true class and the best other class got;
    wins : whether the true class won; disagree : chance that two members drawn one after
    the other, with return, disagree; n_classes : None when only right and wrong are known.
    """

    right: np.ndarray
    other: np.ndarray
    wins: np.ndarray
    disagree: np.ndarray
    sample_weight: np.ndarray | None
    n_classes: int | None

    def mean(self, values):
        """Average over samples, by their weight."""
        return float(np.average(values, weights=self.sample_weight))


def summarise_tally(tally, y, sample_weight):
    """Summarise a tally (n_samples, n_classes) whose rows add up to 1."""
    right, other = np.empty(len(tally)), np.empty(len(tally))
    winner = np.empty(len(tally), dtype=np.int64)
    with threads_for(tally.size):
        _votes.read_tally(tally, y, right, other, winner)
    return VoteSummary(
        right=right,
        other=other,
        wins=winner == y,
        disagree=1.0 - np.einsum("ij,ij->i", tally, tally),
        sample_weight=sample_weight,
        n_classes=tally.shape[1],
    )


def summarise_right(right, sample_weight):
    """Summarise from the share of members that are right; a tie counts as lost."""
    return VoteSummary(
        right=right,
        other=1.0 - right,
        wins=right > 0.5,
        disagree=2.0 * right * (1.0 - right),
        sample_weight=sample_weight,
        n_classes=None,
    )


def summarise(outputs):
    """Summarise the vote of all members."""
    if isinstance(outputs, VoteSummary):
        return outputs
    outputs = as_outputs(outputs)
    if outputs.votes is None:
        right = outputs.say @ outputs.correct / outputs.say.sum()
        return summarise_right(right, outputs.sample_weight)
    outputs.need_truth()
    return summarise_tally(outputs.tally, outputs.y, outputs.sample_weight)


def growing_summaries(outputs):
    """Yield the summary of the first member, of the first two, and so on, in one pass."""
    outputs = as_outputs(outputs)
    say = outputs.say
    so_far = np.cumsum(say)
    so_far[so_far == 0] = 1.0  # nobody with a say yet: no votes at all, and no 0/0
    if outputs.votes is None:
        right = np.zeros(outputs.n_samples)
        for t in range(outputs.n_members):
            right += say[t] * outputs.correct[t]
            yield summarise_right(right / so_far[t], outputs.sample_weight)
        return
    outputs.need_truth()
    tally = np.zeros((outputs.n_samples, outputs.n_classes))
    for t in range(outputs.n_members):
        with threads_for(outputs.n_samples):
            _votes.add_votes(tally, outputs.votes[t : t + 1], say[t : t + 1])
        yield summarise_tally(tally / so_far[t], outputs.y, outputs.sample_weight)
