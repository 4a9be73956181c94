"""The competences that have a short name; a new one is one line here."""

from counterpoint.dynamic.competence import (
    BetterThanChance,
    ClassLocalAccuracy,
    Competence,
    Confidence,
    KnoraEliminate,
    KnoraUnion,
    Margin,
    OverallLocalAccuracy,
)
from counterpoint.dynamic.meta import MetaLearned
from counterpoint.dynamic.populations import EnsembleMargin
from counterpoint.dynamic.potential import DivergenceFromChance, RandomReference

COMPETENCES: dict[str, type[Competence]] = {
    "ola": OverallLocalAccuracy,
    "lca": ClassLocalAccuracy,
    "knora-e": KnoraEliminate,
    "knora-u": KnoraUnion,
    "des-p": BetterThanChance,
    "meta-des": MetaLearned,
    "rrc": RandomReference,
    "des-kl": DivergenceFromChance,
    "confidence": Confidence,
    "margin": Margin,
    "ensemble-margin": EnsembleMargin,
}
