"""What measures read: member outputs, counts or plain right/wrong flags, as the user has them.

A measure starts with one of these: ``as_outputs`` for the outputs themselves, ``as_counts`` for
who was right together, ``right_votes`` for how many were right, ``vote_summary`` for the vote.
The last two hand back what they have made already, so that many measures share one pass.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import as_array
from counterpoint._ballot import add_votes, even_if, half_if, right_shares
from counterpoint._kernels import votes as _votes
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs, OutputCounts, PairCounts, as_outputs


def as_counts(outputs):
    """Return ``PairCounts`` of outputs, counts or right/wrong flags."""
    if isinstance(outputs, OutputCounts):
        return outputs.counts
    return outputs if isinstance(outputs, PairCounts) else as_outputs(outputs).counts


class RightVotes(NamedTuple):
    """Share of the samples that exactly 0, 1, ..., n_members members have right."""

    share: np.ndarray
    right: np.ndarray
    n_members: int


def right_votes(outputs: "AnyOutputs") -> RightVotes:
    """Count how many members are right on a sample: what measures of kind "group" read.

    Parameters
    ----------
    outputs : MemberOutputs, PairCounts or right/wrong flags (n_members, n_samples)

    Returns
    -------
    share, right, n_members
        ``share[k]`` of the samples have ``right[k] == k`` right members.

    Examples
    --------
    >>> from counterpoint.diversity import right_votes
    >>> share, right, n_members = right_votes([[1, 1, 0, 1], [1, 0, 0, 1]])
    >>> share
    array([0.25, 0.25, 0.5 ])
    """
    if isinstance(outputs, RightVotes):
        return outputs
    return shares_of(as_counts(outputs).right_votes)


def shares_of(histogram):
    """Turn the weight of the samples that 0, 1, ... members have right into shares."""
    histogram = np.asarray(histogram, dtype=float)
    return RightVotes(histogram / histogram.sum(), np.arange(len(histogram)), len(histogram) - 1)


@dataclass
class VoteSummary:
    """The vote on each sample, read once for all measures that need it.

    Attributes
    ----------
    right, other : ndarray of shape (n_samples,)
        Share of the vote that the true class and the best other class got.
    wins : ndarray of shape (n_samples,)
        Whether the true class won.
    disagree : ndarray of shape (n_samples,)
        Chance that two members drawn one after the other, with return, disagree.
    sample_weight : ndarray of shape (n_samples,) or None
    n_classes : int or None
        None when only right and wrong are known.
    """

    right: np.ndarray
    other: np.ndarray
    wins: np.ndarray
    disagree: np.ndarray
    sample_weight: np.ndarray | None
    n_classes: int | None

    def mean(self, values: NDArray) -> float:
        """Average over samples, by their weight."""
        return float(np.average(values, weights=self.sample_weight))


# What a measure takes: outputs, or right/wrong flags (n_members, n_samples); counts, where no
# single sample matters; or what was read of them before.
Outputs = MemberOutputs | OutputCounts | VoteSummary | ArrayLike
AnyOutputs = MemberOutputs | OutputCounts | PairCounts | RightVotes | ArrayLike


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


def vote_summary(outputs: Outputs, answers: ArrayLike | None = None) -> VoteSummary:
    """Read the vote of all members on each sample: what measures of kind "vote" read.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)
    answers : array-like of shape (n_samples,), default=None
        Labels that the ensemble itself gives, for one that does not take a vote: what "wins" is
        then what it answers. Good and bad diversity explain its error all the same, since their
        identity holds for any way to decide.

    Returns
    -------
    VoteSummary

    Examples
    --------
    >>> from counterpoint.diversity import vote_summary
    >>> vote_summary([[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 0, 0]]).wins
    array([ True,  True, False,  True])
    """
    if isinstance(outputs, VoteSummary):
        return outputs
    if isinstance(outputs, OutputCounts):
        if answers is not None:
            raise ValueError("answers belong to single samples, and these are counts: leave out.")
        return _summarise_counts(outputs)
    outputs = as_outputs(outputs)
    if outputs.votes is None:
        right = right_shares(outputs.correct, outputs.weights)
        return summarise_right(right, outputs.sample_weight)
    outputs.need_truth()
    summary = summarise_tally(outputs.tally, outputs.y, outputs.sample_weight)
    if answers is not None:
        truth = outputs.classes[outputs.y]
        answers = as_array(answers, "answers")
        if answers.shape != truth.shape:
            raise ValueError(
                f"answers has shape {answers.shape}, expected {truth.shape}: the ensemble's label "
                "for each sample."
            )
        summary.wins = answers == truth
    return summary


def _summarise_counts(outputs):
    """Summarise counted votes: samples alike are one, and its weight is their number."""
    right, other, won, squares = np.array(list(outputs.cells), dtype=float).T
    n = outputs.n_members
    return VoteSummary(
        right=right / n,
        other=other / n,
        wins=won.astype(bool),
        disagree=1.0 - squares / (n * n),
        sample_weight=np.array(list(outputs.cells.values()), dtype=float),
        n_classes=None if outputs.same is None else len(outputs.classes),
    )


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
            share = half_if(right / so_far[t], outputs.weights)
            yield summarise_right(share, outputs.sample_weight)
        return
    outputs.need_truth()
    tally = np.zeros((outputs.n_samples, outputs.n_classes))
    for t in range(outputs.n_members):
        add_votes(tally, outputs.votes[t : t + 1], say[t : t + 1])
        share = even_if(tally / so_far[t], outputs.weights)
        yield summarise_tally(share, outputs.y, outputs.sample_weight)
