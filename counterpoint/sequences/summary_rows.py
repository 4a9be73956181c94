"""Histories as rows that people can read: counts of events, time between them, their numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.sequences.histories import Histories

_MOST_TYPES = 20  # that get columns of their own, the most frequent


@dataclass(frozen=True, kw_only=True)
class SummaryRows:
    """What histories hold.

    Attributes
    ----------
    rows : ndarray of shape (n_histories, n_columns)
    names : list of str
        Of the columns.
    kinds : list of str
        "last" (the last event is of a type), "recent" (how many of a type lately), "ever" (how
        many so far), "gap" (time before the last event), "value" (a number of the last event),
        "mean" (its mean lately).
    """

    rows: NDArray
    names: list[str]
    kinds: list[str]


def summary_rows(data: Histories, *, target, n_recent: int = 3) -> SummaryRows:
    """Summarise each history by its last event, the last few, and all so far.

    Parameters
    ----------
    data : Histories
    target : type
        Not counted: histories end before it.
    n_recent : int, default=3
        Events that count as recent.
    """
    log = data.log
    origin = _origin(log.entity)[data.last]
    counts = np.bincount(log.kind, minlength=len(log.types))
    types = [k for k in np.argsort(-counts, kind="stable") if str(log.types[k]) != str(target)]
    columns: list[NDArray] = []
    names: list[str] = []
    kinds: list[str] = []

    def add(kind: str, name: str, values: NDArray) -> None:
        kinds.append(kind)
        names.append(name)
        columns.append(np.asarray(values, dtype=float))

    start = np.maximum(data.last - n_recent + 1, origin)
    for k in types[:_MOST_TYPES]:
        so_far = np.r_[0, np.cumsum(log.kind == k)]
        name = str(log.types[k])
        add("last", name, log.kind[data.last] == k)
        add("recent", name, so_far[data.last + 1] - so_far[start])
        add("ever", name, np.log1p(so_far[data.last + 1] - so_far[origin]))
    gap = np.where(data.last > origin, log.time[data.last] - log.time[data.last - 1], np.nan)
    add("gap", "", np.log1p(np.maximum(gap, 0.0)))
    n_heads = len(log.columns) - _n_features(log)
    for c in range(n_heads, len(log.columns)):
        values = log.values[:, c]
        total = np.r_[0.0, np.cumsum(np.nan_to_num(values))]
        there = np.r_[0, np.cumsum(~np.isnan(values))]
        n = there[data.last + 1] - there[start]
        mean = np.where(n > 0, (total[data.last + 1] - total[start]) / np.maximum(n, 1), np.nan)
        add("value", log.columns[c], values[data.last])
        add("mean", log.columns[c], mean)
    return SummaryRows(rows=np.column_stack(columns), names=names, kinds=kinds)


def _n_features(log) -> int:
    """Columns of a log after those that stand for the type."""
    heads = [name for name in log.columns if "=" in name and name.split("=", 1)[1] in log.types]
    return len(log.columns) - max(1, len(heads))


def _origin(entity: NDArray) -> NDArray:
    begin = np.flatnonzero(np.r_[True, np.diff(entity) != 0])
    return np.repeat(begin, np.diff(np.r_[begin, len(entity)]))


def reasons_in_words(
    summary: SummaryRows,
    contributions: NDArray,
    *,
    n_recent: int = 3,
    most: int = 2,
    unit: str = "",
) -> list[str]:
    """Say for each history what raises the risk most: the events that did, and their numbers.

    Parameters
    ----------
    summary : SummaryRows
    contributions : ndarray of shape (n_histories, n_columns)
        What each column adds to the log odds.
    n_recent, most : int
        As given for the summary; reasons to name.
    unit : str
        Of time, such as "days".
    """
    out = []
    for row, adds in zip(summary.rows, contributions, strict=True):
        told: list[str] = []
        seen: set[tuple[str, str]] = set()
        for c in np.argsort(-adds, kind="stable"):
            if adds[c] < 0.05 or len(told) == most:
                break
            kind, name = summary.kinds[c], summary.names[c]
            about = ("type" if kind in ("last", "recent", "ever") else "value", name)
            words = _reason(kind, name, float(row[c]), float(adds[c]), n_recent, unit)
            if words and about not in seen:
                seen.add(about)
                told.append(words)
        out.append("; ".join(told) or "nothing out of the usual")
    return out


def _reason(kind: str, name: str, value: float, adds: float, n_recent: int, unit: str) -> str:
    if np.isnan(value):
        return ""
    # Events that raised it are reasons; that others are absent is none to tell.
    if kind == "last":
        return f"the last event was {name}" if value else ""
    if kind == "recent":
        if value == 0:
            return ""
        if value == n_recent:
            return f"the last {n_recent} events were all {name}"
        return f"{name} {_times(value)} in the last {n_recent} events"
    if kind == "ever":
        n = round(float(np.expm1(value)))
        return f"{name} {_times(n)} so far" if n else ""
    if kind == "gap":
        return f"{float(np.expm1(value)):.3g}{' ' + unit if unit else ''} between the last events"
    if " is " in name or " has " in name:
        lately = "lately" if kind == "mean" else "in the last event"
        return f"{name} {lately}" if value else ""
    return f"{name} {value:.4g} {'on average lately' if kind == 'mean' else 'in the last event'}"


def _times(n: float) -> str:
    return "once" if n == 1 else "twice" if n == 2 else f"{n:.0f} times"
