"""Why disagreement matters: the error of a model or an ensemble, split into parts.

Each function obeys one identity, exactly, for any finite set of trials:

============================= =========== =======================================================
function                      loss        identity
============================= =========== =======================================================
``bias_variance``             squared     error = noise + bias + variance
``bias_variance_covariance``  squared     error = noise + bias + variance/N + (1 - 1/N) covariance
``kohavi_wolpert``            zero-one    error = noise + bias + variance
``breiman``                   zero-one    error = noise + bias + variance
``james``                     zero-one    error = noise + systematic_effect + variance_effect
``domingos``                  zero-one    error = alpha1 noise + bias + alpha2 variance
``zero_one_diversity_effect`` zero-one    error = noise + bias_effect + variance_effect
                                          - diversity_effect
``bias_variance_diversity``   any Bregman error = noise + bias + variance - diversity
``ambiguity_decomposition``   any Bregman error = member_error - ambiguity
============================= =========== =======================================================

``decompose`` trains any scikit-learn estimator on resampled data and hands its outputs to
one of them. The identities of the Bregman losses hold for the ``centroid`` of the members.

For zero-one loss there is no clean decomposition: up to a change of variables only Bregman
losses have one (Heskes 2025). The zero-one functions are therefore named conventions. They
agree on the error and differ in what they call bias and variance, so tell which one you used.
"""

from counterpoint.decomposition.bregman import (
    AmbiguityParts,
    DiversityParts,
    ambiguity_decomposition,
    bias_variance_diversity,
)
from counterpoint.decomposition.driver import Decomposition, decompose
from counterpoint.decomposition.effects import EffectParts, zero_one_diversity_effect
from counterpoint.decomposition.losses import LOSSES, BregmanLoss, centroid
from counterpoint.decomposition.parts import Parts
from counterpoint.decomposition.squared import (
    BiasVarianceParts,
    CovarianceParts,
    bias_variance,
    bias_variance_covariance,
)
from counterpoint.decomposition.zero_one import (
    BreimanParts,
    DomingosParts,
    JamesParts,
    KohaviWolpertParts,
    breiman,
    domingos,
    james,
    kohavi_wolpert,
)

__all__ = [
    "LOSSES",
    "AmbiguityParts",
    "BiasVarianceParts",
    "BregmanLoss",
    "BreimanParts",
    "CovarianceParts",
    "Decomposition",
    "DiversityParts",
    "DomingosParts",
    "EffectParts",
    "JamesParts",
    "KohaviWolpertParts",
    "Parts",
    "ambiguity_decomposition",
    "bias_variance",
    "bias_variance_covariance",
    "bias_variance_diversity",
    "breiman",
    "centroid",
    "decompose",
    "domingos",
    "james",
    "kohavi_wolpert",
    "zero_one_diversity_effect",
]
