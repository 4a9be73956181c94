"""Samples on their way into networks: read, split, thinned, scaled."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Rows to train or to judge networks on.

    ``codes`` are class numbers, None for a regressor; ``weight`` None counts all alike.
    """

    X: NDArray
    targets: NDArray
    codes: NDArray | None
    weight: NDArray | None


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Shift and unit of inputs and targets; None: as they are."""

    X_mean: NDArray | None = None
    X_unit: NDArray | None = None
    y_mean: NDArray | None = None
    y_unit: NDArray | None = None

    def inputs(self, X):
        """Return inputs as the networks see them."""
        return X if self.X_mean is None else (X - self.X_mean) / self.X_unit

    def targets(self, y):
        """Return targets as the networks see them."""
        return y if self.y_mean is None else (y - self.y_mean) / self.y_unit

    def back(self, outputs):
        """Return outputs in the units of y."""
        return outputs if self.y_mean is None else outputs * self.y_unit + self.y_mean


def mean_and_unit(values, weight):
    """Return mean and standard deviation of every column, 1 for a constant one."""
    mean = np.average(values, axis=0, weights=weight)
    spread = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))
    # What rounding leaves of a constant column is no spread.
    unit = np.where(spread > 10 * np.finfo(values.dtype).eps * np.abs(mean), spread, 1.0)
    return mean.astype(values.dtype), unit.astype(values.dtype)


def thinned(rows, most):
    """Return at most so many rows, evenly taken."""
    step = -(-len(rows.X) // most)
    return rows if step == 1 else take_rows(rows, slice(None, None, step))


def take_rows(rows, at):
    """Return some rows of a set of data."""
    return Samples(
        X=rows.X[at],
        targets=rows.targets[at],
        codes=None if rows.codes is None else rows.codes[at],
        weight=None if rows.weight is None else rows.weight[at],
    )


def split_rows(data, fraction, seed):
    """Split into rows to train on and rows held out, class by class where there are enough."""
    n = len(data.X)
    n_held = math.ceil(fraction * n)
    if n - n_held < 1:
        raise ValueError(
            f"Holding out validation_fraction={fraction:g} of {n} samples leaves none to train "
            "on: pass more samples or a smaller fraction."
        )
    stratify = None
    if data.codes is not None:
        counts = np.bincount(data.codes)
        counts = counts[counts > 0]
        if counts.min() >= 2 and len(counts) <= min(n_held, n - n_held):
            stratify = data.codes
    train_at, held_at = train_test_split(
        np.arange(n), test_size=n_held, random_state=seed, stratify=stratify
    )
    rows, held = take_rows(data, np.sort(train_at)), take_rows(data, np.sort(held_at))
    for part in (rows, held):
        if part.weight is not None and part.weight.sum() == 0:
            raise ValueError(
                "All samples on one side of the validation split have weight 0: pass more "
                "samples with weight."
            )
    return rows, held


def evaluation_sets(eval_set):
    """Return evaluation sets by name."""
    if eval_set is None:
        return {}
    named = eval_set if isinstance(eval_set, dict) else {"eval": eval_set}
    for name, pair in named.items():
        if name in ("train", "validation"):
            raise ValueError(f"eval_set may not be called {name!r}: that name is taken.")
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"eval_set[{name!r}] is not a pair (X, y): pass (X, y), or a dict of such pairs."
            )
    return named
