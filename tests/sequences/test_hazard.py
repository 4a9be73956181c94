"""When the event will come: against life tables, simulated truth, and peers where installed."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from counterpoint.sequences import EventLog, histories, latest_histories, make_churn_events
from counterpoint.sequences.hazard import Waits, fit_hazard, waits


def life_table(wait, came, edges):
    """Count by hand who is at risk in each interval, and whom the event came to."""
    hazards = []
    for low, high in pairwise(edges):
        risk = hits = 0
        for w, c in zip(wait, came, strict=True):
            if w <= low and not (w == 0 and low == 0):
                continue
            inside = w <= high
            if inside and not c and w <= (low + high) / 2:
                continue  # cut short in the first half
            risk += 1
            hits += bool(inside and c)
        hazards.append(hits / risk)
    return np.array(hazards)


@pytest.fixture(scope="module")
def censored():
    rng = np.random.default_rng(0)
    wait, until = rng.exponential(10, 3000), rng.uniform(0, 25, 3000)
    return Waits(wait=np.minimum(wait, until), came=wait <= until)


def test_without_columns_it_is_a_life_table(censored):
    model = fit_hazard(np.empty((3000, 0)), censored, horizon=20, n_intervals=5)
    expected = life_table(censored.wait, censored.came, np.linspace(0, 20, 6))
    one = np.empty((1, 0))
    np.testing.assert_allclose(model.hazard(one)[0], expected, rtol=1e-9)
    np.testing.assert_allclose(model.survival(one)[0], np.cumprod(1 - expected), rtol=1e-9)
    # The truth: a constant rate of a tenth, whatever was cut short.
    assert model.within(one)[0] == pytest.approx(1 - np.exp(-2), abs=0.02)
    assert model.within(one, 10)[0] == pytest.approx(1 - np.exp(-1), abs=0.02)


def test_ignoring_what_is_cut_short_would_be_wrong(censored):
    naive = np.mean(censored.wait[censored.came] <= 10)  # of those that came
    model = fit_hazard(np.empty((3000, 0)), censored, horizon=20)
    truth = 1 - np.exp(-1)
    assert abs(model.within(np.empty((1, 0)), 10)[0] - truth) < 0.03 < abs(naive - truth)


def test_a_column_that_doubles_the_rate_is_found():
    rng = np.random.default_rng(1)
    x = rng.integers(2, size=8000).astype(float)
    wait, until = rng.exponential(20 / (1 + x)), rng.uniform(0, 30, 8000)
    waited = Waits(wait=np.minimum(wait, until), came=wait <= until)
    noise = rng.normal(size=8000)
    model = fit_hazard(np.column_stack([x, noise]), waited, horizon=20, n_intervals=10)
    rows = np.array([[0.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(model.within(rows), 1 - np.exp([-1.0, -2.0]), atol=0.03)
    assert abs(model.weights[1]) < 0.1 < model.weights[0]
    adds = model.contributions(rows)
    assert adds[1, 0] > 0 > adds[0, 0]
    # A constant rate does not age; half of those that come within the time come before this.
    np.testing.assert_allclose(
        model.within(rows, 5, waited=np.array([8.0, 8.0])), 1 - np.exp([-0.25, -0.5]), atol=0.03
    )
    half = model.median_wait(rows, 20)
    expected = [-20 * np.log(1 - (1 - np.exp(-1)) / 2), -10 * np.log(1 - (1 - np.exp(-2)) / 2)]
    np.testing.assert_allclose(half, expected, atol=1.0)
    np.testing.assert_allclose(model.within(rows, 1e4), 1.0)  # beyond the last interval, too


def test_lifelines_says_the_same(censored):
    lifelines = pytest.importorskip("lifelines", reason="pip install lifelines to run it")
    other = lifelines.KaplanMeierFitter().fit(censored.wait, censored.came)
    model = fit_hazard(np.empty((3000, 0)), censored, horizon=20, n_intervals=40)
    ours = 1 - model.within(np.empty((1, 0)), 10)[0]
    assert ours == pytest.approx(float(other.predict(10)), abs=0.01)


def a_row_for_each_interval(rows, wait, came, edges):
    """List by hand who waited through which interval, and whether the event came in it."""
    who, which, event = [], [], []
    for k, (w, c) in enumerate(zip(wait, came, strict=True)):
        for i, (low, high) in enumerate(pairwise(edges)):
            if w <= low and not (w == 0 and low == 0):
                break
            if w <= high and not c and w <= (low + high) / 2:
                break  # cut short in the first half
            who.append(rows[k])
            which.append(i)
            event.append(bool(w <= high and c))
    return np.array(who), np.array(which), np.array(event)


@pytest.fixture(scope="module")
def two_columns():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(600, 2))
    rate = 0.1 * np.exp(rows @ [0.7, -0.3])
    wait, until = rng.exponential(1 / rate), rng.uniform(0, 25, 600)
    return rows, Waits(wait=np.minimum(wait, until), came=wait <= until)


def test_scikit_learn_says_the_same_of_rows_listed_by_hand(two_columns):
    """A hazard in discrete time is a logistic regression, and theirs is none of ours."""
    rows, waited = two_columns
    n_intervals, edges = 4, np.linspace(0, 12, 5)
    who, which, event = a_row_for_each_interval(rows, waited.wait, waited.came, edges)
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    # Their ridge is on all weights: intervals in hundreds have next to none.
    design = np.column_stack([100 * np.eye(n_intervals)[which], (who - centre) / scale])
    peer = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    weights = peer.fit(design, event).coef_[0]
    model = fit_hazard(rows, waited, horizon=12, n_intervals=n_intervals)
    np.testing.assert_allclose(model.weights, weights[n_intervals:], atol=1e-4)
    np.testing.assert_allclose(model.baseline, 100 * weights[:n_intervals], atol=1e-3)
    new = np.array([[0.0, 0.0], [1.0, 1.0], [-2.0, 0.5]])
    theirs = np.column_stack([
        peer.predict_proba(
            np.column_stack([np.tile(100 * np.eye(n_intervals)[i], (3, 1)), (new - centre) / scale])
        )[:, 1]
        for i in range(n_intervals)
    ])  # fmt: skip
    np.testing.assert_allclose(model.hazard(new), theirs, atol=1e-4)
    np.testing.assert_allclose(model.survival(new), np.cumprod(1 - theirs, axis=1), atol=1e-4)


def test_lifelines_finds_the_same_columns(two_columns):
    """Cox in continuous time: the same order of risk, and nearly the same probabilities."""
    lifelines = pytest.importorskip("lifelines", reason="pip install lifelines to run it")
    rows, waited = two_columns
    table = pd.DataFrame(rows, columns=["a", "b"]).assign(wait=waited.wait, came=waited.came)
    cox = lifelines.CoxPHFitter().fit(table, "wait", "came")
    model = fit_hazard(rows, waited, horizon=12, n_intervals=24)
    theirs = 1 - cox.predict_survival_function(table[["a", "b"]], times=[12.0]).to_numpy()[0]
    ours = model.within(rows, 12)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.995
    assert np.abs(ours - theirs).mean() < 0.03


def test_waits_as_one_would_count_them():
    events = make_churn_events(150, base_hazard=0.02, random_state=0).events
    log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    for data in (
        histories(log, target="churn", length=2),
        latest_histories(log, target="churn", length=2),
    ):
        found = waits(data, target="churn")
        end = events["time"].max()
        for k in range(0, len(data), 7):
            own = events[events["customer"] == log.entities[data.entity[k]]]
            later = own[(own["event"] == "churn") & (own["time"] > data.time[k])]["time"]
            assert found.came[k] == (len(later) > 0)
            expected = (later.min() if len(later) else end) - data.time[k]
            assert found.wait[k] == pytest.approx(expected)


def test_wrong_horizons():
    waited = Waits(wait=np.ones(3), came=np.array([True, False, True]))
    with pytest.raises(ValueError, match="horizon=0"):
        fit_hazard(np.empty((3, 0)), waited, horizon=0)
    with pytest.raises(ValueError, match="n_intervals=0"):
        fit_hazard(np.empty((3, 0)), waited, horizon=1, n_intervals=0)
