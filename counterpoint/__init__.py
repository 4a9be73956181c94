"""counterpoint: ensembles whose members usefully disagree.

The front door. Sub-packages are imported when first used, so that
``import counterpoint`` costs next to nothing.

================== ==========================================================
``MemberOutputs``  what the members of any fitted ensemble said, as arrays
``PairCounts``     mergeable counts of who was right together
``base``           what every ensemble shares; derive your own from it
``boosting``       members trained one after another: AdaBoost.NC and its family
``trees``          fast trees, pruned trees, one readable tree out of many
``hyperboxes``     boxes learned from samples, from trees, or from mistakes
``networks``       members trained together: negative correlation learning and its kin
``views``          members that see different sides of the data
``subsets``        subsets of the space as weak models, and ensembles as kernels
``combiners``      from what the members say to one answer
``selection``      which members to keep
``dynamic``        whom to ask about this one query
``sequences``      event histories: hidden Markov models, lift, churn
``auto``           all of it in one classifier
``diversity``      how members disagree: every measure, one table of them all
``decomposition``  why it matters: bias, variance, covariance, diversity
``datasets``       classic data sets, shipped, and generators with a known best error
``tabular``        tables in files: read, fit, compare, explain, keep; what the command does
``plots``          a Display for every result
``report``         a page that shows a fitted classifier
``claims``         sentences of the literature, run again by a rule
================== ==========================================================
"""

from importlib import import_module

__version__ = "0.1.0"

_SUBPACKAGES = (
    "auto",
    "base",
    "boosting",
    "claims",
    "combiners",
    "datasets",
    "decomposition",
    "diversity",
    "dynamic",
    "exceptions",
    "hyperboxes",
    "networks",
    "plots",
    "report",
    "selection",
    "sequences",
    "subsets",
    "tabular",
    "trees",
    "views",
)
_NAMES = {
    "MemberOutputs": "counterpoint._outputs",
    "PairCounts": "counterpoint._outputs",
    "member_predictions": "counterpoint._outputs",
}

__all__ = ["__version__", *_NAMES, *_SUBPACKAGES]


def __getattr__(name):
    if name in _SUBPACKAGES:
        return import_module(f"counterpoint.{name}")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'counterpoint' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
