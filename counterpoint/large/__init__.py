"""Larger than memory, more than one machine: the same estimators and measures, more rows.

Rows lie in files or on other machines, and nothing but sums of them comes together. Sums are exact,
or taken in one order, so that results are the same at any number of parts and workers.
"""

from counterpoint.large.asking import predict, write_outputs
from counterpoint.large.backend import run_on
from counterpoint.large.bagging import BaggedTreesClassifier
from counterpoint.large.measuring import count_outputs, measure, sample_outputs
from counterpoint.large.sources import open_parts
from counterpoint.large.store import BinnedStore
from counterpoint.large.training import TAKES_STORES, fit_on_store

__all__ = [
    "TAKES_STORES",
    "BaggedTreesClassifier",
    "BinnedStore",
    "count_outputs",
    "fit_on_store",
    "measure",
    "open_parts",
    "predict",
    "run_on",
    "sample_outputs",
    "write_outputs",
]
