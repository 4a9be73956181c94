"""Trying members one after the other: what pays first comes first, and time is kept.

Without a time limit every member is cross-fitted, until more of them do not pay. With one, a
member is fitted on few rows first and its price on more rows foretold from there. On large
tables all members begin on the lowest rung of the plan's ladder; the better half then climbs to the
next, and the better half of those again (successive halving), as far as there is time.
"""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor

from counterpoint import _crossfit
from counterpoint._interrupts import keep_partial
from counterpoint._kernels.compiling import compile_time
from counterpoint._members import is_fitted
from counterpoint._progress import Enough, tell, track
from counterpoint.auto.budget import Budget
from counterpoint.auto.deadline import TimeUp, cut_off
from counterpoint.auto.plan import Plan
from counterpoint.auto.portfolio import FIRST
from counterpoint.auto.prices import PROBE_ROWS, Prices

# Part of the time until which members are tried on the lowest rung, before the best climb.
_FIRST_RUNG = 0.45
# Part of what is left that one fit may take: on a first look, and on a higher rung.
_TO_LOOK, _TO_CLIMB = 0.15, 0.45
# Part of what is left that the first member may take, rung by rung, to learn from all rows.
_FOR_FIRST = 0.7
# With fewer rows the first member goes fewer rounds to learn from more of them.
_ENOUGH_ROWS = 10_000
# At least so many climb, and of what the last four times as many rows brought, the next bring this.
_LEAST_CLIMB, _GOES_ON = 3, 0.7
# Of the time of a rung, what one member may take of what is left of it.
_OF_RUNG = 0.5
# Part of the limit at which a fit is cut off as long as there is nothing else.
_TO_RESCUE = 0.25
# Rows held out that are fewer than this part teach nobody anything: no last fits for their sake.
_WORTH_LAST_FITS = 0.05
# Without a limit it ends when so many members in a row have not lowered the loss by this part.
_PATIENCE, _LEAST_GAIN = 8, 0.002


@dataclass
class Trial:
    """A member as it is known so far.

    Attributes
    ----------
    models : list
        One for each fold.
    answers : ndarray
        About the rows asked, members' numbers or probabilities.
    n_rows : int
        It has learnt from.
    seconds : float
        All its fits so far.
    losses : list of float
        Alone, on each rung so far.
    """

    models: list
    answers: NDArray
    n_rows: int
    seconds: float
    losses: list[float]


class Trying:
    """Members tried on the rows of a plan.

    Parameters
    ----------
    members : list of Member
        In the order they are tried.
    task : object
        With ``ask(member, X)`` for answers and ``carry``, what each would count in a mean of
        them, with its loss.
    plan : Plan
    X, y
        All rows.
    fit_weight : dict
        Weights of all rows to fit members with, by their names.
    sample_weight : ndarray or None
        Weights of all rows to judge them by.
    budget : Budget
    n_jobs, progress
        As those of the estimator.
    may_stop : bool
        Whether to end without a limit when more members do not pay.
    cheaper : dict of int, default=None
        By member, another that costs less for sure.
    quick : dict of Member, default=None
        By member, kin that takes its place where there is no time for it.
    rounds : dict of Rounds, default=None
        By name of a member that goes round by round.
    """

    def __init__(
        self, members, task, plan: Plan, X, y, fit_weight, sample_weight, budget: Budget,
        *, n_jobs=None, progress=None, may_stop=False, cheaper=None, quick=None, rounds=None,
    ):  # fmt: skip
        self.members, self.task, self.plan = members, task, plan
        self.X, self.y, self.fit_weight, self.sample_weight = X, y, fit_weight, sample_weight
        self.budget, self.n_jobs, self.progress = budget, n_jobs, progress
        self.may_stop, self.quick = may_stop, dict(quick or {})
        self.prices = Prices(
            members, plan, budget, self._fit, rounds=dict(rounds or {}), cheaper=cheaper or {}
        )
        self.done: dict[int, Trial] = {}
        self.failed: list[str] = []
        self.reason = "complete"
        self.n_not_refitted = 0
        self._out: set[int] = set()  # failed
        self._late: dict[int, float] = {}  # seconds after which they were cut off
        self._in_any_case = len(members) == 1

    def run(self) -> None:
        """Try members until all are tried, time is up, it does not pay, or Ctrl-C."""
        try:
            several = self.budget.is_limited and len(self.plan.rungs) > 1
            if several:
                self._first_to_the_top()
            self._first_rung()
            if several:
                self._climb()
            if self.budget.is_limited:
                self._the_rest()
                self._climb_on()
        except KeyboardInterrupt:
            if not self.done:
                raise
            keep_partial(f"going on with the {len(self.done)} members tried so far.", stacklevel=6)
            self.reason = "interrupted"
        except Enough:
            self.reason = "enough"
        if not self.done:
            raise ValueError("No member could be trained. " + " ".join(self.failed)[:2000])

    def _first_to_the_top(self):
        """Let the first member learn from all rows, before anybody else is tried.

        It is the one that gains most from rows: something strong is there then, and what comes
        later can only improve it. It goes to the highest rung that it can pay for, at most so many
        times the rows that its price is known for.
        """
        self._probe(0)
        rungs = self.plan.rungs
        while rungs and 0 not in self._out:
            n_rows = self.prices.highest(0, rungs, share=_FOR_FIRST)
            if (n_rows or 0) < min(rungs[-1], _ENOUGH_ROWS):
                # Of so few rows, more are worth more than rounds are.
                above = [n for n in reversed(rungs) if n > (n_rows or 0)]
                shorter = partial(self.prices.shorten, 0, share=_FOR_FIRST)
                n_rows = next((n for n in above if shorter(n)), n_rows)
            if n_rows is None:
                return
            self._try(0, n_rows, anyway=True)
            rungs = [n for n in rungs if n > n_rows]

    def _first_rung(self):
        lowest, losses = self.plan.rungs[0], []
        several = len(self.plan.rungs) > 1
        order = range(len(self.members))
        bar = track(order, total=len(order), description="Trying", show=self.progress)
        for k in bar:
            late = self.budget.used > _FIRST_RUNG * self.budget.limit
            if several and self.done and late and k >= FIRST:
                self.reason = "time_limit"
                break
            if k not in self.done and k not in self._late:
                self._try(k, lowest)
            if self.may_stop and not self.budget.is_limited and k in self.done:
                losses.append(self._carry()[1])
                if _does_not_pay(losses):
                    self.reason = "no gain"
                    break
        bar.close()
        if all(self._is_constant(k) for k in self.done):
            self._one_in_any_case(lowest)

    def _one_in_any_case(self, lowest):
        """Try one that can learn, the quickest known, the first of equals; nothing cuts it off."""
        able = [k for k in range(len(self.members)) if k not in self._out and k not in self.done]
        able = [k for k in able if not self._is_constant(k)] or able
        if not able:
            return
        # One that was cut off costs at least what it had taken by then.
        k = min(able, key=lambda k: max(self.budget.price(k, lowest), self._late.get(k, 0.0)))
        n_rows = lowest
        if self.budget.is_limited and self.plan.is_hold_out:
            # No more rows than the time left is foretold to be enough for.
            wrong = max(1.0, self._late.get(k, 0.0) / max(self.prices.of(k, lowest), 1e-6))
            n_rows = self.budget.rows_for(k, self.budget.left / wrong, lowest)
            n_rows = max(min(PROBE_ROWS, lowest), min(n_rows, self.prices.known(k)))
        self._in_any_case = True
        self._try(k, n_rows, anyway=True)
        self._in_any_case = False

    def _is_constant(self, k):
        """Whether a member says the same of all rows, whatever they are."""
        return isinstance(self.members[k].estimator, DummyClassifier | DummyRegressor)

    def _climb(self):
        """Let the better half of each rung learn from more rows, as long as there is time.

        Who is better is foretold: by the loss now, and by how much more rows helped before.
        """
        above = list(pairwise(self.plan.rungs))
        for rung, (below, n_rows) in enumerate(above):
            here = [k for k in sorted(self.done) if self.done[k].n_rows == below]
            here.sort(key=self._hoped)
            # Every rung above has the same right to what is left.
            allotted = self.budget.for_trying / (len(above) - rung)
            for k in here[: max(_LEAST_CLIMB, -(-len(here) // 2))]:
                price = self.prices.of(k, n_rows)
                if price > _OF_RUNG * allotted or not self.budget.affords(price, share=_TO_CLIMB):
                    self.reason = "time_limit"
                    continue
                before = self.budget.for_trying
                self._try(k, n_rows, anyway=True)
                allotted -= before - self.budget.for_trying

    def _climb_on(self):
        """Let whoever is not at the top climb, the most hopeful first, while there is time."""
        stuck: set[int] = set()
        top = self.plan.rungs[-1]
        while able := [k for k in self.done if self.done[k].n_rows < top and k not in stuck]:
            k = min(able, key=self._hoped)
            n_rows = next(n for n in self.plan.rungs if n > self.done[k].n_rows)
            if not self.budget.affords(self.prices.of(k, n_rows)):
                stuck.add(k)
                continue
            self._try(k, n_rows, anyway=True)
            if self.done[k].n_rows < n_rows:  # it failed
                stuck.add(k)

    def _weighty(self):
        """Return those that count in the mean of all so far, the heaviest first."""
        weights = dict(zip(sorted(self.done), self._carry()[0], strict=True))
        return sorted((k for k in weights if weights[k] > 0), key=lambda k: -weights[k])

    def _hoped(self, k):
        """Return the loss to hope for on the next rung."""
        now, *before = self.done[k].losses[::-1]
        return now - _GOES_ON * (before[0] - now) if before else now

    def _the_rest(self):
        """Try those that were not, on as many rows as there is time for."""
        for k in range(len(self.members)):
            if k in self.done or k in self._out or k in self._late:
                continue
            if self.budget.for_trying <= 0:
                self.reason = "time_limit"
                return
            self._probe(k)
            # For no more than a look may cost: with what is left the best climb on.
            n_rows = self.prices.highest(k, self.plan.rungs, share=self._share(k))
            if k not in self._out and n_rows is not None:
                self._try(k, n_rows)

    # -- one member ------------------------------------------------------------------------------

    def _try(self, k, n_rows, *, anyway=False):
        """Fit a member on a rung; leave it out if it fails, or if there is no time for it."""
        if self.budget.is_limited and not anyway and not is_fitted(self.members[k].estimator):
            if self.budget.for_trying > 0:
                self._probe(k)
            if k in self._out:
                return
            share = self._share(k)
            fair = self.budget.affords(self.prices.of(k, n_rows), share=share)
            if not fair and not self.prices.shorten(k, n_rows, share=share):
                self.reason = "time_limit"
                if k in self.quick:
                    self.members[k] = self.quick.pop(k)
                    self.budget.forget(k)
                    self._try(k, n_rows)
                return
        fitted, seconds = self._fit(self.members[k], k, self.plan.splits(n_rows))
        if fitted is None:
            return
        self.budget.saw(k, n_rows, seconds / len(self.plan.folds))
        answers = self.plan.place([said for _, said in fitted])
        losses = [self._carry(answers[None])[1]] if self.budget.is_limited else []
        if k in self.done:
            seconds, losses = self.done[k].seconds + seconds, self.done[k].losses + losses
        self.done[k] = Trial([model for model, _ in fitted], answers, n_rows, seconds, losses)
        n_asked, top = len(self.plan.asked), self.plan.rungs[-1]
        self.budget.keep_for_choice(n_asked, self.task.n_outputs, len(self.done) + 1)
        # Another kind of member is worth more than the first ones fitted again.
        if self.budget.is_limited and self._last_fits_pay and len(self.done) >= FIRST:
            whole = [k for k in self._weighty() if self.done[k].n_rows == top]
            self.budget.keep_for_last_fits(whole, len(self.y), new=1 - top / len(self.y))
        tell(lambda: self._step(k))

    def _step(self, k):
        """Say of a member just tried what it answered, and what all so far come to together."""
        tried, trial = sorted(self.done), self.done[k]
        weights, loss = self._carry()
        return {
            "step": "tried", "name": self.members[k].name, "seconds": trial.seconds,
            "n_fitted": trial.n_rows, "n_members": len(self.members), "answers": trial.answers,
            "y": self.y[self.plan.asked], "loss": loss,
            "weights": {self.members[j].name: w for j, w in zip(tried, weights, strict=True)},
        }  # fmt: skip

    def _share(self, k):
        if len(self.plan.rungs) == 1:
            # Something strong comes first; of what is quick and strong there is nothing quicker.
            return _FOR_FIRST if k == 0 and k not in self.quick else 0.5
        return _TO_CLIMB if k < FIRST else _TO_LOOK

    def look(self, k):
        """See what a member costs on few rows, whatever the plan."""
        self.prices.look(k)

    def can_learn(self, k: int) -> bool:
        """Whether a member learns from the rows it is given: no constant, nothing fitted before."""
        return not self._is_constant(k) and not is_fitted(self.members[k].estimator)

    def answers_on(self, k: int, splits: list) -> NDArray | None:
        """Return what a member says about the test rows of other splits, in their order, or None.

        Nobody is left out for it.
        """
        reason, failed, out = self.reason, list(self.failed), set(self._out)
        fitted, _ = self._fit(self.members[k], k, splits)
        self.reason, self.failed, self._out = reason, failed, out
        return None if fitted is None else np.concatenate([said for _, said in fitted])

    def _probe(self, k):
        if k not in self._out:
            self.prices.probe(k, share=self._share(k))

    def _fit(self, member, k, splits):
        """Return (model, answers) for each split, and the seconds it took without compiling."""
        began = time.monotonic()
        try:
            with compile_time() as compiling, self._cut_off():
                fitted = _crossfit.fit_folds(
                    member, self.X, self.y, splits, self.task.ask,
                    sample_weight=self.fit_weight, n_jobs=self.n_jobs, quiet=True,
                )  # fmt: skip
        except TimeUp:
            self.reason = "time_limit"
            self._late[k] = time.monotonic() - began
            return None, 0.0
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as why:
            self.failed.append(f"{member.name}: {why}")
            self._out.add(k)
            return None, 0.0
        seconds = time.monotonic() - began
        # Compiled once on a machine: neither the member's fault nor taken from the time limit.
        self.budget.forgive(sum(compiling))
        return fitted, max(seconds - sum(compiling), 0.0)

    def _cut_off(self):
        """Return what ends a fit when it is high time to end."""
        if not self.budget.is_limited or self._in_any_case:
            return nullcontext()
        nothing = all(self._is_constant(k) for k in self.done)
        # While there is nothing, time is left for another that is quicker, and for one after that.
        spare = _TO_RESCUE / 2 ** len(self._late) if nothing else 0.0
        return cut_off(partial(self.budget.is_late, spare=spare))

    def _carry(self, answers=None):
        """Return what each member tried so far would count in their mean, and its loss."""
        if answers is None:
            answers = np.stack([self.done[k].answers for k in sorted(self.done)])
        return self.task.carry(answers, self.plan.asked, self.y, self.sample_weight)

    # -- the last fits -----------------------------------------------------------------------------

    def finish(self, keep: list[int], weights: NDArray) -> list[Any]:
        """Return a model of each member kept, fitted on all rows where there is time for it.

        The others are the mean of their folds, or what they learnt on the highest rung.
        """
        n_all, top = len(self.y), self.plan.rungs[-1]
        models: dict[int, Any] = {}
        order = [keep[i] for i in np.argsort(-weights, kind="stable")]
        at_once = effective_n_jobs(self.n_jobs) if self.budget.is_limited else len(order)
        for start in range(0, len(order), at_once):
            some = order[start : start + at_once]
            price = max(self.budget.price(k, n_all) for k in some)
            as_they_are = all(self.done[k].n_rows == top for k in some) and not self._last_fits_pay
            if self.budget.is_limited and (as_they_are or not self.budget.may_begin(price)):
                models |= {k: self._stand_in(k) for k in some}
                continue
            try:
                with cut_off(self.budget.is_over) if self.budget.is_limited else nullcontext():
                    fitted = _crossfit.fit_all(
                        [self.members[k] for k in some], self.X, self.y,
                        sample_weight=self.fit_weight, n_jobs=self.n_jobs, quiet=True,
                    )  # fmt: skip
            except TimeUp:
                fitted = [self._stand_in(k) for k in some]
            models |= dict(zip(some, fitted, strict=True))
        return [models[k] for k in keep]

    @property
    def _last_fits_pay(self):
        folds = len(self.plan.folds) > 1 or not self.budget.is_limited
        return folds or len(self.plan.asked) > _WORTH_LAST_FITS * len(self.y)

    def _stand_in(self, k):
        if is_fitted(self.members[k].estimator):
            return self.members[k].estimator
        self.n_not_refitted += 1
        models = self.done[k].models
        return models[0] if len(models) == 1 else self.task.mean_of(models)


def _does_not_pay(losses):
    if len(losses) <= _PATIENCE:
        return False
    return min(losses) > (1 - _LEAST_GAIN) * min(losses[:-_PATIENCE])
