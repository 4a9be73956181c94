"""What members cost: seen on few rows or in few rounds, and foretold from there.

What a learner takes on few rows says little of what it takes on all of them: trees have more leaves
there. Where it goes round by round (boosting, forests) a few rounds on all rows say nearly all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterpoint._members import Member
from counterpoint.auto.budget import Budget
from counterpoint.auto.plan import Plan

# Rows of a first fit that shows what a member costs; below twice as many there is none.
PROBE_ROWS = 500
_PROBES = (PROBE_ROWS // 5, PROBE_ROWS, 4 * PROBE_ROWS)
# Part of the limit that a look at the first member on more rows may be foretold to take.
_TO_LOOK = 0.15
# Part of what is left (of the limit, for the first of all) that a probe may have taken for another,
# on more rows, to follow.
_TO_PROBE, _TO_PROBE_FIRST, _VERY_DEAR = 0.05, 0.07, 0.2
# Rounds that are seen, and the part of what is left that they may take.
_ROUNDS, _TO_SEE_ROUNDS = (1, 5), 0.08
# Fewest rounds that are worth it, and what of the time is planned for where there are fewer.
_FEWEST_ROUNDS, _PLANNED = 25, 0.9
# What a fit costs is foretold for this many times the rows of one that was seen; fewer, of few.
_MOST_JUMP, _JUMP_FROM_FEW = 32, 8


@dataclass(frozen=True)
class Rounds:
    """How many rounds a member goes, and how to make it with fewer.

    Attributes
    ----------
    n : int
    make : callable
        ``make(n)`` gives the unfitted estimator with n rounds.
    """

    n: int
    make: Callable[[int], Any]


class Prices:
    """What members cost on the rows of a plan.

    Parameters
    ----------
    members : list of Member
        One that goes fewer rounds takes its place there.
    plan : Plan
    budget : Budget
    fit : callable
        ``fit(member, k, splits)`` gives what was fitted, None if it failed, and the seconds.
    rounds : dict of Rounds
        By name of a member.
    cheaper : dict of int
        By member, another that costs less for sure.
    """

    def __init__(
        self,
        members: list[Member],
        plan: Plan,
        budget: Budget,
        fit: Callable[[Member, int, list], tuple[list | None, float]],
        *,
        rounds: dict[str, Rounds],
        cheaper: dict[int, int],
    ) -> None:
        self.members, self.plan, self.budget, self._fit = members, plan, budget, fit
        self._rounds, self._cheaper = rounds, cheaper

    def of(self, k: int, n_rows: int) -> float:
        """Foretell what a member takes on so many rows of every fold; 0 if nothing is known."""
        price = self.budget.price(k, n_rows) * len(self.plan.folds)
        if not np.isfinite(price) and k in self._cheaper:
            return self.of(self._cheaper[k], n_rows)
        # Nothing known yet: the table is so small that it is not worth asking.
        return price if np.isfinite(price) else 0.0

    def highest(self, k: int, rungs: list[int], *, share: float) -> int | None:
        """Return the highest rung that a member can pay for and whose price is known; or None."""
        fair = [n for n in rungs if self.budget.affords(self.of(k, n), share=share)]
        return max([n for n in fair if n <= self.known(k)], default=fair[0]) if fair else None

    def known(self, k: int) -> int:
        """Return the most rows that the price of a member can be foretold for."""
        seen = self.budget.most_rows(k)
        return seen * (_MOST_JUMP if seen >= PROBE_ROWS else _JUMP_FROM_FEW)

    def shorten(self, k: int, n_rows: int, *, share: float) -> bool:
        """Let a member go as many rounds as it can pay for; return whether they are worth it."""
        rounds = self._rounds.get(self.members[k].name)
        price = self.of(k, n_rows)
        if rounds is None or price <= 0 or n_rows > self.known(k):
            return False
        n = int(_PLANNED * rounds.n * share * self.budget.for_trying / price)
        if not _FEWEST_ROUNDS <= n < rounds.n:
            return False
        self._rounds[self.members[k].name] = replace(rounds, n=n)
        self.members[k] = replace(self.members[k], estimator=rounds.make(n))
        self.budget.rescale(k, n / rounds.n)
        return True

    # -- seen ------------------------------------------------------------------------------------

    def look(self, k: int) -> None:
        """See what a member costs on few rows, whatever the plan.

        Its first fit, which loads what it needs, is not counted unless it is very dear.
        """
        if self.members[k].name in self._rounds:
            self._see_rounds(k, len(self.plan.sample))
            return
        for n in _PROBES:
            known = n > PROBE_ROWS
            if known and self.budget.price(k, n) > _TO_LOOK * self.budget.limit:
                return
            seconds = self._seconds(k, n)
            if seconds is None:
                return
            part = seconds / self.budget.limit
            if n >= PROBE_ROWS or part > _VERY_DEAR:
                self.budget.saw(k, n, seconds)
            if part > _TO_PROBE_FIRST:
                return

    def probe(self, k: int, *, share: float) -> None:
        """See what a member costs on few rows, and on more of them if that is cheap.

        ``share`` is the part of what is left that it may take on the lowest rung.
        """
        lowest = self.plan.rungs[0]
        if self.budget.price(k, 1) < np.inf:
            return
        if not self.budget.affords(self.of(k, lowest), share=share):
            return  # not even one that costs less could be paid for
        if self.members[k].name in self._rounds:
            self._see_rounds(k, lowest)
            return
        before = 0.0
        for n in _PROBES:
            # Not by the price: of few rows a fit is dear for what it costs on any, and that would
            # be multiplied. What is cheap on a fifth of the rows is worth a look.
            if 2 * n > lowest or not self.budget.affords(before, share=_TO_PROBE):
                break
            least = self.budget.least_price(k, lowest) * len(self.plan.folds)
            if not self.budget.affords(least, share=share):
                break
            seconds = self._seconds(k, n)
            if seconds is None:
                return
            self.budget.saw(k, n, seconds)
            before = seconds

    def _see_rounds(self, k: int, most: int) -> None:
        """See what a member costs by a few rounds, on as many rows as are cheap."""
        few, some = _ROUNDS
        n = min(PROBE_ROWS // 5, most)
        seconds = self._seconds(k, n, few)  # loads what it needs
        if seconds is None:
            return
        if seconds > _VERY_DEAR * self.budget.limit:
            self.budget.saw(k, n, seconds)
            return
        n = min(PROBE_ROWS, most)
        while True:
            first, seconds = self._seconds(k, n, few), self._seconds(k, n, some)
            if first is None or seconds is None:
                return
            # What is the same for any number of rounds is most of it at times, never all.
            a_round = max((seconds - first) / (some - few), seconds / some**2)
            n_rounds = self._rounds[self.members[k].name].n
            self.budget.saw(k, n, seconds + a_round * max(0, n_rounds - some))
            more = int(n * _TO_SEE_ROUNDS * self.budget.left / max(first + seconds, 1e-6))
            # What was seen of half of the rows would still have to be foretold for the others.
            more = most if 2 * more >= most else more
            if n == most or (more < 2 * n and more < most):
                return
            n = more

    def _seconds(self, k: int, n_rows: int, n_rounds: int | None = None) -> float | None:
        """Return what a fit on a sample takes, answers included; None if it failed."""
        member = self.members[k]
        if n_rounds is not None:
            member = replace(member, estimator=self._rounds[member.name].make(n_rounds))
        fitted, seconds = self._fit(member, k, self.plan.probe(n_rows))
        return None if fitted is None else seconds
