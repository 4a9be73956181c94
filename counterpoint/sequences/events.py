"""Logs of events, and the labelled histories they hold (S1)."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit

from counterpoint.sequences._sequences import Sequences

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

    def __len__(self) -> int:
        return len(self.entity)

    @classmethod
    def from_frame(
        cls,
        frame,
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
        return cls.from_chunks(
            [frame], entity=entity, time=time, type=type, features=features, types=types,
            encode=encode, ties=ties,
        )  # fmt: skip

    @classmethod
    def from_csv(cls, path, *, chunk_rows: int = _CHUNK_ROWS, **options) -> "EventLog":
        """Read events from a CSV file in chunks of rows; options as in :meth:`from_frame`."""
        with pd.read_csv(path, chunksize=chunk_rows) as chunks:
            return cls.from_chunks(chunks, **options)

    @classmethod
    def from_parquet(cls, path, *, chunk_rows: int = _CHUNK_ROWS, **options) -> "EventLog":
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
    def from_chunks(
        cls,
        chunks: Iterable,
        *,
        entity: str,
        time: str,
        type: str,
        features: Sequence[str] | None = None,
        types: Sequence | None = None,
        encode: str = "code",
        ties: str = "keep",
    ) -> "EventLog":
        """Take events from several frames, one after the other; see :meth:`from_frame`."""
        if encode not in ("code", "indicators"):
            raise ValueError(f"encode={encode!r}: choose code or indicators.")
        if ties not in ("keep", "error"):
            raise ValueError(f"ties={ties!r}: choose keep or error.")
        owners, times, kinds, numbers = [], [], [], []
        for frame in chunks:
            _need(frame, [entity, time, type, *(features or [])])
            if features is None:
                features = _numeric(frame, {entity, time, type})
            owners.append(_column(frame, entity))
            times.append(_times(_column(frame, time), time))
            kinds.append(_column(frame, type))
            numbers.append(_values(frame, features))
        if not owners or sum(map(len, owners)) == 0:
            raise ValueError("There are no events: the frame or file is empty.")
        owner = _no_gaps(np.concatenate(owners), entity)
        moment = np.concatenate(times)
        entities, owner = np.unique(owner, return_inverse=True)
        order = np.lexsort((moment, owner))  # stable: ties keep the order of the rows
        owner, moment = owner[order], moment[order]
        if ties == "error":
            same = (np.diff(owner) == 0) & (np.diff(moment) == 0)
            if same.any():
                first = int(np.argmax(same))
                raise ValueError(
                    f"{int(same.sum())} events share entity and time with the one before, first "
                    f"{entities[owner[first]]!r} at {moment[first]:g}: make times differ, or pass "
                    "ties='keep' to take them in the order of the rows."
                )
        names, kind = _types(_no_gaps(np.concatenate(kinds), type), types)
        kind = kind[order]
        if encode == "code":
            head, columns = (kind + 1.0)[:, None], [type]
        else:
            head = (kind[:, None] == np.arange(len(names))).astype(float)
            columns = [f"{type}={name}" for name in names]
        values = np.concatenate([head, np.concatenate(numbers)[order]], axis=1)
        return cls(
            entity=owner, time=moment, kind=kind, values=values, entities=entities, types=names,
            columns=[*columns, *(features or [])],
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Histories:
    """Labelled histories: stretches of a log, each with what came after it.

    Attributes
    ----------
    log : EventLog
        Where the events are.
    first, last : ndarray of shape (n_histories,), int64
        A history is the events ``first`` to ``last`` of the log, both included.
    y : ndarray of shape (n_histories,), int64
        1 where the event ``horizon`` after the last is of the target type, else 0.
    entity : ndarray of shape (n_histories,)
        Position of the entity: groups for splitting.
    time, target_time : ndarray of shape (n_histories,)
        When the history ends, and when the event to be predicted was.
    """

    log: EventLog
    first: NDArray
    last: NDArray
    y: NDArray
    entity: NDArray
    time: NDArray
    target_time: NDArray

    def __len__(self) -> int:
        return len(self.y)

    @property
    def lengths(self) -> NDArray:
        """Number of events of each history."""
        return self.last - self.first + 1

    @property
    def sequences(self) -> Sequences:
        """The events themselves, copied out of the log."""
        start = np.concatenate([[0], np.cumsum(self.lengths)])
        rows = np.repeat(self.first - start[:-1], self.lengths) + np.arange(start[-1])
        return Sequences(values=self.log.values[rows], start=start)

    def take(self, which: NDArray) -> "Histories":
        """Return some of the histories, by number or by a mask."""
        return Histories(
            log=self.log,
            **{
                name: getattr(self, name)[which]
                for name in ("first", "last", "y", "entity", "time", "target_time")
            },
        )

    def recent(self, n_events: int) -> NDArray:
        """Return the last events of each history, the latest first.

        Returns
        -------
        ndarray of shape (n_histories, n_events, n_features)
            NaN where a history has fewer.
        """
        back = np.arange(n_events)
        rows = self.last[:, None] - back
        there = back < self.lengths[:, None]
        return np.where(there[..., None], self.log.values[np.where(there, rows, 0)], np.nan)

    def split_by_entity(self, test_size: float = 0.4, *, random_state=None):
        """Split so that no entity is on both sides.

        Returns
        -------
        train, test : Histories
        """
        splitter = GroupShuffleSplit(1, test_size=test_size, random_state=random_state)
        train, test = next(splitter.split(self.y, groups=self.entity))
        return self.take(train), self.take(test)

    def split_by_time(self, test_size: float = 0.4, *, cut: float | None = None):
        """Split at a moment: train on what was known then, test on predictions made later.

        Histories whose end lies before the moment and whose outcome after it are left out: at
        that moment nobody could have known it.

        Parameters
        ----------
        test_size : float, default=0.4
            Share of histories that end after the moment.
        cut : float, default=None
            The moment itself, in place of ``test_size``.

        Returns
        -------
        train, test : Histories
        """
        if cut is None:
            if not 0 < test_size < 1:
                raise ValueError(f"test_size={test_size!r}: give a share between 0 and 1.")
            cut = float(np.quantile(self.time, 1 - test_size))
        train, test = self.target_time <= cut, self.time > cut
        if not train.any() or not test.any():
            raise ValueError(
                f"At {cut:g} there are {int(train.sum())} histories to train on and "
                f"{int(test.sum())} to test on: choose a moment between {self.time.min():g} and "
                f"{self.time.max():g}."
            )
        return self.take(train), self.take(test)


def histories(
    log: EventLog,
    *,
    target,
    length: int | str = "any",
    horizon: int = 1,
    min_events: int = 3,
    after_target: str = "drop",
) -> Histories:
    """Cut a log into histories, each labelled by whether an event of the target type follows.

    Every event of an entity that has enough events before it is a label once; the history is
    what came before. No history holds the event it is labelled by, nor any after it.

    Parameters
    ----------
    log : EventLog
        Events.
    target : type
        The type to be predicted, such as "churn".
    length : int or "any", default="any"
        Take the last so many events before the label; "any" takes all of them.
    horizon : int, default=1
        The event to predict is the so-manieth after the history.
    min_events : int, default=3
        Fewest events of history and label together; with ``length`` at least that many of
        history must be there too.
    after_target : {"drop", "keep"}, default="drop"
        What follows the first event of the target type of an entity: left out, as after churn,
        or used, as for failures of a machine that runs on.

    Returns
    -------
    Histories

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 6.1.

    Examples
    --------
    >>> from counterpoint.sequences import EventLog, histories, make_churn_events
    >>> events = make_churn_events(1000, random_state=0).events
    >>> log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    >>> made = histories(log, target="churn", length=2)
    >>> set(made.lengths.tolist())
    {2}
    """
    code = _target(log, target)
    for name, value in (("horizon", horizon), ("min_events", min_events)):
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name}={value!r}: give a whole number from 1.")
    if length != "any" and (not isinstance(length, (int, np.integer)) or length < 1):
        raise ValueError(f"length={length!r}: give a whole number from 1, or 'any'.")
    if after_target not in ("drop", "keep"):
        raise ValueError(f"after_target={after_target!r}: choose drop or keep.")
    n = len(log)
    row = np.arange(n)
    begin = np.flatnonzero(np.r_[True, np.diff(log.entity) != 0])
    origin = np.repeat(begin, np.diff(np.r_[begin, n]))  # first event of the same entity
    place = row - origin
    fewest = min_events - 1 if length == "any" else max(min_events - 1, int(length))
    label = place >= max(fewest, 1) + horizon - 1
    if after_target == "drop":
        hits = np.cumsum(log.kind == code)
        before = hits - (log.kind == code)  # target events up to here, this one left out
        label &= before == before[origin]
    at = np.flatnonzero(label)
    if len(at) == 0:
        raise ValueError(
            f"No entity has {max(fewest, 1) + horizon} events, as length={length!r}, "
            f"horizon={horizon} and min_events={min_events} ask for: shorten them."
        )
    last = at - horizon
    first = origin[at] if length == "any" else last - int(length) + 1
    return Histories(
        log=log,
        first=first,
        last=last,
        y=(log.kind[at] == code).astype(np.int64),
        entity=log.entity[at],
        time=log.time[last],
        target_time=log.time[at],
    )


def _target(log, target):
    found = np.flatnonzero(log.types == target)
    if len(found) == 0:
        raise ValueError(
            f"target={target!r} is no type of this log, which has {log.types.tolist()}."
        )
    share = float((log.kind == found[0]).mean())
    if share in (0.0, 1.0):
        raise ValueError(
            f"{'No event' if share == 0 else 'Every event'} is of the target type {target!r}: "
            "there is nothing to tell apart."
        )
    return int(found[0])


def _need(frame, names):
    missing = [name for name in names if name not in list(frame.columns)]
    if missing:
        raise ValueError(
            f"The events have no column {', '.join(map(repr, missing))}; there are "
            f"{list(map(str, frame.columns))}."
        )


def _column(frame, name):
    return np.asarray(frame[name].to_numpy())


def _numeric(frame, taken):
    return [
        str(name)
        for name in frame.columns
        if name not in taken and np.asarray(frame[name].to_numpy()).dtype.kind in "iufb"
    ]


def _values(frame, features):
    values = np.empty((len(frame), len(features)))
    for k, name in enumerate(features):
        column = _column(frame, name)
        try:
            values[:, k] = column
        except (TypeError, ValueError):
            raise ValueError(
                f"Column {name!r} holds values that are no numbers ({column.dtype}): leave it out "
                "of features, or encode it."
            ) from None
    bad = np.isinf(values).any(axis=0)
    if bad.any():
        raise ValueError(f"Column {features[int(np.argmax(bad))]!r} holds infinite values.")
    return values


def _times(column, name):
    if column.dtype.kind == "O" or column.dtype.kind in "UST":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # dates of several forms would be guessed one by one
                column = pd.to_datetime(pd.Series(column)).to_numpy()
        except (TypeError, ValueError, UserWarning) as error:
            raise ValueError(
                f"Column {name!r} holds times that cannot be read ({error}): give numbers or dates."
            ) from None
    if column.dtype.kind == "M":
        days = column.astype("datetime64[us]").astype(np.int64) / 86_400e6
        times = np.where(np.isnat(column), np.nan, days)
    else:
        times = column.astype(np.float64)
    if not np.isfinite(times).all():
        raise ValueError(
            f"Column {name!r} has {int((~np.isfinite(times)).sum())} events without a time: leave "
            "them out."
        )
    return times


def _no_gaps(column, name):
    gaps = pd.isna(column)
    if gaps.any():
        raise ValueError(f"Column {name!r} is empty for {int(gaps.sum())} events: leave them out.")
    return column


def _types(kinds, given):
    if given is None:
        return np.unique(kinds, return_inverse=True)
    names = np.asarray(given, dtype=kinds.dtype if kinds.dtype.kind != "O" else object)
    place = {name: k for k, name in enumerate(names.tolist())}
    unknown = sorted({str(k) for k in pd.unique(pd.Series(kinds)) if k not in place})
    if unknown:
        raise ValueError(
            f"Events of types {unknown} were found, but types={list(given)}: add them, or leave "
            "these events out."
        )
    return names, np.array([place[k] for k in kinds.tolist()], dtype=np.int64)
