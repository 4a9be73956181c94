"""Voters that copy each other: found from who agrees with whom more than the truth explains.

Where members err independently and evenly over the wrong classes, their agreement less that of
chance, ``(K a_ij - 1) / (K - 1)`` for K classes, is a product of a number of each: the agreement
matrix has rank one off its diagonal. A pair far above it copies, or learned from the same source.
It would count twice, and a large clique would become the truth itself.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from counterpoint._validation import check_number
from counterpoint.trust.dawid_skene import fit_voters
from counterpoint.trust.drift import holm
from counterpoint.trust.votes import VoteLog, as_votes

MOST_MEMBERS = 300  # every pair is looked at, several times
_COLUMNS = ["first", "second", "agreement", "expected", "share", "samples", "p"]
_ROUNDS = 5
_STEPS = 200
_LEAST_SHARE = 0.2  # pairs that copy less of their votes are left alone


def agreement(log: VoteLog) -> tuple[NDArray, NDArray]:
    """Return the share of samples on which each pair agrees, and on how many both voted."""
    votes, weight = log.array(), log.weight()
    cast = (votes >= 0).astype(float)
    both = (cast * weight) @ cast.T
    same = np.zeros_like(both)
    for k in range(log.n_classes):
        said = (votes == k).astype(float)
        same += (said * weight) @ said.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return same / both, cast @ cast.T


def no_pairs() -> pd.DataFrame:
    """Return the table of pairs where there is none, or none was looked for."""
    return pd.DataFrame(columns=_COLUMNS)


def copying_pairs(votes: Any, *, level: float = 0.01) -> pd.DataFrame:
    """Find pairs of members that agree more than two independent judges of the truth would.

    Parameters
    ----------
    votes : VoteLog, MemberOutputs or array-like of shape (n_members, n_samples)
        None stands for a gap in an array.
    level : float, default=0.01
        Chance of naming any pair where none copies, by Holm's correction over the pairs.

    Returns
    -------
    DataFrame
        A row per pair that copies, the strongest first: "first" and "second", their "agreement",
        what is "expected" of independent members, the "share" of votes copied that explains the
        difference, ``(agreement - expected) / (1 - expected)``, from 0.2 on, on how many
        "samples" both voted, and the "p" value. Empty for fewer than four members: there is
        nothing to hold a pair against.

    Notes
    -----
    Two steps. A robust fit of rank one to the agreement matrix, from which the pair that agrees
    most beyond it is taken out again and again, gives suspects. These count as one member together
    while Dawid and Skene's model is fitted, whose confusion matrices then say how far each pair
    should agree. Difficult samples make everybody err together, which is no copying; where some
    samples are much harder than others, pairs that copy little may hide in it.

    Examples
    --------
    >>> from counterpoint.datasets import make_votes
    >>> from counterpoint.trust import copying_pairs
    >>> made = make_votes(400, n_members=7, copies={6: 5}, random_state=0)
    >>> copying_pairs(made.votes)[["first", "second"]].values.tolist()
    [['member 5', 'member 6']]
    """
    log = as_votes(votes)
    check_number(level, "level", low=0, high=1, open_low=True, open_high=True)
    n = log.n_members
    if n > MOST_MEMBERS:
        raise ValueError(
            f"votes are of {n} members: copies are looked for among {MOST_MEMBERS} at most. Leave "
            "out those with few votes, or pass discount=False to estimate_truth."
        )
    agree, shared = agreement(log)
    if n < 4 or log.n_classes < 2:
        return no_pairs()
    suspects = _suspects(log, agree, shared, level)
    rows: list[dict] = []
    for _ in range(_ROUNDS):
        say = discounts(n, suspects)
        expected = _expected(log, say)
        found = _beyond(agree, expected, shared, level)
        rows = [
            {"first": log.names[i], "second": log.names[j], "agreement": agree[i, j],
             "expected": expected[i, j], "share": share, "samples": int(shared[i, j]), "p": p}
            for i, j, share, p in found
        ]  # fmt: skip
        new = {(i, j): share for i, j, share, _ in found}
        if new.keys() == suspects.keys():
            break
        suspects = new
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    return frame.sort_values("share", ascending=False, kind="stable").reset_index(drop=True)


def discounts(n_members: int, pairs: dict[tuple[int, int], float]) -> NDArray:
    """Return how much each member's vote counts: 1 over the members it stands for.

    A member whose votes others share by s1, s2, ... counts ``1 / (1 + s1 + s2 + ...)``: two that
    say the same always count half each.
    """
    company = np.zeros(n_members)
    for (i, j), share in pairs.items():
        company[i] += share
        company[j] += share
    return 1 / (1 + company)


def _suspects(log, agree, shared, level):
    """Take out the pair that is furthest above the fit of rank one, and fit again."""
    n, n_classes = log.n_members, log.n_classes
    excess = (n_classes * agree - 1) / (n_classes - 1)
    weight = np.where((shared > 1) & np.isfinite(excess), shared, 0.0)
    np.fill_diagonal(weight, 0)
    excess = np.where(weight > 0, excess, 0.0)
    suspects: dict[tuple[int, int], float] = {}
    for _ in range(n * (n - 1) // 4):
        r = _robust_rank_one(excess, np.sqrt(weight))
        expected = np.clip((np.outer(r, r) * (n_classes - 1) + 1) / n_classes, 0, 1)
        kept = np.where(weight > 0, shared, 0)
        found = _beyond(agree, expected, kept, level)
        if not found:
            break
        i, j, share, _ = max(found, key=lambda pair: pair[2])
        suspects[i, j] = share
        weight[i, j] = weight[j, i] = 0.0
        if (weight.sum(axis=0) == 0).any():  # nobody is left to hold a member against
            break
    return suspects


def _robust_rank_one(matrix, weight):
    """Return v that makes ``weight |matrix - v v'|`` small: each entry by a weighted median.

    Absolute, not squared distances: a clique of copies is a few large entries, and must not draw
    the fit to itself.
    """
    known = weight > 0
    middle = float(np.median(matrix[known])) if known.any() else 0.0
    v = np.full(len(matrix), np.sqrt(max(middle, 1e-3)))
    for _ in range(_STEPS):
        before = v.copy()
        for i in range(len(v)):
            use = known[i] & (np.abs(v) > 1e-6)
            if not use.any():
                continue
            ratio, mass = matrix[i, use] / v[use], weight[i, use] * np.abs(v[use])
            order = np.argsort(ratio)
            half = np.searchsorted(mass[order].cumsum(), mass.sum() / 2)
            # Half of the step: entries that wait for each other would swing.
            v[i] = (v[i] + np.clip(ratio[order][half], -1.0, 1.0)) / 2
        if np.abs(v - before).max() < 1e-9:
            break
    return -v if v.sum() < 0 else v


def _expected(log, say):
    """Return how often each pair should agree, by confusion matrices found with these says."""
    model = fit_voters(log, one_coin=False, say=say, smoothing=0.1, max_iter=50, tol=1e-6)
    cast = (log.array() >= 0).astype(float)
    both, meet = 0.0, 0.0
    for k in range(log.n_classes):
        # On samples that both voted on: how many are of class k, and how often they then agree.
        share = (cast * (log.weight() * model.proba[:, k])) @ cast.T
        both = both + share
        meet = meet + share * (model.confusion[:, k] @ model.confusion[:, k].T)
    with np.errstate(invalid="ignore", divide="ignore"):
        return meet / both


def _beyond(agree, expected, shared, level):
    """Return (i, j, share, p) of pairs that agree more than expected, by Holm's correction."""
    i, j = np.triu_indices(len(agree), k=1)
    known = (shared[i, j] > 1) & np.isfinite(expected[i, j])
    i, j = i[known], j[known]
    chance = np.clip(expected[i, j], 1e-9, 1 - 1e-9)
    p = ndtr(-(agree[i, j] - chance) / np.sqrt(chance * (1 - chance) / shared[i, j]))
    share = (agree[i, j] - chance) / (1 - chance)
    sure = holm(p) <= level
    return [
        (int(i[k]), int(j[k]), float(share[k]), float(p[k]))
        for k in np.argsort(p, kind="stable")
        if sure[k] and share[k] >= _LEAST_SHARE
    ]
