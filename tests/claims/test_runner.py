"""What is done is not done again; what fails does not stop the rest; workers change nothing."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import counted_cells
import numba
import pandas as pd
import pytest
from counted_cells import deadly_at, noted, tossing, wrong_at
from threadpoolctl import threadpool_info

from counterpoint import _progress
from counterpoint.claims import Experiment, Store, grid, run_experiment
from counterpoint.claims.evaluation import one_thread
from counterpoint.exceptions import ExperimentError


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The frame of a run that nothing interrupted."""
    with Store(tmp_path_factory.mktemp("whole") / "cells.sqlite") as store:
        return run_experiment(tossing(), store)


def test_rows(expected):
    rows = [row for cell in tossing().cells() for row in tossing().evaluate(cell)]
    columns = ["repeat", "method", "step", "value"]
    pd.testing.assert_frame_equal(expected[columns], pd.DataFrame(rows)[columns])
    assert expected["value"].isna().sum() == 12  # undefined stays undefined


@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"n_jobs": 2, "backend": "threading"}])
def test_workers_change_nothing(store, expected, options):
    pd.testing.assert_frame_equal(run_experiment(tossing(), store, **options), expected)


def test_a_cell_has_one_thread(expected):
    assert set(expected["threads"]) == {1}


def test_the_limit_on_threads_is_lifted(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)

    def now():
        pools = [pool["num_threads"] for pool in threadpool_info()]
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
        return [*pools, numba.get_num_threads(), *map(os.environ.get, names)]

    before = now()
    with one_thread():
        with one_thread():
            pass
        assert set(now()) == {1, "1"}  # the outer one still holds
    assert now() == before


def test_nothing_is_run_twice(store, log, expected):
    experiment = tossing(log)
    half = Experiment("tossing", experiment.run, experiment.values[3:7], unseeded=["method"])
    run_experiment(half, store)
    assert noted(log) == ["1 b", "2 a", "2 b", "3 a"]
    frame = run_experiment(experiment, store, n_jobs=2)
    assert sorted(noted(log)) == sorted(f"{r} {m}" for r in range(6) for m in "ab")
    pd.testing.assert_frame_equal(frame, expected)
    run_experiment(experiment, store)
    assert len(noted(log)) == 12


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failures_are_told_at_the_end(store, n_jobs):
    run = partial(wrong_at, bad=(1, 3))
    experiment = Experiment("wrong", run, grid(x=range(6)))
    with pytest.raises(ExperimentError) as caught:
        run_experiment(experiment, store, n_jobs=n_jobs)
    assert str(caught.value) == (
        "2 of 6 cells of wrong failed, the others are kept; "
        '{"x": 1}: ArithmeticError: no luck with 1 (and 1 more)'
    )
    assert list(caught.value.failures) == ['{"x": 1}', '{"x": 3}']
    assert "in wrong_at" in caught.value.failures['{"x": 1}']
    assert store.frame(experiment)["y"].tolist() == [0, 4, 8, 10]
    # put right, only the failed ones are run
    mended = Experiment("wrong", partial(wrong_at, bad=(0, 2, 4, 5)), grid(x=range(6)))
    assert run_experiment(mended, store)["y"].tolist() == [0, 2, 4, 6, 8, 10]


def test_a_worker_that_dies(store):
    experiment = Experiment("deadly", partial(deadly_at, bad=(5,)), grid(x=range(6)))
    with pytest.raises(
        ExperimentError, match=r"a worker died.*cells of deadly are kept in"
    ) as caught:
        run_experiment(experiment, store, n_jobs=2)
    kept = len(store.done(experiment))
    assert f" {kept} of 6 cells" in str(caught.value)
    mended = Experiment("deadly", partial(deadly_at, bad=()), grid(x=range(6)))
    assert run_experiment(mended, store)["y"].tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_and_resumed(tmp_path, log, expected, n_jobs):
    path = tmp_path / "cells.sqlite"
    experiment = tossing(log, pause=0.15)
    command = [sys.executable, counted_cells.__file__, str(path), log, str(n_jobs)]
    child = subprocess.Popen(command, start_new_session=True, env=os.environ | search_path())
    wait_until(lambda: len(noted(log)) >= 4, child)
    os.killpg(child.pid, signal.SIGKILL)  # the workers too: there is no time to tidy up
    assert child.wait() == -signal.SIGKILL
    with Store(path) as store:
        kept = [
            f"{cell.values['repeat']} {cell.values['method']}" for cell in done(store, experiment)
        ]
        begun = noted(log)
        assert 0 < len(kept) < 12
        assert len(begun) == len(set(begun))
        assert set(kept) <= set(begun)
        assert len(begun) - len(kept) <= n_jobs + 1  # under way, or on the way to the store
        frame = run_experiment(experiment, store)
    after = noted(log)[len(begun) :]
    assert len(after) == len(set(after))
    assert not set(after) & set(kept)  # nothing kept is run again
    assert set(after) | set(kept) == {f"{r} {m}" for r in range(6) for m in "ab"}
    pd.testing.assert_frame_equal(frame, expected)


def test_ctrl_c_keeps_what_is_done(tmp_path, log):
    path = tmp_path / "cells.sqlite"
    command = [sys.executable, counted_cells.__file__, str(path), log, "2"]
    child = subprocess.Popen(
        command, start_new_session=True, env=os.environ | search_path(), stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    wait_until(lambda: len(noted(log)) >= 4, child)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to parent and workers
    said = child.communicate(timeout=60)[1]
    assert child.returncode != 0
    with Store(path) as store:
        kept = len(store.done(tossing(log)))
        assert 0 < kept < 12
    assert f"{kept} of 12 cells of tossing are kept in {path}: run it again" in said


def search_path():
    return {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def wait_until(happened, child, seconds=60):
    limit = time.monotonic() + seconds
    while not happened():
        assert child.poll() is None, "the run ended before its time"
        assert time.monotonic() < limit
        time.sleep(0.02)


def done(store, experiment):
    keys = store.done(experiment)
    return [cell for cell in experiment.cells() if cell.key in keys]


def test_time_limit(store, log):
    assert run_experiment(tossing(log), store, time_limit=0).empty
    assert noted(log) == []
    frame = run_experiment(tossing(log, pause=0.2), store, time_limit=0.5)
    assert 1 <= len(noted(log)) <= 4
    assert len(frame) == 2 * len(noted(log))  # what was begun was finished
    assert len(run_experiment(tossing(log), store, time_limit=60)) == 24


def test_a_store_that_fails_stops_the_run(store, log):
    store._connection.execute("PRAGMA query_only = 1")
    with pytest.raises(PermissionError, match="may not be written"):
        run_experiment(tossing(log, pause=0.05), store, n_jobs=2)
    assert len(noted(log)) < 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_jobs": 0}, "n_jobs=0 runs nothing"),
        ({"scheduler": "tcp://x:1"}, "is for backend='dask', but backend=None"),
        ({"time_limit": -1}, "time_limit=-1 is not a number of seconds"),
        ({"time_limit": float("nan")}, "time_limit=nan is not"),
        ({"backend": "nonsense"}, "nonsense"),
    ],
)
def test_wrong_options(store, options, message):
    with pytest.raises(ValueError, match=message):
        run_experiment(tossing(), store, **options)


def inner_bar(*, seed, x):
    return {"y": len(list(_progress.track([1, 2], description="inner", show=None)))}


def test_one_bar_and_none_within(store, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    experiment = Experiment("outer", inner_bar, grid(x=range(3)))
    assert run_experiment(experiment, store)["y"].tolist() == [2, 2, 2]
    said = capsys.readouterr().err
    assert "outer" in said
    assert "inner" not in said


def test_no_bar_if_told_so(store, capsys):
    run_experiment(tossing(n=1), store, progress=False)
    assert capsys.readouterr() == ("", "")
