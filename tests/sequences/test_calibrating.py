"""Scores as probabilities: they mean what they say, and gains are those of acting by them."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from counterpoint.sequences import (
    EventLog,
    RecentEventsTransformer,
    find_at_risk,
    histories,
    make_churn_events,
)
from counterpoint.sequences.calibrating import acted_on, cross_scores, fit_calibrator, open_scores
from counterpoint.sequences.risk import _periods
from counterpoint.sequences.summary_rows import reasons_in_words, summary_rows

BAYES = make_pipeline(RecentEventsTransformer(2, columns=[0, 1, 2]), GaussianNB())


@pytest.fixture(scope="module")
def log():
    events = make_churn_events(1500, base_hazard=0.003, random_state=0).events
    return EventLog.from_frame(events, entity="customer", time="time", type="event")


def test_probabilities_mean_what_they_say():
    rng = np.random.default_rng(0)
    score = rng.normal(size=20000)
    truth = 1 / (1 + np.exp(-(2 * score - 4)))  # the score itself is no probability
    y = (rng.random(20000) < truth).astype(int)
    p = fit_calibrator(score[:10000], y[:10000])(score[10000:])
    assert (np.diff(p[np.argsort(score[10000:])]) >= 0).all()
    for low, high in ((0, 0.02), (0.02, 0.1), (0.1, 0.3), (0.3, 0.9)):
        some = (p >= low) & (p < high)
        assert some.sum() > 50
        assert y[10000:][some].mean() == pytest.approx(p[some].mean(), abs=0.04)


def test_a_few_hits_are_not_believed():
    y = np.r_[np.zeros(998), 1, 1].astype(int)
    p = fit_calibrator(np.arange(1000.0), y)(np.array([999.0, 0.0]))
    assert p[0] == pytest.approx((2 + 4 * 3 / 1002) / 6)
    assert p[1] < 0.01
    none = fit_calibrator(np.arange(10.0), np.zeros(10, dtype=int))(np.arange(10.0))
    assert np.ptp(none) == 0
    assert 0 < none[0] < 0.2


def test_cross_scores_are_of_models_that_never_saw_the_entity(log):
    data = histories(log, target="churn", length=2)

    class Spy(GaussianNB):
        def fit(self, X, y):
            seen.append(set(X.entity.tolist()))
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            assert not seen[-1] & set(X.entity.tolist())
            return np.full((len(X), 2), 0.5)

    seen = []
    scores = cross_scores(Spy(), data)
    assert len(seen) == 3
    np.testing.assert_allclose(scores, 0.0)


def test_the_model_with_the_highest_earlier_gain_is_chosen(log):
    """The one that would have lost is not, whatever else speaks for it."""
    train, choose, _, test = _periods(histories(log, target="churn", length=2))
    others = {"Bayes": BAYES, "one event": make_pipeline(RecentEventsTransformer(1), GaussianNB())}
    found = find_at_risk(log, target="churn", models=others)
    for name, model in others.items():
        p = fit_calibrator(cross_scores(model, train), train.y)
        act = acted_on(p(open_scores(model.fit(train, train.y), choose)), 5, 1)
        assert found.earlier.loc[name, "gain"] == 5 * choose.y[act].sum() - act.sum()
        assert found.earlier.loc[name, "n"] == act.sum()
    assert found.earlier.loc[found.model, "gain"] == found.earlier["gain"].max()
    n = int(found.outcome["n"])
    if n:
        order = np.argsort(-found.test_scores[found.model], kind="stable")[:n]
        assert found.outcome["profit"] == 5 * test.y[order].sum() - n


def test_the_list_adds_up(log):
    found = find_at_risk(log, target="churn", models={"Bayes": BAYES}, gain=40, horizon=60)
    ranking = found.ranking
    np.testing.assert_allclose(ranking["expected_gain"], ranking["probability"] * 40 - 1)
    assert (ranking["act"] == (ranking["probability"] * 40 > 1)).all()
    assert found.expected_gain == pytest.approx(ranking["expected_gain"][ranking["act"]].sum())
    assert (np.diff(ranking["probability"]) <= 0).all()
    assert ranking["within"].between(0, 1).all()
    end = log.time.max()
    assert ranking["likely_by"].between(end, end + 60).all()
    assert found.horizon == 60
    # About as many as there are, if the list of now is like what was.
    rate = np.mean(histories(log, target="churn", length=2).y)
    assert ranking["probability"].mean() == pytest.approx(rate, rel=1.0)
    with pytest.raises(ValueError, match="horizon=-1"):
        find_at_risk(log, target="churn", models={"Bayes": BAYES}, horizon=-1)


def test_reasons_name_events_that_are_there(log):
    data = histories(log, target="churn", length=2)
    made = summary_rows(data, target="churn", n_recent=2)
    types = {"complaint", "order", "repair"}
    place = {(k, n): c for c, (k, n) in enumerate(zip(made.kinds, made.names, strict=True))}
    for k in range(0, len(data), 301):
        last = log.types[log.kind[data.last[k]]]
        assert made.rows[k, place["last", last]] == 1
        recent = log.types[log.kind[data.last[k] - 1 : data.last[k] + 1]]
        for name in types:
            assert made.rows[k, place["recent", name]] == (recent == name).sum()
    adds = np.zeros(made.rows.shape)
    adds[:, place["recent", "complaint"]] = 1.0
    told = reasons_in_words(made, adds, n_recent=2)
    for k in range(0, len(data), 301):
        n = made.rows[k, place["recent", "complaint"]]
        expected = {
            0: "nothing out of the usual",
            1: "complaint once in the last 2 events",
            2: "the last 2 events were all complaint",
        }
        assert told[k] == expected[int(n)]
