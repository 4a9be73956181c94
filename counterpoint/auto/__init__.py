"""The classifier that uses all the rest: overproduce, then select."""

from counterpoint.auto.overproduce import OverproduceSelectClassifier
from counterpoint.auto.pool import Candidate, default_pool

__all__ = ["Candidate", "OverproduceSelectClassifier", "default_pool"]
