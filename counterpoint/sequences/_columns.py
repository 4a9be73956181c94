"""Columns of frames of events, pandas or polars, as checked arrays; chunks put together."""

import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray


class Names:
    """A column of names or numbers that comes in chunks; kept as numbers, for they are few."""

    def __init__(self, column: str):
        self.column = column
        self._codes: list[NDArray] = []
        self._names: list[NDArray] = []

    def add(self, frame) -> None:
        """Take the column of one more chunk; a missing name is an error."""
        values = frame[self.column]
        codes, names = pd.factorize(values if isinstance(values, pd.Series) else values.to_numpy())
        gaps = int((codes < 0).sum())
        if gaps:
            raise ValueError(f"Column {self.column!r} is empty for {gaps} events: leave them out.")
        self._codes.append(codes)
        self._names.append(np.asarray(names))

    def join(self) -> tuple[NDArray, NDArray]:
        """Return the names, sorted, and for each event its place among them."""
        parts = self._names
        if len({part.dtype.kind in "iufb" for part in parts}) > 1:
            parts = [part.astype(str) for part in parts]  # numbers in one chunk, words in another
        every = np.concatenate(parts)
        if every.dtype.kind == "O" and pd.api.types.infer_dtype(every) != "string":
            every = every.astype(str)
        names, place = np.unique(every, return_inverse=True)
        begin = np.cumsum([0, *map(len, parts)])
        codes = [
            place[at : at + len(part)][own]
            for at, part, own in zip(begin[:-1], parts, self._codes, strict=True)
        ]
        return names, np.concatenate(codes)


def known_types(names: NDArray, types) -> tuple[NDArray, NDArray]:
    """Return the types in the order given, and where each found one stands among them."""
    if types is None:
        return names, np.arange(len(names))
    places = {str(name): k for k, name in enumerate(types)}
    unknown = [str(name) for name in names if str(name) not in places]
    if unknown:
        raise ValueError(
            f"Events of types {unknown} were found, but types={list(types)}: add them, or leave "
            "these events out."
        )
    kind = object if names.dtype.kind == "O" else None
    return np.asarray(types, dtype=kind), np.array([places[str(name)] for name in names])


def need(frame, names) -> None:
    """Check that columns are there."""
    missing = [name for name in names if name not in list(frame.columns)]
    if missing:
        raise ValueError(
            f"The events have no column {', '.join(map(repr, missing))}; there are "
            f"{list(map(str, frame.columns))}."
        )


def column(frame, name) -> NDArray:
    """Return a column as an array."""
    return np.asarray(frame[name].to_numpy())


def numeric(frame, taken) -> list[str]:
    """Return the names of the numeric columns, but for those taken."""
    return [
        str(name)
        for name in frame.columns
        if name not in taken and np.asarray(frame[name].to_numpy()).dtype.kind in "iufb"
    ]


def values(frame, features) -> NDArray:
    """Return columns as floats, (n_events, n_features); infinite ones are an error."""
    numbers = np.empty((len(frame), len(features)))
    for k, name in enumerate(features):
        own = column(frame, name)
        try:
            numbers[:, k] = own
        except (TypeError, ValueError):
            raise ValueError(
                f"Column {name!r} holds values that are no numbers ({own.dtype}): leave it out "
                "of features, or encode it."
            ) from None
    bad = np.isinf(numbers).any(axis=0)
    if bad.any():
        raise ValueError(f"Column {features[int(np.argmax(bad))]!r} holds infinite values.")
    return numbers


def times(given: NDArray, name: str) -> tuple[NDArray, bool]:
    """Return times as numbers, days since 1970 for dates, and whether they were dates."""
    if given.dtype.kind == "O" or given.dtype.kind in "UST":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # dates of several forms would be guessed one by one
                dates = pd.to_datetime(pd.Series(given), utc=True)
                given = dates.dt.tz_localize(None).to_numpy()
        except (TypeError, ValueError, UserWarning):
            raise ValueError(
                f"Column {name!r} holds times that cannot be read, such as {str(given[0])!r}: give "
                "numbers, or dates all of one form such as 2024-01-31 or 2024-01-31 18:30."
            ) from None
    dated = given.dtype.kind == "M"
    if dated:
        days = given.astype("datetime64[us]").astype(np.int64) / 86_400e6
        moments = np.where(np.isnat(given), np.nan, days)
    else:
        moments = given.astype(np.float64)
    bad = int((~np.isfinite(moments)).sum())
    if bad:
        raise ValueError(f"Column {name!r} has {bad} events without a time: leave them out.")
    return moments, dated
