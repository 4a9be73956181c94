"""Claims of the literature, run again: a sentence, its experiment, a rule, a verdict.

============== ====================================================================
``protocol``   what an experiment, a cell and a claim are
``comparison`` two methods on the same repeats
``store``      finished cells, in one file
``runner``     cells that are not done yet, here or on a cluster
``judging``    what a store says about a claim
``page``       claims as files and as a page
``registry``   the claims by topic; each has a file of that name
``sources``    the documents they are from, and the numbers printed there
============== ====================================================================
"""

from counterpoint.claims.comparison import Paired, paired
from counterpoint.claims.judging import ClaimResult, judge_claim
from counterpoint.claims.protocol import Cell, Claim, Experiment, Verdict, grid, verdict
from counterpoint.claims.registry import TOPICS, claim
from counterpoint.claims.runner import run_experiment
from counterpoint.claims.store import Store

__all__ = [
    "TOPICS",
    "Cell",
    "Claim",
    "ClaimResult",
    "Experiment",
    "Paired",
    "Store",
    "Verdict",
    "claim",
    "grid",
    "judge_claim",
    "paired",
    "run_experiment",
    "verdict",
]
