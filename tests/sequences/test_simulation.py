import numpy as np
import pytest

from counterpoint.sequences import EventLog, histories, lift_at, make_churn_events


@pytest.fixture(scope="module")
def made():
    return make_churn_events(random_state=0)


def test_the_published_shape(made):
    events = made.events
    assert events["customer"].nunique() == 8080
    assert set(events["event"]) == {"churn", "complaint", "repair", "order"}
    log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    found = histories(log, target="churn")
    ratio = (1 - found.y.mean()) / found.y.mean()
    assert 150 < ratio < 600  # "a few hundred non-churn examples for every example of churn"
    assert len(log.columns) == 5


def test_the_hazard_is_the_chance_of_churn(made):
    log = EventLog.from_frame(made.events, entity="customer", time="time", type="event")
    found = histories(log, target="churn")
    hazard = made.hazard[found.last]
    order = np.argsort(hazard)
    for part in np.array_split(order, 4):
        expected = hazard[part].sum()
        assert abs(found.y[part].sum() - expected) < 4 * np.sqrt(expected) + 1
    # No other score can beat it by more than chance allows.
    best = lift_at(found.y, hazard, 0.004)["precision"]
    assert best > 0.3


def test_old_events_hardly_matter(made):
    events = made.events.copy()
    # Change everything before the last three events of a long history: the hazard stays.
    from counterpoint.sequences.simulation import _hazard_after

    changed = events.copy()
    changed.loc[changed["life"] <= 2, "duration"] = 3.0
    late = (events["life"] >= 6) & (events["event"] != "churn")
    np.testing.assert_array_equal(
        _hazard_after(changed, 0.0003)[late], _hazard_after(events, 0.0003)[late]
    )


def test_nothing_follows_churn_and_the_seed_decides(made):
    events = made.events
    followed = events["customer"] == events["customer"].shift(-1)
    assert not (followed & (events["event"] == "churn")).any()
    assert events.equals(make_churn_events(random_state=0).events)
    assert not events.equals(make_churn_events(random_state=1).events)
    assert np.isnan(made.hazard[(events["event"] == "churn").to_numpy()]).all()


def test_wrong_numbers_say_so():
    with pytest.raises(ValueError, match="mean_events=1: give a number from 3 to 1000"):
        make_churn_events(10, mean_events=1)


def test_complaints_before_churn_come_in_two_clusters():
    """Figure 6.4 of Eastwood (2010): durations of the complaints that churn comes after."""
    events = make_churn_events(4000, random_state=0).events
    after = events["event"].shift(-1)
    same = events["customer"] == events["customer"].shift(-1)
    last = events[(after == "churn") & same & (events["event"] == "complaint")]
    durations = np.sort(last["duration"].to_numpy())
    # The best cut in two leaves a small part of the variance; a single bell would leave 36 %.
    parts = [np.split(durations, [k]) for k in range(2, len(durations) - 2)]
    within = min(sum(((part - part.mean()) ** 2).sum() for part in pair) for pair in parts)
    assert len(durations) > 20
    assert within < 0.2 * ((durations - durations.mean()) ** 2).sum()
