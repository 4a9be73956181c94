"""Training from start to stop: looks in between, the best state kept, runaways caught."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint._interrupts import keep_partial
from counterpoint._progress import track
from counterpoint.exceptions import DivergenceError
from counterpoint.networks.engine import Networks, Trainer

# Outputs this many times larger than any target are no answer any more.
_RUNAWAY = 1e6
# Rows on which outputs are checked for running away.
_ROWS_CHECKED = 256


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How training ended."""

    networks: Networks  # at the best look if there was something to watch, else at the end
    n_epochs: int  # those of earlier calls included
    best_epoch: int  # epoch of ``networks``
    best: float  # value watched at that epoch; NaN if nothing was
    reason: str  # "max_epochs", "no progress" or "interrupted"


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
    """Run a trainer for up to ``max_epochs`` more epochs, with a look after ``every`` few.

    ``watch(networks)`` gives the number to be lowered, for instance an error on held-out rows: the
    state at the lowest is returned, and ``patience`` looks in a row that did not lower it by
    ``tol`` end training. ``record(epoch, networks)`` is called before the first epoch, after every
    ``record_every`` epochs (None: at every look) and at the end; it changes nothing about training.
    Ctrl-C ends training and keeps what was reached. If weights or outputs run away, there is a
    DivergenceError, and the trainer holds the weights of the last look before that.
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
        keep_partial()
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
    if finite and (nets.most <= limit or np.abs(nets.outputs(rows)).max() <= limit):
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
