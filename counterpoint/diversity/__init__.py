"""How the members of an ensemble disagree, and what that is worth.

``pairwise`` compares members two by two, ``groupwise`` all at once, ``margins`` looks at their
vote, ``limits`` says what a vote can reach, ``subsets`` speaks of coverage, ``data`` of the rows
themselves, ``joining`` of what each member adds, ``gain`` draws the conclusion. ``measures`` has
the one table of them all: ``MEASURES``, ``profile``, ``matrix``, ``trajectory``. ``inputs`` is what
a new measure reads.

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
    coincidences,
    coincident_failure_diversity,
    difficulty,
    entropy,
    generalized_diversity,
    interrater_kappa,
    kohavi_wolpert_variance,
)
from counterpoint.diversity.inputs import VoteSummary, right_votes, vote_summary
from counterpoint.diversity.joining import added_error, vote_gains
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
    covariance_with_vote,
    disagreement,
    double_fault,
    kappa,
    kappa_error,
    label_disagreement,
    label_kappa,
    mean_over_pairs,
    q_statistic,
)
from counterpoint.diversity.subsets import (
    boosting_objective,
    coverage,
    coverage_spread,
    enrichment,
    enrichment_degree,
    member_subsets,
)

__all__ = [
    "MEASURES",
    "Measure",
    "VoteSummary",
    "Worth",
    "added_error",
    "ambiguity",
    "ambiguity_size",
    "bad_diversity",
    "boosting_objective",
    "c_bound",
    "coincidences",
    "coincident_failure_diversity",
    "correlation",
    "covariance",
    "covariance_with_vote",
    "coverage",
    "coverage_spread",
    "data_diversity",
    "difficulty",
    "disagreement",
    "disagreement_error_ratio",
    "double_fault",
    "enrichment",
    "enrichment_degree",
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
    "mean_over_pairs",
    "member_error",
    "member_subsets",
    "profile",
    "q_statistic",
    "right_votes",
    "strength_and_correlation",
    "tandem_bound",
    "trajectory",
    "variance_factor",
    "vote_error",
    "vote_error_limits",
    "vote_gains",
    "vote_margins",
    "vote_summary",
    "worth",
]
