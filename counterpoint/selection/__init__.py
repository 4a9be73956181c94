"""Choosing members of a pool: criteria, orders and searches."""

from counterpoint.selection._trace import Trace
from counterpoint.selection.criteria import (
    CombinedError,
    Criterion,
    Diversity,
    ScorerCriterion,
    VoteError,
    WeightedSum,
    as_criterion,
)
from counterpoint.selection.estimator import EnsembleSelectionClassifier
from counterpoint.selection.evolved import EvolvedEnsembleClassifier
from counterpoint.selection.genetic import pareto_front, select_genetic
from counterpoint.selection.ordering import (
    order_by_complementarity,
    order_by_error,
    order_by_kappa,
    order_by_margin_distance,
)
from counterpoint.selection.ranks import RankComparison, compare_ranks
from counterpoint.selection.regression import EnsembleSelectionRegressor
from counterpoint.selection.search import (
    select_backward,
    select_by_order,
    select_exhaustive,
    select_floating,
    select_forward,
)
from counterpoint.selection.thinning import select_thinning

__all__ = [
    "CombinedError",
    "Criterion",
    "Diversity",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "EvolvedEnsembleClassifier",
    "RankComparison",
    "ScorerCriterion",
    "Trace",
    "VoteError",
    "WeightedSum",
    "as_criterion",
    "compare_ranks",
    "order_by_complementarity",
    "order_by_error",
    "order_by_kappa",
    "order_by_margin_distance",
    "pareto_front",
    "select_backward",
    "select_by_order",
    "select_exhaustive",
    "select_floating",
    "select_forward",
    "select_genetic",
    "select_thinning",
]
