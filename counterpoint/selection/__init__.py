"""Choosing members of a pool: criteria, orders and searches."""

from counterpoint.selection.criteria import (
    CombinedError,
    Criterion,
    DiverseLoss,
    Diversity,
    LogLoss,
    ScorerCriterion,
    SquaredError,
    VoteError,
    WeightedSum,
    as_criterion,
)
from counterpoint.selection.ensemble import EnsembleSelectionClassifier, EnsembleSelectionRegressor
from counterpoint.selection.evolved import EvolvedEnsembleClassifier
from counterpoint.selection.genetic import pareto_front, select_genetic
from counterpoint.selection.greedy import GreedyMeanCombiner, bagged_weights
from counterpoint.selection.ordering import (
    order_by_complementarity,
    order_by_error,
    order_by_kappa,
    order_by_margin_distance,
)
from counterpoint.selection.ranks import RankComparison, compare_ranks
from counterpoint.selection.registry import SEARCHES
from counterpoint.selection.search import (
    select_all,
    select_backward,
    select_by_order,
    select_exhaustive,
    select_floating,
    select_forward,
)
from counterpoint.selection.thinning import select_thinning
from counterpoint.selection.trace import Trace

__all__ = [
    "SEARCHES",
    "CombinedError",
    "Criterion",
    "DiverseLoss",
    "Diversity",
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "EvolvedEnsembleClassifier",
    "GreedyMeanCombiner",
    "LogLoss",
    "RankComparison",
    "ScorerCriterion",
    "SquaredError",
    "Trace",
    "VoteError",
    "WeightedSum",
    "as_criterion",
    "bagged_weights",
    "compare_ranks",
    "order_by_complementarity",
    "order_by_error",
    "order_by_kappa",
    "order_by_margin_distance",
    "pareto_front",
    "select_all",
    "select_backward",
    "select_by_order",
    "select_exhaustive",
    "select_floating",
    "select_forward",
    "select_genetic",
    "select_thinning",
]
