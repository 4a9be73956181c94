"""From a log of events to a list of whom to call: methods compared by time, the best one used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import average_precision_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from counterpoint._interrupts import whole
from counterpoint._progress import track
from counterpoint._typing import Seed
from counterpoint._validation import check_number
from counterpoint.sequences.calibrating import (
    acted_on,
    cross_scores,
    fit_calibrator,
    open_scores,
)
from counterpoint.sequences.events import EventLog
from counterpoint.sequences.hazard import fit_hazard, waits
from counterpoint.sequences.histories import Histories, histories, latest_histories
from counterpoint.sequences.hmm_classifier import HMMPairClassifier
from counterpoint.sequences.horizon import ranking_scores
from counterpoint.sequences.lift import Cutoff, check_capacity, choose_cutoff, lift_curve
from counterpoint.sequences.representation import RecentEventsTransformer
from counterpoint.sequences.summary_rows import reasons_in_words, summary_rows

SHARES = (0.002, 0.005, 0.01, 0.02, 0.05)
_FEWEST = 5


@dataclass(frozen=True, kw_only=True)
class AtRisk:
    """Who is at risk now, and how far such lists were right before.

    Attributes
    ----------
    periods : DataFrame
        By "train", "choose" and "test": number of histories, how many of them were followed by the
        target, and from when to when they end.
    table : DataFrame
        What each model would have brought in the test period: a row per "model" and "share", with
        "n", "g", "precision", "sensitivity", "specificity" and "profit".
    quality : Series
        Average precision of each model in the choosing period.
    earlier : DataFrame
        What acting by each model would have brought in the choosing period, by "model": "gain" and
        "n", those acted on; by probabilities that were learnt from the period before.
    model : str
        The one that gained most there, used for all below.
    cutoff : Cutoff
        How far down acting would have paid best in the choosing period.
    outcome : dict
        What acting on the share of the list that is acted on would have brought in the test
        period: "n", "share", "g", "precision", "sensitivity", "specificity", "profit". NaN where
        nobody would be called.
    ranking : DataFrame
        Entities with their latest history, those at risk first: "rank", "entity", "act",
        "probability" (that the next event is the target, calibrated), "expected_gain" (of acting),
        "within" (probability that it comes within the horizon, from the end of the log on),
        "likely_by" (when it has come in half of the cases where it does), "reason" (what raises
        it, in words), "type" and "time" of the last event, "events" so far.
    expected_gain : float
        Summed over those to act on.
    horizon : float
        How far "within" looks, in days or in the units of the log.
    y_test : ndarray
        What came after the histories of the test period.
    test_scores : dict of ndarray
        How each model ranked them.
    estimator : classifier
        The chosen model, fitted to all histories.
    gain, cost : float
        As given.
    """

    periods: pd.DataFrame
    table: pd.DataFrame
    quality: pd.Series
    earlier: pd.DataFrame
    model: str
    cutoff: Cutoff
    outcome: dict[str, float]
    ranking: pd.DataFrame
    expected_gain: float
    horizon: float
    y_test: NDArray
    test_scores: dict[str, NDArray]
    estimator: object
    gain: float
    cost: float


def find_at_risk(
    log: EventLog,
    *,
    target: Any,
    length: int | str = 2,
    min_events: int = 3,
    models: Mapping[str, object] | None = None,
    gain: float = 5.0,
    cost: float = 1.0,
    capacity: int | float | None = None,
    horizon: float | None = None,
    shares: Sequence[float] = SHARES,
    random_state: Seed = None,
    progress: bool | None = None,
) -> AtRisk:
    """Rank entities by their risk that the next event is of the target type.

    Time is cut into three periods, which hold 60, 20 and 20 % of the histories. Models learn from
    the first; in the second the one is chosen that would have gained most, and its scores become
    probabilities; they learn again from both, and the third shows what that would have brought.
    Last, the chosen model learns from everything and ranks the entities as they stand. One acts
    where the probability times the gain is more than the cost.

    When the event will come is told by a discrete-time hazard
    (:func:`~counterpoint.sequences.hazard.fit_hazard`) on what histories hold; so are the reasons.

    Parameters
    ----------
    log : EventLog
        Events.
    target : type
        The type to be predicted, such as "churn".
    length : int or "any", default=2
        Past events looked at.
    min_events : int, default=3
        Fewest events, the one to be predicted included.
    models : dict of classifiers, default=None
        By name; each is given :class:`Histories`. None compares a pair of hidden Markov models,
        nearest neighbours on averaged events, and boosted trees on events side by side.
    gain : float, default=5.0
        What acting on somebody who would have left saves.
    cost : float, default=1.0
        What acting on somebody costs.
    capacity : int or float, default=None
        Most that can be acted on: a number, or a share below 1.
    horizon : float, default=None
        How far to look ahead for "within", in days or in the units of the log. None is the median
        time to the event where it came, at most a quarter of the time there is.
    shares : sequence of float
        Shares of the histories for the table.
    random_state : int, RandomState instance or None, default=None
        Seeds the default models.
    progress : bool, default=None
        Draw a bar; None does so on a terminal.

    Returns
    -------
    AtRisk

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, chapter
       6.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from counterpoint import sequences as cs
    >>> events = cs.make_churn_events(3000, random_state=0).events
    >>> log = cs.EventLog.from_frame(events, entity="customer", time="time", type="event")
    >>> model = make_pipeline(cs.RecentEventsTransformer(2), GaussianNB())
    >>> risk = cs.find_at_risk(log, target="churn", models={"Bayes": model})
    >>> risk.ranking.columns.tolist()[:5]
    ['rank', 'entity', 'act', 'probability', 'expected_gain']
    """
    if capacity is not None:
        check_capacity(capacity)
    if models is None:
        models = default_models(length, random_state=random_state)
    labelled = histories(log, target=target, length=length, min_events=min_events)
    now = latest_histories(log, target=target, length=length, min_events=min_events)
    if len(now) == 0:
        raise ValueError(
            f"Nobody is left to rank: all entities had {target!r}, or have too few events."
        )
    periods = _periods(labelled)
    _check_periods(periods, target, log)
    train, choose, known, test = periods
    most = len(now)
    if capacity is not None:
        most = min(most, max(1, round(capacity * most) if capacity < 1 else int(capacity)))
    # Scores of histories by models that had not seen them: of each period, by model.
    crossed: dict[str, NDArray] = {}
    tried: dict[str, NDArray] = {}
    tested: dict[str, NDArray] = {}
    ranked: dict[str, NDArray] = {}
    rows = {}
    # Rows are few: threads would wait for each other.
    with threadpool_limits(1, user_api="openmp"), whole():
        for name in track(list(models), description="Comparing models", show=progress, name=str):
            crossed[name] = cross_scores(models[name], train, random_state=0)
            tried[name] = open_scores(clone(models[name]).fit(train, train.y), choose)
            later = clone(models[name]).fit(known, known.y)
            tested[name], ranked[name] = open_scores(later, test), ranking_scores(later, test)
            act = acted_on(fit_calibrator(crossed[name], train.y)(tried[name]), gain, cost)
            brought = gain * float(choose.y[act].sum()) - cost * float(act.sum())
            rows[name] = {"gain": brought, "n": int(act.sum())}
        earlier = pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")
        quality = pd.Series({n: average_precision_score(choose.y, s) for n, s in tried.items()})
        best = _chosen(earlier, quality)
        cutoff = choose_cutoff(tried[best], choose.y, gain=gain, cost=cost)
        curves = {
            name: lift_curve(test.y, scores, gain=gain, cost=cost)
            for name, scores in ranked.items()
        }
        before = fit_calibrator(
            np.r_[crossed[best], tried[best]], np.r_[train.y, choose.y]
        )  # fmt: skip
        paid = acted_on(before(tested[best]), gain, cost).sum()
        reached = min(int(paid), max(1, round(most / len(now) * len(test))))
        outcome = _outcome(curves[best], reached / len(test))
        final = clone(models[best]).fit(labelled, labelled.y)
        calibrator = fit_calibrator(
            np.r_[crossed[best], tried[best], tested[best]], np.r_[train.y, choose.y, test.y]
        )  # fmt: skip
        probability = calibrator(open_scores(final, now))
        order = np.argsort(-ranking_scores(final, now), kind="stable")
    n = min(most, int(acted_on(probability, gain, cost).sum()))
    when, horizon = _when(labelled, now, target, length, horizon)
    ranking = _ranking(now, order, n, probability, gain, cost, when)
    return AtRisk(
        periods=_describe(periods),
        table=_table(curves, shares),
        quality=quality,
        earlier=earlier,
        model=best,
        cutoff=cutoff,
        outcome=outcome,
        ranking=ranking,
        expected_gain=float(ranking["expected_gain"][ranking["act"]].sum()),
        horizon=horizon,
        y_test=test.y,
        test_scores=ranked,
        estimator=final,
        gain=gain,
        cost=cost,
    )


def _chosen(earlier, quality):
    """Return the model that gained most; of equals, the one that ranks best."""
    top = earlier.index[earlier["gain"] == earlier["gain"].max()]
    return str(quality[top].idxmax())


def _when(labelled, now, target, length, horizon):
    """Say when the event will come, and why: columns of the ranking, one row per history of now."""
    names = ("first", "last", "y", "entity", "time", "target_time")
    both = Histories(
        log=now.log,
        **{k: np.concatenate([getattr(labelled, k), getattr(now, k)]) for k in names},
    )
    waited = waits(both, target=target)
    end = float(now.log.time.max())
    span = end - float(now.log.time.min())
    if horizon is None:
        came = waited.wait[waited.came]
        horizon = float(min(np.median(came) if len(came) else span / 4, span / 4)) or 1.0
    check_number(horizon, "horizon", low=0, open_low=True)
    recent = 3 if length == "any" else max(2, int(length))
    summary = summary_rows(both, target=target, n_recent=recent)
    model = fit_hazard(summary.rows, waited, horizon=2 * float(horizon), n_intervals=8)
    here = replace(summary, rows=summary.rows[-len(now) :])
    so_far = end - now.time
    by = end + model.median_wait(here.rows, horizon, waited=so_far)
    unit = "days" if now.log.dated else ""
    contributions = model.contributions(here.rows)
    reasons = reasons_in_words(here, contributions, n_recent=recent, unit=unit)
    columns = {
        "within": model.within(here.rows, horizon, waited=so_far),
        "likely_by": _moments(by, now.log),
        "reason": np.array(reasons, dtype=object),
    }
    return columns, float(horizon)


def default_models(length: int | str = 2, *, random_state=None) -> dict[str, object]:
    """Return the classifiers of histories that :func:`find_at_risk` compares."""
    recent = 3 if length == "any" else int(length)
    return {
        # Small, to be quick: on one simulated log 12 states with 4 Gaussians ranked no better.
        "HMM pair": HMMPairClassifier(
            4, n_mixtures=1, n_starts=3, max_iter=20, random_state=random_state
        ),
        "nearest neighbours": make_pipeline(
            RecentEventsTransformer(recent),
            SimpleImputer(keep_empty_features=True),
            StandardScaler(),
            KNeighborsClassifier(9, weights="distance"),
        ),
        "boosted trees": make_pipeline(
            RecentEventsTransformer(recent, how="concat"),
            # The trees take missing values, but not columns that have nothing else.
            SimpleImputer(keep_empty_features=True, add_indicator=True),
            HistGradientBoostingClassifier(
                max_depth=4, learning_rate=0.05, random_state=random_state
            ),
        ),
    }


def _periods(data: Histories) -> list[Histories]:
    """Cut by time; what ends before a cut and is decided after it belongs to neither side."""
    early, late = np.quantile(data.time, [0.6, 0.8])
    decided = data.target_time
    return [
        data.take(which)
        for which in (
            decided <= early,
            (data.time > early) & (decided <= late),
            decided <= late,
            data.time > late,
        )
    ]


def _check_periods(periods, target, log):
    train, choose, _, test = periods
    hits = [int(part.y.sum()) for part in (train, choose, test)]
    if hits[0] < _FEWEST or min(hits[1:]) < 1:
        raise ValueError(
            f"{target!r} follows {hits[0]} histories in the first 60 % of the time, {hits[1]} in "
            f"the next 20 % and {hits[2]} in the last: at least {_FEWEST}, 1 and 1 are needed to "
            f"learn and to check. The log has {len(log)} events; give more, or a shorter length."
        )


def _describe(periods):
    train, choose, _, test = periods
    rows = {
        name: {
            "histories": len(part),
            "positives": int(part.y.sum()),
            "from": float(part.time.min()),
            "to": float(part.time.max()),
        }
        for name, part in (("train", train), ("choose", choose), ("test", test))
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def _table(curves, shares):
    rows = [
        {"model": name, **_row(curve, share), "share": share}
        for name, curve in curves.items()
        for share in shares
    ]
    names = ["model", "share", "n", "g", "precision", "sensitivity", "specificity", "profit"]
    return pd.DataFrame(rows)[names]


def _row(curve, share):
    n = max(1, round(share * len(curve)))
    row = curve.iloc[n - 1].drop("score").to_dict()
    return {**row, "n": int(row["n"])}


def _outcome(curve, share):
    if share > 0:
        return _row(curve, share)
    nothing = dict.fromkeys(("g", "precision", "sensitivity", "specificity"), float("nan"))
    return {"n": 0, "share": 0.0, **nothing, "profit": 0.0}


def _ranking(now, order, n, probability, gain, cost, when):
    log = now.log
    last = now.last[order]
    so_far = np.bincount(log.entity, minlength=len(log.entities))
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "entity": log.entities[now.entity[order]],
            "act": np.arange(len(order)) < n,
            "probability": probability[order],
            "expected_gain": probability[order] * gain - cost,
            **{name: values[order] for name, values in when.items()},
            "type": log.types[log.kind[last]],
            "time": _moments(log.time[last], log),
            "events": so_far[now.entity[order]],
        }
    )


def _moments(times, log):
    """Return times as they were given: dates, or numbers."""
    return (times * 86_400e6).round().astype("datetime64[us]") if log.dated else times
