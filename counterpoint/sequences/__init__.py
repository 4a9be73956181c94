"""Sequences of events: histories, hidden Markov models, rankings."""

from counterpoint.sequences.discrete import DiscreteHMM
from counterpoint.sequences.events import EventLog
from counterpoint.sequences.histories import Histories, histories, latest_histories
from counterpoint.sequences.hmm import MixtureHMM
from counterpoint.sequences.hmm_classifier import HMMClassifier, HMMPairClassifier
from counterpoint.sequences.horizon import relevance_horizon
from counterpoint.sequences.lift import (
    Cutoff,
    choose_cutoff,
    lift_at,
    lift_curve,
    lift_g,
    lift_rates,
    lift_scorer,
)
from counterpoint.sequences.representation import RecentEventsTransformer
from counterpoint.sequences.risk import AtRisk, find_at_risk
from counterpoint.sequences.simulation import ChurnEvents, make_churn_events

__all__ = [
    "AtRisk",
    "ChurnEvents",
    "Cutoff",
    "DiscreteHMM",
    "EventLog",
    "HMMClassifier",
    "HMMPairClassifier",
    "Histories",
    "MixtureHMM",
    "RecentEventsTransformer",
    "choose_cutoff",
    "find_at_risk",
    "histories",
    "latest_histories",
    "lift_at",
    "lift_curve",
    "lift_g",
    "lift_rates",
    "lift_scorer",
    "make_churn_events",
    "relevance_horizon",
]
