"""Samples on their way into networks: merged, split, thinned, scaled."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Rows to train or to judge networks on."""

    X: NDArray
    targets: NDArray  # one column per class with a single 1 in a row, or values
    weight: Any = None  # None counts all alike; the measures below need a sum of 1
    codes: NDArray | None = None  # class numbers, where asked for; None for a regressor

    def take(self, at) -> "Samples":
        """Return some of the samples."""
        return Samples(
            X=self.X[at],
            targets=self.targets[at],
            weight=None if self.weight is None else self.weight[at],
            codes=None if self.codes is None else self.codes[at],
        )

    def thinned(self, most: int) -> "Samples":
        """Return at most so many samples, evenly taken."""
        step = -(-len(self.X) // most)
        return self if step == 1 else self.take(slice(None, None, step))

    def mean(self, values: NDArray, axis: int | None = None) -> NDArray:
        """Return the weighted mean over samples."""
        return np.average(values, axis=axis, weights=self.weight)

    def error(self, scores: NDArray) -> NDArray:
        """Return the share of wrong answers, for scores (..., n_samples, n_classes)."""
        wrong = scores.argmax(axis=-1) != self.targets.argmax(axis=-1)
        return wrong @ self.weight

    def loss(self, outputs: NDArray) -> NDArray:
        """Return the mean squared distance to the targets; outputs (..., n_samples, n_outputs)."""
        return ((outputs - self.targets) ** 2).sum(axis=-1) @ self.weight

    def judge(self, outputs: NDArray) -> tuple[float, float]:
        """Return error and loss of one set of outputs."""
        return float(self.error(outputs)), float(self.loss(outputs))


# -- scale -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Shift and unit of inputs and targets; None: as they are."""

    X_mean: NDArray | None = None
    X_unit: NDArray | None = None
    y_mean: NDArray | float | None = None
    y_unit: NDArray | float | None = None

    def inputs(self, X):
        """Return inputs as the networks see them."""
        return X if self.X_mean is None else (X - self.X_mean) / self.X_unit

    def targets(self, y):
        """Return targets as the networks see them."""
        return y if self.y_mean is None else (y - self.y_mean) / self.y_unit

    def back(self, outputs):
        """Return outputs in the units of y."""
        return outputs if self.y_mean is None else outputs * self.y_unit + self.y_mean

    def samples(self, rows: Samples) -> Samples:
        """Return samples as the networks see them."""
        return replace(rows, X=self.inputs(rows.X), targets=self.targets(rows.targets))


def mean_and_unit(values, weight):
    """Return mean and standard deviation of every column, 1 for a constant one."""
    mean = np.average(values, axis=0, weights=weight)
    spread = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))
    # What rounding leaves of a constant column is no spread.
    unit = np.where(spread > 10 * np.finfo(values.dtype).eps * np.abs(mean), spread, 1.0)
    return mean.astype(values.dtype), unit.astype(values.dtype)


# -- rows that are trained on, and rows held out -----------------------------------------------


def split_rows(data: Samples, fraction: float, seed) -> tuple[Samples, Samples]:
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
    places = train_test_split(np.arange(n), test_size=n_held, random_state=seed, stratify=stratify)
    rows, valid = (data.take(np.sort(at)) for at in places)
    for part in (rows, valid):
        if part.weight is not None and part.weight.sum() == 0:
            raise ValueError(
                "All samples on one side of the validation split have weight 0: pass more "
                "samples with weight."
            )
    return rows, valid


def merge_rows(X, y, weight):
    """Merge equal rows: their weights add up, rows of weight zero are gone.

    So a row of weight 2 is the same as two rows, to the last bit, and no row is on both sides
    of a split. The order left depends on the rows only. Returns where each merged row first
    stands, its weight, and the merged row of each row, -1 for those of weight zero.
    """
    table = pd.DataFrame(np.column_stack([X, y]) + 0.0)  # + 0.0: one zero, not two signs of it
    key = pd.util.hash_pandas_object(table, index=False).to_numpy()
    rows = np.flatnonzero(weight > 0)
    rows = rows[np.argsort(key[rows], kind="stable")]
    values = table.to_numpy()[rows]
    # Rows that differ but have the same key stay apart, so a collision of keys does no harm.
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (values[1:] != values[:-1]).any(axis=1)
    group = np.cumsum(new) - 1
    place = np.full(len(X), -1)
    place[rows] = group
    return rows[new], np.bincount(group, weights=weight[rows]), place


def hold_out(groups, fraction, rng):
    """Say which rows to hold out: the same fraction of every group, never all of one."""
    valid = np.zeros(len(groups), dtype=bool)
    for group in np.unique(groups):
        members = rng.permutation(np.flatnonzero(groups == group))
        valid[members[: min(round(fraction * len(members)), len(members) - 1)]] = True
    return valid


def split_merged(
    X, y, targets, weight, fraction, rng, *, groups
) -> tuple[Samples, Samples, NDArray, Scale]:
    """Merge, split and scale.

    Returns rows to train on and rows held out, scaled, weights that add up to 1 (without rows to
    hold out, those to train on stand in); which rows given were held out; the scale of the inputs.
    """
    first, weight, place = merge_rows(X, y, weight)
    valid = hold_out(groups[first], fraction, rng)
    scaler = StandardScaler().fit(X[first][~valid], sample_weight=weight[~valid])
    scale = Scale(X_mean=scaler.mean_, X_unit=scaler.scale_)
    scaled, targets = scale.inputs(X[first]), targets[first]

    def part(rows):
        share = weight[rows] / weight[rows].sum()
        return Samples(X=scaled[rows], targets=targets[rows], weight=share)

    fit = part(~valid)
    return (
        fit,
        part(valid) if valid.any() else fit,
        np.where(place >= 0, valid[place], False),
        scale,
    )


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
