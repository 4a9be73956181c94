"""Choosing members anew for every query, by who can be trusted near it."""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "competence": (
        "BetterThanChance",
        "ClassLocalAccuracy",
        "Competence",
        "Confidence",
        "KnoraEliminate",
        "KnoraUnion",
        "Margin",
        "OverallLocalAccuracy",
        "Queries",
    ),
    "deciding": ("decide_dynamically",),
    "maps": (
        "CompetenceMap",
        "MappedCompetence",
    ),
    "meta": ("MetaLearned",),
    "methods": ("COMPETENCES",),
    "populations": ("EnsembleMargin",),
    "potential": (
        "DivergenceFromChance",
        "RandomReference",
    ),
    "regions": (
        "ClusterRegion",
        "LeafRegion",
        "NeighbourRegion",
        "Neighbourhoods",
        "Region",
    ),
    "regression": ("DynamicSelectionRegressor",),
    "selection": ("DynamicSelectionClassifier",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.dynamic.competence import BetterThanChance as BetterThanChance
    from counterpoint.dynamic.competence import ClassLocalAccuracy as ClassLocalAccuracy
    from counterpoint.dynamic.competence import Competence as Competence
    from counterpoint.dynamic.competence import Confidence as Confidence
    from counterpoint.dynamic.competence import KnoraEliminate as KnoraEliminate
    from counterpoint.dynamic.competence import KnoraUnion as KnoraUnion
    from counterpoint.dynamic.competence import Margin as Margin
    from counterpoint.dynamic.competence import OverallLocalAccuracy as OverallLocalAccuracy
    from counterpoint.dynamic.competence import Queries as Queries
    from counterpoint.dynamic.deciding import decide_dynamically as decide_dynamically
    from counterpoint.dynamic.maps import CompetenceMap as CompetenceMap
    from counterpoint.dynamic.maps import MappedCompetence as MappedCompetence
    from counterpoint.dynamic.meta import MetaLearned as MetaLearned
    from counterpoint.dynamic.methods import COMPETENCES as COMPETENCES
    from counterpoint.dynamic.populations import EnsembleMargin as EnsembleMargin
    from counterpoint.dynamic.potential import DivergenceFromChance as DivergenceFromChance
    from counterpoint.dynamic.potential import RandomReference as RandomReference
    from counterpoint.dynamic.regions import ClusterRegion as ClusterRegion
    from counterpoint.dynamic.regions import LeafRegion as LeafRegion
    from counterpoint.dynamic.regions import Neighbourhoods as Neighbourhoods
    from counterpoint.dynamic.regions import NeighbourRegion as NeighbourRegion
    from counterpoint.dynamic.regions import Region as Region
    from counterpoint.dynamic.regression import (
        DynamicSelectionRegressor as DynamicSelectionRegressor,
    )
    from counterpoint.dynamic.selection import (
        DynamicSelectionClassifier as DynamicSelectionClassifier,
    )
