"""Event histories of customers with a known truth, in the shape of a private data set."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_number

_MOST_EVENTS = 1000
# Types of events, numbered as in Eastwood (2010), section 6.3.1.
TYPES = ("churn", "complaint", "repair", "order")
_COMPLAINT, _REPAIR, _ORDER = 1, 2, 3
# What tends to come after what: complaints breed complaints, orders follow orders.
_NEXT = np.array(
    [
        [0.34, 0.36, 0.30],  # after a complaint: complaint, repair, order
        [0.18, 0.42, 0.40],
        [0.10, 0.28, 0.62],
    ]
)
# Matters that make people leave when they come twice running: type, duration, promise. Two kinds
# of complaints and one of repairs: "two distinct clusters" of complaints in figure 6.4 there.
_SORE = ((_COMPLAINT, 3.0, 0.0), (_COMPLAINT, 11.0, 0.0), (_REPAIR, 5.0, -7.0))
_FIRST = np.array([0.12, 0.33, 0.55])


@dataclass(frozen=True, kw_only=True)
class ChurnEvents:
    """Simulated events and the truth behind them.

    Attributes
    ----------
    events : DataFrame
        One row per event, by customer and time: "customer", "time" (days), "event" (one of
        churn, complaint, repair, order), "duration" (days the matter took, 0 if not known),
        "promise" (days it was done before the day promised, negative if late, 0 if nothing
        was), "since" (days since the event before) and "life" (number of events so far).
    hazard : ndarray of shape (n_events,)
        Probability, given all before it, that the *next* event of the customer is churn: the
        best score any method can give the history that ends with this event. NaN for churn
        events themselves.
    """

    events: pd.DataFrame
    hazard: np.ndarray


def make_churn_events(
    n_customers: int = 8080,
    *,
    mean_events: float = 8.0,
    base_hazard: float = 0.0003,
    random_state: Seed = None,
) -> ChurnEvents:
    """Draw event histories of telecom customers, some of which end in churn.

    The shape is that of a private data set described in [1]_: four types of events, one of
    which is churn, a few hundred histories that go on for each that ends, and a short memory.
    The next event is churn with a probability that depends on the last two events, hardly on
    the third last, and on nothing before. It is high when the same sore matter came up twice in
    a row: two narrow kinds of complaints, and repairs that were late. Details are ours; only
    the shape is published.

    Parameters
    ----------
    n_customers : int, default=8080
        Histories to draw.
    mean_events : float, default=8.0
        Mean number of events of a customer who does not churn, from 3 to 1000.
    base_hazard : float, default=0.0003
        Probability that the next event is churn when nothing speaks for it.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws.

    Returns
    -------
    ChurnEvents

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       6.1, 6.3 and B.5.

    Examples
    --------
    >>> from counterpoint.sequences import make_churn_events
    >>> made = make_churn_events(500, random_state=0)
    >>> made.events.columns.tolist()
    ['customer', 'time', 'event', 'duration', 'promise', 'since', 'life']
    """
    check_count(n_customers, "n_customers")
    check_number(mean_events, "mean_events", low=3, high=_MOST_EVENTS)
    check_number(base_hazard, "base_hazard", low=0, high=1, open_low=True, open_high=True)
    rng = check_random_state(random_state)
    # All customers take their k-th event together: the draw is a few dozen array operations.
    length = 3 + rng.poisson(mean_events - 3, size=n_customers)
    alive = np.ones(n_customers, dtype=bool)
    time = rng.uniform(0, 365, size=n_customers)
    past = np.zeros((3, n_customers, 3))  # last three events: type, duration, promise
    rows = []
    for k in range(int(length.max()) + 1):
        who = np.flatnonzero(alive & (k < length))
        if len(who) == 0:
            break
        # All customers draw, those who are gone too: a draw does not depend on who is left.
        hazard = _hazard(past, base_hazard) if k >= 2 else np.zeros(n_customers)
        leaves = rng.random_sample(n_customers) < hazard
        since = np.where(k == 0, 0.0, np.round(rng.gamma(1.2, 18.0, size=n_customers), 2))
        time = time + since
        kind, duration, promise = _draw_event(rng, past, k)
        kind[leaves] = 0
        duration[leaves] = promise[leaves] = 0.0
        rows.append(
            np.stack(
                [
                    who,
                    np.full(len(who), k + 1),
                    *(c[who] for c in (kind, time, duration, promise, since)),
                ]
            )
        )
        past = np.stack([np.stack([kind, duration, promise], axis=1), past[0], past[1]])
        alive &= ~leaves
    customer, life, kind, time, duration, promise, since = np.concatenate(rows, axis=1)
    order = np.lexsort((life, customer))
    events = pd.DataFrame(
        {
            "customer": customer[order].astype(int),
            "time": np.round(time[order], 2),
            "event": np.array(TYPES, dtype=object)[kind[order].astype(int)],
            "duration": duration[order],
            "promise": promise[order],
            "since": since[order],
            "life": life[order].astype(int),
        }
    )
    return ChurnEvents(events=events, hazard=_hazard_after(events, base_hazard))


def _draw_event(rng, past, k):
    n = past.shape[1]
    u = rng.random_sample(n)[:, None]
    if k == 0:
        kind = 1 + (u > np.cumsum(_FIRST)[None, :-1]).sum(axis=1)
    else:
        last = past[0, :, 0].astype(int)
        table = np.cumsum(_NEXT, axis=1)[np.maximum(last - 1, 0)]
        kind = 1 + (u > table[:, :-1]).sum(axis=1)
    scale = np.array([1.0, 6.0, 4.0, 9.0])[kind]
    duration = np.round(rng.gamma(1.5, scale), 1)
    duration[rng.random_sample(n) < 0.25] = 0.0
    promise = np.round(rng.normal(2.0, 6.0, size=n), 1)
    promise[(kind == _COMPLAINT) | (rng.random_sample(n) < 0.3)] = 0.0
    # A third of repeated complaints are about the same matter, and look alike.
    same = (past[0, :, 0] == kind) & (rng.random_sample(n) < 0.3)
    near = past[0, :, 1] + np.round(rng.normal(0, 0.7, n), 1)
    duration[same] = np.maximum(near, 0)[same]
    return kind, duration, promise


def _hazard(past, base):
    """Probability that the next event is churn, from the last three events."""
    last, before, third = past
    twice = last[:, 0] == before[:, 0]
    sore = np.zeros(len(last))
    for kind, duration, promise in _SORE:
        near = sum(
            ((event[:, 1] - duration) / 0.7) ** 2 + ((event[:, 2] - promise) / 2.5) ** 2
            for event in (last, before)
        )
        sore = np.maximum(sore, (last[:, 0] == kind) * np.exp(-near / 2))
    score = (
        twice * (0.8 * (last[:, 0] == _COMPLAINT) + 0.4 * (last[:, 0] == _REPAIR))
        + 8.8 * twice * np.minimum(3 * sore, 1)
        + 0.2 * (third[:, 0] == _COMPLAINT)
    )
    odds = base / (1 - base) * np.exp(score)
    return odds / (1 + odds)


def _hazard_after(events, base):
    """Return the hazard after each event; none before a customer's second, NaN after churn."""
    code = events["event"].map({name: k for k, name in enumerate(TYPES)}).to_numpy()
    values = np.stack([code, events["duration"], events["promise"]], axis=1).astype(float)
    life, row = events["life"].to_numpy(), np.arange(len(events))
    past = np.stack([values[np.maximum(row - back, 0)] for back in range(3)])
    past[2][life < 3] = 0.0
    hazard = np.where(life >= 2, _hazard(past, base), 0.0)
    return np.where(code == 0, np.nan, hazard)
