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

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "bregman": (
        "AmbiguityParts",
        "DiversityParts",
        "ambiguity_decomposition",
        "bias_variance_diversity",
    ),
    "driver": (
        "Decomposition",
        "decompose",
    ),
    "effects": (
        "EffectParts",
        "zero_one_diversity_effect",
    ),
    "losses": (
        "BregmanLoss",
        "LOSSES",
        "centroid",
    ),
    "parts": ("Parts",),
    "squared": (
        "BiasVarianceParts",
        "CovarianceParts",
        "bias_variance",
        "bias_variance_covariance",
    ),
    "zero_one": (
        "BreimanParts",
        "DomingosParts",
        "JamesParts",
        "KohaviWolpertParts",
        "breiman",
        "domingos",
        "james",
        "kohavi_wolpert",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.decomposition.bregman import AmbiguityParts as AmbiguityParts
    from counterpoint.decomposition.bregman import DiversityParts as DiversityParts
    from counterpoint.decomposition.bregman import (
        ambiguity_decomposition as ambiguity_decomposition,
    )
    from counterpoint.decomposition.bregman import (
        bias_variance_diversity as bias_variance_diversity,
    )
    from counterpoint.decomposition.driver import Decomposition as Decomposition
    from counterpoint.decomposition.driver import decompose as decompose
    from counterpoint.decomposition.effects import EffectParts as EffectParts
    from counterpoint.decomposition.effects import (
        zero_one_diversity_effect as zero_one_diversity_effect,
    )
    from counterpoint.decomposition.losses import LOSSES as LOSSES
    from counterpoint.decomposition.losses import BregmanLoss as BregmanLoss
    from counterpoint.decomposition.losses import centroid as centroid
    from counterpoint.decomposition.parts import Parts as Parts
    from counterpoint.decomposition.squared import BiasVarianceParts as BiasVarianceParts
    from counterpoint.decomposition.squared import CovarianceParts as CovarianceParts
    from counterpoint.decomposition.squared import bias_variance as bias_variance
    from counterpoint.decomposition.squared import (
        bias_variance_covariance as bias_variance_covariance,
    )
    from counterpoint.decomposition.zero_one import BreimanParts as BreimanParts
    from counterpoint.decomposition.zero_one import DomingosParts as DomingosParts
    from counterpoint.decomposition.zero_one import JamesParts as JamesParts
    from counterpoint.decomposition.zero_one import KohaviWolpertParts as KohaviWolpertParts
    from counterpoint.decomposition.zero_one import breiman as breiman
    from counterpoint.decomposition.zero_one import domingos as domingos
    from counterpoint.decomposition.zero_one import james as james
    from counterpoint.decomposition.zero_one import kohavi_wolpert as kohavi_wolpert
