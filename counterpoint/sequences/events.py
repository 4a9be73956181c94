"""Logs of events: of whom, when, of what type, with what numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._validation import check_choice
from counterpoint.sequences import _columns as columns

_CHUNK_ROWS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class EventLog:
    """Events of many entities, sorted by entity and time; made by :meth:`from_frame`.

    Attributes
    ----------
    entity : ndarray of shape (n_events,), int64
        Position of the event's entity in ``entities``.
    time : ndarray of shape (n_events,), float64
        Days since 1970 for dates, else the number given.
    kind : ndarray of shape (n_events,), int64
        Position of the event's type in ``types``.
    values : ndarray of shape (n_events, n_features), float64
        The type as a number from 1, or as indicators, then the numeric columns.
    entities, types : ndarray
        Names; both sorted unless types were given.
    columns : list of str
        Names of the columns of ``values``.
    dated : bool
        Whether times were dates.

    Examples
    --------
    >>> from counterpoint.sequences import EventLog, make_churn_events
    >>> events = make_churn_events(1000, random_state=0).events
    >>> log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    >>> log.types.tolist()
    ['churn', 'complaint', 'order', 'repair']
    """

    entity: NDArray
    time: NDArray
    kind: NDArray
    values: NDArray
    entities: NDArray
    types: NDArray
    columns: list[str]
    dated: bool = False

    def __len__(self) -> int:
        return len(self.entity)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        entity: str,
        time: str,
        type: str,
        features: Sequence[str] | None = None,
        types: Sequence | None = None,
        encode: str = "code",
        ties: str = "keep",
    ) -> "EventLog":
        """Take events from a long frame, one row per event.

        Parameters
        ----------
        frame : pandas or polars DataFrame
            Rows in any order.
        entity, time, type : str
            Columns that say whose event it is, when it was, and of what type.
        features : sequence of str, default=None
            Numeric columns; None takes all other numeric ones. NaN is missing.
        types : sequence, default=None
            All types there may be, in the order of their numbers. None takes those found.
        encode : {"code", "indicators"}, default="code"
            A type as one number from 1, or as a 0/1 column for each type.
        ties : {"keep", "error"}, default="keep"
            Events of one entity at the same time keep the order of the rows, or are an error.

        Returns
        -------
        EventLog
        """
        return cls._read(
            [frame], entity=entity, time=time, type=type, features=features, types=types,
            encode=encode, ties=ties,
        )  # fmt: skip

    @classmethod
    def from_csv(cls, path: Any, *, chunk_rows: int = _CHUNK_ROWS, **options: Any) -> "EventLog":
        """Read events from a CSV file in chunks of rows; options as in :meth:`from_frame`."""
        try:
            with pd.read_csv(path, chunksize=chunk_rows) as chunks:
                return cls.from_chunks(chunks, **options)
        except pd.errors.EmptyDataError:
            raise ValueError(f"{path} is empty: expected a header and a row per event.") from None
        except (pd.errors.ParserError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"{path} cannot be read as CSV: {reason}.") from None

    @classmethod
    def from_parquet(
        cls, path: Any, *, chunk_rows: int = _CHUNK_ROWS, **options: Any
    ) -> "EventLog":
        """Read events from a Parquet file in chunks of rows; options as in :meth:`from_frame`.

        Needs pyarrow.
        """
        try:
            from pyarrow.parquet import ParquetFile
        except ImportError as error:
            raise ImportError(
                "Reading Parquet needs pyarrow: pip install 'counterpoint[polars]', or save CSV."
            ) from error
        chunks = (b.to_pandas() for b in ParquetFile(Path(path)).iter_batches(chunk_rows))
        return cls.from_chunks(chunks, **options)

    @classmethod
    def from_chunks(cls, chunks: Iterable, **options: Any) -> "EventLog":
        """Take events from several frames in turn; options as in :meth:`from_frame`."""
        return cls._read(chunks, **options)

    @classmethod
    def _read(
        cls, chunks, *, entity, time, type, features=None, types=None, encode="code", ties="keep"
    ):
        check_choice(encode, "encode", ("code", "indicators"))
        check_choice(ties, "ties", ("keep", "error"))
        owners, kinds = columns.Names(entity), columns.Names(type)
        times, numbers, dated = [], [], False
        for frame in chunks:
            columns.need(frame, [entity, time, type, *(features or [])])
            if len(frame) == 0:
                continue
            if features is None:
                features = columns.numeric(frame, {entity, time, type})
            owners.add(frame)
            kinds.add(frame)
            moment, dated = columns.times(columns.column(frame, time), time)
            times.append(moment)
            numbers.append(columns.values(frame, features))
        if not times:
            raise ValueError("There are no events: the frame or file is empty.")
        moment = np.concatenate(times)
        entities, owner = owners.join()
        order = np.lexsort((moment, owner))  # stable: ties keep the order of the rows
        owner, moment = owner[order], moment[order]
        if ties == "error":
            _refuse_ties(entities, owner, moment)
        names, kind = kinds.join()
        names, place = columns.known_types(names, types)
        kind = place[kind[order]]
        heads = [type] if encode == "code" else [f"{type}={name}" for name in names]
        # Column by column: a second copy of everything would not fit for large logs.
        values = np.empty((len(owner), len(heads) + len(features or [])))
        for k in range(len(heads)):
            values[:, k] = kind + 1.0 if encode == "code" else kind == k
        for k in range(len(features or [])):
            values[:, len(heads) + k] = np.concatenate([part[:, k] for part in numbers])[order]
        return cls(
            entity=owner, time=moment, kind=kind, values=values, entities=entities, types=names,
            columns=[*heads, *(features or [])], dated=dated,
        )  # fmt: skip


def _refuse_ties(entities, owner, moment):
    same = (np.diff(owner) == 0) & (np.diff(moment) == 0)
    if same.any():
        first = int(np.argmax(same))
        raise ValueError(
            f"{int(same.sum())} events share entity and time with the one before, first "
            f"{entities[owner[first]]!r} at {moment[first]:g}: make times differ, or pass "
            "ties='keep' to take them in the order of the rows."
        )
