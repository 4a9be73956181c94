"""From what the members say to one answer."""

from counterpoint.combiners._base import Combiner
from counterpoint.combiners.combined import CombinedClassifier
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
from counterpoint.combiners.ranks import combine_ranks, rank_scores
from counterpoint.combiners.templates import DecisionTemplatesCombiner, StackingCombiner
from counterpoint.combiners.weighted import WeightedMeanCombiner, WeightedVoteCombiner

__all__ = [
    "ChoquetCombiner",
    "CombinedClassifier",
    "Combiner",
    "DecisionTemplatesCombiner",
    "GeneralizedMeanCombiner",
    "GeometricMeanCombiner",
    "MaxCombiner",
    "MeanCombiner",
    "MedianCombiner",
    "MinCombiner",
    "ProductCombiner",
    "StackingCombiner",
    "SugenoCombiner",
    "VoteCombiner",
    "WeightedMeanCombiner",
    "WeightedVoteCombiner",
    "combine_ranks",
    "fuzzy_lambda",
    "rank_scores",
]
