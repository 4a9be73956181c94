"""Searches among networks: what those that grow, breed and evolve share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.networks.coupling import CROSS_ENTROPY, Coupling
from counterpoint.networks.engine import Networks, Trainer
from counterpoint.networks.samples import Samples
from counterpoint.networks.structure import start_masked
from counterpoint.networks.training import train


class Best:
    """The best state seen on held-out rows: never worse than the first, in error and in loss.

    The least loss decides, among states with no more errors than the first: errors alone jump
    where held-out rows are few.
    """

    def __init__(self):
        self.loss, self.most_errors = np.inf, np.inf
        self.state: Any = None

    def offer(self, error: float, loss: float, state) -> bool:
        """Keep a state if it is better; the first always is."""
        if self.state is None:
            self.most_errors = error
        elif not (loss < self.loss and error <= self.most_errors):
            return False
        self.loss, self.state = loss, state
        return True


class Search:
    """Networks on their way from one state to a better one; ``options`` is the estimator.

    A subclass gives ``step``, which changes the networks once; it may return why the search is
    over. ``rows`` are to train on, ``valid`` to judge by; ``history`` has a row for each state.
    """

    def __init__(self, options: Any, rows: Samples, valid: Samples, rng: np.random.RandomState):
        self.options, self.rows, self.valid, self.rng = options, rows, valid, rng
        self.history: list[dict] = []
        self.best = Best()

    def step(self) -> str | None:
        """Change the networks once; return why the search is over, or None."""
        raise NotImplementedError

    def drawn(self, n_units, *, output: str = "softmax", density: float = 1.0) -> Networks:
        """Draw networks with so many hidden units each, and a share of all connections."""
        n_features, n_outputs = self.rows.X.shape[1], self.rows.targets.shape[1]
        return start_masked(
            list(n_units), n_features, n_outputs, output=output, rng=self.rng, density=density
        )

    def trained(
        self,
        networks: Networks,
        epochs: int,
        *,
        coupling: Coupling = CROSS_ENTROPY,
        targets: NDArray | None = None,
        sample_weight: NDArray | None = None,
    ) -> Networks:
        """Return copies of the networks, trained by Adam for some epochs.

        Ctrl-C comes through as KeyboardInterrupt: the search knows what is best so far.
        """
        rows = self.rows
        trainer = Trainer(
            networks=networks.copy(),
            coupling=coupling,
            solver="adam",
            learning_rate=self.options.learning_rate,
            batch_size=self.options.batch_size,
            random_state=self.rng,
        )
        outcome = train(
            trainer,
            rows.X,
            rows.targets if targets is None else targets,
            max_epochs=epochs,
            sample_weight=rows.weight if sample_weight is None else sample_weight,
            every=max(epochs, 1),
            progress=False,
        )
        if outcome.reason == "interrupted":
            raise KeyboardInterrupt
        return outcome.networks
