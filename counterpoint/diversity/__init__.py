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

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "data": ("data_diversity",),
    "gain": (
        "Worth",
        "disagreement_error_ratio",
        "improvement_rate",
        "is_competent",
        "worth",
    ),
    "groupwise": (
        "coincidences",
        "coincident_failure_diversity",
        "difficulty",
        "entropy",
        "generalized_diversity",
        "interrater_kappa",
        "kohavi_wolpert_variance",
    ),
    "inputs": (
        "VoteSummary",
        "right_votes",
        "vote_summary",
    ),
    "joining": (
        "added_error",
        "vote_gains",
    ),
    "limits": (
        "c_bound",
        "first_order_bound",
        "forest_bound",
        "independent_vote_error",
        "strength_and_correlation",
        "tandem_bound",
        "variance_factor",
        "vote_error_limits",
    ),
    "margins": (
        "ambiguity",
        "ambiguity_size",
        "bad_diversity",
        "good_diversity",
        "margin_mean",
        "margin_min",
        "margin_spread",
        "member_error",
        "vote_error",
        "vote_margins",
    ),
    "measures": (
        "MEASURES",
        "Measure",
        "matrix",
        "profile",
        "trajectory",
    ),
    "pairwise": (
        "correlation",
        "covariance",
        "covariance_with_vote",
        "disagreement",
        "double_fault",
        "kappa",
        "kappa_error",
        "label_disagreement",
        "label_kappa",
        "mean_over_pairs",
        "q_statistic",
    ),
    "subsets": (
        "boosting_objective",
        "coverage",
        "coverage_spread",
        "enrichment",
        "enrichment_degree",
        "member_subsets",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.diversity.data import data_diversity as data_diversity
    from counterpoint.diversity.gain import Worth as Worth
    from counterpoint.diversity.gain import disagreement_error_ratio as disagreement_error_ratio
    from counterpoint.diversity.gain import improvement_rate as improvement_rate
    from counterpoint.diversity.gain import is_competent as is_competent
    from counterpoint.diversity.gain import worth as worth
    from counterpoint.diversity.groupwise import coincidences as coincidences
    from counterpoint.diversity.groupwise import (
        coincident_failure_diversity as coincident_failure_diversity,
    )
    from counterpoint.diversity.groupwise import difficulty as difficulty
    from counterpoint.diversity.groupwise import entropy as entropy
    from counterpoint.diversity.groupwise import generalized_diversity as generalized_diversity
    from counterpoint.diversity.groupwise import interrater_kappa as interrater_kappa
    from counterpoint.diversity.groupwise import kohavi_wolpert_variance as kohavi_wolpert_variance
    from counterpoint.diversity.inputs import VoteSummary as VoteSummary
    from counterpoint.diversity.inputs import right_votes as right_votes
    from counterpoint.diversity.inputs import vote_summary as vote_summary
    from counterpoint.diversity.joining import added_error as added_error
    from counterpoint.diversity.joining import vote_gains as vote_gains
    from counterpoint.diversity.limits import c_bound as c_bound
    from counterpoint.diversity.limits import first_order_bound as first_order_bound
    from counterpoint.diversity.limits import forest_bound as forest_bound
    from counterpoint.diversity.limits import independent_vote_error as independent_vote_error
    from counterpoint.diversity.limits import strength_and_correlation as strength_and_correlation
    from counterpoint.diversity.limits import tandem_bound as tandem_bound
    from counterpoint.diversity.limits import variance_factor as variance_factor
    from counterpoint.diversity.limits import vote_error_limits as vote_error_limits
    from counterpoint.diversity.margins import ambiguity as ambiguity
    from counterpoint.diversity.margins import ambiguity_size as ambiguity_size
    from counterpoint.diversity.margins import bad_diversity as bad_diversity
    from counterpoint.diversity.margins import good_diversity as good_diversity
    from counterpoint.diversity.margins import margin_mean as margin_mean
    from counterpoint.diversity.margins import margin_min as margin_min
    from counterpoint.diversity.margins import margin_spread as margin_spread
    from counterpoint.diversity.margins import member_error as member_error
    from counterpoint.diversity.margins import vote_error as vote_error
    from counterpoint.diversity.margins import vote_margins as vote_margins
    from counterpoint.diversity.measures import MEASURES as MEASURES
    from counterpoint.diversity.measures import Measure as Measure
    from counterpoint.diversity.measures import matrix as matrix
    from counterpoint.diversity.measures import profile as profile
    from counterpoint.diversity.measures import trajectory as trajectory
    from counterpoint.diversity.pairwise import correlation as correlation
    from counterpoint.diversity.pairwise import covariance as covariance
    from counterpoint.diversity.pairwise import covariance_with_vote as covariance_with_vote
    from counterpoint.diversity.pairwise import disagreement as disagreement
    from counterpoint.diversity.pairwise import double_fault as double_fault
    from counterpoint.diversity.pairwise import kappa as kappa
    from counterpoint.diversity.pairwise import kappa_error as kappa_error
    from counterpoint.diversity.pairwise import label_disagreement as label_disagreement
    from counterpoint.diversity.pairwise import label_kappa as label_kappa
    from counterpoint.diversity.pairwise import mean_over_pairs as mean_over_pairs
    from counterpoint.diversity.pairwise import q_statistic as q_statistic
    from counterpoint.diversity.subsets import boosting_objective as boosting_objective
    from counterpoint.diversity.subsets import coverage as coverage
    from counterpoint.diversity.subsets import coverage_spread as coverage_spread
    from counterpoint.diversity.subsets import enrichment as enrichment
    from counterpoint.diversity.subsets import enrichment_degree as enrichment_degree
    from counterpoint.diversity.subsets import member_subsets as member_subsets
