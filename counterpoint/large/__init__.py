"""Larger than memory, more than one machine: the same estimators and measures, more rows.

Rows lie in files or on other machines, and nothing but sums of them comes together. Sums are exact,
or taken in one order, so that results are the same at any number of parts and workers.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "asking": (
        "predict",
        "write_outputs",
    ),
    "backend": ("run_on",),
    "bagging": ("BaggedTreesClassifier",),
    "measuring": (
        "count_outputs",
        "measure",
        "sample_outputs",
    ),
    "sources": ("open_parts",),
    "store": ("BinnedStore",),
    "training": (
        "TAKES_STORES",
        "fit_on_store",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.large.asking import predict as predict
    from counterpoint.large.asking import write_outputs as write_outputs
    from counterpoint.large.backend import run_on as run_on
    from counterpoint.large.bagging import BaggedTreesClassifier as BaggedTreesClassifier
    from counterpoint.large.measuring import count_outputs as count_outputs
    from counterpoint.large.measuring import measure as measure
    from counterpoint.large.measuring import sample_outputs as sample_outputs
    from counterpoint.large.sources import open_parts as open_parts
    from counterpoint.large.store import BinnedStore as BinnedStore
    from counterpoint.large.training import TAKES_STORES as TAKES_STORES
    from counterpoint.large.training import fit_on_store as fit_on_store
