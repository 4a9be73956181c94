"""What all networks of this package share: data in, scores of members and ensemble out."""

from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from counterpoint._arrays import check_sample_weight
from counterpoint._ballot import member_mean
from counterpoint._interrupts import keep_partial
from counterpoint._members import Answers
from counterpoint._options import check_shared_options
from counterpoint._progress import track
from counterpoint._reading import thin_rows
from counterpoint._validation import check_count, check_number
from counterpoint.base import (
    BaseEnsemble,
    BaseEnsembleClassifier,
    BaseEnsembleRegressor,
    encode_target,
    need_target,
    read_labels,
    validate_data,
)
from counterpoint.networks.engine import SMALLEST_RATE
from counterpoint.networks.samples import Samples, Scale, split_merged
from counterpoint.networks.search import Search


def check_layers(sizes, name, *, may_be_empty=False):
    """Return sizes of hidden layers as a tuple of whole numbers from 1."""
    given = sizes
    if isinstance(sizes, np.ndarray):
        sizes = sizes.tolist()
    if isinstance(sizes, Integral) and not isinstance(sizes, bool):
        sizes = (sizes,)
    fine = isinstance(sizes, tuple | list) and all(
        isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1
        for size in sizes
    )
    if not fine or not (len(sizes) or may_be_empty):
        hint = "; () for none" if may_be_empty else ""
        raise ValueError(f"{name}={given!r}: give whole numbers from 1, such as (10,){hint}.")
    return tuple(int(size) for size in sizes)


def check_one_layer(sizes, name):
    """Return the units of the one hidden layer there is, given as a number or a tuple of one."""
    layers = check_layers(sizes, name)
    if len(layers) > 1:
        raise ValueError(
            f"{name}={sizes!r}: these networks have one hidden layer. Give a whole number from 1, "
            f"or a tuple of one, such as ({layers[0]},)."
        )
    return layers[0]


def as_proba(scores: NDArray) -> NDArray:
    """Turn scores (..., n_classes) into probabilities with the same order of classes.

    Scores that are none below zero are divided by their sum; otherwise the lowest of a row
    counts as zero.
    """
    scores = scores - np.minimum(scores.min(axis=-1, keepdims=True), 0.0)
    total = scores.sum(axis=-1, keepdims=True)
    even = np.full_like(scores, 1.0 / scores.shape[-1])
    return np.divide(scores, total, out=even, where=total > 0)


class BaseNetworks(BaseEnsemble):
    """Estimators whose members are ``networks_``, for inputs and targets scaled by ``scale_``.

    A subclass checks its options in ``_check_options`` and trains in ``_fit``.
    """

    # Types of inputs that are kept, whether a sample may have more than one axis, what y is.
    _dtypes: Any = np.float64
    _takes_images = False
    _is_regression = False
    # Most rows that are trained on and judged by; None: all there are.
    max_samples: int | None = None

    networks_: Any
    scale_: Scale

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the networks.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, or the values of a regression.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 2 counts as two rows.

        Returns
        -------
        self
        """
        check_shared_options(self)
        self._check_options()
        rng = check_random_state(self.random_state)
        rows, valid = self._split(X, y, sample_weight, rng)
        self._fit(rows, valid, rng)
        return self

    def _split(self, X, y, sample_weight, rng) -> tuple[Samples, Samples]:
        """Return rows to train on and rows held out; set ``scale_`` and ``held_out_``."""
        fraction = self.validation_fraction
        if fraction is not None:
            check_number(fraction, "validation_fraction", low=0, high=1, open_high=True)
        need_target(self, y)
        X, y = validate_data(
            self, X, y, dtype=self._dtypes, y_numeric=self._is_regression, ensure_min_samples=2
        )
        weight = check_sample_weight(sample_weight, len(X))
        weight = np.ones(len(X)) if weight is None else weight
        y, groups, targets, y_scale = self._targets(y, weight)
        counted = np.flatnonzero(weight)
        thinned = thin_rows(self, groups[counted], "training")
        at = slice(None) if thinned is None else counted[thinned]
        rows, valid, held_out, scale = split_merged(
            X[at], y[at], targets[at], weight[at], fraction or 0.0, rng, groups=groups[at]
        )
        self.held_out_ = np.zeros(len(X), dtype=bool)
        self.held_out_[at] = held_out
        self.scale_ = replace(scale, **y_scale)
        return rows, valid

    def _check_training(self):
        check_number(self.learning_rate, "learning_rate", low=SMALLEST_RATE, high=np.inf)
        if self.batch_size is not None:
            check_count(self.batch_size, "batch_size")

    def _search(self, search: Search, n_steps: int, description: str, end: str = "complete"):
        """Let a search take its steps; Ctrl-C ends it and keeps the best so far."""
        self.stop_reason_ = end
        try:
            for _ in track(range(n_steps), description=description, show=self.progress):
                reason = search.step()
                if reason is not None:
                    self.stop_reason_ = reason
                    break
        except KeyboardInterrupt:
            keep_partial(f"{type(self).__name__} keeps the best found so far.", stacklevel=5)
            self.stop_reason_ = "interrupted"
        self.history_ = pd.DataFrame(search.history)
        return search.best.state

    def _check_X(self, X):
        """Return inputs as the networks see them."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=self._dtypes, allow_nd=self._takes_images)
        return self.scale_.inputs(X)

    def _combine(self, outputs: NDArray) -> NDArray:
        """Return the ensemble's scores (n_samples, n_outputs) from outputs of all members."""
        return member_mean(outputs)

    def _member_scores(self, X) -> NDArray:
        """Return what output units of members say, in the units of y, (n_members, n_samples, k)."""
        X = self._check_X(X)
        return self.scale_.back(self.networks_.outputs(X))

    def _scores(self, X) -> NDArray:
        """Return the outputs of the ensemble; members' are kept for a few rows at a time."""
        X = self._check_X(X)
        scores = [self._combine(self.networks_.outputs(X[at])) for at in gen_batches(len(X), 4096)]
        return self.scale_.back(np.concatenate(scores))


class ScoredClassifier(BaseEnsembleClassifier):
    """A classifier whose members give scores to classes.

    A subclass gives the scores, ``_member_scores`` and ``_scores`` of the ensemble; ``_codes`` and
    ``_proba`` say what follows from either, ``_ensemble_proba`` where the ensemble differs.
    """

    _proba = staticmethod(as_proba)

    def _codes(self, scores):
        return scores.argmax(axis=-1)

    def _ensemble_proba(self, scores):
        return self._proba(scores)

    def _ask(self, X):
        scores = self._member_scores(X)
        return Answers(self.classes_, [], self._codes(scores), self._proba(scores))

    def _members_have_proba(self):
        return True

    def _combined(self, X):
        return self._ensemble_proba(self._scores(X))


class BaseNetworkClassifier(BaseNetworks, ScoredClassifier):
    """A classifier whose members have one output per class.

    ``_combine`` says what the ensemble makes of the outputs of its members.
    """

    def _targets(self, y, weight):
        """Return class numbers, the groups to split by, columns of 0 and 1, and their scale."""
        y = read_labels(self, y)
        self.classes_, _ = encode_target(self, y[weight > 0])
        # Labels of rows without weight may be unknown; those rows are dropped.
        codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        return codes, codes, np.eye(len(self.classes_))[codes], {}


class BaseNetworkRegressor(BaseNetworks, BaseEnsembleRegressor):
    """A regressor whose members have one output per target."""

    _is_regression = True
    # Whether y came as one column without a second axis.
    _flat = True

    def _targets(self, y, weight):
        """Return values, one group to split, scaled targets, and their scale."""
        y = np.asarray(y, dtype=np.float64)
        mean = float(np.average(y, weights=weight))
        unit = float(np.sqrt(np.average((y - mean) ** 2, weights=weight))) or 1.0
        targets = ((y - mean) / unit)[:, None]
        return y, np.zeros(len(y)), targets, {"y_mean": mean, "y_unit": unit}

    def _combined(self, X):
        return self._as_y(self._scores(X))

    def _ask(self, X):
        return self._as_y(self._member_scores(X))

    def _as_y(self, scores):
        return scores[..., 0] if self._flat else scores
