"""Training from start to stop: looks in between, the best state kept, runaways caught."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint._progress import track
from counterpoint.exceptions import DivergenceError
from counterpoint.networks.engine import Networks, Trainer

# Outputs this many times larger than any target are no answer any more.
_RUNAWAY = 1e6
# Rows on which outputs are checked for running away.
_ROWS_CHECKED = 256


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How training ended.

    Attributes
    ----------
    networks : Networks
        At the best look if there was something to watch, else at the end.
    n_epochs : int
        Epochs run, those of earlier calls included.
    best_epoch : int
        Epoch of ``networks``.
    best : float
        Value watched at that epoch; NaN if nothing was.
    reason : {"max_epochs", "no progress", "interrupted"}
        Why training ended.
    """

    networks: Networks
    n_epochs: int
    best_epoch: int
    best: float
    reason: str


def train(
    trainer: Trainer,
    X: NDArray,
    targets: NDArray,
    *,
    max_epochs: int,
    sample_weight: NDArray | None = None,
    every: int = 10,
    watch: Callable[[Networks], float] | None = None,
    patience: int | None = None,
    tol: float = 0.0,
    record: Callable[[int, Networks], None] | None = None,
    record_every: int | None = None,
    progress: bool | None = None,
) -> Outcome:
    """Run a trainer for up to ``max_epochs`` more epochs.

    Ctrl-C ends training and keeps what was reached.

    Parameters
    ----------
    trainer : Trainer
        Goes on from where it is.
    X : ndarray of shape (n_samples, n_features)
    targets : ndarray of shape (n_samples, n_outputs)
    max_epochs : int
        Epochs to run in this call.
    sample_weight : ndarray of shape (n_samples,) or (n_members, n_samples), default=None
    every : int, default=10
        Epochs between two looks.
    watch : callable, default=None
        ``watch(networks)`` gives the number to be lowered, for instance an error on held-out
        rows. The state at the lowest is what is returned.
    patience : int or None, default=None
        Stop after so many looks in a row that did not lower the number by ``tol``.
    tol : float, default=0.0
    record : callable, default=None
        ``record(epoch, networks)`` is called before the first epoch, after every
        ``record_every`` epochs and at the end. It changes nothing about training.
    record_every : int or None, default=None
        None records at every look.
    progress : bool or None, default=None
        None shows a bar on a terminal.

    Returns
    -------
    Outcome

    Raises
    ------
    DivergenceError
        Weights or outputs ran away. The trainer then holds the weights of the last look
        before that.
    """
    best = math.inf if watch is None else _number(watch(trainer.networks))
    kept, kept_epoch, waited, reason = trainer.networks.copy(), trainer.n_epochs, 0, "max_epochs"
    mark = best
    looks, records = _stops(max_epochs, every), _stops(max_epochs, record_every or every)
    recorded = -1
    if record is not None:
        record(trainer.n_epochs, trainer.networks)
        recorded = trainer.n_epochs
    stops = sorted(looks | records) if record is not None else sorted(looks)
    limit = _RUNAWAY * (1.0 + float(np.abs(targets).max(initial=0.0)))
    rows = X[:: max(1, len(X) // _ROWS_CHECKED)]
    try:
        done = 0
        for stop in track(stops, description="Training networks", show=progress):
            before = trainer.networks.copy()
            with np.errstate(over="ignore", invalid="ignore"):
                trainer.run(X, targets, stop - done, sample_weight)
            done = stop
            _stop_runaway(trainer, before, rows, limit)
            if record is not None and stop in records:
                record(trainer.n_epochs, trainer.networks)
                recorded = trainer.n_epochs
            if watch is None or stop not in looks:
                continue
            value = _number(watch(trainer.networks))
            if value < best:
                best, kept, kept_epoch = value, trainer.networks.copy(), trainer.n_epochs
            if value < mark - tol:
                mark, waited = value, 0
            else:
                waited += 1
            if patience is not None and waited >= patience:
                reason = "no progress"
                break
    except KeyboardInterrupt:
        reason = "interrupted"
    if record is not None and recorded != trainer.n_epochs:
        record(trainer.n_epochs, trainer.networks)
    if watch is None:
        kept, kept_epoch, best = trainer.networks.copy(), trainer.n_epochs, math.nan
    return Outcome(
        networks=kept, n_epochs=trainer.n_epochs, best_epoch=kept_epoch, best=best, reason=reason
    )


def _stops(max_epochs, every):
    return {*range(every, max_epochs + 1, every), max_epochs} - {0}


def _number(value):
    # NaN compares false with everything: as inf it is simply never the best.
    value = float(value)
    return math.inf if math.isnan(value) else value


def _stop_runaway(trainer, before, rows, limit):
    nets = trainer.networks
    finite = all(np.isfinite(p).all() for p in nets.parameters)
    if finite and np.abs(nets.outputs(rows)).max() <= limit:
        return
    # The moments overflowed as well.
    trainer.networks, trainer.moments, trainer.steps = before, [], 0
    raise DivergenceError(
        f"Training ran away before epoch {trainer.n_epochs}: "
        + (
            "outputs grew beyond a million times the targets. "
            if finite
            else "weights overflowed. "
        )
        + f"The learning rate is {trainer.learning_rate:g}: lower it, scale inputs and targets, "
        "or lower lambda (beyond lambda* linear outputs always run away)."
    )
