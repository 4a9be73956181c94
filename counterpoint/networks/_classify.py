"""What the searched, grown and gated networks of this package share: rows in, classes out.

From top to bottom: checks of options, the rows a fit works on (:class:`Rows`), the error and the
short training runs they are used with, and :class:`BaseNetworkClassifier`.
"""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from counterpoint._validation import check_sample_weight
from counterpoint.networks._couplings import CrossEntropyPull
from counterpoint.networks._engine import Coupling, Networks, Trainer
from counterpoint.networks._loop import train

# -- options -----------------------------------------------------------------------------------


def check_count(name, value, low=1):
    """Refuse what is not a whole number from ``low``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name}={value!r}: give a whole number from {low}.")


def check_number(name, value, low, high=np.inf, *, open_low=False, open_high=True):
    """Refuse what is not a number between ``low`` and ``high``."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    above = is_number and (value > low if open_low else value >= low)
    below = is_number and (value < high if open_high else value <= high)
    if not (above and below):
        span = f"{'above' if open_low else 'from'} {low:g}"
        if np.isfinite(high):
            span += f" and {'below' if open_high else 'up to'} {high:g}"
        raise ValueError(f"{name}={value!r}: give a number {span}.")


def check_choice(name, value, choices):
    """Refuse what is not among the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r}: choose one of {', '.join(map(repr, choices))}.")


def check_layers(name, sizes, *, may_be_empty=False):
    """Return sizes of hidden layers as a tuple of whole numbers from 1."""
    given = sizes
    if isinstance(sizes, Integral) and not isinstance(sizes, bool):
        sizes = (sizes,)
    fine = isinstance(sizes, tuple | list | np.ndarray) and all(
        isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1
        for size in sizes
    )
    if not fine or not (len(sizes) or may_be_empty):
        hint = "; () for none" if may_be_empty else ""
        raise ValueError(f"{name}={given!r}: give whole numbers from 1, such as (10,){hint}.")
    return tuple(int(size) for size in sizes)


# -- rows --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows ready for the engine.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        Scaled.
    targets : ndarray of shape (n_rows, n_outputs)
        One column per class with a single 1 in a row, or scaled values.
    weight : ndarray of shape (n_rows,)
        Adds up to 1.
    """

    X: NDArray
    targets: NDArray
    weight: NDArray

    def error(self, scores: NDArray) -> NDArray:
        """Return the share of wrong answers, for scores (..., n_rows, n_classes)."""
        wrong = scores.argmax(axis=-1) != self.targets.argmax(axis=-1)
        return wrong @ self.weight

    def loss(self, outputs: NDArray) -> NDArray:
        """Return the mean squared distance to the targets, for outputs (..., n_rows, n_outputs)."""
        return ((outputs - self.targets) ** 2).sum(axis=-1) @ self.weight

    def judge(self, outputs: NDArray) -> tuple[float, float]:
        """Return error and loss of one set of outputs."""
        return float(self.error(outputs)), float(self.loss(outputs))


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


def merged(X, y, weight):
    """Merge equal rows: their weights add up, rows of weight zero are gone.

    So a row of weight 2 is the same as two rows, to the last bit, and no row is on both sides
    of a split. The order left depends on the rows only.

    Returns
    -------
    first : ndarray of shape (n_merged,)
        Where each merged row first stands.
    weight : ndarray of shape (n_merged,)
    place : ndarray of shape (n_rows,)
        The merged row of each row; -1 for those of weight zero.
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


def held_out(groups, fraction, rng):
    """Say which rows to hold out: the same fraction of every group, never all of one."""
    held = np.zeros(len(groups), dtype=bool)
    for group in np.unique(groups):
        members = rng.permutation(np.flatnonzero(groups == group))
        held[members[: min(round(fraction * len(members)), len(members) - 1)]] = True
    return held


def take_in(estimator, X, y, weight, groups, targets, rng) -> tuple[Rows, Rows]:
    """Merge, split and scale: return the rows to train on and those held out.

    Sets ``scaler_`` and ``held_out_``. Without rows to hold out, those to train on stand in.
    """
    fraction = estimator.validation_fraction
    if fraction is not None:
        check_number("validation_fraction", fraction, 0, 1)
    first, weight, place = merged(X, y, weight)
    held = held_out(groups[first], fraction or 0.0, rng)
    estimator.held_out_ = np.where(place >= 0, held[place], False)
    estimator.scaler_ = StandardScaler().fit(X[first][~held], sample_weight=weight[~held])
    scaled, targets = estimator.scaler_.transform(X[first]), targets[first]

    def part(rows):
        return Rows(X=scaled[rows], targets=targets[rows], weight=weight[rows] / weight[rows].sum())

    fit = part(~held)
    return fit, part(held) if held.any() else fit


# -- training ----------------------------------------------------------------------------------


# Cross-entropy of each network by itself.
CROSS_ENTROPY = CrossEntropyPull(0.0, "softmax")


def trained(
    networks: Networks,
    rows: Rows,
    epochs: int,
    *,
    coupling: Coupling,
    learning_rate: float,
    batch_size: int | None,
    rng: np.random.RandomState,
    targets: NDArray | None = None,
    sample_weight: NDArray | None = None,
) -> Networks:
    """Return copies of the networks, trained by Adam for some epochs.

    Ctrl-C comes through as KeyboardInterrupt: the search around knows what is best so far.
    """
    trainer = Trainer(
        networks=networks.copy(),
        coupling=coupling,
        solver="adam",
        learning_rate=learning_rate,
        batch_size=batch_size,
        random_state=rng,
    )
    outcome = train(
        trainer,
        rows.X,
        rows.targets if targets is None else targets,
        max_epochs=epochs,
        sample_weight=rows.weight if sample_weight is None else sample_weight,
        every=max(epochs, 1),
        show_progress=False,
    )
    if outcome.reason == "interrupted":
        raise KeyboardInterrupt
    return outcome.networks


# -- the classifier ----------------------------------------------------------------------------


def as_proba(scores: NDArray) -> NDArray:
    """Turn scores (..., n_classes) into probabilities with the same order of classes.

    Scores that are none below zero are divided by their sum; otherwise the lowest of a row
    counts as zero.
    """
    scores = scores - np.minimum(scores.min(axis=-1, keepdims=True), 0.0)
    total = scores.sum(axis=-1, keepdims=True)
    even = np.full_like(scores, 1.0 / scores.shape[-1])
    return np.divide(scores, total, out=even, where=total > 0)


class BaseNetworkClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose members are networks with one output per class.

    A subclass sets ``networks_`` in ``fit``; :meth:`_combined` says what the ensemble makes of
    their outputs.
    """

    def _take_in(self, X, y, sample_weight, rng):
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, len(X))
        weight = np.ones(len(X)) if weight is None else weight
        if np.ndim(y) > 1:
            raise ValueError(f"y has shape {np.shape(y)}, expected one label a row.")
        self.classes_ = np.unique(y[weight > 0])
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class with weight, {self.classes_.tolist()}: at least two classes "
                "are needed."
            )
        # Labels of rows without weight may be unknown; those rows are dropped.
        codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        targets = np.eye(len(self.classes_))[codes]
        return take_in(self, X, codes, weight, codes, targets, rng)

    def _check_training(self):
        check_number("learning_rate", self.learning_rate, 0, open_low=True)
        if self.batch_size is not None:
            check_count("batch_size", self.batch_size)

    def _scaled(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.scaler_.transform(X)

    def _combined(self, outputs):
        """Return the ensemble's scores (n_samples, n_classes) from outputs of all members."""
        return outputs.mean(axis=0)

    def predict_proba(self, X):
        """Return the ensemble's class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._scaled(X)
        return as_proba(self._combined(self.networks_.outputs(X)))

    def predict(self, X):
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    def member_predict_proba(self, X):
        """Return the class probabilities of every member.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_classes)
        """
        X = self._scaled(X)
        return as_proba(self.networks_.outputs(X))

    def member_predict(self, X):
        """Return what every member says.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples)
        """
        return self.classes_[self.member_predict_proba(X).argmax(axis=2)]
