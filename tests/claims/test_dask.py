"""The same grid on a Dask cluster: workers of their own, one of them killed on the way."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest
from counted_cells import deadly_at, noted, toss, tossing

from counterpoint.claims import Experiment, Store, grid, run_experiment, runner
from counterpoint.exceptions import ExperimentError

distributed = pytest.importorskip("distributed", reason="needs: pip install distributed")

# Tornado and asyncio tidy their sockets in their own time.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes, each with a nanny that starts it again when it dies."""
    import dask

    quiet = {"distributed.scheduler.allowed-failures": 1, "logging": {"distributed": "critical"}}
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": "CRITICAL"}
    with dask.config.set(quiet), distributed.LocalCluster(n_workers=2, **options) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        yield client


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


def kill_one_worker(client, log, killed):
    """Once cells are under way, kill the process of one worker."""
    limit = time.monotonic() + 20
    while len(noted(log)) < 4 and time.monotonic() < limit:
        time.sleep(0.01)
    workers = client.run(os.getpid)
    pid = next(iter(workers.values()))
    os.kill(pid, signal.SIGKILL)
    killed.append(pid)


def test_a_worker_killed_on_the_way(cluster, client, store, tmp_path):
    log = str(tmp_path / "log")
    killed = []
    killer = threading.Thread(target=kill_one_worker, args=(client, log, killed))
    killer.start()
    frame = run_experiment(
        tossing(log, pause=0.15), store, backend="dask", scheduler=cluster.scheduler_address
    )
    killer.join()
    assert len(killed) == 1
    whole = {f"{r} {m}" for r in range(6) for m in "ab"}
    begun = noted(log)
    assert set(begun) == whole
    # The one under way is begun again, and so are those whose results died with the worker.
    assert len(whole) <= len(begun) < 2 * len(whole)
    with sqlite3.connect(store.path) as raw:
        keys = [key for (key,) in raw.execute("SELECT key FROM cells")]
    raw.close()
    assert len(keys) == len(set(keys)) == len(whole)  # nothing lost, nothing twice
    with Store(tmp_path / "local.sqlite") as local:
        pd.testing.assert_frame_equal(frame, run_experiment(tossing(), local))


SCHEDULER = """
import sys
import distributed
if __name__ == "__main__":
    options = {"processes": False, "protocol": "tcp://", "host": "127.0.0.1"}
    with distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=":0", **options) as c:
        print(c.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_a_scheduler_killed_on_the_way(store, tmp_path, caplog):
    log = str(tmp_path / "log")
    here = os.path.dirname(__file__)
    paths = [os.path.dirname(os.path.dirname(here)), here, os.environ.get("PYTHONPATH", "")]
    scheduler = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    address = scheduler.stdout.readline().strip()

    def kill():
        limit = time.monotonic() + 30
        while len(noted(log)) < 3 and time.monotonic() < limit:
            time.sleep(0.01)
        scheduler.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    made = tossing(log, pause=0.1)
    with pytest.raises(
        ExperimentError, match="tossing stopped: the Dask scheduler is gone"
    ) as told:
        run_experiment(made, store, backend="dask", scheduler=address)
    killer.join()
    scheduler.communicate()
    kept = len(store.done(made))
    assert f"{kept} of 12 cells of tossing are kept in {store.path}: run it again" in str(
        told.value
    )
    assert told.value.failures == {}  # no cell is to blame
    assert 1 <= kept < 12
    assert [line for line in caplog.records if line.exc_info] == []
    assert len(run_experiment(made, store)) == 24  # and so it goes on


class DyingClient:
    """As distributed's, of a scheduler that is lost at a certain moment."""

    loop, status = None, "running"

    def __init__(self, at):
        self.at = at

    def ncores(self):
        if self.at == "cores":
            raise distributed.comm.CommClosedError("gone")
        return {"w": 1}

    def submit(self, *args, **kwargs):
        return self

    def cancelled(self):
        return self.at == "cancelled"

    def result(self):
        raise (
            CancelledError("key")
            if self.at == "result"
            else distributed.comm.CommClosedError("gone")
        )

    def cancel(self, futures):
        raise distributed.comm.CommClosedError("gone")


class Sent(list):
    def __init__(self, **options):
        super().__init__()

    add = list.append


class Queue(Sent):
    def __iter__(self):
        while self:
            yield self.pop(0)


@pytest.mark.parametrize("at", ["status", "cores", "cancelled", "result", "reading"])
def test_a_scheduler_lost_at_any_moment(at, monkeypatch):
    client = DyingClient(at)
    client.status = "connecting" if at == "status" else "running"
    monkeypatch.setattr(distributed, "as_completed", Sent)
    with pytest.raises(runner._Broken, match="the Dask scheduler is gone"):
        next(runner._on_dask(client, None, iter(tossing().cells())))


def test_a_cell_that_kills_every_worker_is_given_up(cluster, store):
    experiment = Experiment("deadly", partial(deadly_at, bad=(2,)), grid(x=range(5)))
    with pytest.raises(ExperimentError, match="KilledWorker") as caught:
        run_experiment(experiment, store, backend="dask", scheduler=cluster.scheduler_address)
    assert list(caught.value.failures) == ['{"x": 2}']
    assert store.frame(experiment)["y"].tolist() == [0, 2, 6, 8]


class Future:
    def __init__(self, call):
        self.call = call

    def cancelled(self):
        return False

    def result(self):
        return self.call()


class DeadlyClient(DyingClient):
    """As distributed's, of one worker with two cells: both die if one of them is number 2."""

    status = "running"

    def __init__(self):
        self.under_way, self.tried = [], []

    def ncores(self):
        return {"w": 1}

    def submit(self, task, cell, pure):
        self.tried.append(cell.values["x"])
        self.under_way.append(cell.values["x"])
        return Future(partial(self.run, task, cell))

    def run(self, task, cell):
        died = 2 in self.under_way
        self.under_way.remove(cell.values["x"])
        if died:
            raise distributed.KilledWorker("key", SimpleNamespace(address="w"), 1)
        return task(cell)


def test_cells_that_died_beside_a_deadly_one_are_tried_alone(monkeypatch):
    client = DeadlyClient()
    monkeypatch.setattr(distributed, "as_completed", Queue)
    experiment = Experiment("deadly", partial(deadly_at, bad=()), grid(x=range(5)))
    task = partial(runner.evaluate, experiment)
    outcomes = list(runner._on_dask(client, task, iter(experiment.cells())))
    done = {x: [{"x": x, "y": 2 * x}] for x in (0, 1, 3, 4)}
    assert {o.cell.values["x"]: o.rows for o in outcomes if not o.error} == done
    assert [o.cell.values["x"] for o in outcomes if o.error] == [2]
    assert sorted(client.tried) == [0, 1, 1, 2, 2, 3, 4]


def test_the_client_that_is_there(cluster, store, tmp_path):
    log = str(tmp_path / "log")
    with distributed.Client(cluster.scheduler_address) as client:
        run_experiment(tossing(log, n=1), store, backend="dask", time_limit=0)
        frame = run_experiment(tossing(log, n=1), store, backend="dask")
        assert client.status == "running"  # not ours to close
    assert len(frame) == 4
    assert sorted(noted(log)) == ["0 a", "0 b"]


def slow(*, seed, repeat, log):
    return toss(seed=seed, repeat=repeat, method="a", log=log, pause=0.2)[0]


def test_time_limit(cluster, store, tmp_path):
    log = str(tmp_path / "log")
    experiment = Experiment("slow", partial(slow, log=log), grid(repeat=range(20)))
    frame = run_experiment(
        experiment, store, backend="dask", scheduler=cluster.scheduler_address, time_limit=0.3
    )
    assert len(frame) == len(noted(log)) < 20


def test_no_client(store):
    with pytest.raises(ValueError, match="needs a cluster: pass scheduler="):
        run_experiment(tossing(), store, backend="dask")


def test_nobody_answers(store, monkeypatch):
    monkeypatch.setattr(runner, "_CONNECT", 0.3)
    with pytest.raises(ConnectionError, match="No Dask scheduler answers at scheduler='tcp://127"):
        run_experiment(tossing(), store, backend="dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(ConnectionError, match="No Dask scheduler answers at scheduler='what'"):
        run_experiment(tossing(), store, backend="dask", scheduler="what")


def test_no_workers(store, monkeypatch):
    monkeypatch.setattr(runner, "_CONNECT", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(ConnectionError, match="has no workers: start some with `dask worker"),
    ):
        run_experiment(tossing(), store, backend="dask", scheduler=empty.scheduler_address)


def test_distributed_is_not_installed(store, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ImportError, match="pip install distributed"):
        run_experiment(tossing(), store, backend="dask")
