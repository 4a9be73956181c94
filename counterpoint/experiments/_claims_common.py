"""What the claims share: data in numbers, splits, and how their pictures look."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from counterpoint.datasets import TabularEncoder, load

# The source's numbers are hollow or dashed, ours solid.
THEIRS_MARK: dict[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "markerfacecolor": "none",
    "markeredgecolor": "black",
    "markersize": 8,
}
THEIRS_LINE: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}


def rows_and_labels(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns of a shipped data set as they are, and its labels as strings."""
    data = load(name)
    return data.X, data.y.astype(str).to_numpy(dtype=str)


def random_split(y: np.ndarray, test_size: float | int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and to test, drawn by class."""
    splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=seed)
    return next(splitter.split(np.zeros((len(y), 1)), y))


def take_fold(y: np.ndarray, number: int, n_folds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and to test of one fold of a stratified cross-validation."""
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros((len(y), 1)), y))[number]


def encoded(
    X: pd.DataFrame, train: np.ndarray, test: np.ndarray, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows in numbers; medians and categories are of the former."""
    encoder = TabularEncoder(**options).fit(X.iloc[train])
    return encoder.transform(X.iloc[train]), encoder.transform(X.iloc[test])


def error(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the share of rows that a fitted model gets wrong."""
    return float(np.mean(model.predict(X) != y))


def panels(
    n: int, *, columns: int = 3, size: tuple[float, float] = (3.6, 2.8), **options: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``n`` panels, without pyplot, those left over taken away."""
    columns = min(n, columns)
    rows = math.ceil(n / columns)
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for ax in axes[n:]:
        ax.remove()
    for ax in axes[:n]:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes[:n]


def share(parts: Mapping[str, bool]) -> str:
    """Return how many of several things held, and which did not, in words."""
    failed = [name for name, held in parts.items() if not held]
    rest = f" (not {', '.join(failed)})" if failed else ""
    return f"{len(parts) - len(failed)} of {len(parts)}{rest}"
