"""CNNE, an ensemble that grows: hidden units and networks are added where they are needed."""

from typing import Any

import numpy as np

from counterpoint._strength import resolve_strength
from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_number
from counterpoint.networks.base import BaseNetworkClassifier, check_one_layer
from counterpoint.networks.coupling import Coupling, NegativeCorrelation
from counterpoint.networks.search import Search
from counterpoint.networks.structure import joined, units, with_unit_split

_LEAST_LOSS = 1e-12  # a loss of zero has no inverse


class PartialNegativeCorrelation(NegativeCorrelation):
    """Negative correlation learning of some members of ``n_members`` while the others stand still.

    Targets hold what is wanted and, in as many columns more, the sum of the outputs of the
    members that stand still.
    """

    kernel = Coupling.kernel  # not compiled: targets are two things

    def __init__(self, strength, n_members):
        super().__init__(strength)
        self.n_members = n_members

    def _parts(self, outputs, targets):
        wanted, still = np.split(targets, 2, axis=1)
        return wanted, (outputs.sum(axis=0) + still) / self.n_members, self.n_members


class ConstructiveNetworkClassifier(BaseNetworkClassifier):
    """CNNE: start with two tiny networks, add hidden units and networks where needed.

    All networks are trained together by negative correlation learning, a few epochs at a time.
    After each round the loss of the ensemble on held-out rows decides: as long as it falls,
    training goes on. If it stands still, a hidden unit is split in every network whose
    contribution stood still, too. If that has not helped ``n_splits`` times in a row, a new
    network joins, and networks whose contribution stands still are trained no more. The
    contribution of network i is ``100 (1/E - 1/E_i)``, E being the loss of the ensemble and E_i
    that without the network.

    Parameters
    ----------
    n_estimators : int, default=8
        Most networks; it begins with two.
    hidden_layer_sizes : int or tuple of one int, default=(1,)
        Hidden units a network starts with, in one layer.
    max_hidden : int, default=10
        Most hidden units of a network.
    strength : float in [0, 1], default=0.5
        Pull apart: 0 trains each network alone, 1 all as one.
    max_epochs : int, default=20
        Epochs in a round.
    n_rounds : int, default=60
        Most rounds.
    n_splits : int, default=2
        Rounds with new hidden units, none of which helped, before a network is added.
    patience : int, default=15
        Rounds without a better ensemble on held-out rows before it ends.
    tol : float, default=0.01
        A loss stands still if it falls by less than this share of it, a contribution if it
        rises by less than this share of it.
    learning_rate : float, default=0.05
        Of Adam.
    batch_size : int or None, default=256
        Rows in a step; None takes all.
    validation_fraction : float in [0, 1) or None, default=0.2
        Rows held out, the same fraction of each class. None or 0: training rows stand in.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds everything.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : Networks
        The ensemble of least loss on held-out rows that errs there no more than the start.
    n_hidden_ : ndarray of shape (n_networks,)
        Hidden units of each.
    n_epochs_ : ndarray of shape (n_networks,)
        Epochs each was trained for.
    history_ : DataFrame
        Per round, the untrained start first: ``change`` ("start", "none", "units", "network";
        what was changed before the round), ``n_networks``, ``n_hidden`` (of all),
        ``n_trained``, ``train_error``, ``valid_error``, ``valid_loss``.
    best_epoch_ : int
        The round kept.
    held_out_ : ndarray of bool of shape (n_samples,)
    stop_reason_ : {"no progress", "full", "n_rounds", "interrupted"}

    Notes
    -----
    Follows [1]_ in what is grown, when, and by which measure of contribution. Departures: units
    are tanh, Adam takes the steps, thresholds are relative, and the returned ensemble is the
    best that was seen instead of the last one.

    References
    ----------
    .. [1] M. Islam, X. Yao and K. Murase, "A constructive algorithm for training cooperative
       neural network ensembles", IEEE Transactions on Neural Networks 14, 2003.
    .. [2] M. Eastwood, PhD thesis, Bournemouth University, 2010, section 4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.constructive import ConstructiveNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = ConstructiveNetworkClassifier(random_state=0).fit(X, y)
    >>> bool(ensemble.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_estimators: int = 8,
        *,
        hidden_layer_sizes: int | tuple[Any, ...] = (1,),
        max_hidden: int = 10,
        strength: float = 0.5,
        max_epochs: int = 20,
        n_rounds: int = 60,
        n_splits: int = 2,
        patience: int = 15,
        tol: float = 0.01,
        learning_rate: float = 0.05,
        batch_size: int | None = 256,
        validation_fraction: float | None = 0.2,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.max_hidden = max_hidden
        self.strength = strength
        self.max_epochs = max_epochs
        self.n_rounds = n_rounds
        self.n_splits = n_splits
        self.patience = patience
        self.tol = tol
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.progress = progress
        self.random_state = random_state

    def _fit(self, rows, valid, rng):
        growth = Growth(self, rows, valid, rng)
        growth.look("start")
        state = self._search(growth, self.n_rounds, "Growing networks", end="n_rounds")
        self.networks_, self.n_epochs_, self.best_epoch_ = state
        self.n_hidden_ = units(self.networks_).sum(axis=1)

    def _check_options(self):
        for name in ("max_epochs", "n_splits", "patience"):
            check_count(getattr(self, name), name)
        n_hidden = check_one_layer(self.hidden_layer_sizes, "hidden_layer_sizes")
        check_count(self.n_estimators, "n_estimators", low=2)
        check_count(self.max_hidden, "max_hidden", low=n_hidden)
        check_count(self.n_rounds, "n_rounds", low=0)
        check_number(self.tol, "tol", low=0)
        resolve_strength(self.strength, None, self.n_estimators, 0.0)
        self._check_training()


class Growth(Search):
    """The ensemble on its way."""

    def __init__(self, options, rows, valid, rng):
        super().__init__(options, rows, valid, rng)
        self.networks = self._new(2)
        self.is_trained = np.ones(2, dtype=bool)  # False: stands still from now on
        self.epochs = np.zeros(2, dtype=int)
        self.loss, self.mark = np.inf, np.inf  # the mark: least loss since a network joined
        self.contribution = self.contribution_before = np.full(2, -np.inf)
        self.waited = self.n_vain_splits = 0

    def step(self):
        """Grow if the last round brought little, then train for a round."""
        change = self.change()
        if change == "full" or self.waited >= self.options.patience:
            return "full" if change == "full" else "no progress"
        self.train()
        self.look(change)
        return None

    def _new(self, n):
        n_hidden = check_one_layer(self.options.hidden_layer_sizes, "hidden_layer_sizes")
        return self.drawn([n_hidden] * n, output="sigmoid")

    def look(self, change):
        """Measure the ensemble on held-out rows, record it, keep it if it is the best."""
        outputs = self.networks.outputs(self.valid.X)
        error, loss = self.valid.judge(outputs.mean(axis=0))
        self.mark, self.loss = min(self.mark, self.loss), loss
        n = len(outputs)
        without = self.valid.loss((outputs.sum(axis=0) - outputs) / (n - 1))
        before = self.contribution
        self.contribution_before = np.append(before, np.full(n - len(before), -np.inf))
        self.contribution = 100 * (
            1 / max(loss, _LEAST_LOSS) - 1 / np.maximum(without, _LEAST_LOSS)
        )
        seen = self.networks.outputs(self.rows.X).mean(axis=0)
        self.history.append(
            {
                "round": len(self.history),
                "change": change,
                "n_networks": n,
                "n_hidden": int(units(self.networks).sum()),
                "n_trained": int(self.is_trained.sum()),
                "train_error": float(self.rows.error(seen)),
                "valid_error": error,
                "valid_loss": loss,
            }
        )
        self.waited += 1
        state = (self.networks.copy(), self.epochs.copy(), len(self.history) - 1)
        if self.best.offer(error, loss, state):
            self.waited = 0

    def change(self):
        """Add units or a network if the last round brought little; say what was added."""
        tol = self.options.tol
        if self.loss < self.mark * (1 - tol):
            self.n_vain_splits = 0
            return "none"
        gain = self.contribution - self.contribution_before
        is_still = ~(gain > tol * np.abs(self.contribution_before))
        n_units = units(self.networks).sum(axis=1)
        growable = self.is_trained & (n_units < self.options.max_hidden)
        split = np.flatnonzero(growable & is_still)
        if len(split) == 0 and growable.any():
            split = np.flatnonzero(growable)[-1:]
        if len(split) and self.n_vain_splits < self.options.n_splits:
            self.n_vain_splits += 1
            self._split(split)
            return "units"
        if self.networks.n_members == self.options.n_estimators:
            return "full"
        self.n_vain_splits = 0
        self.loss, self.mark = np.inf, np.inf  # a new network first makes the ensemble worse
        self.is_trained &= ~is_still
        self.networks = joined([self.networks, self._new(1)])
        self.is_trained = np.append(self.is_trained, True)
        self.epochs = np.append(self.epochs, 0)
        return "network"

    def _split(self, members):
        parts = [self.networks.take(k) for k in range(self.networks.n_members)]
        for k in members:
            unit = self.rng.choice(np.flatnonzero(units(parts[k])[0]))
            parts[k] = with_unit_split(parts[k], unit, self.rng.normal())
        self.networks = joined(parts)

    def train(self):
        """Train those that do not stand still for one round."""
        options, moving = self.options, np.flatnonzero(self.is_trained)
        still = self.networks.take(np.flatnonzero(~self.is_trained))
        beside = still.outputs(self.rows.X).sum(axis=0)
        s = resolve_strength(options.strength, None, self.networks.n_members, 0.0)[0]
        better = self.trained(
            self.networks.take(moving),
            options.max_epochs,
            coupling=PartialNegativeCorrelation(s, self.networks.n_members),
            targets=np.column_stack([self.rows.targets, beside]),
        )
        for old, new in zip(self.networks.parameters, better.parameters, strict=True):
            old[moving] = new
        self.epochs[moving] += options.max_epochs
