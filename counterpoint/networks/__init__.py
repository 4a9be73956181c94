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

from counterpoint.networks.averaging import AveragedNetworkClassifier
from counterpoint.networks.constructive import ConstructiveNetworkClassifier
from counterpoint.networks.coupling import Coupling, register_coupling
from counterpoint.networks.evolution import EPNetClassifier, EvolutionaryEnsembleClassifier
from counterpoint.networks.experts import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from counterpoint.networks.genetic import AddemupClassifier
from counterpoint.networks.nccd import NCCDClassifier, NCCDRegressor
from counterpoint.networks.negative_correlation import (
    NegativeCorrelationClassifier,
    NegativeCorrelationRegressor,
)

__all__ = [
    "AddemupClassifier",
    "AveragedNetworkClassifier",
    "ConstructiveNetworkClassifier",
    "Coupling",
    "EPNetClassifier",
    "EvolutionaryEnsembleClassifier",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "NCCDClassifier",
    "NCCDRegressor",
    "NegativeCorrelationClassifier",
    "NegativeCorrelationRegressor",
    "register_coupling",
]
