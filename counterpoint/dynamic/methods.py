"""The competences that have a short name; a new one is one line here."""

from counterpoint.dynamic import competence, meta, populations, potential

COMPETENCES: dict[str, type[competence.Competence]] = {
    "ola": competence.OverallLocalAccuracy,
    "lca": competence.ClassLocalAccuracy,
    "knora-e": competence.KnoraEliminate,
    "knora-u": competence.KnoraUnion,
    "des-p": competence.BetterThanChance,
    "meta-des": meta.MetaLearned,
    "rrc": potential.RandomReference,
    "des-kl": potential.DivergenceFromChance,
    "confidence": competence.Confidence,
    "margin": competence.Margin,
    "ensemble-margin": populations.EnsembleMargin,
}
