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

from counterpoint.plots.boundaries import plot_decision_boundary
from counterpoint.plots.coverage import CoverageDisplay
from counterpoint.plots.decomposition import DecompositionDisplay
from counterpoint.plots.display import Display, EnsembleDisplay, PanelDisplay
from counterpoint.plots.diversity_matrix import DiversityMatrixDisplay
from counterpoint.plots.dynamics import NCLDynamicsDisplay
from counterpoint.plots.history import HistoryDisplay
from counterpoint.plots.hyperboxes import HyperboxDisplay
from counterpoint.plots.kappa_error import KappaErrorDisplay
from counterpoint.plots.lift import LiftDisplay, RelevanceHorizonDisplay
from counterpoint.plots.margins import MarginDisplay
from counterpoint.plots.member_boundaries import MemberBoundariesDisplay
from counterpoint.plots.ranks import RankDisplay
from counterpoint.plots.selection import SelectionDisplay
from counterpoint.plots.trajectory import TrajectoryDisplay
from counterpoint.plots.tree import TreeDisplay
from counterpoint.plots.tree_path import TreePathDisplay
from counterpoint.plots.trust import (
    ErrorEstimateDisplay,
    LabelErrorDisplay,
    QueryDisplay,
    SelectiveDisplay,
    UncertaintyDisplay,
    WatchDisplay,
)
from counterpoint.plots.vote_gains import VoteGainsDisplay
from counterpoint.plots.voters import VotersDisplay

__all__ = [
    "CoverageDisplay",
    "DecompositionDisplay",
    "Display",
    "DiversityMatrixDisplay",
    "EnsembleDisplay",
    "ErrorEstimateDisplay",
    "HistoryDisplay",
    "HyperboxDisplay",
    "KappaErrorDisplay",
    "LabelErrorDisplay",
    "LiftDisplay",
    "MarginDisplay",
    "MemberBoundariesDisplay",
    "NCLDynamicsDisplay",
    "PanelDisplay",
    "QueryDisplay",
    "RankDisplay",
    "RelevanceHorizonDisplay",
    "SelectionDisplay",
    "SelectiveDisplay",
    "TrajectoryDisplay",
    "TreeDisplay",
    "TreePathDisplay",
    "UncertaintyDisplay",
    "VoteGainsDisplay",
    "VotersDisplay",
    "WatchDisplay",
    "plot_decision_boundary",
]
