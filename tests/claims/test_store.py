"""A cell is in the store or not; never twice, never half, never somebody else's."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.claims import store as module
from counterpoint.claims.protocol import Experiment, grid
from counterpoint.claims.store import Store


def run(*, seed, x, method):
    return {"seed": seed, "y": x / 3}


EXPERIMENT = Experiment("E", run, grid(x=range(3), method=["a", "b"]), unseeded=["method"])


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


def put(store, experiment, cell, seconds=1.0):
    return store.put(experiment, cell, experiment.evaluate(cell), seconds)


@settings(max_examples=20)
@given(st.permutations(range(6)), st.integers(0, 6))
def test_rows_come_in_the_order_of_the_grid(tmp_path_factory, order, n):
    cells = EXPERIMENT.cells()
    with Store(tmp_path_factory.mktemp("s") / "cells.sqlite") as store:
        for k in order[:n]:
            assert put(store, EXPERIMENT, cells[k])
        frame = store.frame(EXPERIMENT)
        assert store.done(EXPERIMENT) == {cells[k].key for k in order[:n]}
        assert store.seconds(EXPERIMENT) == n
    rows = [row for k in sorted(order[:n]) for row in EXPERIMENT.evaluate(cells[k])]
    pd.testing.assert_frame_equal(frame, pd.DataFrame(rows))


def test_numbers_come_back_to_the_last_bit(store):
    values = [0.1 + 0.2, 1e-300, 2**62, -0.0, True, "π", float("nan")]
    odd = Experiment("odd", lambda *, seed, k: {"value": values[k]}, grid(k=range(7)))
    for cell in odd.cells():
        put(store, odd, cell)
    back = store.frame(odd)["value"].tolist()
    assert back[:6] == values[:6]
    assert list(map(type, back[:6])) == list(map(type, values[:6]))
    assert back[6] is None or np.isnan(back[6])


def test_a_column_without_a_number_is_nan(store):
    none = Experiment("none", lambda *, seed, k: {"v": float("nan")}, grid(k=range(2)))
    for cell in none.cells():
        put(store, none, cell)
    assert store.frame(none)["v"].dtype == float
    assert store.frame(none)["v"].isna().all()


def test_nothing_done_is_an_empty_frame(store):
    assert store.frame(EXPERIMENT).empty
    assert store.done(EXPERIMENT) == set()
    assert store.seconds(EXPERIMENT) == 0.0


def test_the_first_result_of_a_cell_stays(store):
    cell = EXPERIMENT.cells()[0]
    assert store.put(EXPERIMENT, cell, [{"y": 1}], 1.0)
    assert not store.put(EXPERIMENT, cell, [{"y": 2}], 5.0)
    assert store.frame(EXPERIMENT)["y"].tolist() == [1]
    assert store.seconds(EXPERIMENT) == 1.0


def test_a_cell_may_have_no_rows(store):
    cell = EXPERIMENT.cells()[0]
    assert store.put(EXPERIMENT, cell, [], 1.0)
    assert store.done(EXPERIMENT) == {cell.key}
    assert store.frame(EXPERIMENT).empty


@pytest.mark.parametrize(
    "other",
    [
        replace(EXPERIMENT, name="E-smoke"),
        replace(EXPERIMENT, version=2),
        replace(EXPERIMENT, unseeded=()),
        replace(EXPERIMENT, values=grid(x=[7], method=["a"])),
    ],
    ids=["name", "version", "seeds", "values"],
)
def test_cells_of_another_experiment_are_not_ours(store, other):
    for cell in EXPERIMENT.cells():
        put(store, EXPERIMENT, cell)
    assert store.done(other) == set()
    assert store.frame(other).empty
    assert len(store.frame(EXPERIMENT)) == 6


def test_it_is_there_after_closing(tmp_path):
    path = tmp_path / "cells.sqlite"
    with Store(path) as store:
        put(store, EXPERIMENT, EXPERIMENT.cells()[0])
    with Store(str(path)) as store:
        assert len(store.done(EXPERIMENT)) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["cells.sqlite"]


def test_two_runs_may_open_a_new_file_at_once(tmp_path):
    def work(k):
        with Store(tmp_path / "cells.sqlite") as store:
            return [put(store, EXPERIMENT, cell) for cell in EXPERIMENT.cells()]

    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(work, range(4)))
    assert np.sum(taken) == 6  # each cell by one of them
    with Store(tmp_path / "cells.sqlite") as store:
        assert len(store.frame(EXPERIMENT)) == 6


def test_a_file_that_is_not_a_database(tmp_path):
    path = tmp_path / "cells.sqlite"
    path.write_text("a,b\n" * 2000)
    with pytest.raises(ValueError, match="is not a store of experiments: choose another file"):
        Store(path)
    assert path.read_text() == "a,b\n" * 2000


def test_a_database_of_another_program(tmp_path):
    path = tmp_path / "cells.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE cells (a)")
    other.close()
    with pytest.raises(ValueError, match="another program's database"):
        Store(path)


def test_a_store_of_another_layout(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LAYOUT", 7)
    Store(tmp_path / "cells.sqlite").close()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has layout 7, this counterpoint reads 3"):
        Store(tmp_path / "cells.sqlite")


def test_a_damaged_file(tmp_path):
    path = tmp_path / "cells.sqlite"
    with Store(path) as store:
        for cell in EXPERIMENT.cells():
            put(store, EXPERIMENT, cell)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))  # the header is left
    with Store(path) as store, pytest.raises(ValueError, match=r"is damaged .* move it away"):
        store.frame(EXPERIMENT)


def test_a_full_disk_loses_nothing(store):
    cells = EXPERIMENT.cells()
    put(store, EXPERIMENT, cells[0])
    store._connection.execute("PRAGMA max_page_count = 3")
    with pytest.raises(OSError, match=r"cannot be written .* make room and run again"):
        store.put(EXPERIMENT, cells[1], [{"y": "long" * 5000}], 1.0)
    store._connection.execute("PRAGMA max_page_count = 1000")
    assert store.done(EXPERIMENT) == {cells[0].key}
    assert put(store, EXPERIMENT, cells[1])


def test_a_file_that_may_only_be_read(store):
    store._connection.execute("PRAGMA query_only = 1")
    with pytest.raises(PermissionError, match="may not be written"):
        put(store, EXPERIMENT, EXPERIMENT.cells()[0])


def test_another_run_that_never_lets_go(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.05)
    path = tmp_path / "cells.sqlite"
    with Store(path) as one, Store(path) as two:
        one._connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TimeoutError, match="is held by another run"):
            put(two, EXPERIMENT, EXPERIMENT.cells()[0])


def test_places_where_no_file_can_be(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        Store(tmp_path / "no" / "cells.sqlite")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="is a file"):
        Store(tmp_path / "file" / "cells.sqlite")
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        Store(tmp_path)
