"""Sequences of events: histories, hidden Markov models, rankings."""

from counterpoint.sequences.classifier import HMMClassifier, HMMPairClassifier
from counterpoint.sequences.events import EventLog, Histories, histories
from counterpoint.sequences.hmm import MixtureHMM
from counterpoint.sequences.lift import (
    Cutoff,
    choose_cutoff,
    lift_at,
    lift_curve,
    lift_g,
    lift_rates,
)
from counterpoint.sequences.representation import RecentEventsTransformer
from counterpoint.sequences.simulate import ChurnEvents, make_churn_events

__all__ = [
    "ChurnEvents",
    "Cutoff",
    "EventLog",
    "HMMClassifier",
    "HMMPairClassifier",
    "Histories",
    "MixtureHMM",
    "RecentEventsTransformer",
    "choose_cutoff",
    "histories",
    "lift_at",
    "lift_curve",
    "lift_g",
    "lift_rates",
    "make_churn_events",
]
