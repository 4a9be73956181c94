"""Judging subsets of members for searches: any criterion, with fast ways for votes and means."""

from collections import Counter
from math import inf, isnan
from numbers import Integral
from typing import Any

import numpy as np

from counterpoint._counts import pack, pack_equal
from counterpoint._kernels import subsets as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint.selection.criteria import VoteError, as_criterion
from counterpoint.selection.trace import Trace


class Judge:
    """Values of subsets of members, of outputs with the truth, by a criterion; lower is better."""

    # Whether it is the plain vote; whether ``changed`` counts on from the members before.
    plain = False
    is_running = False

    def __init__(self, outputs, criterion):
        if isinstance(outputs, MemberOutputs):
            outputs.need_votes("Selection")
        outputs.need_truth()
        self.outputs, self.criterion = outputs, criterion
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else np.asarray(weight, dtype=float)
        self.weight = weight / weight.sum()
        self.counted: Counter = Counter()
        if isinstance(outputs, MemberOutputs):
            self.votes_cast = np.zeros((outputs.n_samples, outputs.n_classes))

    def value(self, members):
        """Return the criterion of a subset; inf where it is undefined."""
        value = self._value(members)
        return inf if isnan(value) else value

    def _value(self, members):
        return self.criterion.value(self.outputs.take(np.asarray(members)))

    def error(self, members):
        """Return the error of the plain vote; for numbers, the squared error of the mean."""
        if not isinstance(self.outputs, MemberOutputs):
            mean = self.outputs.values[np.asarray(members)].mean(axis=0)
            return float(self.weight @ (mean - self.outputs.y) ** 2)
        wrong = self.tally(members).argmax(axis=1) != self.outputs.y
        return float(self.weight @ wrong)

    def tally(self, members):
        """Return the votes for each class; counted on from the subset asked about before."""
        if not isinstance(self.outputs, MemberOutputs):
            self.outputs.need_votes("Selection by votes")
        joined, gone = Counter(members), self.counted
        rows = np.arange(self.outputs.n_samples)
        for m, times in [*(joined - gone).items(), *((m, -k) for m, k in (gone - joined).items())]:
            self.votes_cast[rows, self.outputs.votes[m]] += times
        self.counted = joined
        return self.votes_cast

    def changed(self, members, candidates, *, sign):
        """Return the criterion after each candidate joins (sign 1) or leaves (-1)."""
        if sign > 0:
            return np.array([self.value([*members, m]) for m in candidates])
        return np.array([self.value([k for k in members if k != m]) for m in candidates])

    def joined(self, members, candidates):
        """Return the criterion after each candidate joins; the error, where it is undefined."""
        values = self.changed(members, candidates, sign=1)
        if np.isfinite(values).any():
            return values
        # One member alone has no diversity: the best one comes first.
        return np.array([self.error([*members, m]) for m in candidates])


class _VoteJudge(Judge):
    """The error of the plain vote, counted on and not anew."""

    plain = True
    is_running = True
    words: Any = None

    def _value(self, members):
        return self.error(members)

    def changed(self, members, candidates, *, sign):
        right = kernels.right_if_added(self.tally(members), self.outputs.y, float(sign))
        votes, candidates = self.outputs.votes, np.asarray(candidates)
        if self.outputs.sample_weight is not None:
            with threads_for(len(candidates) * votes.shape[1]):
                return 1.0 - kernels.weight_right(votes, right, self.weight, candidates)
        if self.words is None:
            # Who votes for what, as bits: then a step over all members is a count of bits.
            self.words = np.stack(
                [
                    pack_equal(votes, np.full(votes.shape[1], c, dtype=votes.dtype))
                    for c in range(self.outputs.n_classes)
                ]
            )
        won = pack(right.T)[: self.outputs.n_classes]
        with threads_for(self.words.size):
            count = kernels.count_right(self.words, won)
        return 1.0 - count[candidates] / votes.shape[1]


class _MeanJudge(Judge):
    """A criterion of a plain mean, which is a running sum."""

    is_running = True

    def __init__(self, outputs, criterion, parts):
        super().__init__(outputs, criterion)
        self.parts = parts
        self.summed: list = []
        self.total = np.zeros(self.parts.shape[1])

    def _sum(self, members):
        members = list(members)
        if members[: len(self.summed)] != self.summed:
            self.summed, self.total = [], np.zeros(self.parts.shape[1])
        for m in members[len(self.summed) :]:
            self.total = self.total + self.parts[m]
        self.summed = members
        return self.total

    def _value(self, members):
        mean = self._sum(members) / len(members)
        return float(self.criterion.of_means(mean[None], self.outputs)[0])

    def changed(self, members, candidates, *, sign):
        total, parts = self._sum(members), self.parts[candidates]
        total = total + parts if sign > 0 else total - parts
        return self.criterion.of_means(total / (len(members) + sign), self.outputs)


def make_judge(outputs, criterion) -> Judge:
    """Return the fastest judge of a criterion."""
    outputs, criterion = as_outputs(outputs, numbers=True), as_criterion(criterion)
    if isinstance(criterion, VoteError):
        outputs.need_votes("The error of a vote")
        return _VoteJudge(outputs, criterion)
    parts = criterion.parts(outputs)
    return Judge(outputs, criterion) if parts is None else _MeanJudge(outputs, criterion, parts)


def make_trace(judge, steps, method, *, best=None, values=None) -> Trace:
    """Return the trace of a search: of equal steps the smallest ensemble is chosen."""
    steps = [np.asarray(step, dtype=np.int64) for step in steps]
    errors = np.array([judge.error(s.tolist()) for s in steps])
    if values is None:
        values = errors if judge.plain else np.array([judge.value(s) for s in steps])
    values = np.asarray(values)
    if best is None:
        sizes = np.array([len(s) for s in steps])
        best = int(np.lexsort((sizes, values))[0])
    return Trace(steps=steps, values=values, errors=errors, best=best, method=method)


def join_one_by_one(judge, members, n_steps, *, replace, tol):
    """Let members of a list join; return those in after each step, its value, and the best step."""
    chosen: list[int] = []
    steps, values = [], []
    best, lowest = 0, inf
    while len(chosen) < n_steps:
        candidates = [m for m in members if replace or m not in chosen]
        joined = judge.joined(chosen, candidates)
        first = int(np.argmin(joined))
        chosen = [*chosen, candidates[first]]
        steps.append(chosen)
        values.append(joined[first] if judge.is_running else judge.value(chosen))
        if values[-1] < lowest - tol:
            best, lowest = len(steps) - 1, values[-1]
    return steps, values, best


def leave_one_by_one(judge, n_members, method, worst) -> Trace:
    """Let members leave down to ``n_members``; ``worst(chosen)`` is the position of the next."""
    chosen = list(range(judge.outputs.n_members))
    check_size(n_members, len(chosen))
    steps = [list(chosen)]
    while len(chosen) > (n_members or 1):
        chosen.pop(worst(chosen))
        steps.append(list(chosen))
    return make_trace(judge, steps, method)


def check_size(n_members, n):
    """Raise unless a number of members to keep is None, or from 1 to n."""
    if n_members is None:
        return
    whole = isinstance(n_members, Integral) and not isinstance(n_members, bool)
    if not whole or not 1 <= int(n_members) <= n:
        raise ValueError(
            f"n_members={n_members!r}, but the pool has {n} members: choose from 1 to that many."
        )
