"""How the members of an ensemble disagree, and what that is worth.

``pairwise`` (M1-M3) compares members two by two, ``groupwise`` (M4) all at once, ``margins``
(M5) looks at their vote, ``limits`` (M6, X3) says what a vote can reach, ``subsets`` (M7) speaks
of coverage, ``data`` (M8) of the rows themselves, ``gain`` (X2) draws the conclusion.
``measures`` has the one table of them all: ``MEASURES``, ``profile``, ``matrix``,
``trajectory``.

All take ``MemberOutputs``, or a plain array of right/wrong flags (n_members, n_samples); those
that need no single sample also take ``PairCounts`` merged over chunks. What is 0/0 is NaN, and
never enters a mean.
"""

from counterpoint.diversity.data import data_diversity
from counterpoint.diversity.gain import (
    Worth,
    disagreement_error_ratio,
    improvement_rate,
    is_competent,
    worth,
)
from counterpoint.diversity.groupwise import (
    coincident_failure_diversity,
    difficulty,
    entropy,
    generalized_diversity,
    interrater_kappa,
    kohavi_wolpert_variance,
)
from counterpoint.diversity.limits import (
    c_bound,
    first_order_bound,
    forest_bound,
    independent_vote_error,
    strength_and_correlation,
    tandem_bound,
    variance_factor,
    vote_error_limits,
)
from counterpoint.diversity.margins import (
    ambiguity,
    ambiguity_size,
    bad_diversity,
    good_diversity,
    margin_mean,
    margin_min,
    margin_spread,
    member_error,
    vote_error,
    vote_margins,
)
from counterpoint.diversity.measures import MEASURES, Measure, matrix, profile, trajectory
from counterpoint.diversity.pairwise import (
    correlation,
    covariance,
    disagreement,
    double_fault,
    ensemble_covariance,
    kappa,
    kappa_error,
    label_disagreement,
    label_kappa,
    q_statistic,
)
from counterpoint.diversity.subsets import (
    coverage,
    coverage_spread,
    enrichment,
    enrichment_degree,
    subsets_of,
)

__all__ = [
    "MEASURES",
    "Measure",
    "Worth",
    "ambiguity",
    "ambiguity_size",
    "bad_diversity",
    "c_bound",
    "coincident_failure_diversity",
    "correlation",
    "covariance",
    "coverage",
    "coverage_spread",
    "data_diversity",
    "difficulty",
    "disagreement",
    "disagreement_error_ratio",
    "double_fault",
    "enrichment",
    "enrichment_degree",
    "ensemble_covariance",
    "entropy",
    "first_order_bound",
    "forest_bound",
    "generalized_diversity",
    "good_diversity",
    "improvement_rate",
    "independent_vote_error",
    "interrater_kappa",
    "is_competent",
    "kappa",
    "kappa_error",
    "kohavi_wolpert_variance",
    "label_disagreement",
    "label_kappa",
    "margin_mean",
    "margin_min",
    "margin_spread",
    "matrix",
    "member_error",
    "profile",
    "q_statistic",
    "strength_and_correlation",
    "subsets_of",
    "tandem_bound",
    "trajectory",
    "variance_factor",
    "vote_error",
    "vote_error_limits",
    "vote_margins",
    "worth",
]
