"""The rules that have a short name; a new one is one line here."""

from typing import Any

from sklearn.base import clone

from counterpoint._validation import check_choice
from counterpoint.combiners import fixed
from counterpoint.combiners.class_weighted import ClassWeightedMeanCombiner
from counterpoint.combiners.combiner import Combiner
from counterpoint.combiners.fuzzy import ChoquetCombiner, SugenoCombiner
from counterpoint.combiners.stacking import StackingCombiner
from counterpoint.combiners.tempered import TemperedCombiner
from counterpoint.combiners.templates import DecisionTemplatesCombiner
from counterpoint.combiners.weighted import WeightedMeanCombiner, WeightedVoteCombiner

COMBINERS: dict[str, type[Combiner]] = {
    "vote": fixed.VoteCombiner,
    "mean": fixed.MeanCombiner,
    "median": fixed.MedianCombiner,
    "min": fixed.MinCombiner,
    "max": fixed.MaxCombiner,
    "product": fixed.ProductCombiner,
    "geometric-mean": fixed.GeometricMeanCombiner,
    "generalized-mean": fixed.GeneralizedMeanCombiner,
    "weighted-vote": WeightedVoteCombiner,
    "weighted-mean": WeightedMeanCombiner,
    "class-weighted-mean": ClassWeightedMeanCombiner,
    "sugeno": SugenoCombiner,
    "choquet": ChoquetCombiner,
    "templates": DecisionTemplatesCombiner,
    "stacking": StackingCombiner,
    "tempered": TemperedCombiner,
}


def as_combiner(given: Any) -> Combiner:
    """Return a copy of a rule, or the rule of that name, not fitted."""
    if isinstance(given, str):
        return COMBINERS[check_choice(given, "combiner", COMBINERS)]()
    if not isinstance(given, Combiner):
        raise TypeError(
            f"combiner is a {type(given).__name__}, expected a Combiner such as MeanCombiner() or "
            "StackingCombiner(SVC(probability=True)), or the name of one."
        )
    return clone(given)
