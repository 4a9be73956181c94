"""Sequences of events as arrays: rows one below the other, and where each sequence begins."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from counterpoint._reading import validate_data
from counterpoint._tables import need_numbers


@dataclass(frozen=True, kw_only=True)
class Sequences:
    """Sequences laid end to end: s is ``values[start[s]:start[s + 1]]``; none is empty."""

    values: NDArray  # (n_events, n_features), float64; NaN is missing
    start: NDArray  # (n_sequences + 1,), int64

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def lengths(self) -> NDArray:
        """Number of events of each sequence."""
        return np.diff(self.start)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.values.shape[1]

    def take(self, which: NDArray) -> "Sequences":
        """Return some of the sequences, by number or by a mask."""
        which = np.arange(len(self))[which]
        return lay_out(self.values, self.start[which], self.lengths[which])

    def __iter__(self):
        return (self.values[a:b] for a, b in zip(self.start[:-1], self.start[1:], strict=True))


def lay_out(values: NDArray, first: NDArray, lengths: NDArray) -> Sequences:
    """Copy stretches of events, by their first rows and lengths, to lie end to end."""
    start = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(first - start[:-1], lengths) + np.arange(start[-1])
    return Sequences(values=values[rows], start=start)


def latest_events(values: NDArray, last: NDArray, lengths: NDArray, n_events: int) -> NDArray:
    """Return the last events of stretches, the latest first and NaN for those they lack."""
    back = np.arange(n_events)
    there = back < lengths[:, None]
    rows = np.where(there, last[:, None] - back, 0)
    return np.where(there[..., None], values[rows], np.nan)


def as_sequences(X, *, n_features: int | None = None, allow_nan: bool = True) -> Sequences:
    """Take sequences in any of the usual forms.

    A list holds one (n_events, n_features) array per sequence; a 3-D array is (n_sequences,
    n_events, n_features); a 2-D array or frame is one event per sequence. Anything with an
    attribute ``sequences`` is asked for it.
    """
    if hasattr(X, "sequences"):
        X = X.sequences
    if isinstance(X, Sequences):
        data = X
    elif _is_ragged(X):
        data = _stack([np.asarray(x, dtype=np.float64) for x in X])
    elif _is_cube(X):
        data = _stack(list(np.asarray(X, dtype=np.float64)))
    else:
        need_numbers(X, "a table of events")
        rows = check_array(
            X, dtype=np.float64, ensure_all_finite="allow-nan" if allow_nan else True
        )
        data = Sequences(values=rows, start=np.arange(len(rows) + 1))
    check_array(data.values, dtype=np.float64, ensure_all_finite="allow-nan" if allow_nan else True)
    if n_features is not None and data.n_features != n_features:
        raise ValueError(
            f"The sequences have {data.n_features} columns, but {n_features} were there in "
            "training: pass the same columns in the same order."
        )
    return data


def _stack(parts):
    for k, part in enumerate(parts):
        if part.ndim != 2 or len(part) == 0 or part.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"Sequence {k} has shape {part.shape}, expected (n_events, "
                f"{parts[0].shape[-1]}) with at least one event: leave empty histories out."
            )
    start = np.concatenate([[0], np.cumsum([len(p) for p in parts])])
    return Sequences(values=np.ascontiguousarray(np.concatenate(parts)), start=start)


def read_sequences(estimator, X, *, reset: bool) -> Sequences:
    """Take sequences for an estimator, and note or check the number of columns.

    A 2-D array or frame goes through scikit-learn's own checks, names of columns included.
    """
    if hasattr(X, "sequences") or isinstance(X, Sequences) or _is_ragged(X) or _is_cube(X):
        data = as_sequences(X, n_features=None if reset else estimator.n_features_in_)
        if reset:
            estimator.n_features_in_ = data.n_features
        return data
    rows = validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
    return Sequences(values=rows, start=np.arange(len(rows) + 1))


def _is_ragged(X):
    return isinstance(X, (list, tuple)) and len(X) > 0 and np.ndim(X[0]) == 2


def _is_cube(X):
    return isinstance(X, np.ndarray) and X.ndim == 3
