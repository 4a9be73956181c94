"""Sequences of events: histories, hidden Markov models, rankings."""

from typing import TYPE_CHECKING

from counterpoint._doors import door

# Not behind the door: a function has the name of its module, which would take its place.
from counterpoint.sequences.histories import Histories, histories, latest_histories

_HOMES = {
    "discrete": ("DiscreteHMM",),
    "events": ("EventLog",),
    "hmm": ("MixtureHMM",),
    "hmm_classifier": ("HMMClassifier", "HMMPairClassifier"),
    "horizon": ("relevance_horizon",),
    "lift": (
        "Cutoff",
        "choose_cutoff",
        "lift_at",
        "lift_curve",
        "lift_g",
        "lift_rates",
        "lift_scorer",
    ),
    "representation": ("RecentEventsTransformer",),
    "risk": ("AtRisk", "find_at_risk"),
    "simulation": ("ChurnEvents", "make_churn_events"),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)
__all__ += ["Histories", "histories", "latest_histories"]

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.sequences.discrete import DiscreteHMM as DiscreteHMM
    from counterpoint.sequences.events import EventLog as EventLog
    from counterpoint.sequences.hmm import MixtureHMM as MixtureHMM
    from counterpoint.sequences.hmm_classifier import HMMClassifier as HMMClassifier
    from counterpoint.sequences.hmm_classifier import HMMPairClassifier as HMMPairClassifier
    from counterpoint.sequences.horizon import relevance_horizon as relevance_horizon
    from counterpoint.sequences.lift import Cutoff as Cutoff
    from counterpoint.sequences.lift import choose_cutoff as choose_cutoff
    from counterpoint.sequences.lift import lift_at as lift_at
    from counterpoint.sequences.lift import lift_curve as lift_curve
    from counterpoint.sequences.lift import lift_g as lift_g
    from counterpoint.sequences.lift import lift_rates as lift_rates
    from counterpoint.sequences.lift import lift_scorer as lift_scorer
    from counterpoint.sequences.representation import (
        RecentEventsTransformer as RecentEventsTransformer,
    )
    from counterpoint.sequences.risk import AtRisk as AtRisk
    from counterpoint.sequences.risk import find_at_risk as find_at_risk
    from counterpoint.sequences.simulation import ChurnEvents as ChurnEvents
    from counterpoint.sequences.simulation import make_churn_events as make_churn_events
