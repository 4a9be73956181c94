"""Members that differ by what they see: rows, columns, transformed spaces, labels, learners.

A view is a small object (``view``), one meta-estimator trains a member on each (``ensemble``), and
the methods are views made for it: noise, untrained networks, sums of columns at every split
(Forest-RC), columns by class (input decimation), projections, output codes, balanced subsets,
and pools of different learners.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "balance": (
        "BalancedSubsetsClassifier",
        "BalancedView",
    ),
    "code_design": (
        "code_diversity",
        "column_distance",
        "design_code",
        "exhaustive_code",
        "row_distance",
    ),
    "codes": ("OutputCodeClassifier",),
    "combination_tree": ("CombinationTreeClassifier",),
    "decimation": (
        "InputDecimationClassifier",
        "class_correlations",
    ),
    "decoding": ("code_distances",),
    "ensemble": ("ViewEnsembleClassifier",),
    "forest_rc": ("ForestRCClassifier",),
    "noise": (
        "NoiseInjectionClassifier",
        "NoiseView",
        "noise_widths",
    ),
    "pool": (
        "HeterogeneousPoolClassifier",
        "expand_pool",
    ),
    "projections": (
        "ProjectionEnsembleClassifier",
        "ProjectionView",
        "RotationView",
    ),
    "transforms": (
        "RandomTransformClassifier",
        "UntrainedNetworkView",
    ),
    "view": (
        "BootstrapView",
        "ChainedView",
        "ColumnsView",
        "LabelsView",
        "SubspaceView",
        "TrainingSet",
        "View",
        "WholeView",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.views.balance import BalancedSubsetsClassifier as BalancedSubsetsClassifier
    from counterpoint.views.balance import BalancedView as BalancedView
    from counterpoint.views.code_design import code_diversity as code_diversity
    from counterpoint.views.code_design import column_distance as column_distance
    from counterpoint.views.code_design import design_code as design_code
    from counterpoint.views.code_design import exhaustive_code as exhaustive_code
    from counterpoint.views.code_design import row_distance as row_distance
    from counterpoint.views.codes import OutputCodeClassifier as OutputCodeClassifier
    from counterpoint.views.combination_tree import (
        CombinationTreeClassifier as CombinationTreeClassifier,
    )
    from counterpoint.views.decimation import InputDecimationClassifier as InputDecimationClassifier
    from counterpoint.views.decimation import class_correlations as class_correlations
    from counterpoint.views.decoding import code_distances as code_distances
    from counterpoint.views.ensemble import ViewEnsembleClassifier as ViewEnsembleClassifier
    from counterpoint.views.forest_rc import ForestRCClassifier as ForestRCClassifier
    from counterpoint.views.noise import NoiseInjectionClassifier as NoiseInjectionClassifier
    from counterpoint.views.noise import NoiseView as NoiseView
    from counterpoint.views.noise import noise_widths as noise_widths
    from counterpoint.views.pool import HeterogeneousPoolClassifier as HeterogeneousPoolClassifier
    from counterpoint.views.pool import expand_pool as expand_pool
    from counterpoint.views.projections import (
        ProjectionEnsembleClassifier as ProjectionEnsembleClassifier,
    )
    from counterpoint.views.projections import ProjectionView as ProjectionView
    from counterpoint.views.projections import RotationView as RotationView
    from counterpoint.views.transforms import RandomTransformClassifier as RandomTransformClassifier
    from counterpoint.views.transforms import UntrainedNetworkView as UntrainedNetworkView
    from counterpoint.views.view import BootstrapView as BootstrapView
    from counterpoint.views.view import ChainedView as ChainedView
    from counterpoint.views.view import ColumnsView as ColumnsView
    from counterpoint.views.view import LabelsView as LabelsView
    from counterpoint.views.view import SubspaceView as SubspaceView
    from counterpoint.views.view import TrainingSet as TrainingSet
    from counterpoint.views.view import View as View
    from counterpoint.views.view import WholeView as WholeView
