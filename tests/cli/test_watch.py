"""`counterpoint watch`: batches without labels, a state that is gone on from, exit codes."""

import json
import sqlite3

import numpy as np
import pytest
from tables import mixed_table, number_table

from counterpoint import tabular


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watch")
    train = mixed_table(400, seed=0)
    tabular.save(tabular.fit(train, "class", "bagging"), folder / "model.skops")
    for k in range(3):
        mixed_table(80, seed=10 + k).drop(columns="class").to_csv(
            folder / f"day{k}.csv", index=False
        )
    moved = mixed_table(80, seed=20)
    moved.assign(size=moved["size"] + 3, colour="red").to_csv(folder / "moved.csv", index=False)
    return folder


def test_quiet_batches_and_an_alarm(run, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model, days = folder / "model.skops", [folder / f"day{k}.csv" for k in range(3)]
    ran = run("watch", model, *days[:2])
    assert ran.code == 0
    assert "day0.csv" in ran.out
    assert (tmp_path / "watch.html").read_text().count("<circle") == 2
    # The next call goes on: what is known is passed over, and the levels go on falling.
    ran = run("watch", model, *days, folder / "moved.csv", "--json")
    assert ran.code == 3
    told = json.loads(ran.out)
    assert told["new"] == ["day2.csv", "moved.csv"]
    assert [row["alarm"] for row in told["batches"]] == [False, False, False, True]
    assert "size" in told["batches"][-1]["changed"]
    assert told["batches"][0]["known_error"] is None
    assert 0 <= told["batches"][-1]["known_error"] <= 1  # that one has labels
    assert [row["threshold"] for row in told["batches"]] == pytest.approx(
        [0.025 / (t * (t + 1)) for t in range(1, 5)]
    )
    # Nothing new, no alarm: the exit code is of what this call looked at.
    assert run("watch", model, *days, folder / "moved.csv").code == 0
    with sqlite3.connect("watch.sqlite") as kept:
        assert kept.execute("select count(*) from batches").fetchone() == (4,)


def test_a_pattern_stands_for_files_by_name(run, fails, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run("watch", folder / "model.skops", folder / "day*.csv", "--json")
    assert json.loads(ran.out)["new"] == ["day0.csv", "day1.csv", "day2.csv"]
    assert "No file fits the pattern" in fails("watch", folder / "model.skops", "none-*.csv")
    odd = tmp_path / "day[1].csv"  # a file whose name looks like a pattern
    odd.write_bytes((folder / "day1.csv").read_bytes())
    ran = run("watch", folder / "model.skops", odd, "--json", "--state", "odd.sqlite")
    assert json.loads(ran.out)["new"] == ["day[1].csv"]


def test_a_state_of_another_model_is_refused(fails, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = tabular.fit(mixed_table(200, seed=3), "class", "bagging")
    tabular.watch(other, [("a", mixed_table(30, seed=4))], state="watch.sqlite")
    line = fails("watch", folder / "model.skops", folder / "day0.csv")
    assert "is of another model" in line
    (tmp_path / "text.sqlite").write_text("no database" * 100)
    line = fails("watch", folder / "model.skops", folder / "day0.csv", "--state", "text.sqlite")
    assert "no state of a watch" in line
    assert "no file" in fails("watch", folder / "model.skops", "nothing.csv")
    line = fails("watch", folder / "model.skops", folder / "day0.csv", "--level", "2", code=2)
    assert "not between 0 and 1" in line


def test_one_row_is_looked_at_and_an_empty_batch_is_refused(folder):
    model = tabular.load(folder / "model.skops")
    told = tabular.watch(model, [("one", mixed_table(1, seed=5))])
    assert told.batches["rows"].tolist() == [1]
    assert not told.alarm
    with pytest.raises(ValueError, match=r"no row|empty"):
        tabular.watch(model, [("none", mixed_table(5).iloc[:0])])
    with pytest.raises(TypeError, match="neither a path nor"):
        tabular.watch(model, [3])


def test_work_that_was_cut_short_is_kept(folder, tmp_path, monkeypatch):
    model = tabular.load(folder / "model.skops")
    batches = [(f"b{k}", mixed_table(40, seed=k)) for k in range(3)]
    state = tmp_path / "s.sqlite"
    with pytest.raises(TypeError):
        tabular.watch(model, [*batches[:2], ("b2", 3)], state=state)
    told = tabular.watch(model, batches, state=state)
    assert told.new == ["b2"]
    whole = tabular.watch(model, batches)
    np.testing.assert_allclose(told.batches["p"], whole.batches["p"])
    np.testing.assert_allclose(told.batches["log_wealth"], whole.batches["log_wealth"])


@pytest.mark.parametrize("method", ["bagging", "linear"])
def test_numbers_are_watched_too(method):
    model = tabular.fit(number_table(200), "price", method)
    moved = number_table(60, seed=2).assign(age=200)
    told = tabular.watch(model, [("day", number_table(60, seed=1)), ("moved", moved)])
    assert told.batches["alarm"].tolist() == [False, True]
    assert np.isfinite(told.batches["error"]).all() == (method == "bagging")
    assert bool(told.notes) == (method == "linear")
    assert [len(rows) > 0 for rows in told.batches["rows_behind"]] == [method == "bagging"] * 2


def test_a_model_without_members_is_watched_by_its_answers():
    model = tabular.fit(mixed_table(200), "class", "naive-bayes")
    told = tabular.watch(model, [("day", mixed_table(60, seed=1))])
    assert np.isfinite(told.batches["error"]).all()
    assert "no members" in told.notes[0]
    assert told.batches["rows_behind"][0] == []  # nobody disagrees with anybody
