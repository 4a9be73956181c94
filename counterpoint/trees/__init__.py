"""Trees: grown, kept as plain arrays, pruned, merged, melted into one, and read as rules."""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "algebra": (
        "apply",
        "graft",
        "relabel",
        "restrict",
        "simplify",
    ),
    "boxes": ("leaf_boxes",),
    "compare": ("same_function",),
    "convert": (
        "as_sklearn",
        "from_sklearn",
    ),
    "diagrams.equivalent": ("equivalent_diagram",),
    "diagrams.structure": ("DecisionDiagram",),
    "distilling.estimator": ("DistilledTreeClassifier",),
    "distilling.similar": (
        "SimilarMember",
        "most_similar_member",
    ),
    "ensemble": ("TreeEnsemble",),
    "equivalent.certificate": (
        "Certificate",
        "certify",
    ),
    "equivalent.estimator": ("EnsembleTreeClassifier",),
    "equivalent.melt": (
        "EquivalentTree",
        "equivalent_tree",
    ),
    "equivalent.needed": (
        "LeavesNeeded",
        "leaves_needed",
    ),
    "growing.hist": (
        "HistTreeClassifier",
        "HistTreeRegressor",
    ),
    "growing.pruned": ("PrunedTreeClassifier",),
    "merging.estimator": ("MergedTreeClassifier",),
    "merging.merge": (
        "MergedTree",
        "merge_trees",
    ),
    "merging.regressor": ("MergedTreeRegressor",),
    "merging.summing": ("mean_tree",),
    "pruning.paths": ("cost_complexity_path",),
    "pruning.prune": ("prune",),
    "refine": ("refine_leaves",),
    "rules.estimator": ("RuleMergeClassifier",),
    "rules.rule": (
        "Rule",
        "RuleList",
        "tree_rules",
    ),
    "structure": ("Tree",),
    "take": ("take_trees",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.trees.algebra import apply as apply
    from counterpoint.trees.algebra import graft as graft
    from counterpoint.trees.algebra import relabel as relabel
    from counterpoint.trees.algebra import restrict as restrict
    from counterpoint.trees.algebra import simplify as simplify
    from counterpoint.trees.boxes import leaf_boxes as leaf_boxes
    from counterpoint.trees.compare import same_function as same_function
    from counterpoint.trees.convert import as_sklearn as as_sklearn
    from counterpoint.trees.convert import from_sklearn as from_sklearn
    from counterpoint.trees.diagrams.equivalent import equivalent_diagram as equivalent_diagram
    from counterpoint.trees.diagrams.structure import DecisionDiagram as DecisionDiagram
    from counterpoint.trees.distilling.estimator import (
        DistilledTreeClassifier as DistilledTreeClassifier,
    )
    from counterpoint.trees.distilling.similar import SimilarMember as SimilarMember
    from counterpoint.trees.distilling.similar import most_similar_member as most_similar_member
    from counterpoint.trees.ensemble import TreeEnsemble as TreeEnsemble
    from counterpoint.trees.equivalent.certificate import Certificate as Certificate
    from counterpoint.trees.equivalent.certificate import certify as certify
    from counterpoint.trees.equivalent.estimator import (
        EnsembleTreeClassifier as EnsembleTreeClassifier,
    )
    from counterpoint.trees.equivalent.melt import EquivalentTree as EquivalentTree
    from counterpoint.trees.equivalent.melt import equivalent_tree as equivalent_tree
    from counterpoint.trees.equivalent.needed import LeavesNeeded as LeavesNeeded
    from counterpoint.trees.equivalent.needed import leaves_needed as leaves_needed
    from counterpoint.trees.growing.hist import HistTreeClassifier as HistTreeClassifier
    from counterpoint.trees.growing.hist import HistTreeRegressor as HistTreeRegressor
    from counterpoint.trees.growing.pruned import PrunedTreeClassifier as PrunedTreeClassifier
    from counterpoint.trees.merging.estimator import MergedTreeClassifier as MergedTreeClassifier
    from counterpoint.trees.merging.merge import MergedTree as MergedTree
    from counterpoint.trees.merging.merge import merge_trees as merge_trees
    from counterpoint.trees.merging.regressor import MergedTreeRegressor as MergedTreeRegressor
    from counterpoint.trees.merging.summing import mean_tree as mean_tree
    from counterpoint.trees.pruning.paths import cost_complexity_path as cost_complexity_path
    from counterpoint.trees.pruning.prune import prune as prune
    from counterpoint.trees.refine import refine_leaves as refine_leaves
    from counterpoint.trees.rules.estimator import RuleMergeClassifier as RuleMergeClassifier
    from counterpoint.trees.rules.rule import Rule as Rule
    from counterpoint.trees.rules.rule import RuleList as RuleList
    from counterpoint.trees.rules.rule import tree_rules as tree_rules
    from counterpoint.trees.structure import Tree as Tree
    from counterpoint.trees.take import take_trees as take_trees
