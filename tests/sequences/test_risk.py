import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from counterpoint.sequences import (
    EventLog,
    HMMPairClassifier,
    RecentEventsTransformer,
    choose_cutoff,
    find_at_risk,
    histories,
    latest_histories,
    lift_at,
    make_churn_events,
)
from counterpoint.sequences.risk import _periods, default_models

NAMES = {"entity": "customer", "time": "time", "type": "event"}


class Oracle(GaussianNB):
    """Knows the column ``hint``, which says what comes next."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        p = X[:, -1] * 0.9 + 0.05
        return np.stack([1 - p, p], axis=1)


def models(**more):
    plain = make_pipeline(RecentEventsTransformer(2, columns=[0, 1, 2]), GaussianNB())
    return {"Bayes": plain, **more}


@pytest.fixture(scope="module")
def log():
    events = make_churn_events(1500, base_hazard=0.003, random_state=0).events
    return EventLog.from_frame(events, **NAMES)


def test_latest_histories_are_those_of_the_entities_still_there():
    frame = pd.DataFrame(
        {
            "customer": ["a", "a", "a", "b", "b", "c", "d", "d"],
            "time": [1, 2, 3, 1, 2, 1, 5, 4],
            "event": ["x", "y", "x", "x", "churn", "x", "x", "y"],
        }
    )
    log = EventLog.from_frame(frame, **NAMES)
    now = latest_histories(log, target="churn", length=2)
    assert log.entities[now.entity].tolist() == ["a", "d"]  # b left, c has one event
    assert now.time.tolist() == [3, 5]
    assert now.lengths.tolist() == [2, 2]
    assert (now.y == -1).all()
    assert np.isnan(now.target_time).all()
    whole = latest_histories(log, target="churn", min_events=2)
    assert whole.lengths.tolist() == [3, 1, 2]
    with pytest.raises(ValueError, match="length=0"):
        latest_histories(log, target="churn", length=0)


def test_periods_follow_each_other(log):
    made = histories(log, target="churn", length=2)
    train, choose, known, test = _periods(made)
    assert train.target_time.max() < choose.time.min()
    assert choose.target_time.max() < test.time.min()
    assert known.target_time.max() < test.time.min()
    assert len(known) >= len(train) + len(choose)


def test_the_best_model_ranks_and_numbers_are_those_of_the_test_period(log):
    code = int(np.flatnonzero(log.types == "churn")[0])
    next_kind = np.r_[log.kind[1:], -1]
    own = np.r_[np.diff(log.entity) == 0, False]
    hint = ((next_kind == code) & own).astype(float)
    values = np.concatenate([log.values, hint[:, None]], axis=1)
    told = EventLog(**{**log.__dict__, "values": values, "columns": [*log.columns, "hint"]})
    oracle = make_pipeline(RecentEventsTransformer(1), Oracle())
    found = find_at_risk(told, target="churn", models=models(oracle=oracle), shares=(0.01,))
    assert found.model == "oracle"
    assert found.outcome["precision"] > 0.9
    test = _periods(histories(told, target="churn", length=2))[3]
    np.testing.assert_array_equal(found.y_test, test.y)
    for name, scores in found.test_scores.items():
        row = found.table[found.table["model"] == name].iloc[0]
        for key, value in lift_at(test.y, scores, 0.01).items():
            assert row[key] == pytest.approx(value)
    n = int(found.ranking["act"].sum())
    assert found.ranking["act"].tolist() == [True] * n + [False] * (len(found.ranking) - n)
    assert found.expected_gain == pytest.approx((5 * found.ranking["probability"][:n] - 1).sum())
    assert found.ranking["rank"].tolist() == list(range(1, len(found.ranking) + 1))
    assert not found.ranking["entity"].duplicated().any()


def test_capacity_limits_the_list(log):
    found = find_at_risk(log, target="churn", models=models(), gain=1000, capacity=3)
    assert found.ranking["act"].sum() == 3
    share = find_at_risk(log, target="churn", models=models(), gain=1000, capacity=0.01)
    assert share.ranking["act"].sum() == round(0.01 * len(share.ranking))


def test_acting_that_never_pays_means_nobody(log):
    found = find_at_risk(log, target="churn", models=models(), gain=0.5)
    assert not found.ranking["act"].any()
    assert found.expected_gain == 0
    assert np.isnan(found.outcome["precision"])
    assert choose_cutoff([0.4, 0.2], [0, 0]).n == 0


def test_dates_come_back_as_dates():
    events = make_churn_events(1500, base_hazard=0.003, random_state=0).events
    events["time"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(events["time"], unit="D")
    log = EventLog.from_frame(events, **NAMES)
    found = find_at_risk(log, target="churn", models=models())
    first = found.ranking.iloc[0]
    own = events[events["customer"] == first["entity"]]
    assert abs(first["time"] - own["time"].max()) < pd.Timedelta("1s")


def test_a_pair_of_hmms_ranks_by_its_combined_ranking(log):
    pair = HMMPairClassifier(2, n_mixtures=1, n_starts=2, max_iter=3, random_state=0)
    found = find_at_risk(log, target="churn", models={"pair": pair})
    now = latest_histories(log, target="churn", length=2)
    order = np.argsort(found.estimator.rank(now))
    assert found.ranking["entity"].tolist() == log.entities[now.entity[order]].tolist()


def test_default_models_take_histories_with_missing_values(log):
    values = log.values.copy()
    values[::7, 1] = np.nan
    values[:, 2] = np.nan
    holed = EventLog(**{**log.__dict__, "values": values})
    made = histories(holed, target="churn", length=2).take(np.arange(0, 4000, 5))
    for model in default_models(2, random_state=0).values():
        if isinstance(model, HMMPairClassifier):
            model.set_params(n_states=2, n_starts=1, max_iter=2)
        p = model.fit(made, made.y).predict_proba(made)
        assert np.isfinite(p).all()


def test_too_little_to_learn_from_says_so(log):
    few = make_churn_events(60, random_state=0).events
    with pytest.raises(ValueError, match="are needed to learn and to check"):
        find_at_risk(EventLog.from_frame(few, **NAMES), target="order", models=models(), length=5)
    with pytest.raises(ValueError, match="capacity=0"):
        find_at_risk(log, target="churn", capacity=0)
    gone = pd.DataFrame(
        {"customer": [1, 1, 1, 2, 2, 2], "time": range(6), "event": ["x", "x", "churn"] * 2}
    )
    with pytest.raises(ValueError, match="Nobody is left"):
        find_at_risk(EventLog.from_frame(gone, **NAMES), target="churn", models=models())
