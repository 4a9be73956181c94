"""counterpoint: ensembles whose members usefully disagree.

The front door. Sub-packages are imported when first used, so that
``import counterpoint`` costs next to nothing.

===================== ==========================================================
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
    "large",
    "networks",
    "plots",
    "report",
    "selection",
    "sequences",
    "studio",
    "subsets",
    "tabular",
    "trees",
    "trust",
    "views",
)
_NAMES = {
    "MemberOutputs": "counterpoint._outputs",
    "OutputCounts": "counterpoint._outputs",
    "PairCounts": "counterpoint._outputs",
    "MemberPredictions": "counterpoint._predictions",
    "member_predictions": "counterpoint._predictions",
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
