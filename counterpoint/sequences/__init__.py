"""Sequences of events: histories, hidden Markov models, rankings."""

from counterpoint.sequences.classifier import HMMClassifier, HMMPairClassifier
from counterpoint.sequences.hmm import MixtureHMM

__all__ = ["HMMClassifier", "HMMPairClassifier", "MixtureHMM"]
