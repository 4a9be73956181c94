"""From what the members say to one answer."""

from counterpoint.combiners.blend import BlendCombiner
from counterpoint.combiners.class_weighted import ClassWeightedMeanCombiner
from counterpoint.combiners.combined import CombinedClassifier
from counterpoint.combiners.combiner import AdditiveCombiner, Combiner
from counterpoint.combiners.contributions import growth, member_contributions
from counterpoint.combiners.ensembles import StagedCombiner, combiner_of
from counterpoint.combiners.fixed import (
    GeneralizedMeanCombiner,
    GeometricMeanCombiner,
    MaxCombiner,
    MeanCombiner,
    MedianCombiner,
    MinCombiner,
    ProductCombiner,
    VoteCombiner,
)
from counterpoint.combiners.fuzzy import ChoquetCombiner, SugenoCombiner, fuzzy_lambda
from counterpoint.combiners.poll import Poll
from counterpoint.combiners.ranks import combine_ranks, rank_scores
from counterpoint.combiners.registry import COMBINERS
from counterpoint.combiners.stacking import StackingCombiner
from counterpoint.combiners.tempered import TemperedCombiner
from counterpoint.combiners.templates import DecisionTemplatesCombiner
from counterpoint.combiners.weighted import WeightedMeanCombiner, WeightedVoteCombiner

__all__ = [
    "COMBINERS",
    "AdditiveCombiner",
    "BlendCombiner",
    "ChoquetCombiner",
    "ClassWeightedMeanCombiner",
    "CombinedClassifier",
    "Combiner",
    "DecisionTemplatesCombiner",
    "GeneralizedMeanCombiner",
    "GeometricMeanCombiner",
    "MaxCombiner",
    "MeanCombiner",
    "MedianCombiner",
    "MinCombiner",
    "Poll",
    "ProductCombiner",
    "StackingCombiner",
    "StagedCombiner",
    "SugenoCombiner",
    "TemperedCombiner",
    "VoteCombiner",
    "WeightedMeanCombiner",
    "WeightedVoteCombiner",
    "combine_ranks",
    "combiner_of",
    "fuzzy_lambda",
    "growth",
    "member_contributions",
    "rank_scores",
]
