"""Hyperboxes: boxes learned from samples, from the leaves of trees, or from mistakes.

============================== ===============================================================
``HyperboxClassifier``         GFMM, the general fuzzy min-max classifier
``HyperboxEnsembleClassifier`` a few boxes out of an ensemble of trees
``MergedHyperboxClassifier``   boxes of several GFMMs, merged into one
``MisclassificationBoxes``     where each member of an ensemble errs
``competence_regions``         the same, from what the members said
============================== ===============================================================
"""

from counterpoint.hyperboxes.ensemble import HyperboxEnsembleClassifier
from counterpoint.hyperboxes.gfmm import HyperboxClassifier
from counterpoint.hyperboxes.merged import MergedHyperboxClassifier
from counterpoint.hyperboxes.regions import MisclassificationBoxes, competence_regions

__all__ = [
    "HyperboxClassifier",
    "HyperboxEnsembleClassifier",
    "MergedHyperboxClassifier",
    "MisclassificationBoxes",
    "competence_regions",
]
