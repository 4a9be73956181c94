"""Trees: grown on bins, kept as plain arrays, asked many at a time, and worked on as functions."""

from counterpoint.trees.algebra import (
    apply,
    graft,
    graft_all,
    relabel,
    restrict,
    same_function,
    simplify,
)
from counterpoint.trees.binning import BinnedData, Binner
from counterpoint.trees.boxes import (
    all_cells,
    box_volumes,
    cells_at,
    count_cells,
    data_bounds,
    leaf_boxes,
    leaf_missing,
    overlap,
    sample_overlaps,
)
from counterpoint.trees.convert import (
    TreeEnsemble,
    as_sklearn,
    from_sklearn,
    take_trees,
    to_sklearn,
)
from counterpoint.trees.distilling.estimator import DistilledTreeClassifier
from counterpoint.trees.distilling.similar import SIMILARITIES, SimilarMember, most_similar_member
from counterpoint.trees.equivalent.certificate import Certificate, certify
from counterpoint.trees.equivalent.estimator import (
    EnsembleTreeClassifier,
    EquivalentTree,
    equivalent_tree,
)
from counterpoint.trees.growing.hist import HistTreeClassifier, HistTreeRegressor
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.growing.workspace import GrowWorkspace, grow
from counterpoint.trees.merging.estimator import MergedTreeClassifier
from counterpoint.trees.merging.merge import Merging, merge_trees
from counterpoint.trees.pruning.criteria import upper_limit
from counterpoint.trees.pruning.paths import cost_complexity_path
from counterpoint.trees.pruning.prune import prune, prune_error_based, prune_tree
from counterpoint.trees.refine import refine_leaves
from counterpoint.trees.rules.estimator import RuleMergeClassifier
from counterpoint.trees.rules.rule import Rule, RuleList, tree_rules
from counterpoint.trees.structure import StackedTrees, Tree, predict_trees, stack_trees

__all__ = [
    "SIMILARITIES",
    "BinnedData",
    "Binner",
    "Certificate",
    "DistilledTreeClassifier",
    "EnsembleTreeClassifier",
    "EquivalentTree",
    "GrowWorkspace",
    "HistTreeClassifier",
    "HistTreeRegressor",
    "MergedTreeClassifier",
    "Merging",
    "PrunedTreeClassifier",
    "Rule",
    "RuleList",
    "RuleMergeClassifier",
    "SimilarMember",
    "StackedTrees",
    "Tree",
    "TreeEnsemble",
    "all_cells",
    "apply",
    "as_sklearn",
    "box_volumes",
    "cells_at",
    "certify",
    "cost_complexity_path",
    "count_cells",
    "data_bounds",
    "equivalent_tree",
    "from_sklearn",
    "graft",
    "graft_all",
    "grow",
    "leaf_boxes",
    "leaf_missing",
    "merge_trees",
    "most_similar_member",
    "overlap",
    "predict_trees",
    "prune",
    "prune_error_based",
    "prune_tree",
    "refine_leaves",
    "relabel",
    "restrict",
    "same_function",
    "sample_overlaps",
    "simplify",
    "stack_trees",
    "take_trees",
    "to_sklearn",
    "tree_rules",
    "upper_limit",
]
