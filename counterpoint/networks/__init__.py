"""Networks trained together: negative correlation learning and its kin.

================================== ========================================================
``NegativeCorrelationClassifier``  N networks at once, paid for differing from their mean
``NCCDClassifier``                 the same through corrected targets, for any regressor
``MixtureOfExpertsClassifier``     experts, and a gate that says whom to ask
``ConstructiveNetworkClassifier``  hidden units and networks added as needed (CNNE)
``AddemupClassifier``              a genetic search for accurate and different networks
``EPNetClassifier``                evolved networks, structure and weights
``EvolutionaryEnsembleClassifier`` a whole population as an ensemble, weights by RLS
``AveragedNetworkClassifier``      perturbed copies averaged into one network
================================== ========================================================

The first three come as regressors too. For networks of your own see
``counterpoint.networks.torch``; for another way to pay members for differing subclass
:class:`Coupling` and ``register_coupling`` it.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "averaging": ("AveragedNetworkClassifier",),
    "constructive": ("ConstructiveNetworkClassifier",),
    "coupling": (
        "Coupling",
        "register_coupling",
    ),
    "evolution": (
        "EPNetClassifier",
        "EvolutionaryEnsembleClassifier",
    ),
    "experts": (
        "MixtureOfExpertsClassifier",
        "MixtureOfExpertsRegressor",
    ),
    "genetic": ("AddemupClassifier",),
    "nccd": (
        "NCCDClassifier",
        "NCCDRegressor",
    ),
    "negative_correlation": (
        "NegativeCorrelationClassifier",
        "NegativeCorrelationRegressor",
    ),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.networks.averaging import (
        AveragedNetworkClassifier as AveragedNetworkClassifier,
    )
    from counterpoint.networks.constructive import (
        ConstructiveNetworkClassifier as ConstructiveNetworkClassifier,
    )
    from counterpoint.networks.coupling import Coupling as Coupling
    from counterpoint.networks.coupling import register_coupling as register_coupling
    from counterpoint.networks.evolution import EPNetClassifier as EPNetClassifier
    from counterpoint.networks.evolution import (
        EvolutionaryEnsembleClassifier as EvolutionaryEnsembleClassifier,
    )
    from counterpoint.networks.experts import (
        MixtureOfExpertsClassifier as MixtureOfExpertsClassifier,
    )
    from counterpoint.networks.experts import MixtureOfExpertsRegressor as MixtureOfExpertsRegressor
    from counterpoint.networks.genetic import AddemupClassifier as AddemupClassifier
    from counterpoint.networks.nccd import NCCDClassifier as NCCDClassifier
    from counterpoint.networks.nccd import NCCDRegressor as NCCDRegressor
    from counterpoint.networks.negative_correlation import (
        NegativeCorrelationClassifier as NegativeCorrelationClassifier,
    )
    from counterpoint.networks.negative_correlation import (
        NegativeCorrelationRegressor as NegativeCorrelationRegressor,
    )
