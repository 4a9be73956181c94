"""Hyperboxes: boxes learned from samples, from the leaves of trees, or from mistakes.

============================== ===============================================================
``HyperboxClassifier``         GFMM, the general fuzzy min-max classifier
``HyperboxEnsembleClassifier`` a few boxes out of an ensemble of trees
``MergedHyperboxClassifier``   boxes of several GFMMs, merged into one
``MisclassificationBoxes``     where each member of an ensemble errs
``competence_regions``         the same, from what the members said
============================== ===============================================================
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "ensemble": ("HyperboxEnsembleClassifier",),
    "gfmm": ("HyperboxClassifier",),
    "merged": ("MergedHyperboxClassifier",),
    "regions": (
        "MisclassificationBoxes",
        "competence_regions",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.hyperboxes.ensemble import (
        HyperboxEnsembleClassifier as HyperboxEnsembleClassifier,
    )
    from counterpoint.hyperboxes.gfmm import HyperboxClassifier as HyperboxClassifier
    from counterpoint.hyperboxes.merged import MergedHyperboxClassifier as MergedHyperboxClassifier
    from counterpoint.hyperboxes.regions import MisclassificationBoxes as MisclassificationBoxes
    from counterpoint.hyperboxes.regions import competence_regions as competence_regions
