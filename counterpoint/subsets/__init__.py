"""Subsets of the space as weak models: stochastic discrimination, and ensembles as kernels.

A collection of subsets that each hold more of a class than of the rest (enriched), and
that hold all samples of a class alike (uniform), separates the classes (``stochastic``,
``coverage``). The same collection is a kernel: how often two points are in a subset together
(``kernels``, ``svc``, ``combination``; ``analytic`` and ``random_trees`` for endless collections).
"""

from counterpoint.subsets.analytic import ball_kernel, cone_kernel
from counterpoint.subsets.combination import alignment_weights, combine_kernels, kernel_alignment
from counterpoint.subsets.coverage import coverage_path
from counterpoint.subsets.kernels import ensemble_kernel, ensemble_to_features
from counterpoint.subsets.random_trees import random_tree_kernel
from counterpoint.subsets.stochastic import StochasticDiscriminationClassifier
from counterpoint.subsets.svc import EnsembleKernelSVC

__all__ = [
    "EnsembleKernelSVC",
    "StochasticDiscriminationClassifier",
    "alignment_weights",
    "ball_kernel",
    "combine_kernels",
    "cone_kernel",
    "coverage_path",
    "ensemble_kernel",
    "ensemble_to_features",
    "kernel_alignment",
    "random_tree_kernel",
]
