"""ADDEMUP, a genetic search for networks that are right and disagree.

The search itself is in ``_genetic.py``.
"""

import numpy as np

from counterpoint._validation import check_count, check_number
from counterpoint.combiners import MeanCombiner
from counterpoint.networks._genetic import Breeding
from counterpoint.networks.base import BaseNetworkClassifier, check_one_layer
from counterpoint.networks.structure import units

__all__ = ["AddemupClassifier"]


class AddemupClassifier(BaseNetworkClassifier):
    """ADDEMUP: breed networks that are accurate and differ from the ensemble they form.

    A population of networks is trained. In each generation children are made by exchanging
    hidden units of two parents, and by mutation; they are trained with more weight on rows the
    ensemble gets wrong, and join. The fittest stay, by

        fitness = accuracy + lambda * diversity,

    where the diversity of a network is its mean squared distance to the ensemble, and both are
    scaled to [0, 1] over the population. Lambda adapts: it stays while the ensemble gets better,
    rises by a tenth if members get no worse but less diverse, falls by a tenth if they get worse
    but no less diverse. Members speak with weights ``(1 - error) / sum of (1 - error)``.

    Parameters
    ----------
    n_estimators : int, default=10
        Size of the population, which is the ensemble.
    hidden_layer_sizes : int or tuple of one int, default=(8,)
        Mean number of hidden units in the first population: H makes networks of 1 to ``2 H - 1``.
        There is one hidden layer.
    max_hidden : int or None, default=None
        Most hidden units of a child; None is four times those of ``hidden_layer_sizes``.
    n_generations : int, default=6
    n_children : int, default=10
        New networks per generation.
    lam : float, default=1.0
        Lambda, the weight of diversity in the fitness, to start from. As elsewhere it is what
        members are paid for differing; here it decides who stays, not how they are trained.
    mutation_rate : float in [0, 1], default=0.5
        Chance that a child loses a hidden unit or gets a new one.
    max_epochs : int, default=40
        Epochs a new network is trained for.
    learning_rate : float, default=0.05
        Of Adam.
    batch_size : int or None, default=256
        Rows in a step; None takes all.
    validation_fraction : float in [0, 1) or None, default=0.2
        Rows held out, the same fraction of each class: fitness, weights of members and the
        best generation are found on them. None or 0: training rows stand in.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds everything.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : Networks
        The population of least loss on held-out rows that errs there no more than the first.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Add up to 1.
    combiner_ : Combiner
        The mean with these weights.
    n_hidden_ : ndarray of shape (n_estimators,)
        Hidden units of each.
    history_ : DataFrame
        Per generation, the first population included: ``lam``, ``valid_error``, ``valid_loss``,
        ``member_error`` and ``diversity`` (means over the population, held-out rows),
        ``n_new`` (children that stayed), ``n_hidden`` (mean).
    best_epoch_ : int
        The generation kept.
    held_out_ : ndarray of bool of shape (n_samples,)
    stop_reason_ : {"complete", "interrupted"}

    Notes
    -----
    Follows [1]_. A row's weight in training children is ``(|t - o| / E) ** (lambda / (1 +
    lambda))``, o being the ensemble's output and E its mean absolute error. Departures: this
    weight is taken over all outputs of a row rather than for each; networks have softmax
    outputs and learn cross-entropy by Adam; mutation adds or drops single units and knows no
    domain theory; and the best generation is returned instead of the last.

    References
    ----------
    .. [1] D. Opitz and J. Shavlik, "Actively searching for an effective neural-network
       ensemble", Connection Science 8, 1996.
    .. [2] M. Eastwood, PhD thesis, Bournemouth University, 2010, section 2.4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.genetic import AddemupClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = AddemupClassifier(n_generations=2, random_state=0).fit(X, y)
    >>> bool(ensemble.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_estimators=10,
        *,
        hidden_layer_sizes=(8,),
        max_hidden=None,
        n_generations=6,
        n_children=10,
        lam=1.0,
        mutation_rate=0.5,
        max_epochs=40,
        learning_rate=0.05,
        batch_size=256,
        validation_fraction=0.2,
        progress=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.max_hidden = max_hidden
        self.n_generations = n_generations
        self.n_children = n_children
        self.lam = lam
        self.mutation_rate = mutation_rate
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.progress = progress
        self.random_state = random_state

    def _fit(self, rows, valid, rng):
        breeding = Breeding(self, rows, valid, rng)
        state = self._search(breeding, self.n_generations, "Breeding networks")
        self.networks_, self.estimator_weights_, self.best_epoch_ = state
        self.n_hidden_ = units(self.networks_).sum(axis=1)

    @property
    def combiner_(self):
        """The weighted mean of all networks."""
        return MeanCombiner(self.estimator_weights_)

    def _combine(self, outputs):
        return np.tensordot(self.estimator_weights_, outputs, axes=1)

    def _check_options(self):
        for name in ("n_estimators", "n_children", "max_epochs"):
            check_count(getattr(self, name), name)
        check_one_layer(self.hidden_layer_sizes, "hidden_layer_sizes")
        check_count(self.n_generations, "n_generations", low=0)
        if self.max_hidden is not None:
            check_count(self.max_hidden, "max_hidden", hint=", or None")
        check_number(self.lam, "lam", low=0)
        check_number(self.mutation_rate, "mutation_rate", low=0, high=1)
        self._check_training()
