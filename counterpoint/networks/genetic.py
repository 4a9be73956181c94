"""N7: ADDEMUP, a genetic search for networks that are right and disagree.

The search itself is in ``_genetic.py``.
"""

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from counterpoint._progress import track
from counterpoint.networks._classify import BaseNetworkClassifier, check_count, check_number
from counterpoint.networks._genetic import Search
from counterpoint.networks._structure import units

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
    n_hidden : int, default=8
        Networks of the first population have 1 to ``2 * n_hidden - 1`` hidden units, so many on
        average.
    max_hidden : int or None, default=None
        Most hidden units of a child; None is ``4 * n_hidden``.
    n_generations : int, default=6
    n_children : int, default=10
        New networks per generation.
    lam : float, default=1.0
        Weight of diversity to start from.
    mutation_rate : float in [0, 1], default=0.5
        Chance that a child loses a hidden unit or gets a new one.
    epochs : int, default=40
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
    n_hidden_ : ndarray of shape (n_estimators,)
        Hidden units of each.
    history_ : DataFrame
        Per generation, the first population included: ``lam``, ``valid_error``, ``valid_loss``,
        ``member_error`` and ``diversity`` (means over the population, held-out rows),
        ``n_new`` (children that stayed), ``n_hidden`` (mean).
    best_generation_ : int
        The one kept.
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
    .. [2] Eastwood's thesis, section 2.4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.genetic import AddemupClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = AddemupClassifier(n_generations=2, random_state=0).fit(X, y)
    >>> bool(ensemble.score(X, y) > 0.9)
    True
    >>> ensemble.member_predict(X).shape
    (10, 150)
    """

    def __init__(
        self,
        n_estimators=10,
        *,
        n_hidden=8,
        max_hidden=None,
        n_generations=6,
        n_children=10,
        lam=1.0,
        mutation_rate=0.5,
        epochs=40,
        learning_rate=0.05,
        batch_size=256,
        validation_fraction=0.2,
        progress=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.n_hidden = n_hidden
        self.max_hidden = max_hidden
        self.n_generations = n_generations
        self.n_children = n_children
        self.lam = lam
        self.mutation_rate = mutation_rate
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.progress = progress
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Search for the ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 2 counts as two rows.

        Returns
        -------
        AddemupClassifier
        """
        self._check_options()
        rng = check_random_state(self.random_state)
        rows, held = self._take_in(X, y, sample_weight, rng)
        search = Search(self, rows, held, rng)
        self.stop_reason_ = "complete"
        steps = track(
            range(self.n_generations), description="Breeding networks", show=self.progress
        )
        try:
            for _ in steps:
                search.breed()
        except KeyboardInterrupt:
            self.stop_reason_ = "interrupted"
        self.networks_, self.estimator_weights_, self.best_generation_ = search.best.state
        self.n_hidden_ = units(self.networks_).sum(axis=1)
        self.history_ = pd.DataFrame(search.history)
        return self

    def _combined(self, outputs):
        return np.tensordot(self.estimator_weights_, outputs, axes=1)

    def _check_options(self):
        for name in ("n_estimators", "n_hidden", "n_children", "epochs"):
            check_count(name, getattr(self, name))
        check_count("n_generations", self.n_generations, 0)
        if self.max_hidden is not None:
            check_count("max_hidden", self.max_hidden)
        check_number("lam", self.lam, 0)
        check_number("mutation_rate", self.mutation_rate, 0, 1, open_high=False)
        self._check_training()
