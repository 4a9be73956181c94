"""Which columns of a table of events say whose, when and of what type; rows that say none of it."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from counterpoint.sequences.details import event_details
from counterpoint.sequences.events import EventLog
from counterpoint.sequences.marks import marks_of, with_marked_type

# What such columns are called, the surest first. Parts of a name count less than all of it.
_ENTITY = (
    "customer", "customerid", "client", "clientid", "user", "userid", "account", "accountid",
    "patient", "patientid", "machine", "machineid", "device", "deviceid", "subscriber", "member",
    "memberid", "person", "personid", "entity", "entityid", "kunde", "kundennummer", "owner", "id",
    "msisdn", "vin", "serial", "unit", "asset", "caseid",
)  # fmt: skip
_TIME = (
    "time", "timestamp", "date", "datetime", "when", "eventtime", "eventdate", "occurred", "at",
    "day", "created", "createdat", "datum", "zeit", "ts", "month", "start",
)  # fmt: skip
_TYPE = (
    "event", "eventtype", "type", "kind", "action", "activity", "eventname", "what", "category",
    "code", "status", "reason", "art", "ereignis", "name",
)  # fmt: skip
_TARGET = (
    "churn", "churned", "cancel", "cancelled", "canceled", "cancellation", "terminate",
    "termination", "terminated", "leave", "left", "quit", "unsubscribe", "close", "closed",
    "failure", "fail", "failed", "breakdown", "death", "died", "default", "dropout", "attrition",
    "lost", "readmission", "relapse", "kuendigung", "kündigung", "ausfall",
)  # fmt: skip
_NUMBER = r"\s*-?\d+([.,]\d+)?\s*"
_MOST_TYPES = 200
_SAMPLE = 5000


@dataclass(frozen=True, kw_only=True)
class EventColumns:
    """What the columns of a table of events are; found by :func:`find_event_columns`.

    Attributes
    ----------
    entity, time, type : str
        Columns.
    target : str
        The type of event to predict.
    guessed : list of str
        Those of the four that were found out, and not told.
    marked : bool
        Whether ``target`` is no type but a column that marks the events to predict.
    """

    entity: str
    time: str
    type: str
    target: str
    guessed: list[str] = field(default_factory=list)
    marked: bool = False

    def sentence(self) -> str:
        """Say what was taken for what."""
        marked = ", which is marked in a column of that name" if self.marked else ""
        return (
            f"entity {self.entity!r}, time {self.time!r}, type {self.type!r}, target "
            f"{self.target!r}{marked}"
        )


def find_event_columns(
    frame: pd.DataFrame,
    *,
    entity: str | None = None,
    time: str | None = None,
    type: str | None = None,
    target: str | None = None,
) -> EventColumns:
    """Find out which columns say whose, when and of what type, and which type is to be predicted.

    By what columns are called, and by what they hold: an entity comes again in many rows, a time
    can be read as one, a type is one of few. Where two columns are as good, the error asks.

    Parameters
    ----------
    frame : DataFrame
        A row per event.
    entity, time, type, target : str, default=None
        What is known already. The target is a type, or a column of 0 and 1 (yes and no, ...) that
        marks the events to predict.

    Returns
    -------
    EventColumns

    Raises
    ------
    ValueError
        Where a column is missing, or cannot be found for sure.

    Examples
    --------
    >>> from counterpoint.sequences import make_churn_events
    >>> from counterpoint.sequences.finding import find_event_columns
    >>> events = make_churn_events(100, base_hazard=0.01, random_state=0).events
    >>> find_event_columns(events).sentence()
    "entity 'customer', time 'time', type 'event', target 'churn'"
    """
    names = [str(name) for name in frame.columns]
    told = {"entity": entity, "time": time, "type": type}
    for name in told.values():
        if name is not None and name not in names:
            raise ValueError(f"The events have no column {name!r}; there are {names}.")
    some = frame if len(frame) <= _SAMPLE else frame.iloc[:: len(frame) // _SAMPLE]
    found = {key: name for key, name in told.items() if name is not None}
    for key in ("time", "type", "entity"):  # those that are told best by content come first
        if key in found:
            continue
        free = [name for name in names if name not in found.values()]
        scores = {name: _SCORES[key](name, some[name], frame[name]) for name in free}
        found[key] = _best(scores, key, names)
    guessed = [key for key, name in told.items() if name is None]
    wanted = target
    types = frame[found["type"]]
    markers = [
        name
        for name in names
        if name not in found.values() and (name == wanted or (wanted is None and _is_target(name)))
    ]
    if wanted is not None:
        markers = [] if (types.astype(str) == wanted).any() else markers
    else:
        guessed.append("target")
    markers = [name for name in markers if marks_of(frame[name]) is not None]
    if wanted is None:
        wanted = _find_target(types, found["type"], markers)
    return EventColumns(target=wanted, guessed=guessed, marked=wanted in markers, **found)


def _best(scores: dict[str, float], key: str, names: list[str]) -> str:
    order = sorted(scores, key=lambda name: -scores[name])
    asked = {"entity": "whose event it is", "time": "when it was", "type": "of what type it is"}
    if not order or scores[order[0]] <= 0:
        raise ValueError(
            f"No column seems to say {asked[key]}; there are {names}. Name it with {key}=."
        )
    if len(order) > 1 and scores[order[1]] >= scores[order[0]] - 1e-9:
        raise ValueError(
            f"Which column says {asked[key]}, {order[0]!r} or {order[1]!r}? Name it with {key}=."
        )
    return order[0]


def _called(name: str, words: Sequence[str]) -> float:
    """Say how well a name fits: 1 for the surest word, less for later ones and for parts of it."""
    plain = re.sub(r"[^a-zà-ÿ]", "", name.lower())
    for k, word in enumerate(words):
        if plain == word:
            return 1.0 - 0.3 * k / len(words)
    parts = set(re.split(r"[^a-zà-ÿ]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))
    hits = [0.6 - 0.3 * k / len(words) for k, word in enumerate(words) if word in parts]
    return max(hits, default=0.0)


def _entity_score(name: str, some: pd.Series, whole: pd.Series) -> float:
    filled = whole.dropna()
    distinct, n = filled.nunique(), len(filled)
    if n == 0 or distinct < 2 or distinct > 0.9 * n:
        return 0.0
    if pd.api.types.is_float_dtype(whole.dtype) and not (filled % 1 == 0).all():
        return 0.0
    several = 0.5 if 1.5 <= n / distinct <= 1000 and distinct > 20 else 0.0
    return _called(name, _ENTITY) + several * (0.4 if _called(name, _ENTITY) == 0 else 1.0)


def _time_score(name: str, some: pd.Series, whole: pd.Series) -> float:
    called = _called(name, _TIME)
    if pd.api.types.is_datetime64_any_dtype(some.dtype):
        return 1.0 + called
    if pd.api.types.is_bool_dtype(some.dtype):
        return 0.0
    if pd.api.types.is_numeric_dtype(some.dtype):
        return called  # numbers are times only if they are called so
    texts = some.dropna().astype(str)
    if len(texts) == 0:
        return 0.0
    if texts.str.fullmatch(_NUMBER).mean() > 0.5:
        return called  # as above; a few cells are something else
    readable = float(read_times(texts).notna().mean())
    return (1.0 + called) * readable if readable > 0.5 else 0.0


def _type_score(name: str, some: pd.Series, whole: pd.Series) -> float:
    distinct = whole.dropna().nunique()
    if distinct < 2 or distinct > min(_MOST_TYPES, 0.5 * len(whole)):
        return 0.0
    called = _called(name, _TYPE)
    has_target = any(_is_target(value) for value in whole.dropna().unique())
    words = not pd.api.types.is_numeric_dtype(whole.dtype)
    if not called and not has_target and not words:
        return 0.0
    return called + (1.0 if has_target else 0.0) + (0.2 if words else 0.0)


_SCORES = {"entity": _entity_score, "time": _time_score, "type": _type_score}


def _is_target(value: Any) -> bool:
    parts = set(re.split(r"[^a-zà-ÿ]+", str(value).lower()))
    return bool(parts & set(_TARGET))


def _find_target(column: pd.Series, name: str, markers: list[str]) -> str:
    counts = column.dropna().astype(str).value_counts()
    fit = [value for value in counts.index if _is_target(value)]
    exact = [value for value in fit if value.lower() in _TARGET]
    if len(exact) == 1 or len(fit) == 1:
        return exact[0] if len(exact) == 1 else fit[0]
    if not fit and len(markers) == 1:
        return markers[0]
    shown = ", ".join(repr(value) for value in (fit or list(counts.index))[:8])
    raise ValueError(
        f"Which type of event is to be predicted? Column {name!r} has {shown}; a column of 0 "
        "and 1 that marks them would do as well. Name one with target=."
    )


def read_times(column: pd.Series) -> pd.Series:
    """Return times as dates, NaT where one cannot be read; numbers stay numbers.

    Of 3.4.2024 the day comes first if any row has a first number above 12, else as is usual where
    parts are divided by dots.
    """
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.where(np.isfinite(column.astype(float)))
    texts = column.astype(str).where(column.notna())
    commas = texts.str.fullmatch(_NUMBER).fillna(False)
    numbers = pd.to_numeric(texts.where(~commas, texts.str.replace(",", ".")), errors="coerce")
    if numbers.notna().mean() > 0.5:
        return numbers
    first = pd.to_numeric(texts.str.extract(r"^\s*(\d{1,2})[./-]\d{1,2}[./-]\d")[0])
    second = pd.to_numeric(texts.str.extract(r"^\s*\d{1,2}[./-](\d{1,2})[./-]\d")[0])
    dots = texts.str.contains(r"^\s*\d{1,2}\.\d", na=False).mean() > 0.5
    day_first = bool((first > 12).any() or (dots and not (second > 12).any()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # forms that differ are read one by one
        dates = pd.to_datetime(texts, errors="coerce", utc=True, dayfirst=day_first, format="mixed")
    return dates.dt.tz_localize(None)


@dataclass(frozen=True, kw_only=True)
class CleanEvents:
    """Events that can be used; made by :func:`clean_events`.

    Attributes
    ----------
    frame : DataFrame
        Rows with an entity, a time that can be read and a type.
    left_out : dict of str to int
        How many others there were, by reason.
    examples : list of str
        The first of them, in words.
    """

    frame: pd.DataFrame
    left_out: dict[str, int]
    examples: list[str]

    def notes(self) -> list[str]:
        """Say what was left out."""
        if not self.left_out:
            return []
        parts = ", ".join(f"{n} with {why}" for why, n in self.left_out.items())
        total = sum(self.left_out.values())
        return [
            f"{total} of {total + len(self.frame)} rows left out: {parts}; "
            f"{'; '.join(self.examples)}."
        ]


def clean_events(frame: pd.DataFrame, columns: EventColumns) -> CleanEvents:
    """Leave out rows without an entity, a readable time or a type, and count them.

    Parameters
    ----------
    frame : DataFrame
    columns : EventColumns

    Returns
    -------
    CleanEvents
        Times are dates or numbers; entities and types texts or numbers as they were.

    Raises
    ------
    ValueError
        If not one row is left, or most times cannot be read.
    """
    times = read_times(frame[columns.time])
    blank = {
        name: frame[name].isna() | (frame[name].astype(str).str.strip() == "")
        for name in (columns.entity, columns.time, columns.type)
    }
    reasons = {
        f"no {columns.entity!r}": blank[columns.entity],
        f"no {columns.time!r}": blank[columns.time],
        f"a {columns.time!r} that cannot be read": times.isna() & ~blank[columns.time],
        f"no {columns.type!r}": blank[columns.type],
    }
    bad = pd.Series(False, index=frame.index)
    left_out, examples = {}, []
    for why, mask in reasons.items():
        new = mask & ~bad
        if not new.any():
            continue
        left_out[why] = int(new.sum())
        place = int(np.flatnonzero(new.to_numpy())[0])
        cell = frame[columns.time].iloc[place]
        shown = f" ({str(cell)[:40]!r})" if "cannot" in why else ""
        examples.append(f"the first in data row {place + 1}{shown}")
        bad |= new
    if bad.all() or times.notna().sum() == 0:
        if times.notna().sum() == 0 and len(frame):
            raise ValueError(
                f"Column {columns.time!r} holds times that cannot be read, such as "
                f"{str(frame[columns.time].iloc[0])!r}: give numbers, or dates such as 2024-01-31."
            )
        raise ValueError("There are no events: no row has an entity, a time and a type.")
    kept = frame.assign(**{columns.time: times})[~bad].reset_index(drop=True)
    for name in (columns.entity, columns.type):
        # Whole numbers beside a gap were read with a fraction that nobody wrote.
        if pd.api.types.is_float_dtype(kept[name].dtype) and (kept[name] % 1 == 0).all():
            kept[name] = kept[name].astype("int64")
    return CleanEvents(frame=kept, left_out=left_out, examples=examples)


@dataclass(frozen=True, kw_only=True)
class ReadLog:
    """A log of events, what its columns were taken for, and what to know of it."""

    log: EventLog
    columns: EventColumns
    notes: list[str]


def read_log(
    frame: pd.DataFrame,
    *,
    entity: str | None = None,
    time: str | None = None,
    type: str | None = None,
    target: str | None = None,
    features: Sequence[str] | None = None,
) -> ReadLog:
    """Make a log of a table of events as people keep them.

    Columns that are not named are found out, rows that cannot be used are left out and counted,
    and all other columns, words and categories too, become numbers that describe the event.

    Parameters
    ----------
    frame : DataFrame
    entity, time, type, target : str, default=None
        As for :func:`find_event_columns`.
    features : sequence of str, default=None
        Other columns to use; None for all.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.sequences.finding import read_log
    >>> frame = pd.DataFrame({
    ...     "client": ["a", "a", None, "b", "b"] * 9,
    ...     "day": ["3.4.2024", "14.4.2024", "5.4.2024", "?", "1.5.2024"] * 9,
    ...     "what": ["order", "churn", "order", "order", "call"] * 9,
    ... })
    >>> read = read_log(frame)
    >>> len(read.log), read.columns.target
    (27, 'churn')
    """
    if len(frame) == 0:
        raise ValueError("There are no events: the frame or file is empty.")
    frame = frame.rename(columns=str)
    columns = find_event_columns(frame, entity=entity, time=time, type=type, target=target)
    if columns.marked:
        frame = with_marked_type(frame, columns.target, entity=columns.entity, type=columns.type)
    taken = [columns.entity, columns.time, columns.type]
    clean = clean_events(frame, columns)
    others = clean.frame if features is None else clean.frame[[*taken, *_there(frame, features)]]
    details, left_out = event_details(others, taken)
    log = EventLog.from_frame(
        pd.concat([clean.frame[taken], details], axis=1), entity=columns.entity,
        time=columns.time, type=columns.type, features=list(details.columns),
    )  # fmt: skip
    return ReadLog(log=log, columns=columns, notes=[*clean.notes(), *left_out])


def _there(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ValueError(
            f"The events have no column {missing[0]!r}; there are {list(frame.columns)}."
        )
    return list(names)
