"""Subsets of the space as weak models: stochastic discrimination, and ensembles as kernels.

A collection of subsets that each hold more of a class than of the rest (enriched), and
that hold all samples of a class alike (uniform), separates the classes (``stochastic``,
``coverage``). The same collection is a kernel: how often two points are in a subset together
(``kernels``, ``svc``, ``combination``; ``analytic`` and ``random_trees`` for endless collections).
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "analytic": (
        "ball_kernel",
        "cone_kernel",
    ),
    "combination": (
        "alignment_weights",
        "combine_kernels",
        "kernel_alignment",
    ),
    "coverage": ("coverage_path",),
    "kernels": (
        "ensemble_kernel",
        "ensemble_to_features",
    ),
    "random_trees": ("random_tree_kernel",),
    "stochastic": ("StochasticDiscriminationClassifier",),
    "svc": ("EnsembleKernelSVC",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.subsets.analytic import ball_kernel as ball_kernel
    from counterpoint.subsets.analytic import cone_kernel as cone_kernel
    from counterpoint.subsets.combination import alignment_weights as alignment_weights
    from counterpoint.subsets.combination import combine_kernels as combine_kernels
    from counterpoint.subsets.combination import kernel_alignment as kernel_alignment
    from counterpoint.subsets.coverage import coverage_path as coverage_path
    from counterpoint.subsets.kernels import ensemble_kernel as ensemble_kernel
    from counterpoint.subsets.kernels import ensemble_to_features as ensemble_to_features
    from counterpoint.subsets.random_trees import random_tree_kernel as random_tree_kernel
    from counterpoint.subsets.stochastic import (
        StochasticDiscriminationClassifier as StochasticDiscriminationClassifier,
    )
    from counterpoint.subsets.svc import EnsembleKernelSVC as EnsembleKernelSVC
