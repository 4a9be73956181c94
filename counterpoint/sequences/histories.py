"""Labelled histories: stretches of a log of events, and what came after them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit

from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.sequences.data import Sequences, latest_events, lay_out
from counterpoint.sequences.events import EventLog


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
        return lay_out(self.log.values, self.first, self.lengths)

    def take(self, which: NDArray) -> "Histories":
        """Return some of the histories, by number or by a mask."""
        names = ("first", "last", "y", "entity", "time", "target_time")
        return Histories(log=self.log, **{name: getattr(self, name)[which] for name in names})

    def recent(self, n_events: int) -> NDArray:
        """Return the last events of each history, the latest first.

        Returns
        -------
        ndarray of shape (n_histories, n_events, n_features)
            NaN where a history has fewer.
        """
        return latest_events(self.log.values, self.last, self.lengths, n_events)

    def split_by_entity(
        self, test_size: float = 0.4, *, random_state: Seed = None
    ) -> "tuple[Histories, Histories]":
        """Split so that no entity is on both sides.

        Returns
        -------
        train, test : Histories
        """
        splitter = GroupShuffleSplit(1, test_size=test_size, random_state=random_state)
        train, test = next(splitter.split(self.y, groups=self.entity))
        return self.take(train), self.take(test)

    def split_by_time(
        self, test_size: float = 0.4, *, cut: float | None = None
    ) -> "tuple[Histories, Histories]":
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
            check_number(test_size, "test_size", low=0, high=1, open_low=True, open_high=True)
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
    target: Any,
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
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       6.1.

    Examples
    --------
    >>> from counterpoint.sequences import EventLog, histories, make_churn_events
    >>> events = make_churn_events(1000, random_state=0).events
    >>> log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    >>> pairs = histories(log, target="churn", length=2)
    >>> set(pairs.lengths.tolist())
    {2}
    """
    code = target_code(log, target)
    check_count(horizon, "horizon")
    check_count(min_events, "min_events")
    _check_length(length)
    check_choice(after_target, "after_target", ("drop", "keep"))
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


def latest_histories(
    log: EventLog, *, target: Any, length: int | str = "any", min_events: int = 3
) -> Histories:
    """Return the history of every entity as it stands: what to ask a fitted model about now.

    Entities that had an event of the target type are gone, and left out; so are those with fewer
    events than asked for.

    Parameters
    ----------
    log : EventLog
        Events.
    target : type
        The type to be predicted.
    length : int or "any", default="any"
        Take the last so many events; "any" takes all.
    min_events : int, default=3
        As in :func:`histories`: fewest events, the one still to come included.

    Returns
    -------
    Histories
        One per entity. ``y`` is -1 and ``target_time`` NaN: nobody knows yet.

    Examples
    --------
    >>> from counterpoint.sequences import EventLog, latest_histories, make_churn_events
    >>> events = make_churn_events(1000, random_state=0).events
    >>> log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    >>> len(latest_histories(log, target="churn", length=2)) <= 1000
    True
    """
    code = target_code(log, target)
    _check_length(length)
    check_count(min_events, "min_events")
    begin = np.flatnonzero(np.r_[True, np.diff(log.entity) != 0])
    last = np.r_[begin[1:], len(log)] - 1
    fewest = max(1, min_events - 1, 0 if length == "any" else int(length))
    gone = np.add.reduceat(log.kind == code, begin) > 0
    kept = ~gone & (last - begin + 1 >= fewest)
    begin, last = begin[kept], last[kept]
    return Histories(
        log=log,
        first=begin if length == "any" else last - int(length) + 1,
        last=last,
        y=np.full(len(last), -1, dtype=np.int64),
        entity=log.entity[last],
        time=log.time[last],
        target_time=np.full(len(last), np.nan),
    )


def _check_length(length):
    if not (isinstance(length, str) and length == "any"):
        check_count(length, "length", hint=", or 'any'")


def target_code(log: EventLog, target) -> int:
    """Return the place of the target type among those of the log."""
    if not isinstance(log, EventLog):
        raise TypeError(f"log={log!r}: pass an EventLog; EventLog.from_frame makes one of a table.")
    places = np.flatnonzero(log.types.astype(str) == str(target))
    if len(places) == 0:
        raise ValueError(
            f"target={target!r} is no type of this log, which has {log.types.tolist()}."
        )
    share = float((log.kind == places[0]).mean())
    if share in (0.0, 1.0):
        raise ValueError(
            f"{'No event' if share == 0 else 'Every event'} is of the target type {target!r}: "
            "there is nothing to tell apart."
        )
    return int(places[0])
