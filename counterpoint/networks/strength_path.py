"""Choosing the strength: one walk from networks trained alone to networks trained as one."""

from dataclasses import replace
from typing import Any

import pandas as pd

from counterpoint.networks.engine import Trainer
from counterpoint.networks.samples import split_rows
from counterpoint.networks.training import Outcome

GRID = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
# Share of the samples held out to choose by.
HELD = 0.25
# The first leg trains networks from scratch; the others go on from there and need less.
SHORTER = 4


def walk(estimator: Any, data) -> tuple[pd.DataFrame, float, Outcome, Trainer]:
    """Train at growing strength, each time from where the last left off.

    Strength lets an ensemble fit more complex functions (diversity is inverse regularisation,
    Reeve and Brown 2018), so the walk starts where they are simplest: at 0. Each leg ends as a
    fit does; the loss on samples held out is taken at its end. The lowest wins, of equals the
    first.

    The estimator is seeded, its data read and not yet scaled: ``scale_`` is set here. Returns
    losses along the walk, then strength, outcome and trainer of the best leg; the reason of that
    outcome is "interrupted" if the walk was.
    """
    rows, valid = split_rows(data, HELD, estimator._seeds[1])
    if not hasattr(estimator, "scale_") or estimator._trainer is None:
        estimator.scale_ = estimator._fit_scale(rows)
    rows, valid = estimator.scale_.samples(rows), estimator.scale_.samples(valid)
    trainer = estimator._prepare(rows, *estimator._resolved(GRID[0]))
    legs: list[dict[str, float]] = []
    best: tuple | None = None
    for s in GRID:
        _, lam = estimator._resolved(s)
        networks = trainer.networks.copy()
        trainer = replace(trainer, networks=networks, coupling=estimator._coupling(s, lam))
        epochs = estimator.max_epochs if not legs else max(1, estimator.max_epochs // SHORTER)
        outcome = estimator._train(trainer, rows, epochs)
        trainer.networks = outcome.networks
        legs.append(leg := _judged(estimator, s, lam, outcome, rows, valid))
        if best is None or leg["validation_loss"] < best[0]["validation_loss"]:
            best = leg, outcome, trainer
        if outcome.reason == "interrupted":
            break
    assert best is not None
    leg, kept, trainer = best
    return pd.DataFrame(legs), leg["strength"], replace(kept, reason=outcome.reason), trainer


def _judged(estimator, s, lam, outcome, rows, valid):
    row = {"strength": s, "lam": lam, "epochs": outcome.n_epochs}
    for name, part in (("train", rows), ("validation", valid)):
        outputs = outcome.networks.outputs(part.X)
        mean = outputs.mean(axis=0)
        row[f"{name}_loss"] = float(part.mean(estimator._pointwise(mean, part.targets)))
        if part.codes is not None:
            row[f"{name}_error"] = float(part.mean(mean.argmax(axis=1) != part.codes))
        away = ((outputs - mean) ** 2).mean(axis=(0, 2))
        row[f"{name}_ambiguity"] = float(part.mean(away))
    return row
