"""The classifier and the regressor that use all the rest: overproduce, then select."""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "number_pool": ("default_number_pool",),
    "overproduce": ("OverproduceSelectClassifier",),
    "pool": (
        "Candidate",
        "default_pool",
    ),
    "regressor": ("OverproduceSelectRegressor",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.auto.number_pool import default_number_pool as default_number_pool
    from counterpoint.auto.overproduce import (
        OverproduceSelectClassifier as OverproduceSelectClassifier,
    )
    from counterpoint.auto.pool import Candidate as Candidate
    from counterpoint.auto.pool import default_pool as default_pool
    from counterpoint.auto.regressor import OverproduceSelectRegressor as OverproduceSelectRegressor
