"""Trees: grown, kept as plain arrays, pruned, merged, melted into one, and read as rules."""

from counterpoint.trees.algebra import apply, graft, relabel, restrict, simplify
from counterpoint.trees.boxes import leaf_boxes
from counterpoint.trees.compare import same_function
from counterpoint.trees.convert import as_sklearn, from_sklearn
from counterpoint.trees.diagrams.equivalent import equivalent_diagram
from counterpoint.trees.diagrams.structure import DecisionDiagram
from counterpoint.trees.distilling.estimator import DistilledTreeClassifier
from counterpoint.trees.distilling.similar import SimilarMember, most_similar_member
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.equivalent.certificate import Certificate, certify
from counterpoint.trees.equivalent.estimator import EnsembleTreeClassifier
from counterpoint.trees.equivalent.melt import EquivalentTree, equivalent_tree
from counterpoint.trees.equivalent.needed import LeavesNeeded, leaves_needed
from counterpoint.trees.growing.hist import HistTreeClassifier, HistTreeRegressor
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.merging.estimator import MergedTreeClassifier
from counterpoint.trees.merging.merge import MergedTree, merge_trees
from counterpoint.trees.merging.regressor import MergedTreeRegressor
from counterpoint.trees.merging.summing import mean_tree
from counterpoint.trees.pruning.paths import cost_complexity_path
from counterpoint.trees.pruning.prune import prune
from counterpoint.trees.refine import refine_leaves
from counterpoint.trees.rules.estimator import RuleMergeClassifier
from counterpoint.trees.rules.rule import Rule, RuleList, tree_rules
from counterpoint.trees.structure import Tree
from counterpoint.trees.take import take_trees

__all__ = [
    "Certificate",
    "DecisionDiagram",
    "DistilledTreeClassifier",
    "EnsembleTreeClassifier",
    "EquivalentTree",
    "HistTreeClassifier",
    "HistTreeRegressor",
    "LeavesNeeded",
    "MergedTree",
    "MergedTreeClassifier",
    "MergedTreeRegressor",
    "PrunedTreeClassifier",
    "Rule",
    "RuleList",
    "RuleMergeClassifier",
    "SimilarMember",
    "Tree",
    "TreeEnsemble",
    "apply",
    "as_sklearn",
    "certify",
    "cost_complexity_path",
    "equivalent_diagram",
    "equivalent_tree",
    "from_sklearn",
    "graft",
    "leaf_boxes",
    "leaves_needed",
    "mean_tree",
    "merge_trees",
    "most_similar_member",
    "prune",
    "refine_leaves",
    "relabel",
    "restrict",
    "same_function",
    "simplify",
    "take_trees",
    "tree_rules",
]
