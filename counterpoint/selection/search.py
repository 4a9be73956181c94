"""Searching for the subset of members that is best by a criterion."""

from itertools import combinations
from math import comb, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from counterpoint._kernels import subsets as kernels
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_count, check_flag, check_number
from counterpoint.selection.judge import (
    check_size,
    join_one_by_one,
    leave_one_by_one,
    make_judge,
    make_trace,
)
from counterpoint.selection.trace import Trace

# Subsets that are tried one by one at most; the error of the vote has a faster way.
_MOST_SUBSETS = 2_000_000
_MOST_MEMBERS_VOTE = 24


def select_exhaustive(
    outputs: MemberOutputs, criterion: Any = "error", *, n_members: int | None = None
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
    judge = make_judge(outputs, criterion)
    n = outputs.n_members
    check_size(n_members, n)
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
        subset = np.flatnonzero(bits[first] >> np.arange(n) & 1)
        return make_trace(judge, [subset], "exhaustive", best=0)
    tried = range(1, n + 1) if n_members is None else [n_members]
    number = sum(comb(n, k) for k in tried)
    if number > _MOST_SUBSETS:
        raise ValueError(
            f"{number} subsets of {n} members are too many to try one by one: fix n_members, "
            "take fewer members, or search with select_forward or select_genetic."
        )
    best, chosen = inf, [0]
    for k in tried:
        for members in combinations(range(n), k):
            value = judge.value(members)
            if value < best:
                best, chosen = value, list(members)
    return make_trace(judge, [chosen], "exhaustive", best=0)


def select_forward(
    outputs: MemberOutputs,
    criterion: Any = "error",
    *,
    n_members: int | None = None,
    replace: bool = False,
    tol: float = 0.0,
) -> Trace:
    """Let members join one at a time, each the one that is best with those already in.

    Parameters
    ----------
    outputs, criterion
        As for :func:`select_exhaustive`.
    n_members : int, default=None
        Steps to take. None goes on to the full pool, and with ``replace`` to twice its size.
    replace : bool, default=False
        Whether a member may join more than once and so get more weight, as in [1]_.
    tol : float, default=0.0
        A later step is chosen only if it is better than all before by more than this.

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
    judge = make_judge(outputs, criterion)
    check_flag(replace, "replace")
    n = outputs.n_members
    if n_members is None:
        n_members = 2 * n if replace else n
    elif not replace:
        check_size(n_members, n)
    check_count(n_members, "n_members")
    check_number(tol, "tol", low=0)
    steps, values, best = join_one_by_one(judge, range(n), n_members, replace=replace, tol=tol)
    return make_trace(judge, steps, "forward", values=values, best=best)


def select_backward(
    outputs: MemberOutputs, criterion: Any = "error", *, n_members: int | None = None
) -> Trace:
    """Let members leave one at a time, each the one that is missed least.

    Parameters
    ----------
    outputs, criterion
        As for :func:`select_exhaustive`.
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
    judge = make_judge(outputs, criterion)

    def worst(chosen):
        return int(np.argmin(judge.changed(chosen, chosen, sign=-1)))

    return leave_one_by_one(judge, n_members, "backward", worst)


def select_floating(
    outputs: MemberOutputs, criterion: Any = "error", *, n_members: int | None = None
) -> Trace:
    """Go forward, and back again as long as that is better than ever seen at the size.

    Parameters
    ----------
    outputs, criterion
        As for :func:`select_exhaustive`.
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
    judge = make_judge(outputs, criterion)
    n = outputs.n_members
    check_size(n_members, n)
    best: dict[int, tuple[float, list[int]]] = {}
    chosen: list[int] = []
    while len(chosen) < (n_members or n):
        rest = [m for m in range(n) if m not in chosen]
        chosen = [*chosen, rest[int(np.argmin(judge.joined(chosen, rest)))]]
        _keep(best, judge, chosen)
        while len(chosen) > 2:
            worst = int(np.argmin(judge.changed(chosen, chosen, sign=-1)))
            fewer = chosen[:worst] + chosen[worst + 1 :]
            if not judge.value(fewer) < best[len(fewer)][0]:
                break
            chosen = fewer
            _keep(best, judge, chosen)
        chosen = best[len(chosen)][1]
    return make_trace(judge, [best[k][1] for k in sorted(best)], "floating")


def _keep(best, judge, members):
    value = judge.value(members)
    if len(members) not in best or value < best[len(members)][0]:
        best[len(members)] = (value, list(members))


def select_by_order(outputs: MemberOutputs, order: ArrayLike, criterion: Any = "error") -> Trace:
    """Let members join in an order given beforehand, and take the best step.

    Parameters
    ----------
    outputs, criterion
        As for :func:`select_exhaustive`.
    order : array-like of int
        Members, best first; see :mod:`counterpoint.selection.ordering`.

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
    judge = make_judge(outputs, criterion)
    order = np.asarray(order)
    if order.ndim != 1 or len(order) == 0 or not np.isin(order, np.arange(outputs.n_members)).all():
        raise ValueError(
            f"order={order!r}: give positions of members, from 0 to {outputs.n_members - 1}."
        )
    return make_trace(judge, [order[: k + 1] for k in range(len(order))], "order")


def select_all(outputs: MemberOutputs, criterion: Any = "error") -> Trace:
    """Keep every member, and leave it to a combiner what each counts.

    Parameters
    ----------
    outputs, criterion
        As for :func:`select_exhaustive`.

    Returns
    -------
    Trace
        One step.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_all
    >>> select_all(MemberOutputs([[0, 0, 1], [1, 1, 1]], [0, 1, 1])).selected.tolist()
    [0, 1]
    """
    return make_trace(make_judge(outputs, criterion), [range(outputs.n_members)], "all", best=0)
