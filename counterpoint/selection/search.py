"""Searching for the subset of members that is best by a criterion (C6)."""

from collections import Counter
from itertools import combinations
from math import comb, inf, isnan
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from counterpoint._counts import pack, pack_equal
from counterpoint._kernels import subsets as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs
from counterpoint.selection._trace import Trace
from counterpoint.selection.criteria import VoteError, as_criterion

# Subsets that are tried one by one at most; the error of the vote has a faster way.
_MOST_SUBSETS = 2_000_000
_MOST_MEMBERS_VOTE = 24


class _Judge:
    """Values of subsets by a criterion; the plain vote is counted on, not anew."""

    def __init__(self, outputs, criterion):
        outputs.need_votes("Selection")
        outputs.need_truth()
        self.outputs, self.criterion = outputs, as_criterion(criterion)
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else np.asarray(weight, dtype=float)
        self.weight = weight / weight.sum()
        self.plain = isinstance(self.criterion, VoteError)
        self.words = None
        self.counted: Counter = Counter()
        self.votes_cast = np.zeros((outputs.n_samples, outputs.n_classes))

    def value(self, members):
        """Return the criterion of a subset; inf where it is undefined."""
        value = self.error(members) if self.plain else self._general(members)
        return inf if isnan(value) else value

    def _general(self, members):
        return self.criterion.value(self.outputs.take(np.asarray(members)))

    def error(self, members):
        """Return the error of the plain vote."""
        wrong = self.tally(members).argmax(axis=1) != self.outputs.y
        return float(self.weight @ wrong)

    def tally(self, members):
        """Return the votes for each class; counted on from the subset asked about before."""
        joined, gone = Counter(members), self.counted
        rows = np.arange(self.outputs.n_samples)
        for m, times in [*(joined - gone).items(), *((m, -k) for m, k in (gone - joined).items())]:
            self.votes_cast[rows, self.outputs.votes[m]] += times
        self.counted = joined
        return self.votes_cast

    def _share_won(self, right, candidates):
        votes = self.outputs.votes
        if self.outputs.sample_weight is not None:
            with threads_for(len(candidates) * votes.shape[1]):
                return kernels.weight_right(votes, right, self.weight, candidates)
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
        return count[candidates] / votes.shape[1]

    def changed(self, members, candidates, *, sign):
        """Return the criterion after each candidate joins (sign 1) or leaves (-1)."""
        if self.plain:
            right = kernels.right_if_added(self.tally(members), self.outputs.y, float(sign))
            return 1.0 - self._share_won(right, np.asarray(candidates))
        if sign > 0:
            return np.array([self.value([*members, m]) for m in candidates])
        return np.array([self.value([k for k in members if k != m]) for m in candidates])


def _trace(judge, steps, method, *, best=None, values=None):
    steps = [np.asarray(step, dtype=np.int64) for step in steps]
    errors = np.array([judge.error(s.tolist()) for s in steps])
    if values is None:
        values = errors if judge.plain else np.array([judge.value(s) for s in steps])
    values = np.asarray(values)
    if best is None:
        # Of equals the smallest ensemble.
        sizes = np.array([len(s) for s in steps])
        best = int(np.lexsort((sizes, values))[0])
    return Trace(steps=steps, values=values, errors=errors, best=best, method=method)


def select_exhaustive(
    outputs: MemberOutputs, criterion="error", *, n_members: int | None = None
) -> Trace:
    """Try every subset of members.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth, on data the members were not trained on.
    criterion : str, Criterion or Combiner, default="error"
        See :func:`as_criterion`.
    n_members : int, default=None
        Size of the subset; None tries all sizes.

    Returns
    -------
    Trace
        One step: the best subset; of equals the smaller one.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_exhaustive
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> select_exhaustive(outputs).errors.round(3).tolist()
    [0.0]
    """
    judge = _Judge(outputs, criterion)
    n = outputs.n_members
    _check_size(n_members, n)
    if judge.plain:
        if n > _MOST_MEMBERS_VOTE:
            raise ValueError(
                f"{n} members have 2^{n} subsets, too many to try all: keep up to "
                f"{_MOST_MEMBERS_VOTE}, or search with select_forward or select_genetic."
            )
        fewest, most = (1, n) if n_members is None else (n_members, n_members)
        if outputs.n_classes == 2 and outputs.sample_weight is None:
            right = np.where(outputs.correct, 1, -1).astype(np.int8)
            errors, bits = kernels.best_subset_of_two(right, outputs.y, fewest, most, min(3, n - 1))
        else:
            errors, bits = kernels.best_subset(
                outputs.votes, outputs.y, judge.weight, outputs.n_classes, fewest, most,
                min(3, n - 1),
            )  # fmt: skip
        sizes = np.array([bin(b).count("1") for b in bits])
        first = int(np.lexsort((bits, sizes, errors))[0])
        chosen = np.flatnonzero(bits[first] >> np.arange(n) & 1)
        return _trace(judge, [chosen], "exhaustive", best=0)
    tried = range(1, n + 1) if n_members is None else [n_members]
    number = sum(comb(n, k) for k in tried)
    if number > _MOST_SUBSETS:
        raise ValueError(
            f"{number} subsets of {n} members are too many to try one by one: fix n_members, "
            "take fewer members, or search with select_forward or select_genetic."
        )
    best, found = inf, [0]
    for k in tried:
        for members in combinations(range(n), k):
            value = judge.value(members)
            if value < best:
                best, found = value, list(members)
    return _trace(judge, [found], "exhaustive", best=0)


def select_forward(
    outputs: MemberOutputs,
    criterion="error",
    *,
    n_members: int | None = None,
    replace: bool = False,
) -> Trace:
    """Let members join one at a time, each the one that is best with those already in.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth, on data the members were not trained on.
    criterion : str, Criterion or Combiner, default="error"
        See :func:`as_criterion`.
    n_members : int, default=None
        Steps to take. None goes on to the full pool, and with ``replace`` to twice its size.
    replace : bool, default=False
        Whether a member may join more than once and so get more weight, as in [1]_.

    Returns
    -------
    Trace
        A step per member that joined; the best of them is chosen.

    References
    ----------
    .. [1] R. Caruana et al., "Ensemble selection from libraries of models", ICML 2004.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_forward
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> [step.tolist() for step in select_forward(outputs).steps]
    [[0], [0, 1], [0, 1, 2]]
    """
    judge = _Judge(outputs, criterion)
    n = outputs.n_members
    if n_members is None:
        n_members = 2 * n if replace else n
    elif not replace:
        _check_size(n_members, n)
    chosen: list[int] = []
    steps, values = [], []
    while len(chosen) < n_members:
        candidates = [m for m in range(n) if replace or m not in chosen]
        found = judge.changed(chosen, candidates, sign=1)
        if not np.isfinite(found).any():  # one member alone has no diversity: take the best one
            found = np.array([judge.error([*chosen, m]) for m in candidates])
        first = int(np.argmin(found))
        chosen = [*chosen, candidates[first]]
        steps.append(list(chosen))
        values.append(found[first] if judge.plain else judge.value(chosen))
    return _trace(judge, steps, "forward", values=values)


def select_backward(
    outputs: MemberOutputs, criterion="error", *, n_members: int | None = None
) -> Trace:
    """Let members leave one at a time, each the one that is missed least.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth, on data the members were not trained on.
    criterion : str, Criterion or Combiner, default="error"
        See :func:`as_criterion`.
    n_members : int, default=None
        Stop at so many. None goes down to one.

    Returns
    -------
    Trace
        The full pool first; the best step is chosen.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_backward
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> [len(step) for step in select_backward(outputs).steps]
    [3, 2, 1]
    """
    judge = _Judge(outputs, criterion)
    chosen = list(range(outputs.n_members))
    _check_size(n_members, len(chosen))
    steps = [list(chosen)]
    while len(chosen) > (n_members or 1):
        found = judge.changed(chosen, chosen, sign=-1)
        chosen.pop(int(np.argmin(found)))
        steps.append(list(chosen))
    return _trace(judge, steps, "backward")


def select_floating(
    outputs: MemberOutputs, criterion="error", *, n_members: int | None = None
) -> Trace:
    """Go forward, and back again as long as that is better than ever seen at the size.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth, on data the members were not trained on.
    criterion : str, Criterion or Combiner, default="error"
        See :func:`as_criterion`.
    n_members : int, default=None
        Largest size. None is the full pool.

    Returns
    -------
    Trace
        The best subset found of each size, from 1; the best of them is chosen.

    References
    ----------
    .. [1] P. Pudil, J. Novovicova and J. Kittler, "Floating search methods in feature
       selection", Pattern Recognition Letters 15, 1994.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_floating
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> [len(step) for step in select_floating(outputs).steps]
    [1, 2, 3]
    """
    judge = _Judge(outputs, criterion)
    n = outputs.n_members
    _check_size(n_members, n)
    best: dict[int, tuple[float, list[int]]] = {}
    chosen: list[int] = []
    while len(chosen) < (n_members or n):
        rest = [m for m in range(n) if m not in chosen]
        found = judge.changed(chosen, rest, sign=1)
        if not np.isfinite(found).any():
            found = np.array([judge.error([*chosen, m]) for m in rest])
        chosen = [*chosen, rest[int(np.argmin(found))]]
        _keep(best, judge, chosen)
        while len(chosen) > 2:
            found = judge.changed(chosen, chosen, sign=-1)
            worst = int(np.argmin(found))
            fewer = chosen[:worst] + chosen[worst + 1 :]
            if not judge.value(fewer) < best[len(fewer)][0]:
                break
            chosen = fewer
            _keep(best, judge, chosen)
        chosen = best[len(chosen)][1]
    return _trace(judge, [best[k][1] for k in sorted(best)], "floating")


def _keep(best, judge, members):
    value = judge.value(members)
    if len(members) not in best or value < best[len(members)][0]:
        best[len(members)] = (value, list(members))


def select_by_order(outputs: MemberOutputs, order: ArrayLike, criterion="error") -> Trace:
    """Let members join in an order given beforehand, and take the best step.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth, on data the members were not trained on.
    order : array-like of int
        Members, best first; see :mod:`counterpoint.selection.ordering`.
    criterion : str, Criterion or Combiner, default="error"
        See :func:`as_criterion`.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_by_order
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 1]], [0, 1, 1])
    >>> select_by_order(outputs, [2, 0, 1]).selected.tolist()
    [2]
    """
    judge = _Judge(outputs, criterion)
    order = np.asarray(order)
    if order.ndim != 1 or len(order) == 0 or not np.isin(order, np.arange(outputs.n_members)).all():
        raise ValueError(
            f"order={order!r}: give positions of members, from 0 to {outputs.n_members - 1}."
        )
    return _trace(judge, [order[: k + 1] for k in range(len(order))], "order")


def _check_size(n_members, n):
    if n_members is None:
        return
    whole = isinstance(n_members, Integral) and not isinstance(n_members, bool)
    if not whole or not 1 <= int(n_members) <= n:
        raise ValueError(
            f"n_members={n_members!r}, but the pool has {n} members: choose from 1 to that many."
        )
