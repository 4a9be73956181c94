"""EPNet, networks that evolve in weights and structure, and ensembles of what evolved."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._typing import DataLike, Seed, Target
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.combiners import VoteCombiner
from counterpoint.combiners.combiner import Combiner
from counterpoint.networks._evolution import COMBINATIONS, Evolution, LinearCombiner, combined
from counterpoint.networks.base import BaseNetworkClassifier, check_one_layer
from counterpoint.networks.structure import n_connections, units


class EPNetClassifier(BaseNetworkClassifier):
    """EPNet: evolve networks, weights and structure together, and answer with the best one.

    In each generation a parent is picked by rank. If training helped it last time, it is trained
    further. Otherwise simulated annealing tries to get it out of where it is. If that fails, its
    structure changes, deletion first: hidden units dropped at random, then connections by an
    importance test, each kept if the child, trained a little, is better than the worst of the
    population; else connections are added by the same test or a hidden unit is split, whichever
    is better. Small networks are so preferred.

    Parameters
    ----------
    n_estimators : int, default=10
        Size of the population.
    hidden_layer_sizes : int or tuple of one int, default=(6,)
        Networks start with 1 to this many hidden units, in one layer.
    density : float in (0, 1], default=0.75
        Share of all connections they start with.
    n_generations : int, default=20
        One parent each.
    max_units_changed : int, default=2
        Most hidden units dropped at once.
    max_connections_changed : int, default=4
        Most connections dropped or added at once.
    max_epochs : int, default=20
        Epochs of each partial training; twice as many at the start.
    learning_rate : float, default=0.05
        Of Adam.
    batch_size : int or None, default=256
        Rows in a step; None takes all.
    validation_fraction : float in [0, 1) or None, default=0.2
        Rows held out, the same fraction of each class: they decide who survives. None or 0:
        training rows stand in.
    max_samples : int or None, default=20_000
        Most rows that networks are trained on and judged by, those held out among them; of more,
        so many are drawn by lot, every class in its share, with a ``ThinnedWarning``. None takes
        all, in time by their number.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds everything.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : Networks
        The population at the generation whose best network had the least loss on held-out rows
        and erred there no more than the best of the start. ``member_predict`` asks all of it.
    best_member_ : int
        The network that answers.
    estimator_weights_ : ndarray of shape (n_estimators,)
        1 for that network, 0 for the others.
    combiner_ : Combiner
        The rule that makes one answer of those of all networks, by these weights.
    n_hidden_, n_connections_ : ndarray of shape (n_estimators,)
    history_ : DataFrame
        Per generation, the start first: ``change`` (what was done), ``valid_error``,
        ``valid_loss``, ``member_error`` (mean), errors of all four combinations (see
        ``EvolutionaryEnsembleClassifier``), mean ``n_hidden`` and ``n_connections``.
    best_epoch_ : int
        The generation kept.
    held_out_ : ndarray of bool of shape (n_samples,)
    stop_reason_ : {"complete", "interrupted"}

    Notes
    -----
    Follows [1]_ in selection, order of mutations, importance test and replacement. Departures:
    one hidden layer instead of connections from any unit to any later one; softmax outputs that
    learn cross-entropy by Adam instead of modified back-propagation; training that makes the
    held-out loss worse only marks the parent; the best network is not trained further on
    held-out rows at the end.

    References
    ----------
    .. [1] X. Yao and Y. Liu, "A new evolutionary system for evolving artificial neural
       networks", IEEE Transactions on Neural Networks 8, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.evolution import EPNetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> net = EPNetClassifier(n_generations=5, random_state=0).fit(X, y)
    >>> bool(net.score(X, y) > 0.9)
    True
    """

    # The combination that answers, and how much the weights of "rls" hold on to equal ones.
    combine = "best"
    delta = 0.1

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        hidden_layer_sizes: int | tuple[Any, ...] = (6,),
        density: float = 0.75,
        n_generations: int = 20,
        max_units_changed: int = 2,
        max_connections_changed: int = 4,
        max_epochs: int = 20,
        learning_rate: float = 0.05,
        batch_size: int | None = 256,
        validation_fraction: float | None = 0.2,
        max_samples: int | None = 20_000,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.density = density
        self.n_generations = n_generations
        self.max_units_changed = max_units_changed
        self.max_connections_changed = max_connections_changed
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.max_samples = max_samples
        self.progress = progress
        self.random_state = random_state

    def _fit(self, rows, valid, rng):
        evolution = Evolution(self, rows, valid, rng)
        state = self._search(evolution, self.n_generations, "Evolving networks")
        self.networks_, self._rls, self.best_member_, self.best_epoch_ = state
        self.n_hidden_ = units(self.networks_).sum(axis=1)
        self.n_connections_ = n_connections(self.networks_)

    @property
    def estimator_weights_(self) -> NDArray:
        """How much each network counts."""
        n = self.networks_.n_members
        if self.combine == "rls":
            return self._rls
        return np.eye(n)[self.best_member_] if self.combine == "best" else np.full(n, 1 / n)

    @property
    def combiner_(self) -> Combiner:
        """The rule that makes one answer of those of all networks."""
        return VoteCombiner() if self.combine == "vote" else LinearCombiner(self.estimator_weights_)

    def _combine(self, outputs):
        return combined(outputs, self.combine, self._rls, self.best_member_)

    def _check_options(self):
        check_count(self.n_estimators, "n_estimators", low=2)
        check_one_layer(self.hidden_layer_sizes, "hidden_layer_sizes")
        for name in ("max_epochs", "max_units_changed", "max_connections_changed"):
            check_count(getattr(self, name), name)
        check_count(self.n_generations, "n_generations", low=0)
        check_number(self.density, "density", low=0, high=1, open_low=True)
        self._check_training()


class EvolutionaryEnsembleClassifier(EPNetClassifier):
    """Evolve networks as EPNet does, and let the whole population answer.

    The networks that did not come out best know things, too. They are combined linearly with
    weights from recursive least squares on the training rows, by averaging, or by vote.

    Parameters
    ----------
    n_estimators : int, default=10
        Size of the population.
    combine : {"rls", "average", "vote", "best"}, default="rls"
        Linear combination, mean of outputs, majority of votes (ties to the first class), or
        the best network alone, which is EPNet.
    delta : float, default=0.1
        How much the weights of "rls" hold on to equal ones.
    hidden_layer_sizes, density, n_generations, max_units_changed, max_connections_changed, \
max_epochs, learning_rate, batch_size, validation_fraction, max_samples, progress, random_state
        As in :class:`EPNetClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : Networks
        The population at the generation whose combination had the least loss on held-out rows
        and erred there no more than that of the start.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Of "rls"; they may be negative. Equal for "average" and "vote", one 1 for "best".
    best_member_, combiner_, n_hidden_, n_connections_, history_, best_epoch_, held_out_, \
stop_reason_
        As in :class:`EPNetClassifier`.

    Notes
    -----
    The evolution is that of :class:`EPNetClassifier`, with the departures named there. All
    outputs of a network share one weight. RLS is solved in one go, which gives what the
    recursion ends at. [1]_ also searches a subset of the population; that is not done here.

    References
    ----------
    .. [1] X. Yao and Y. Liu, "Making use of population information in evolutionary artificial
       neural networks", IEEE Transactions on Systems, Man, and Cybernetics B 28, 1998.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.evolution import EvolutionaryEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = EvolutionaryEnsembleClassifier(n_generations=5, random_state=0).fit(X, y)
    >>> list(ensemble.compare(X, y).index)
    ['rls', 'average', 'vote', 'best']
    """

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        combine: str = "rls",
        delta: float = 0.1,
        hidden_layer_sizes: int | tuple[Any, ...] = (6,),
        density: float = 0.75,
        n_generations: int = 20,
        max_units_changed: int = 2,
        max_connections_changed: int = 4,
        max_epochs: int = 20,
        learning_rate: float = 0.05,
        batch_size: int | None = 256,
        validation_fraction: float | None = 0.2,
        max_samples: int | None = 20_000,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_estimators,
            hidden_layer_sizes=hidden_layer_sizes,
            density=density,
            n_generations=n_generations,
            max_units_changed=max_units_changed,
            max_connections_changed=max_connections_changed,
            max_epochs=max_epochs,
            learning_rate=learning_rate,
            batch_size=batch_size,
            validation_fraction=validation_fraction,
            max_samples=max_samples,
            progress=progress,
            random_state=random_state,
        )
        self.combine = combine
        self.delta = delta

    def _check_options(self):
        check_choice(self.combine, "combine", COMBINATIONS)
        check_number(self.delta, "delta", low=0, open_low=True)
        super()._check_options()

    def compare(self, X: DataLike, y: Target) -> pd.Series:
        """Return the error rates of all four combinations of the population.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        Series
            By combination.
        """
        outputs, y = self._member_scores(X), np.asarray(y)
        errors = {}
        for how in COMBINATIONS:
            scores = combined(outputs, how, self._rls, self.best_member_)
            errors[how] = float(np.mean(self.classes_[scores.argmax(axis=1)] != y))
        return pd.Series(errors, name="error")
