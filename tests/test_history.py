"""Rows of benchmarks are kept by commit, and what got slower beyond noise is found."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import history
from benchmarks.harness import Report


def report(ratios, name="made", case="a case"):
    made = Report(name)
    made.add(case, [1.0] * len(ratios), ratios, "a peer")
    return made


def test_rows_are_added_below_those_that_are_there(tmp_path):
    history.keep([report([2.0, 3.0, 4.0])], tmp_path, commit="54e3176")
    history.keep([report([5.0, 6.0, 7.0])], tmp_path, commit="bbb")
    kept = history.rows(tmp_path)
    assert kept["commit"].tolist() == ["54e3176", "bbb"]  # the first is no number
    assert list(kept.columns) == history.COLUMNS
    assert history.newest(kept)["ratio"].tolist() == [6.0]


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        ([1.0, 1.5, 1.9], "slower"),
        ([1.0, 1.5, 2.1], "within noise"),
        ([4.1, 5.0, 6.0], "faster"),
    ],
)
def test_slower_is_below_all_that_was_seen(tmp_path, now, verdict):
    history.keep([report([2.0, 3.0, 4.0])], tmp_path, commit="aaa")
    then = history.rows(tmp_path)
    history.keep([report(now)], tmp_path, commit="bbb")
    found = history.changes(then, history.rows(tmp_path))
    assert found["verdict"].tolist() == [verdict]


def test_other_machines_and_single_numbers_are_not_judged(tmp_path):
    history.keep([report([2.0, 3.0])], tmp_path, commit="aaa")
    then = history.rows(tmp_path)
    history.keep([report([0.1, 0.2])], tmp_path, commit="bbb")
    now = history.rows(tmp_path)
    assert history.changes(then.assign(machine="other"), now)["verdict"].item() == "another machine"
    assert history.changes(then.assign(low=np.nan), now)["verdict"].item() == "no spread"
    assert history.changes(then, then)["verdict"].item() == "no newer rows"


def test_a_revision_that_is_not_there_is_said(capsys):
    assert history.main(["no-such-revision"]) == 2
    assert "git knows no revision" in capsys.readouterr().out
    assert history.main([]) == 2


def test_what_is_kept_can_be_read():
    kept = history.rows()
    assert len(kept) > 0
    assert (kept["ratio"] > 0).all()
    assert kept[history.KEY].notna().all(axis=None)
    pd.to_datetime(kept["date"])
