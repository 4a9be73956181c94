"""From what the members say to one answer."""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "blend": ("BlendCombiner",),
    "class_weighted": ("ClassWeightedMeanCombiner",),
    "combined": ("CombinedClassifier",),
    "combiner": (
        "AdditiveCombiner",
        "Combiner",
    ),
    "contributions": (
        "growth",
        "member_contributions",
    ),
    "ensembles": (
        "StagedCombiner",
        "combiner_of",
    ),
    "fixed": (
        "GeneralizedMeanCombiner",
        "GeometricMeanCombiner",
        "MaxCombiner",
        "MeanCombiner",
        "MedianCombiner",
        "MinCombiner",
        "ProductCombiner",
        "VoteCombiner",
    ),
    "fuzzy": (
        "ChoquetCombiner",
        "SugenoCombiner",
        "fuzzy_lambda",
    ),
    "poll": ("Poll",),
    "ranks": (
        "combine_ranks",
        "rank_scores",
    ),
    "registry": ("COMBINERS",),
    "stacking": ("StackingCombiner",),
    "tempered": ("TemperedCombiner",),
    "templates": ("DecisionTemplatesCombiner",),
    "weighted": (
        "WeightedMeanCombiner",
        "WeightedVoteCombiner",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.combiners.blend import BlendCombiner as BlendCombiner
    from counterpoint.combiners.class_weighted import (
        ClassWeightedMeanCombiner as ClassWeightedMeanCombiner,
    )
    from counterpoint.combiners.combined import CombinedClassifier as CombinedClassifier
    from counterpoint.combiners.combiner import AdditiveCombiner as AdditiveCombiner
    from counterpoint.combiners.combiner import Combiner as Combiner
    from counterpoint.combiners.contributions import growth as growth
    from counterpoint.combiners.contributions import member_contributions as member_contributions
    from counterpoint.combiners.ensembles import StagedCombiner as StagedCombiner
    from counterpoint.combiners.ensembles import combiner_of as combiner_of
    from counterpoint.combiners.fixed import GeneralizedMeanCombiner as GeneralizedMeanCombiner
    from counterpoint.combiners.fixed import GeometricMeanCombiner as GeometricMeanCombiner
    from counterpoint.combiners.fixed import MaxCombiner as MaxCombiner
    from counterpoint.combiners.fixed import MeanCombiner as MeanCombiner
    from counterpoint.combiners.fixed import MedianCombiner as MedianCombiner
    from counterpoint.combiners.fixed import MinCombiner as MinCombiner
    from counterpoint.combiners.fixed import ProductCombiner as ProductCombiner
    from counterpoint.combiners.fixed import VoteCombiner as VoteCombiner
    from counterpoint.combiners.fuzzy import ChoquetCombiner as ChoquetCombiner
    from counterpoint.combiners.fuzzy import SugenoCombiner as SugenoCombiner
    from counterpoint.combiners.fuzzy import fuzzy_lambda as fuzzy_lambda
    from counterpoint.combiners.poll import Poll as Poll
    from counterpoint.combiners.ranks import combine_ranks as combine_ranks
    from counterpoint.combiners.ranks import rank_scores as rank_scores
    from counterpoint.combiners.registry import COMBINERS as COMBINERS
    from counterpoint.combiners.stacking import StackingCombiner as StackingCombiner
    from counterpoint.combiners.tempered import TemperedCombiner as TemperedCombiner
    from counterpoint.combiners.templates import (
        DecisionTemplatesCombiner as DecisionTemplatesCombiner,
    )
    from counterpoint.combiners.weighted import WeightedMeanCombiner as WeightedMeanCombiner
    from counterpoint.combiners.weighted import WeightedVoteCombiner as WeightedVoteCombiner
