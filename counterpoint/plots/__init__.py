"""A Display for every result: make it, look at it, take its numbers.

=========================== ================================================================
``KappaErrorDisplay``       a point per pair of members: agreement against error
``DiversityMatrixDisplay``  heat map of a pairwise measure
``TrajectoryDisplay``       errors and measures against the number of members
``MarginDisplay``           cumulative distribution of the margins of the vote
``VoteGainsDisplay``        what each member wins and loses when it joins the vote
``HistoryDisplay``          what a boosting method recorded, round by round
``NCLDynamicsDisplay``      outputs, spread and errors of networks trained together, by epoch
``DecompositionDisplay``    bias, variance, diversity, ...: parts of an expected error
``MemberBoundariesDisplay`` boundaries of the members over the regions of their ensemble
``LiftDisplay``             what taking the first so many of a ranking of rare cases brings
``RelevanceHorizonDisplay`` a score against how many past events are looked at
``CoverageDisplay``         how evenly subsets cover the samples as more of them are added
``TreeDisplay``             one tree, legible up to some sixty leaves
``DiagramDisplay``          a decision diagram: questions that several ways lead to
``TreePathDisplay``         errors of the best trees of every size
``HyperboxDisplay``         boxes of a model over the samples, two columns at a time
``SelectionDisplay``        error and criterion after each step of a search for members
``RankDisplay``             mean ranks of methods over data sets, and which differ
``VotersDisplay``           how good voters are, as far as their votes tell, and who copies whom
``ErrorEstimateDisplay``    the error on rows without labels, by every method
``WatchDisplay``            the error in use, batch after batch, with alarms
``SelectiveDisplay``        the error among the samples an ensemble is surest of
``UncertaintyDisplay``      noise and disagreement of each sample
``LabelErrorDisplay``       how far labels are believed
``QueryDisplay``            how far a committee disagrees on what it asks for
``plot_decision_boundary``  decision regions of a classifier of two features
=========================== ================================================================

Each is made by ``from_estimator``, ``from_predictions``, ``from_outputs`` or another ``from_...``,
which draw at once; ``plot`` draws again, on any axes, and ``table`` gives what is shown as a frame.
Nothing is computed here that a package below does not give, ``show`` is never called and rcParams
stay as they are. A new display is a subclass of ``Display``, ``PanelDisplay`` or
``EnsembleDisplay`` that supplies what to compute and how to draw it.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

# Late: to import matplotlib takes longer than many a result.
_HOMES = {
    "boundaries": ("plot_decision_boundary",),
    "coverage": ("CoverageDisplay",),
    "decomposition": ("DecompositionDisplay",),
    "diagram": ("DiagramDisplay",),
    "display": ("Display", "EnsembleDisplay", "PanelDisplay"),
    "diversity_matrix": ("DiversityMatrixDisplay",),
    "dynamics": ("NCLDynamicsDisplay",),
    "history": ("HistoryDisplay",),
    "hyperboxes": ("HyperboxDisplay",),
    "kappa_error": ("KappaErrorDisplay",),
    "lift": ("LiftDisplay", "RelevanceHorizonDisplay"),
    "margins": ("MarginDisplay",),
    "member_boundaries": ("MemberBoundariesDisplay",),
    "ranks": ("RankDisplay",),
    "selection": ("SelectionDisplay",),
    "trajectory": ("TrajectoryDisplay",),
    "tree": ("TreeDisplay",),
    "tree_path": ("TreePathDisplay",),
    "trust": (
        "ErrorEstimateDisplay",
        "LabelErrorDisplay",
        "QueryDisplay",
        "SelectiveDisplay",
        "UncertaintyDisplay",
        "WatchDisplay",
    ),
    "vote_gains": ("VoteGainsDisplay",),
    "voters": ("VotersDisplay",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.plots.boundaries import plot_decision_boundary as plot_decision_boundary
    from counterpoint.plots.coverage import CoverageDisplay as CoverageDisplay
    from counterpoint.plots.decomposition import DecompositionDisplay as DecompositionDisplay
    from counterpoint.plots.diagram import DiagramDisplay as DiagramDisplay
    from counterpoint.plots.display import Display as Display
    from counterpoint.plots.display import EnsembleDisplay as EnsembleDisplay
    from counterpoint.plots.display import PanelDisplay as PanelDisplay
    from counterpoint.plots.diversity_matrix import DiversityMatrixDisplay as DiversityMatrixDisplay
    from counterpoint.plots.dynamics import NCLDynamicsDisplay as NCLDynamicsDisplay
    from counterpoint.plots.history import HistoryDisplay as HistoryDisplay
    from counterpoint.plots.hyperboxes import HyperboxDisplay as HyperboxDisplay
    from counterpoint.plots.kappa_error import KappaErrorDisplay as KappaErrorDisplay
    from counterpoint.plots.lift import LiftDisplay as LiftDisplay
    from counterpoint.plots.lift import RelevanceHorizonDisplay as RelevanceHorizonDisplay
    from counterpoint.plots.margins import MarginDisplay as MarginDisplay
    from counterpoint.plots.member_boundaries import (
        MemberBoundariesDisplay as MemberBoundariesDisplay,
    )
    from counterpoint.plots.ranks import RankDisplay as RankDisplay
    from counterpoint.plots.selection import SelectionDisplay as SelectionDisplay
    from counterpoint.plots.trajectory import TrajectoryDisplay as TrajectoryDisplay
    from counterpoint.plots.tree import TreeDisplay as TreeDisplay
    from counterpoint.plots.tree_path import TreePathDisplay as TreePathDisplay
    from counterpoint.plots.trust import ErrorEstimateDisplay as ErrorEstimateDisplay
    from counterpoint.plots.trust import LabelErrorDisplay as LabelErrorDisplay
    from counterpoint.plots.trust import QueryDisplay as QueryDisplay
    from counterpoint.plots.trust import SelectiveDisplay as SelectiveDisplay
    from counterpoint.plots.trust import UncertaintyDisplay as UncertaintyDisplay
    from counterpoint.plots.trust import WatchDisplay as WatchDisplay
    from counterpoint.plots.vote_gains import VoteGainsDisplay as VoteGainsDisplay
    from counterpoint.plots.voters import VotersDisplay as VotersDisplay
