import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from counterpoint.plots import RelevanceHorizonDisplay
from counterpoint.sequences import (
    EventLog,
    RecentEventsTransformer,
    lift_scorer,
    make_churn_events,
    relevance_horizon,
)


@pytest.fixture(scope="module")
def log():
    events = make_churn_events(2500, base_hazard=0.003, random_state=0).events
    return EventLog.from_frame(events, entity="customer", time="time", type="event")


def forest():
    return make_pipeline(
        RecentEventsTransformer(4, how="concat"),
        RandomForestClassifier(20, min_samples_leaf=3, class_weight="balanced"),
    )


def test_two_events_tell_more_than_one(log):
    scores = relevance_horizon(
        log, forest(), target="churn", lengths=[1, 2], n_repeats=3, random_state=0
    )
    assert scores.shape == (2, 3)
    assert scores[1].mean() > 1.5 * scores[0].mean()
    display = RelevanceHorizonDisplay.from_scores([1, 2], {"forest": scores})
    assert display.table()["forest"].tolist() == pytest.approx(scores.mean(axis=1).tolist())


def test_the_seed_decides(log):
    options = {"target": "churn", "lengths": [2], "n_repeats": 1}
    one, two = (relevance_horizon(log, forest(), random_state=3, **options) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_other_scores_and_models_by_length(log):
    seen = []

    def by_length(length):
        seen.append(length)
        return make_pipeline(RecentEventsTransformer(length), GaussianNB())

    scores = relevance_horizon(
        log, by_length, target="churn", lengths=[1, 3], split="time", n_repeats=1,
        scorer=lift_scorer(0.02, metric="sensitivity"),
    )  # fmt: skip
    assert seen == [1, 3]
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lengths": []}, "whole numbers from 1"),
        ({"lengths": [0]}, "lengths=0: give a whole number from 1"),
        ({"split": "luck"}, "choose 'entity', 'time'"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"target": "leave"}, "no type of this log"),
    ],
)
def test_wrong_options_say_what_to_change(log, options, message):
    with pytest.raises(ValueError, match=message):
        relevance_horizon(log, forest(), **({"target": "churn"} | options))
