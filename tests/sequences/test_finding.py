"""Tables of events as people keep them: columns found, rows left out and counted."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.sequences import make_churn_events
from counterpoint.sequences.details import event_details
from counterpoint.sequences.finding import (
    clean_events,
    find_event_columns,
    read_log,
    read_times,
)


@pytest.fixture(scope="module")
def events():
    return make_churn_events(300, base_hazard=0.01, random_state=0).events


def as_dates(events, form):
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(events["time"], unit="D")
    return days.dt.strftime(form)


@pytest.mark.parametrize(
    ("names", "target"),
    [
        (("customer_id", "event_date", "event_type"), "churn"),
        (("UserID", "Timestamp", "Action"), "cancelled"),
        (("machine", "ts", "code"), "FAILURE"),
        (("Kundennummer", "Datum", "Ereignis"), "Kündigung"),
        (("patient id", "when", "what"), "death"),
    ],
)
def test_columns_are_found_by_name_and_content(events, names, target):
    frame = pd.DataFrame(
        {
            "note": "x",
            names[2]: events["event"].replace("churn", target),
            "amount": events["duration"],
            names[1]: as_dates(events, "%d.%m.%Y"),
            names[0]: events["customer"],
        }
    )
    found = find_event_columns(frame)
    assert (found.entity, found.time, found.type, found.target) == (*names, target)
    assert found.guessed == ["entity", "time", "type", "target"]
    assert repr(names[0]) in found.sentence()


def test_what_is_told_is_not_guessed(events):
    found = find_event_columns(events, entity="customer", target="repair")
    assert (found.target, found.guessed) == ("repair", ["time", "type"])
    with pytest.raises(ValueError, match="no column 'kunde'"):
        find_event_columns(events, entity="kunde")


def test_it_asks_when_in_doubt(events):
    two = events.rename(columns={"customer": "customer_a"}).assign(customer_b=events["customer"])
    with pytest.raises(ValueError, match=r"whose event it is, 'customer_a' or 'customer_b'\?"):
        find_event_columns(two)
    with pytest.raises(ValueError, match=r"Which type of event .* 'order', 'repair'"):
        find_event_columns(events.replace({"event": {"churn": "other"}}))
    with pytest.raises(ValueError, match="No column seems to say when it was"):
        find_event_columns(events.drop(columns="time"))


def test_rows_that_cannot_be_used_are_counted_and_shown(events):
    frame = events.assign(
        customer=events["customer"].astype(object), time=as_dates(events, "%Y-%m-%d")
    )
    frame.loc[[3, 30], "customer"] = [None, " "]
    frame.loc[[5, 6], "time"] = ["soon", "2023-13-45"]
    frame.loc[7, "event"] = None
    read = read_log(frame)
    assert len(read.log) == len(events) - 5
    (note,) = [note for note in read.notes if "left out" in note]
    assert "5 of" in note
    assert "2 with no 'customer'" in note
    assert "2 with a 'time' that cannot be read" in note
    assert "'soon'" in note
    assert read.log.dated
    with pytest.raises(ValueError, match="times that cannot be read, such as 'order'"):
        clean_events(events, find_event_columns(events, time="event", type="event"))


@pytest.mark.parametrize("mark", [".", ","])
def test_times_that_are_numbers_may_have_mistakes_too(events, mark):
    times = events["time"].map(lambda time: f"{time:.2f}".replace(".", mark))
    times[4] = "not known"
    customers = events["customer"].astype(float)
    customers[9] = np.nan
    read = read_log(events.assign(time=times, customer=customers))
    assert read.columns.sentence() == find_event_columns(events).sentence()
    assert len(read.log) == len(events) - 2
    assert "1 with a 'time' that cannot be read" in " ".join(read.notes)
    assert "'not known'" in " ".join(read.notes)
    assert read.log.entities.dtype.kind == "i"  # not 12.0, which nobody wrote
    kept = events.drop(index=[4, 9])
    assert sorted(read.log.time) == pytest.approx(sorted(kept["time"].round(2)))


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2024-02-01", "2024-02-13"], [1, 13]),
        (["1.2.2024", "13.2.2024"], [1, 13]),
        (["01.02.2024", "03.02.2024"], [1, 3]),  # dots: the day first
        (["13/02/2024", "01/02/2024"], [13, 1]),
        (["02/13/2024", "02/01/2024"], [13, 1]),
        (["2024-02-01 10:00", "1 Feb 2024"], [1, 1]),
    ],
)
def test_dates_of_many_forms(texts, days):
    read = read_times(pd.Series(texts))
    assert read.dt.month.tolist() == [2, 2]
    assert read.dt.day.tolist() == days


def test_words_and_categories_become_columns():
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "who": rng.integers(30, size=n),
            "channel": rng.choice(["web", "shop"], n),
            "same": "x",
            "note": [f"call {k} about {'a refund' if k % 4 == 0 else 'nothing'}" for k in range(n)],
            "ticket": [f"T{k}" for k in range(n)],
            "amount": rng.normal(size=n),
        }
    )
    frame.loc[0, "amount"] = np.inf
    made, left_out = event_details(frame, ["who"])
    assert {"channel is web", "channel is shop", "note has 'refund'", "amount"} <= set(made)
    np.testing.assert_array_equal(made["note has 'refund'"], (np.arange(n) % 4 == 0))
    assert np.isnan(made.loc[0, "amount"])
    assert [word in " ".join(left_out) for word in ("'same'", "'ticket'")] == [True, True]
    assert not any(name.startswith(("who", "ticket")) for name in made)


def test_words_that_matter_help_the_list():
    """A category that says all is found among the columns of the log."""
    rng = np.random.default_rng(0)
    rows = []
    for who in range(200):
        mood = rng.choice(["glad", "angry"])
        for k in range(4):
            rows.append([who, 10 * k + rng.random(), "call", mood])
        if mood == "angry":
            rows.append([who, 50, "churn", mood])
    frame = pd.DataFrame(rows, columns=["customer", "time", "event", "mood"])
    log = read_log(frame).log
    assert "mood is angry" in log.columns
    place = log.columns.index("mood is angry")
    churned = log.kind == log.types.tolist().index("churn")
    assert (log.values[churned, place] == 1).all()
