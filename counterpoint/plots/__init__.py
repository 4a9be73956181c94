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
``HyperboxDisplay``         boxes of a model over the samples, two columns at a time
``SelectionDisplay``        error and criterion after each step of a search for members
``RankDisplay``             mean ranks of methods over data sets, and which differ
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
from counterpoint.plots.vote_gains import VoteGainsDisplay

__all__ = [
    "CoverageDisplay",
    "DecompositionDisplay",
    "Display",
    "DiversityMatrixDisplay",
    "EnsembleDisplay",
    "HistoryDisplay",
    "HyperboxDisplay",
    "KappaErrorDisplay",
    "LiftDisplay",
    "MarginDisplay",
    "MemberBoundariesDisplay",
    "NCLDynamicsDisplay",
    "PanelDisplay",
    "RankDisplay",
    "RelevanceHorizonDisplay",
    "SelectionDisplay",
    "TrajectoryDisplay",
    "TreeDisplay",
    "VoteGainsDisplay",
    "plot_decision_boundary",
]
