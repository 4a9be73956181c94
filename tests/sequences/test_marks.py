"""Logs in which a column marks the events to predict."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.sequences.finding import find_event_columns, read_log
from counterpoint.sequences.marks import marks_of


def log_of(mark=("no", "yes"), name="left"):
    rows = []
    for customer in range(30):
        n = 3 + customer % 4
        for k in range(n):
            last = k == n - 1 and customer % 3 == 0
            rows.append((f"c{customer}", f"2024-01-{k + 1:02}", ["buy", "call"][k % 2], last))
    frame = pd.DataFrame(rows, columns=["customer", "date", "what", name])
    return frame.assign(**{name: frame[name].map({False: mark[0], True: mark[1]})})


@pytest.mark.parametrize("mark", [("no", "yes"), (0, 1), (False, True), (np.nan, "x"), (0.0, 1.0)])
@pytest.mark.parametrize("told", [None, "left"])
def test_marked_events_are_of_a_type_of_their_own(mark, told):
    frame = log_of(mark)
    read = read_log(frame, target=told)
    assert (read.columns.target, read.columns.marked) == ("left", True)
    assert read.columns.sentence().endswith(
        "target 'left', which is marked in a column of that name"
    )
    assert sorted(read.log.types) == ["buy", "call", "left"]
    marked = read.log.types[read.log.kind] == "left"
    assert marked.sum() == 10 == (frame["left"] == mark[1]).sum()
    assert list(read.log.columns) == ["what"]  # the mark itself tells nothing


def test_a_type_that_is_called_so_comes_first():
    frame = log_of()
    frame.loc[::7, "what"] = "churn"
    found = find_event_columns(frame)
    assert (found.target, found.marked) == ("churn", False)
    assert find_event_columns(frame, target="left").marked
    assert not find_event_columns(frame, target="buy").marked


def test_a_mark_of_customers_says_not_when():
    frame = log_of()
    frame["left"] = frame.groupby("customer")["left"].transform("max")
    with pytest.raises(ValueError, match=r"says whom the event befell, and not when\. Mark the"):
        read_log(frame)


def test_two_columns_of_marks_are_asked_about():
    frame = log_of().assign(churned=log_of()["left"])
    with pytest.raises(ValueError, match="a column of 0 and 1 that marks them would do as well"):
        find_event_columns(frame)
    assert find_event_columns(frame, target="churned").target == "churned"


@pytest.mark.parametrize("values", [[1, 2], ["a", "b"], ["yes", "yes"], [0, 0], [None, None]])
def test_what_is_no_column_of_marks(values):
    assert marks_of(pd.Series(values)) is None
