"""Looks at a run before its end: whether the repeats so far decide a claim already.

Looks come after 1, 2, 4, 8 ... whole repeats, as long as there are more. Cells that are drawn and
not judged come last. Who looks often finds something by chance, so the looks share the 5 % of error
that one interval has: at each of k looks an interval has a confidence of ``1 - 0.05 / k`` (a
spending of alpha in equal parts over fixed looks; Lan and DeMets 1983, Biometrika 70). By the union
bound an interval holds the truth at all looks at once in 95 % of runs, however much its looks
depend on each other.

A claim is decided at the first look where its rule, with these intervals, says another word than
*open*: a part holds and another does not, or all hold, or none does. What rests on no interval is
open at a look, and waits for all repeats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import pandas as pd

from counterpoint.claims.confidence import FINISHED, at_a_look
from counterpoint.claims.protocol import Claim, Experiment, Scalar, Verdict
from counterpoint.claims.runner import run_experiment
from counterpoint.claims.store import Store

ALPHA = 1 - FINISHED  # of all looks together


@dataclass(frozen=True)
class Look:
    """A look at a run after some of its repeats.

    Attributes
    ----------
    n_repeats, of_repeats : int
        How many repeats it takes in, and how many there will be.
    confidence : float
        That of its intervals.
    experiment : Experiment
        The run as far as this look: the cells of these repeats.
    """

    n_repeats: int
    of_repeats: int
    confidence: float
    experiment: Experiment

    @property
    def words(self) -> str:
        """When a claim was decided, in words that are the same wherever it is shown."""
        return (
            f"decided after {self.n_repeats} of {self.of_repeats} repeats, at looks corrected for "
            "looking often"
        )


@dataclass(frozen=True)
class Decision:
    """The look that decided a claim, the rows it was decided by, and the verdict."""

    look: Look
    frame: pd.DataFrame
    verdict: Verdict

    @property
    def n_cells(self) -> int:
        """How many cells decided."""
        return len(self.look.experiment.values)


def looks(
    experiment: Experiment, drawn_only: Mapping[str, Sequence[Scalar]] | None = None
) -> list[Look]:
    """Return the looks at an experiment; none if its cells have no repeats, or one.

    Cells with a value of those in ``drawn_only`` are left to the end: no rule reads their rows.

    Examples
    --------
    >>> from counterpoint.claims import grid
    >>> made = Experiment("m", print, grid(repeat=range(10), method=["a", "b"]))
    >>> [(look.n_repeats, len(look.experiment.values)) for look in looks(made)]
    [(1, 2), (2, 4), (4, 8), (8, 16)]
    >>> round(looks(made)[0].confidence, 4)
    0.9875
    """
    if not all("repeat" in values for values in experiment.values):
        return []
    aside = drawn_only or {}
    judged = [
        values
        for values in experiment.values
        if not any(values[name] in beside for name, beside in aside.items())
    ]
    repeats = sorted({_repeat(values["repeat"]) for values in judged})
    sizes = [2**k for k in range(len(repeats).bit_length()) if 2**k < len(repeats)]
    return [
        Look(
            size,
            len(repeats),
            1 - ALPHA / len(sizes),
            replace(experiment, values=[v for v in judged if v["repeat"] in repeats[:size]]),
        )
        for size in sizes
    ]


def decision(claim: Claim, store: Store) -> Decision | None:
    """Return the first look at the full run that decided a claim; None if none did.

    A look counts if all its cells are finished, whatever was run beyond it. A rule that fails on
    these rows has not decided.
    """
    full = claim.experiment("full")
    done = store.done(full)
    for look in looks(full, claim.drawn_only):
        if any(cell.key not in done for cell in look.experiment.cells()):
            return None
        frame = store.frame(look.experiment)
        verdict = verdict_at(claim, look, frame)
        if verdict is not None and verdict.word != "open":
            return Decision(look, frame, verdict)
    return None


def verdict_at(claim: Claim, look: Look, frame: pd.DataFrame) -> Verdict | None:
    """Return what a claim's rule says at a look; None if it has parts that rest on no interval."""
    if frame.empty:
        return None
    try:
        # What an interval without ends decides was decided without it, so at no known error.
        with at_a_look(1.0):
            if any(part is not None for part in claim.judge(frame.copy()).parts.values()):
                return None
        with at_a_look(look.confidence):
            return claim.judge(frame.copy())
    except Exception:  # told of when all that was run is judged
        return None


def run_until_decided(
    claim: Claim, store: Store, *, time_limit: float | None = None, **options: Any
) -> Decision | None:
    """Run a claim at full size, repeat by repeat, and stop at the first look that decides it.

    Options are those of :func:`run_experiment`. Without a decision all cells are run.
    """
    end = None if time_limit is None else monotonic() + time_limit
    full = claim.experiment("full")
    for experiment in [*(look.experiment for look in looks(full, claim.drawn_only)), full]:
        left = None if end is None else max(0.0, end - monotonic())
        run_experiment(experiment, store, time_limit=left, **options)
        # The last of these is the finished run, to which no look is needed.
        if experiment is not full and (found := decision(claim, store)) is not None:
            return found
    return None


def _repeat(value: Scalar) -> int:
    if not isinstance(value, int):
        raise TypeError(f"repeat={value!r}: repeats are counted, and looks go by their number.")
    return value
