"""When the event will come: a hazard in discrete time, for histories that may not be over.

From the end of each history one waits for the first event of the target type, or until the log
ends: then the wait is censored. Waits are cut into intervals. The hazard of an interval, the
probability that the event comes in it if it has not come before, is a logistic regression on the
interval and on what the history holds (Cox 1972, section 6; Singer and Willett 1993).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint._validation import check_count
from counterpoint.sequences.events import EventLog
from counterpoint.sequences.histories import Histories, target_code

_MOST_CASES = 200_000  # rows of the regression; of more histories some are drawn, evenly
_MOST_STEPS, _THREAD = 50, 1e-4


@dataclass(frozen=True, kw_only=True)
class Waits:
    """How long after each history the target came, or how long it did not.

    Attributes
    ----------
    wait : ndarray of shape (n_histories,)
        Time to the event, or to the end of what is known.
    came : ndarray of shape (n_histories,), bool
        Whether it came.
    """

    wait: NDArray
    came: NDArray


def waits(data: Histories, *, target, end: float | None = None) -> Waits:
    """Return for each history how long it was to the entity's next event of the target type.

    Parameters
    ----------
    data : Histories
    target : type
    end : float, default=None
        When what is known ends; None is the last event of the log.
    """
    log: EventLog = data.log
    code = target_code(log, target)
    last = float(log.time.max()) if end is None else float(end)
    # The next target event at or after each row of the log, of the same entity: from behind.
    hits = np.where(log.kind == code, np.arange(len(log)), len(log))
    following = np.minimum.accumulate(hits[::-1])[::-1]
    at = np.r_[following[1:], len(log)][data.last]
    known = at < len(log)
    own = np.zeros(len(data), dtype=bool)
    own[known] = log.entity[at[known]] == data.entity[known]
    when = np.where(own, log.time[np.minimum(at, len(log) - 1)], np.inf)
    came = when <= last
    wait = np.where(came, when, last) - data.time
    return Waits(wait=np.maximum(wait, 0.0), came=came)


@dataclass(frozen=True, kw_only=True)
class HazardModel:
    """A discrete-time hazard, fitted by :func:`fit_hazard`.

    Attributes
    ----------
    edges : ndarray of shape (n_intervals + 1,)
        Where intervals begin and end, from 0 to the horizon.
    baseline : ndarray of shape (n_intervals,)
        Log odds of the hazard of each interval for the average row.
    weights : ndarray of shape (n_features,)
        What a feature adds to the log odds, per standard deviation.
    centre, scale : ndarray of shape (n_features,)
        Of the features.
    """

    edges: NDArray
    baseline: NDArray
    weights: NDArray
    centre: NDArray
    scale: NDArray

    def contributions(self, rows: NDArray) -> NDArray:
        """Return what each feature adds to the log odds of the hazard, (n_rows, n_features)."""
        return _standard(rows, self.centre, self.scale) * self.weights

    def hazard(self, rows: NDArray) -> NDArray:
        """Return the hazard of each interval, (n_rows, n_intervals)."""
        odds = self.contributions(rows).sum(axis=1)[:, None] + self.baseline
        return 1.0 / (1.0 + np.exp(-np.clip(odds, -500, 500)))

    def survival(self, rows: NDArray) -> NDArray:
        """Return the probability that the event has not come by each edge after 0."""
        return np.cumprod(1.0 - self.hazard(rows), axis=1)

    def within(
        self, rows: NDArray, time: float | None = None, *, waited: NDArray | float = 0.0
    ) -> NDArray:
        """Return the probability that the event comes within a time, None for the horizon.

        ``waited`` is how long one has waited already, in vain. Within an interval, and after the
        last one, the event is taken to come at a constant rate.
        """
        reach = self.edges[-1] if time is None else float(time)
        start = np.broadcast_to(np.asarray(waited, dtype=float), (len(rows),))
        logs = self._log_survival(rows)
        return 1.0 - np.exp(self._at(logs, start + reach) - self._at(logs, start))

    def median_wait(
        self, rows: NDArray, time: float | None = None, *, waited: NDArray | float = 0.0
    ) -> NDArray:
        """Return the time by which the event has come in half of the cases where it comes in time.

        ``time`` and ``waited`` are as for :meth:`within`.
        """
        reach = self.edges[-1] if time is None else float(time)
        start = np.broadcast_to(np.asarray(waited, dtype=float), (len(rows),))
        logs = self._log_survival(rows)
        begun = self._at(logs, start)
        half = begun + np.log1p(-self.within(rows, time, waited=waited) / 2)
        low, high = np.zeros(len(rows)), np.full(len(rows), reach)
        for _ in range(50):  # the survival falls steadily: halve the stretch it crosses in
            middle = (low + high) / 2
            after = self._at(logs, start + middle) <= half
            low, high = np.where(after, low, middle), np.where(after, middle, high)
        return high

    def _log_survival(self, rows: NDArray) -> NDArray:
        steps = np.log1p(-np.minimum(self.hazard(rows), 1.0 - 1e-15))
        return np.column_stack([np.zeros(len(rows)), np.cumsum(steps, axis=1)])

    def _at(self, logs: NDArray, time: NDArray) -> NDArray:
        width = self.edges[1] - self.edges[0]
        place = np.minimum((time / width).astype(int), len(self.edges) - 2)
        row = np.arange(len(logs))
        slope = (logs[row, place + 1] - logs[row, place]) / width
        return logs[row, place] + slope * (time - self.edges[place])


def fit_hazard(
    rows: NDArray,
    waited: Waits,
    *,
    horizon: float,
    n_intervals: int = 6,
    penalty: float = 1.0,
) -> HazardModel:
    """Learn the hazard of each interval up to a horizon.

    Parameters
    ----------
    rows : ndarray of shape (n_histories, n_features)
        What histories hold; NaN counts as the mean. With no features the hazards are the shares of
        those still waiting that the event came to, as in a life table.
    waited : Waits
    horizon : float
        How far to look, above 0, in the units of the log.
    n_intervals : int, default=6
        Equal parts of the horizon.
    penalty : float, default=1.0
        Strength of the ridge on the weights; none on the intervals' own.

    Returns
    -------
    HazardModel

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.sequences.hazard import Waits, fit_hazard
    >>> came = np.array([True, True, False, False])
    >>> waited = Waits(wait=np.array([0.5, 1.5, 1.6, 2.0]), came=came)
    >>> model = fit_hazard(np.empty((4, 0)), waited, horizon=2, n_intervals=2)
    >>> model.hazard(np.empty((1, 0))).round(3).tolist()
    [[0.25, 0.333]]
    """
    if not horizon > 0 or not np.isfinite(horizon):
        raise ValueError(f"horizon={horizon!r}: give a time above 0.")
    check_count(n_intervals, "n_intervals")
    rows = np.asarray(rows, dtype=float)
    step = max(1, int(np.ceil(len(rows) * n_intervals / _MOST_CASES)))
    rows, wait, came = rows[::step], waited.wait[::step], waited.came[::step]
    edges = np.linspace(0.0, horizon, n_intervals + 1)
    with np.errstate(invalid="ignore"):
        centre = np.nan_to_num(_mean(rows))
        scale = np.sqrt(np.nan_to_num(_mean((rows - centre) ** 2)))
    scale = np.where(scale > 1e-12, scale, 1.0)
    case, interval, event = _cases(wait, came, edges)
    standard = _standard(rows, centre, scale)
    baseline = _life_table(interval, event, n_intervals)
    weights = np.zeros(rows.shape[1])
    if rows.shape[1] and event.any() and not event.all():
        baseline, weights = _climb(standard[case], interval, event, n_intervals, penalty)
    return HazardModel(edges=edges, baseline=baseline, weights=weights, centre=centre, scale=scale)


def _climb(
    rows: NDArray, interval: NDArray, event: NDArray, n_intervals: int, penalty: float
) -> tuple[NDArray, NDArray]:
    """Return log odds of the intervals and weights of the columns, by Newton's steps.

    A ridge on the weights; on the intervals a thread of one, so that an interval without an event
    has log odds at all.
    """
    n, m = len(event), rows.shape[1]
    design = np.zeros((n, n_intervals + m))
    design[np.arange(n), interval] = 1.0
    design[:, n_intervals:] = rows
    share = (event.sum() + 0.5) / (n + 1.0)
    start = np.r_[np.full(n_intervals, np.log(share / (1.0 - share))), np.zeros(m)]
    ridge = np.r_[np.full(n_intervals, _THREAD), np.full(m, max(penalty, _THREAD))]
    found = start.copy()
    for _ in range(_MOST_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ found, -500, 500)))
        slope = design.T @ (event - p) - ridge * (found - start)
        bend = (design * (p * (1.0 - p))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        found = found + step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    return found[:n_intervals], found[n_intervals:]


def _cases(wait: NDArray, came: NDArray, edges: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return a row for each history and interval it waited through: which, which, whether it came.

    A wait that is cut short within an interval counts there only if it was cut short in its second
    half.
    """
    n = len(edges) - 1
    place = np.clip(np.searchsorted(edges, wait, side="left") - 1, 0, n)
    inside = wait <= edges[-1]
    middle = (edges[np.minimum(place, n - 1)] + edges[np.minimum(place + 1, n)]) / 2
    through = np.where(inside & (came | (wait > middle)), place + 1, place)
    through = np.where(inside, through, n).astype(int)
    case = np.repeat(np.arange(len(wait)), through)
    first = np.cumsum(through) - through
    interval = np.arange(len(case)) - np.repeat(first, through)
    event = (came & inside)[case] & (interval == place[case])
    return case, interval, event


def _life_table(interval: NDArray, event: NDArray, n: int) -> NDArray:
    """Return log odds of the share of those at risk in each interval that the event came to."""
    risk = np.bincount(interval, minlength=n).astype(float)
    hits = np.bincount(interval[event], minlength=n)
    share = np.divide(hits, risk, out=np.zeros(n), where=risk > 0)
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return np.log(share / (1 - share))


def _mean(rows: NDArray) -> NDArray:
    known = ~np.isnan(rows)
    return np.where(known, rows, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


def _standard(rows: NDArray, centre: NDArray, scale: NDArray) -> NDArray:
    return np.nan_to_num((np.asarray(rows, dtype=float) - centre) / scale)
