"""Trees: grown on bins, kept as plain arrays, asked many at a time."""

from counterpoint.trees.binning import BinnedData, Binner
from counterpoint.trees.growing import GrowWorkspace, grow
from counterpoint.trees.hist import HistTreeClassifier, HistTreeRegressor
from counterpoint.trees.pruned import PrunedTreeClassifier
from counterpoint.trees.pruning import prune_error_based, prune_tree
from counterpoint.trees.structure import StackedTrees, Tree, predict_trees, stack_trees

__all__ = [
    "BinnedData",
    "Binner",
    "GrowWorkspace",
    "HistTreeClassifier",
    "HistTreeRegressor",
    "PrunedTreeClassifier",
    "StackedTrees",
    "Tree",
    "grow",
    "predict_trees",
    "prune_error_based",
    "prune_tree",
    "stack_trees",
]
