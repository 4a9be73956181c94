"""Claims of the literature, run again: a sentence, its experiment, a rule, a verdict.

============== ====================================================================
``protocol``   what an experiment, a cell and a claim are
``comparison`` two methods on the same repeats
``store``      finished cells, in one file
``runner``     cells that are not done yet, here or on a cluster
``looks``      looks at a run before its end, by intervals wide enough for looking often
``judging``    what a store says about a claim
``page``       claims as files and as a page
``registry``   the claims by topic; each has a file of that name
``sources``    the documents they are from, and the numbers printed there
============== ====================================================================
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "comparison": (
        "Paired",
        "paired",
    ),
    "judging": (
        "ClaimResult",
        "judge_claim",
    ),
    "protocol": (
        "Cell",
        "Claim",
        "Experiment",
        "Verdict",
        "grid",
        "verdict",
    ),
    "registry": (
        "TOPICS",
        "claim",
    ),
    "runner": ("run_experiment",),
    "store": ("Store",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.claims.comparison import Paired as Paired
    from counterpoint.claims.comparison import paired as paired
    from counterpoint.claims.judging import ClaimResult as ClaimResult
    from counterpoint.claims.judging import judge_claim as judge_claim
    from counterpoint.claims.protocol import Cell as Cell
    from counterpoint.claims.protocol import Claim as Claim
    from counterpoint.claims.protocol import Experiment as Experiment
    from counterpoint.claims.protocol import Verdict as Verdict
    from counterpoint.claims.protocol import grid as grid
    from counterpoint.claims.protocol import verdict as verdict
    from counterpoint.claims.registry import TOPICS as TOPICS
    from counterpoint.claims.registry import claim as claim
    from counterpoint.claims.runner import run_experiment as run_experiment
    from counterpoint.claims.store import Store as Store
