"""Members that differ by what they see: rows, columns, transformed spaces, labels, learners.

A view is a small object (``view``), one meta-estimator trains a member on each (``ensemble``), and
the methods are views made for it: noise, untrained networks, sums of columns at every split
(Forest-RC), columns by class (input decimation), projections, output codes, balanced subsets,
and pools of different learners.
"""

from counterpoint.views.balance import BalancedSubsetsClassifier, BalancedView
from counterpoint.views.code_design import (
    code_diversity,
    column_distance,
    design_code,
    exhaustive_code,
    row_distance,
)
from counterpoint.views.codes import OutputCodeClassifier
from counterpoint.views.combination_tree import CombinationTreeClassifier
from counterpoint.views.decimation import InputDecimationClassifier, class_correlations
from counterpoint.views.decoding import code_distances
from counterpoint.views.ensemble import ViewEnsembleClassifier
from counterpoint.views.forest_rc import ForestRCClassifier
from counterpoint.views.noise import NoiseInjectionClassifier, NoiseView, noise_widths
from counterpoint.views.pool import HeterogeneousPoolClassifier, expand_pool
from counterpoint.views.projections import (
    ProjectionEnsembleClassifier,
    ProjectionView,
    RotationView,
)
from counterpoint.views.transforms import RandomTransformClassifier, UntrainedNetworkView
from counterpoint.views.view import (
    BootstrapView,
    ChainedView,
    ColumnsView,
    LabelsView,
    SubspaceView,
    TrainingSet,
    View,
    WholeView,
)

__all__ = [
    "BalancedSubsetsClassifier",
    "BalancedView",
    "BootstrapView",
    "ChainedView",
    "ColumnsView",
    "CombinationTreeClassifier",
    "ForestRCClassifier",
    "HeterogeneousPoolClassifier",
    "InputDecimationClassifier",
    "LabelsView",
    "NoiseInjectionClassifier",
    "NoiseView",
    "OutputCodeClassifier",
    "ProjectionEnsembleClassifier",
    "ProjectionView",
    "RandomTransformClassifier",
    "RotationView",
    "SubspaceView",
    "TrainingSet",
    "UntrainedNetworkView",
    "View",
    "ViewEnsembleClassifier",
    "WholeView",
    "class_correlations",
    "code_distances",
    "code_diversity",
    "column_distance",
    "design_code",
    "exhaustive_code",
    "expand_pool",
    "noise_widths",
    "row_distance",
]
