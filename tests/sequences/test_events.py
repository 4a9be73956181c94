import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import sequences as naive

from counterpoint.sequences import EventLog, histories, make_churn_events

NAMES = {"entity": "who", "time": "when", "type": "what"}


def frame():
    return pd.DataFrame(
        {
            "who": ["b", "a", "a", "b", "a"],
            "when": [2.0, 3.0, 1.0, 1.0, 2.0],
            "what": ["churn", "churn", "call", "call", "order"],
            "minutes": [1, 2, 3, 4, 5],
        }
    )


def test_events_are_sorted_by_entity_and_time():
    log = EventLog.from_frame(frame(), **NAMES)
    assert log.entities[log.entity].tolist() == ["a", "a", "a", "b", "b"]
    assert log.time.tolist() == [1, 2, 3, 1, 2]
    assert log.types[log.kind].tolist() == ["call", "order", "churn", "call", "churn"]
    assert log.columns == ["what", "minutes"]
    assert log.values.tolist() == [[1, 3], [3, 5], [2, 2], [1, 4], [2, 1]]


def test_all_ways_in_give_the_same_log(tmp_path):
    pandas = frame()
    pandas.to_csv(tmp_path / "e.csv", index=False)
    pandas.to_parquet(tmp_path / "e.parquet")
    logs = [
        EventLog.from_frame(pandas, **NAMES),
        EventLog.from_frame(pl.from_pandas(pandas), **NAMES),
        EventLog.from_csv(tmp_path / "e.csv", chunk_rows=2, **NAMES),
        EventLog.from_parquet(tmp_path / "e.parquet", chunk_rows=2, **NAMES),
    ]
    for log in logs[1:]:
        np.testing.assert_array_equal(log.values, logs[0].values)
        np.testing.assert_array_equal(log.time, logs[0].time)
        assert log.entities.tolist() == logs[0].entities.tolist()


def test_dates_become_days_and_indicators_columns():
    dated = frame().assign(when=pd.to_datetime(["1970-01-03", "1970-01-04", "1970-01-02"] * 2)[:5])
    log = EventLog.from_frame(dated, encode="indicators", **NAMES)
    assert log.time.tolist() == [1.0, 3.0, 3.0, 2.0, 2.0]
    assert log.columns[:3] == ["what=call", "what=churn", "what=order"]
    assert (log.values[:, :3].sum(axis=1) == 1).all()
    written = dated.assign(when=dated["when"].dt.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(EventLog.from_frame(written, **NAMES).time, log.time)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["churn", "x", "y"])), min_size=4, max_size=25
    ),
    st.integers(1, 2),
    st.integers(1, 4),
    st.sampled_from(["any", 1, 2, 3]),
)
def test_histories_match_naive_and_never_see_the_future(events, horizon, min_events, length):
    made = pd.DataFrame(events, columns=["who", "what"]).assign(when=np.arange(len(events)))
    if not 0 < (made["what"] == "churn").mean() < 1:
        return
    log = EventLog.from_frame(made, **NAMES)
    ordered = list(zip(log.entity.tolist(), log.types[log.kind].tolist(), strict=True))
    expected = naive.histories(ordered, "churn", horizon, min_events, length)
    options = dict(target="churn", horizon=horizon, min_events=min_events, length=length)
    if not expected:
        with pytest.raises(ValueError, match="No entity has"):
            histories(log, **options)
        return
    found = histories(log, **options)
    got = list(
        zip(
            found.entity.tolist(), found.first.tolist(), found.last.tolist(), found.y.tolist(),
            strict=True,
        )
    )  # fmt: skip
    assert got == expected
    label = found.last + horizon
    assert (log.entity[found.first] == log.entity[label]).all()
    assert (found.last < label).all()
    assert (found.time <= found.target_time).all()


def test_sequences_and_recent_events_are_those_of_the_log():
    made = make_churn_events(800, random_state=0)
    log = EventLog.from_frame(made.events, entity="customer", time="time", type="event")
    found = histories(log, target="churn")
    sequences = found.sequences
    k = 17
    own = sequences.values[sequences.start[k] : sequences.start[k + 1]]
    np.testing.assert_array_equal(own, log.values[found.first[k] : found.last[k] + 1])
    recent = found.recent(2)
    np.testing.assert_array_equal(recent[k], own[::-1][:2])
    short = histories(log, target="churn", min_events=2)
    one = short.lengths == 1
    assert np.isnan(short.recent(2)[one, 1]).all()


def test_splits_keep_entities_and_times_apart():
    made = make_churn_events(800, random_state=0)
    log = EventLog.from_frame(made.events, entity="customer", time="time", type="event")
    found = histories(log, target="churn", length=2)
    train, test = found.split_by_entity(random_state=0)
    assert not set(train.entity) & set(test.entity)
    assert len(train) + len(test) == len(found)
    train, test = found.split_by_time(0.3)
    assert train.target_time.max() < test.time.min()
    with pytest.raises(ValueError, match="choose a moment between"):
        found.split_by_time(cut=-1.0)
    with pytest.raises(ValueError, match="test_size=2"):
        found.split_by_time(2)


def test_what_follows_the_target_is_dropped_or_kept():
    made = pd.DataFrame({"who": 1, "what": ["x", "y", "churn", "x", "y"], "when": range(5)})
    log = EventLog.from_frame(made, **NAMES)
    assert len(histories(log, target="churn")) == 1
    assert histories(log, target="churn", after_target="keep").y.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: f.drop(columns="when"), {}, "no column 'when'"),
        (lambda f: f.iloc[:0], {}, "There are no events"),
        (lambda f: f.assign(when=[np.nan, 1, 2, 3, 4]), {}, "1 events without a time"),
        (lambda f: f.assign(when="soon"), {}, "times that cannot be read"),
        (lambda f: f.assign(what=["a", None, "a", "a", "b"]), {}, "'what' is empty for 1"),
        (lambda f: f.assign(minutes=[np.inf, 1, 2, 3, 4]), {}, "'minutes' holds infinite"),
        (lambda f: f, {"features": ["what"]}, "no numbers"),
        (lambda f: f, {"types": ["call", "order"]}, r"types \['churn'\] were found"),
        (lambda f: f.assign(when=1.0), {"ties": "error"}, "share entity and time"),
        (lambda f: f, {"encode": "text"}, "choose 'code', 'indicators'"),
    ],
)
def test_bad_events_say_what_is_wrong(change, options, message):
    with pytest.raises(ValueError, match=message):
        EventLog.from_frame(change(frame()), **NAMES, **options)


def test_bad_requests_say_what_is_wrong():
    log = EventLog.from_frame(frame(), **NAMES)
    for options, message in [
        ({"target": "leave"}, "no type of this log"),
        ({"target": "churn", "length": 0}, "length=0"),
        ({"target": "churn", "horizon": 0}, "horizon=0"),
        ({"target": "churn", "length": 9}, "No entity has 10 events"),
        ({"target": "churn", "after_target": "x"}, "choose 'drop', 'keep'"),
    ]:
        with pytest.raises(ValueError, match=message):
            histories(log, **options)
    never = EventLog.from_frame(frame(), types=["call", "churn", "order", "gone"], **NAMES)
    with pytest.raises(ValueError, match="No event is of the target type"):
        histories(never, target="gone")
    always = EventLog.from_frame(frame().assign(what="churn"), **NAMES)
    with pytest.raises(ValueError, match="Every event"):
        histories(always, target="churn")


def test_an_entity_with_one_event_has_no_history():
    made = pd.DataFrame(
        {"who": ["a", "b", "b", "b"], "when": [1, 1, 2, 3], "what": ["x", "x", "y", "churn"]}
    )
    found = histories(EventLog.from_frame(made, **NAMES), target="churn")
    assert found.log.entities[found.entity].tolist() == ["b"]
    alone = EventLog.from_frame(made.assign(who=list("abcd")), **NAMES)
    with pytest.raises(ValueError, match="No entity has 3 events"):
        histories(alone, target="churn")


def test_names_that_look_like_numbers_in_one_chunk_only():
    first = pd.DataFrame({"who": [1, 2], "when": [1.0, 2.0], "what": [0, 1]})
    second = pd.DataFrame({"who": ["2", "x"], "when": [3.0, 1.0], "what": ["1", "churn"]})
    log = EventLog.from_chunks([first, second], **NAMES)
    assert log.entities.tolist() == ["1", "2", "x"]
    assert log.entity.tolist() == [0, 1, 1, 2]
    assert log.types.tolist() == ["0", "1", "churn"]
    assert log.kind.tolist() == [0, 1, 1, 2]


def test_types_that_are_numbers_are_found_by_number_or_name():
    made = pd.DataFrame({"who": 1, "when": range(4), "what": [3, 4, 3, 7]})
    log = EventLog.from_frame(made, **NAMES)
    for target in (7, "7"):
        assert histories(log, target=target).y.tolist() == [0, 1]


def test_dates_with_time_zones_are_read():
    zoned = frame().assign(when=pd.to_datetime(["1970-01-02T00:00:00+01:00"] * 5))
    assert EventLog.from_frame(zoned, **NAMES).time.tolist() == [1 - 1 / 24] * 5
    assert EventLog.from_frame(zoned, **NAMES).dated
    assert not EventLog.from_frame(frame(), **NAMES).dated


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty: expected a header"),
        (b"who,when,what\n", "There are no events"),
        (b"who,when,what\n1,2\n1,2,3,4\n", "cannot be read as CSV"),
        (b"who,when,what\n\xff\xfe,1,2\n", "cannot be read as CSV"),
    ],
)
def test_bad_files_say_what_is_wrong(text, message, tmp_path):
    (tmp_path / "e.csv").write_bytes(text)
    with pytest.raises(ValueError, match=message):
        EventLog.from_csv(tmp_path / "e.csv", **NAMES)
