"""What networks take from each other while they are trained: the couplings.

They are next door, in ``_coupling.py``, because boosters grown together use them, too; here are
their public names.
"""

from counterpoint._coupling import (
    COUPLINGS,
    CROSS_ENTROPY,
    LOSSES,
    ROOT_QUARTIC_STAR,
    Coupling,
    CrossEntropyMixture,
    NegativeCorrelation,
    RootQuartic,
    cross_entropy,
    find_coupling,
    pointwise_loss,
    register_coupling,
    through_output,
)
from counterpoint.networks.paired import PairedNegativeCorrelation

__all__ = [
    "COUPLINGS",
    "CROSS_ENTROPY",
    "LOSSES",
    "ROOT_QUARTIC_STAR",
    "Coupling",
    "CrossEntropyMixture",
    "NegativeCorrelation",
    "PairedNegativeCorrelation",
    "RootQuartic",
    "cross_entropy",
    "find_coupling",
    "pointwise_loss",
    "register_coupling",
    "through_output",
]
