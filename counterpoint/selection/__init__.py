"""Choosing members of a pool: criteria, orders and searches."""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "criteria": (
        "CombinedError",
        "Criterion",
        "DiverseLoss",
        "Diversity",
        "LogLoss",
        "ScorerCriterion",
        "SquaredError",
        "VoteError",
        "WeightedSum",
        "as_criterion",
    ),
    "ensemble": (
        "EnsembleSelectionClassifier",
        "EnsembleSelectionRegressor",
    ),
    "evolved": ("EvolvedEnsembleClassifier",),
    "genetic": (
        "pareto_front",
        "select_genetic",
    ),
    "greedy": (
        "GreedyMeanCombiner",
        "bagged_weights",
    ),
    "ordering": (
        "order_by_complementarity",
        "order_by_error",
        "order_by_kappa",
        "order_by_margin_distance",
    ),
    "ranks": (
        "RankComparison",
        "compare_ranks",
    ),
    "registry": ("SEARCHES",),
    "search": (
        "select_all",
        "select_backward",
        "select_by_order",
        "select_exhaustive",
        "select_floating",
        "select_forward",
    ),
    "thinning": ("select_thinning",),
    "trace": ("Trace",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.selection.criteria import CombinedError as CombinedError
    from counterpoint.selection.criteria import Criterion as Criterion
    from counterpoint.selection.criteria import DiverseLoss as DiverseLoss
    from counterpoint.selection.criteria import Diversity as Diversity
    from counterpoint.selection.criteria import LogLoss as LogLoss
    from counterpoint.selection.criteria import ScorerCriterion as ScorerCriterion
    from counterpoint.selection.criteria import SquaredError as SquaredError
    from counterpoint.selection.criteria import VoteError as VoteError
    from counterpoint.selection.criteria import WeightedSum as WeightedSum
    from counterpoint.selection.criteria import as_criterion as as_criterion
    from counterpoint.selection.ensemble import (
        EnsembleSelectionClassifier as EnsembleSelectionClassifier,
    )
    from counterpoint.selection.ensemble import (
        EnsembleSelectionRegressor as EnsembleSelectionRegressor,
    )
    from counterpoint.selection.evolved import (
        EvolvedEnsembleClassifier as EvolvedEnsembleClassifier,
    )
    from counterpoint.selection.genetic import pareto_front as pareto_front
    from counterpoint.selection.genetic import select_genetic as select_genetic
    from counterpoint.selection.greedy import GreedyMeanCombiner as GreedyMeanCombiner
    from counterpoint.selection.greedy import bagged_weights as bagged_weights
    from counterpoint.selection.ordering import order_by_complementarity as order_by_complementarity
    from counterpoint.selection.ordering import order_by_error as order_by_error
    from counterpoint.selection.ordering import order_by_kappa as order_by_kappa
    from counterpoint.selection.ordering import order_by_margin_distance as order_by_margin_distance
    from counterpoint.selection.ranks import RankComparison as RankComparison
    from counterpoint.selection.ranks import compare_ranks as compare_ranks
    from counterpoint.selection.registry import SEARCHES as SEARCHES
    from counterpoint.selection.search import select_all as select_all
    from counterpoint.selection.search import select_backward as select_backward
    from counterpoint.selection.search import select_by_order as select_by_order
    from counterpoint.selection.search import select_exhaustive as select_exhaustive
    from counterpoint.selection.search import select_floating as select_floating
    from counterpoint.selection.search import select_forward as select_forward
    from counterpoint.selection.thinning import select_thinning as select_thinning
    from counterpoint.selection.trace import Trace as Trace
