"""Choosing members anew for every query, by who can be trusted near it."""

from counterpoint.dynamic.competence import (
    BetterThanChance,
    ClassLocalAccuracy,
    Competence,
    Confidence,
    KnoraEliminate,
    KnoraUnion,
    Margin,
    OverallLocalAccuracy,
    Queries,
)
from counterpoint.dynamic.deciding import decide_dynamically
from counterpoint.dynamic.maps import CompetenceMap, MappedCompetence
from counterpoint.dynamic.meta import MetaLearned
from counterpoint.dynamic.methods import COMPETENCES
from counterpoint.dynamic.populations import EnsembleMargin
from counterpoint.dynamic.potential import DivergenceFromChance, RandomReference
from counterpoint.dynamic.regions import (
    ClusterRegion,
    LeafRegion,
    Neighbourhoods,
    NeighbourRegion,
    Region,
)
from counterpoint.dynamic.regression import DynamicSelectionRegressor
from counterpoint.dynamic.selection import DynamicSelectionClassifier

__all__ = [
    "COMPETENCES",
    "BetterThanChance",
    "ClassLocalAccuracy",
    "ClusterRegion",
    "Competence",
    "CompetenceMap",
    "Confidence",
    "DivergenceFromChance",
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "EnsembleMargin",
    "KnoraEliminate",
    "KnoraUnion",
    "LeafRegion",
    "MappedCompetence",
    "Margin",
    "MetaLearned",
    "NeighbourRegion",
    "Neighbourhoods",
    "OverallLocalAccuracy",
    "Queries",
    "RandomReference",
    "Region",
    "decide_dynamically",
]
