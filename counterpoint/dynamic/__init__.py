"""Choosing members anew for every query, by who can be trusted near it."""

from counterpoint.dynamic.competence import (
    Batch,
    ClassLocalAccuracy,
    Competence,
    Confidence,
    KnoraEliminate,
    KnoraUnion,
    Margin,
    OverallLocalAccuracy,
)
from counterpoint.dynamic.regions import (
    ClusterRegion,
    LeafRegion,
    Neighbourhoods,
    NeighbourRegion,
    Region,
)
from counterpoint.dynamic.selection import DynamicSelectionClassifier

__all__ = [
    "Batch",
    "ClassLocalAccuracy",
    "ClusterRegion",
    "Competence",
    "Confidence",
    "DynamicSelectionClassifier",
    "KnoraEliminate",
    "KnoraUnion",
    "LeafRegion",
    "Margin",
    "NeighbourRegion",
    "Neighbourhoods",
    "OverallLocalAccuracy",
    "Region",
]
