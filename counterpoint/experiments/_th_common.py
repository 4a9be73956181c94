"""What the claims of Eastwood's thesis share: its data, its networks, comparisons of repeats."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import load, make_cone_torus, make_ripley
from counterpoint.exceptions import CollapseWarning, DivergenceError
from counterpoint.experiments.protocol import Paired, paired
from counterpoint.networks.negative_correlation import NegativeCorrelationClassifier

THESIS = (
    "M. Eastwood, Building Well-Performing Classifier Ensembles: Model and Decision Level "
    "Combination, PhD thesis, Bournemouth University, 2010"
)
THEIR_LABEL = "source: hollow, dashed"
DRAWN = {"synthetic": (make_ripley, 250), "cone-torus": (make_cone_torus, 400)}
SHIPPED = {"cancer": "wdbc", "liver": "bupa", "diabetes": "pima"}
REAL = tuple(SHIPPED)
PLANE = tuple(DRAWN)
# Said of every claim on these sets.
DATA_NOTE = (
    "Cancer, liver and diabetes are UCI's wdbc, bupa and pima. The thesis has one fixed sample of "
    "the synthetic and of the cone-torus set; ours are drawn anew in each repeat, from Ripley's "
    "densities and from our own cone-torus."
)


def thesis_data(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return columns and class codes of a set by the thesis's name; those in the plane by seed."""
    if name in DRAWN:
        make, size = DRAWN[name]
        return make(size, random_state=seed)
    X, y = load(SHIPPED[name], return_X_y=True)
    return X.to_numpy(dtype=float), y.cat.codes.to_numpy(dtype=np.int64)


def train_and_test(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return training and test rows as in chapter 4: halves, or two samples of drawn sets."""
    if name in DRAWN:
        make, size = DRAWN[name]
        # The plane's sets come with test samples of their own, 1000 points for the synthetic one.
        return (*make(size, random_state=seed), *make(1000, random_state=seed + 1))
    X, y = thesis_data(name, seed)
    rows = np.random.default_rng(seed).permutation(len(y))
    half = len(y) // 2
    return X[rows[:half]], y[rows[:half]], X[rows[half:]], y[rows[half:]]


def fold(y: np.ndarray, number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and to test of one of ten folds, drawn by class."""
    splitter = StratifiedKFold(10, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros((len(y), 1)), y))[number]


def train_networks(
    X: np.ndarray, y: np.ndarray, *, seed: int, record: int | bool = False, **options: Any
) -> NegativeCorrelationClassifier | None:
    """Fit networks as the thesis does: plain descent, so many epochs; None if outputs run away."""
    model = NegativeCorrelationClassifier(
        solver="gd",
        alpha=0.0,
        batch_size=None,
        n_iter_no_change=None,
        record=record,
        progress=False,
        random_state=seed,
        **options,
    )
    with warnings.catch_warnings():
        # Lambda beyond lambda* is the point of these runs.
        warnings.filterwarnings("ignore", message=".* is beyond")
        warnings.simplefilter("ignore", CollapseWarning)
        try:
            return model.fit(X, y)
        except DivergenceError:
            return None


def network_errors(
    model: NegativeCorrelationClassifier, X: np.ndarray, y: np.ndarray
) -> tuple[float, float]:
    """Return the mean squared error over output units, and the share misclassified."""
    outputs = model.member_outputs(X).mean(axis=0)
    targets = np.eye(outputs.shape[1])[y]
    return float(np.mean((outputs - targets) ** 2)), float(np.mean(outputs.argmax(axis=1) != y))


def bagged_trees(n: int, seed: int) -> BaggingClassifier:
    """Return unfitted bagged trees, grown in full by information gain."""
    return BaggingClassifier(
        DecisionTreeClassifier(criterion="entropy"), n_estimators=n, random_state=seed
    )


def numbers(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the frame with these columns as floats; what is not there is NaN."""
    return frame.assign(**{name: pd.to_numeric(frame[name]).astype(float) for name in columns})


def compare(
    frame: pd.DataFrame,
    by: str | Sequence[str],
    first: Hashable,
    second: Hashable,
    value: str,
    *,
    unit: str = "repeat",
) -> Paired:
    """Compare two settings over the units they share; other rows of a unit are averaged."""
    keys = [by] if isinstance(by, str) else list(by)
    means = frame.groupby([unit, *keys])[value].mean().unstack(keys)
    if first not in means.columns or second not in means.columns:
        return paired([], [])
    return paired(means[first].to_numpy(), means[second].to_numpy())


def below(result: Paired) -> bool:
    """Whether the first is lower, by an interval that does not reach 0."""
    return bool(result.interval[1] < 0)


def above(result: Paired) -> bool:
    """Whether the first is higher, by an interval that does not reach 0."""
    return bool(result.interval[0] > 0)


def shared_legend(figure: Figure, axes: Sequence[Axes], columns: int = 8) -> None:
    """Draw one legend of all labels below the panels."""
    found: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    if not found:
        return
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside lower center",
        ncols=min(columns, len(found)),
        fontsize=8,
        frameon=False,
    )
