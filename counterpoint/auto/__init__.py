"""The classifier and the regressor that use all the rest: overproduce, then select."""

from counterpoint.auto.number_pool import default_number_pool
from counterpoint.auto.overproduce import OverproduceSelectClassifier
from counterpoint.auto.pool import Candidate, default_pool
from counterpoint.auto.regressor import OverproduceSelectRegressor

__all__ = [
    "Candidate",
    "OverproduceSelectClassifier",
    "OverproduceSelectRegressor",
    "default_number_pool",
    "default_pool",
]
