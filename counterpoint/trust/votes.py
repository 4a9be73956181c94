"""Votes with gaps: who said what about which sample, where not everybody was asked about all.

``MemberOutputs`` hold an answer of every member about every sample. People, and models that were
asked in turns, leave gaps; a ``VoteLog`` holds the votes that were cast.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import (
    as_labels,
    check_member_weight,
    check_names,
    check_one_type,
    check_sample_weight,
)
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions

_MOST_CLASSES = 1000  # a confusion matrix of each member has their square


class VoteLog:
    """Votes of people or models about samples whose truth nobody knows.

    Parameters
    ----------
    member : array-like of shape (n_votes,)
        Who cast each vote: a name or a number.
    sample : array-like of shape (n_votes,)
        About which sample: a name or a number.
    label : array-like of shape (n_votes,)
        What was said.
    classes : array-like of shape (n_classes,), default=None
        All labels there are, sorted. None: those that were said.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, in the order of ``samples``.

    Attributes
    ----------
    names : list of str
        The members, sorted; one that was never asked is not here.
    samples : ndarray of shape (n_samples,)
        The samples, sorted.
    classes : ndarray of shape (n_classes,)
    member, label : ndarray of shape (n_votes,)
        Positions in ``names`` and ``classes``, sorted by sample and member.
    starts : ndarray of shape (n_samples + 1,)
        Where the votes on each sample begin.
    n_members, n_samples, n_classes, n_votes : int

    Examples
    --------
    >>> from counterpoint.trust import VoteLog
    >>> VoteLog(["ann", "bob", "ann"], [1, 1, 2], ["cat", "dog", "cat"])
    VoteLog(3 votes of 2 members on 2 samples, 2 classes)
    """

    def __init__(
        self,
        member: ArrayLike,
        sample: ArrayLike,
        label: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        columns = {"member": member, "sample": sample, "label": label}
        arrays = {name: as_labels(values, name) for name, values in columns.items()}
        for name, values in arrays.items():
            if values.ndim != 1:
                raise ValueError(f"{name} has shape {values.shape}: expected (n_votes,).")
        sizes = {name: len(values) for name, values in arrays.items()}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} {n}" for name, n in sizes.items())
            raise ValueError(f"One member, sample and label a vote are needed; got {told}.")
        names, who = np.unique(arrays["member"], return_inverse=True)
        samples, at = np.unique(arrays["sample"], return_inverse=True)
        known, said = _coded(arrays["label"], classes)
        self._set(who, at, said, [str(n) for n in names], samples, known, sample_weight)

    @classmethod
    def _build(cls, member, sample, label, names, samples, classes, sample_weight=None):
        made = cls.__new__(cls)
        made._set(member, sample, label, names, samples, classes, sample_weight)
        return made

    def _set(self, member, sample, label, names, samples, classes, sample_weight):
        if len(member) == 0:
            raise ValueError("There is no vote at all: give one at least.")
        if len(classes) > _MOST_CLASSES:
            raise ValueError(
                f"There are {len(classes)} different labels, more than {_MOST_CLASSES}: are these "
                "votes for classes? Leave out columns of names, texts and numbers."
            )
        order = np.lexsort((member, sample))
        member, sample = member[order].astype(np.int32), sample[order]
        twice = (np.diff(sample) == 0) & (np.diff(member) == 0)
        if twice.any():
            k = int(np.argmax(twice))
            raise ValueError(
                f"{names[member[k]]!r} votes on sample {samples[sample[k]]!r} more than once: keep "
                "one vote, or give the others a name of their own."
            )
        self.member, self.label = member, label[order].astype(np.int32)
        self.starts = np.searchsorted(sample, np.arange(len(samples) + 1))
        self.names, self.samples, self.classes = names, samples, classes
        self.sample_weight = check_sample_weight(sample_weight, len(samples))

    @classmethod
    def from_outputs(cls, outputs: MemberOutputs) -> Self:
        """Take the votes of all members on all samples; the truth, if known, is not looked at."""
        outputs.need_votes("A log of votes")
        n_members, n_samples = outputs.votes.shape
        return cls._build(
            np.repeat(np.arange(n_members), n_samples),
            np.tile(np.arange(n_samples), n_members),
            outputs.votes.ravel(),
            list(outputs.names),
            np.arange(n_samples),
            outputs.classes,
            outputs.sample_weight,
        )

    @classmethod
    def from_array(
        cls,
        votes: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        samples: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take votes (n_members, n_samples) in which None or NaN stands for a gap.

        ``samples`` names them, in order; None: they count from 0.
        """
        if isinstance(votes, np.ndarray):
            table = votes
        else:
            try:
                table = np.array(votes, dtype=object)
            except ValueError:
                table = np.empty(0)
        if table.ndim != 2 or 0 in table.shape:
            raise ValueError(
                f"votes has shape {table.shape}: expected (n_members, n_samples), none of them 0."
            )
        cast = ~pd.isna(table)
        if not cast.any():
            raise ValueError("votes holds gaps only: nobody said anything.")
        who, at = np.nonzero(cast)
        given = table[cast]
        check_one_type(given, "votes")
        known, said = _coded(as_labels(given.tolist(), "votes"), classes)
        names = [f"member {k}" for k in range(len(table))] if names is None else names
        named = check_names(names, len(table), "member")
        about = np.arange(table.shape[1]) if samples is None else as_labels(samples, "samples")
        if about.shape != table.shape[1:]:
            raise ValueError(
                f"samples has shape {about.shape}: expected one name a sample, {table.shape[1:]}."
            )
        return cls._build(who, at, said, named, about, known, sample_weight)

    def __repr__(self) -> str:
        return (
            f"VoteLog({self.n_votes} votes of {self.n_members} members on {self.n_samples} "
            f"samples, {self.n_classes} classes)"
        )

    @property
    def n_votes(self) -> int:
        """How many votes were cast."""
        return len(self.member)

    @property
    def n_members(self) -> int:
        """How many members there are."""
        return len(self.names)

    @property
    def n_samples(self) -> int:
        """How many samples there are; some may have no vote."""
        return len(self.samples)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    @property
    def sample(self) -> NDArray:
        """The sample of each vote, as its position in ``samples``."""
        return np.repeat(np.arange(self.n_samples), np.diff(self.starts))

    def weight(self) -> NDArray:
        """Return how much each sample counts, ones where nothing was said."""
        given = self.sample_weight
        return np.ones(self.n_samples) if given is None else given

    def tally(self, say: NDArray | None = None) -> NDArray:
        """Return the share of the votes on each sample for each class; even without a vote."""
        say = np.ones(self.n_members) if say is None else say
        cell = self.sample * self.n_classes + self.label
        size = self.n_samples * self.n_classes
        cast = np.bincount(cell, weights=say[self.member], minlength=size)
        cast = cast.reshape(self.n_samples, self.n_classes)
        total = cast.sum(axis=1, keepdims=True)
        return np.where(total > 0, cast / np.where(total > 0, total, 1), 1 / self.n_classes)

    def array(self) -> NDArray:
        """Return the votes as codes (n_members, n_samples), -1 for a gap."""
        votes = np.full((self.n_members, self.n_samples), -1, dtype=np.int32)
        votes[self.member, self.sample] = self.label
        return votes


def as_votes(votes: Any) -> VoteLog:
    """Return a ``VoteLog`` of one, of ``MemberOutputs``, or of an array with gaps."""
    if isinstance(votes, VoteLog):
        return votes
    if isinstance(votes, MemberOutputs):
        return VoteLog.from_outputs(votes)
    if isinstance(votes, MemberPredictions):
        votes.need_votes("Voting")
    if isinstance(votes, pd.DataFrame):
        raise TypeError(
            "votes is a frame, which usually has a column a member, while arrays here have a row a "
            "member: pass VoteLog.from_array(frame.T.to_numpy(dtype=object), names=list(frame))."
        )
    if isinstance(votes, (str, bytes)) or not hasattr(votes, "__len__"):
        raise TypeError(
            f"votes={votes!r}: pass a VoteLog, MemberOutputs, or labels of shape (n_members, "
            "n_samples), None where nobody voted."
        )
    return VoteLog.from_array(votes)


def check_say(weights: ArrayLike | None, log: VoteLog) -> NDArray:
    """Return how much each member's vote counts; ones for None."""
    say = check_member_weight(weights, log.n_members)
    return np.ones(log.n_members) if say is None else say


def _coded(labels: NDArray, classes: ArrayLike | None) -> tuple[NDArray, NDArray]:
    if classes is None:
        return np.unique(labels, return_inverse=True)
    known = as_labels(classes, "classes")
    if known.ndim != 1 or len(known) == 0 or len(np.unique(known)) < len(known):
        raise ValueError(f"classes={classes!r}: give each label once.")
    known = np.sort(known)
    try:
        at = np.minimum(np.searchsorted(known, labels), len(known) - 1)
        strange = known[at] != labels
    except TypeError as error:
        raise TypeError("classes and labels must be of one type.") from error
    if np.any(strange):
        first = labels[np.argmax(strange)]
        raise ValueError(f"A vote says {first!r}, which is not in classes={known.tolist()}.")
    return known, at
