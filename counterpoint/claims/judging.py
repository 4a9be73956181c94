"""What a store says about a claim: how much of it was run, and the verdict on that."""

import math
import traceback
from dataclasses import dataclass, field, replace

import pandas as pd

from counterpoint.claims.checking import ENOUGH
from counterpoint.claims.code import code_version
from counterpoint.claims.looks import Decision, decision
from counterpoint.claims.protocol import Claim, Size, Verdict
from counterpoint.claims.store import Check, Store


@dataclass(frozen=True)
class ClaimResult:
    """A claim and what has been run of it.

    Attributes
    ----------
    claim : Claim
    size : {"smoke", "full"} or None
        Of the run that was judged; None if there is none.
    n_done, n_cells : int
        Cells finished, and cells of that size; of the full size if nothing was run.
    n_older : int
        Finished cells that other code than the present one made.
    check : Check or None
        What is known of these from running some of them again; None if nothing is.
    seconds : float
        What the finished cells took together, waiting not counted.
    pace : float
        Seconds a cell, of those that the present code made if there are any.
    frame : DataFrame
        Their rows; if a look decided, those of the cells it took in.
    decided : Decision or None
        The look before the end that decided the claim, with intervals wide enough for looking
        often; None of a finished run, or if none did.
    verdict : Verdict or None
        None if nothing was run, or if it cannot be judged.
    problem : str
        Why it cannot be judged.
    trace : str
        The same for those who will mend it.
    """

    claim: Claim
    size: Size | None
    n_done: int
    n_cells: int
    seconds: float
    pace: float
    n_older: int
    frame: pd.DataFrame = field(repr=False)
    check: Check | None = None
    decided: Decision | None = None
    verdict: Verdict | None = field(default=None, repr=False)
    problem: str = ""
    trace: str = field(default="", repr=False)

    @property
    def complete(self) -> bool:
        """Whether all cells of the full size are there."""
        return self.size == "full" and self.n_done == self.n_cells

    @property
    def mark(self) -> str:
        """What the verdict rests on, one of ``overview.MARKS``; empty if on the full size."""
        if self.verdict is None or self.complete:
            return ""
        if self.size == "smoke":
            return "smoke run"
        return "so far" if self.decided is None else "early"

    @property
    def seconds_left(self) -> float:
        """What the other cells of full size will take at this pace; NaN if none was run."""
        if self.size != "full":
            return math.nan
        return self.pace * (self.n_cells - self.n_done)

    @property
    def cells(self) -> str:
        """How much was run, in words."""
        if self.size is None:
            return "never run"
        size = "full size" if self.size == "full" else "smoke size"
        if self.n_done == self.n_cells:
            return f"{size}, all {self.n_cells} cells" if self.n_cells > 1 else f"{size}, one cell"
        return f"{size}, {self.n_done} of {self.n_cells} cells"

    @property
    def caution(self) -> str:
        """What keeps the verdict from being the last word; empty if nothing does."""
        if self.size == "smoke":
            return "A smoke run shows that the code runs; it is too small to decide."
        words = []
        if self.decided is not None:
            look = self.decided.look
            words.append(
                f"{look.words.capitalize()}: by intervals of {100 * look.confidence:.4g} %, judged "
                f"on {self.decided.n_cells} of {self.n_cells} cells."
            )
        elif self.size == "full" and self.n_done < self.n_cells:
            words.append(
                f"Judged on {self.n_done} of {self.n_cells} cells; the others have not been run."
            )
        if self.n_older and self.check is None:
            words.append(
                f"{self.n_older} of the cells were made by older code: `counterpoint reproduce "
                f"{self.claim.topic} --check {ENOUGH}` sees whether it still gives these rows, "
                "`--full --again` runs all of them anew."
            )
        return " ".join(words)

    @property
    def checked(self) -> str:
        """What is known of cells that earlier code made, in words; empty if there are none."""
        if self.check is None or not self.n_older:
            return ""
        made = f"Of {self.check.n_older} cells made by earlier code"
        return (
            f"{made}, {self.check.n_same}, drawn by lot, were run again on {self.check.day}: all "
            "gave the same rows."
        )

    @property
    def word(self) -> str:
        """The verdict in a word or a few, with how much it rests on if that is not all."""
        if self.verdict is None:
            return "" if self.size is None else "no verdict"
        if self.size == "smoke":
            return "open (smoke run)"
        if self.decided is not None:
            of_cells = f"{self.decided.n_cells} of {self.n_cells} cells"
            return f"{self.verdict.word} ({self.decided.look.words}; {of_cells})"
        if self.n_done < self.n_cells:
            return f"{self.verdict.word} ({self.n_done} of {self.n_cells} cells)"
        return self.verdict.word


def judge_claim(claim: Claim, store: Store | None, size: Size | None = None) -> ClaimResult:
    """Judge a claim on the cells in a store.

    Parameters
    ----------
    claim : Claim
    store : Store or None
        None is a store without a cell.
    size : {"smoke", "full"} or None, default=None
        Which run to judge. None takes the full one if any cell of it is there.

    Returns
    -------
    ClaimResult
        A rule that fails on these rows is reported in it, and raises nothing: one claim must not
        spoil a page of many.

    Examples
    --------
    >>> from counterpoint.claims import claim
    >>> judge_claim(claim("merged-trees"), None).cells
    'never run'
    """
    tried: tuple[Size, ...] = ("full", "smoke") if size is None else (size,)
    for one in tried:
        experiment = claim.experiment(one)
        if store is not None and (done := store.done(experiment)):
            n_cells, took = len(experiment.cells()), store.cells(experiment)
            now = code_version(claim.topic)
            older = [code for code in took["code"] if code != now]
            # Code that is faster now says nothing of what cells took before.
            new = took.loc[took["code"] == now, "seconds"]
            pace = float((new if len(new) else took["seconds"]).mean())
            check = store.check(experiment, now)
            if check is not None and not check.vouches_for(older):
                check = None  # other cells of other code came in since
            found = decision(claim, store) if one == "full" and len(done) < n_cells else None
            frame = store.frame(experiment) if found is None else found.frame
            return _with_verdict(
                ClaimResult(
                    claim,
                    one,
                    len(done),
                    n_cells,
                    store.seconds(experiment),
                    pace,
                    len(older),
                    frame,
                    check,
                    found,
                )
            )
    n_cells = len(claim.experiment(tried[0]).cells())
    return ClaimResult(claim, None, 0, n_cells, 0.0, math.nan, 0, pd.DataFrame())


def _with_verdict(result: ClaimResult) -> ClaimResult:
    if result.frame.empty:
        return replace(result, problem="The finished cells gave no rows.")
    if result.decided is not None:
        return replace(result, verdict=result.decided.verdict)
    try:
        # A copy: a rule that adds a column must not change the rows we write.
        judged = result.claim.judge(result.frame.copy())
        # A smoke run is too small to decide, whatever its few rows say.
        return replace(
            result, verdict=judged if result.size == "full" else replace(judged, word="open")
        )
    except Exception as error:
        problem = f"The rule cannot be applied to these rows: {type(error).__name__}: {error}"
        return replace(result, problem=problem, trace=traceback.format_exc())
