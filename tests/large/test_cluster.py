import os
import signal
import subprocess
import sys
import threading
import time

import dask
import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from tree_bytes import tree_bytes

from counterpoint import MemberOutputs
from counterpoint.boosting import AdaBoostNCClassifier, L2BoostClassifier
from counterpoint.exceptions import ClusterLostError, InterruptedFitWarning
from counterpoint.large import (
    BaggedTreesClassifier,
    BinnedStore,
    backend,
    crew,
    fit_on_store,
    measure,
    rows,
    run_on,
)
from counterpoint.trees import HistTreeClassifier
from counterpoint.views import ViewEnsembleClassifier

TREE = HistTreeClassifier(max_depth=3)
MODELS = {
    "votes": AdaBoostNCClassifier(TREE, n_estimators=4, lam=2.0, calibrate=False),
    "sums": L2BoostClassifier(n_estimators=2),
    "draws": BaggedTreesClassifier(TREE, n_estimators=2, random_state=0),
}


@pytest.fixture(scope="module")
def cluster():
    # Else Dask closes for good a worker that was lost, and is away once more 15 seconds later.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made,
    ):
        yield made


@pytest.fixture(scope="module")
def client(cluster):
    with Client(cluster) as made:
        yield made


@pytest.mark.parametrize("name", MODELS)
def test_workers_give_the_same_bytes(name, client, stores):
    here = clone(MODELS[name]).fit(stores["two"])
    assert tree_bytes(clone(MODELS[name]).fit(stores["two"], client=client)) == tree_bytes(here)
    if name == "votes":
        four = fit_on_store(clone(MODELS[name]), stores["two"], client=client, n_shards=4)
        assert tree_bytes(four) == tree_bytes(here)


def test_workers_count_files(client, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(3, size=(900, 4)), columns=["class", "u", "v", "w"])
    for k in range(3):
        frame[300 * k : 300 * k + 300].to_parquet(tmp_path / f"part-{k}.parquet", index=False)
    here = measure(frame)
    pd.testing.assert_frame_equal(measure(tmp_path / "part-*.parquet", client=client), here)
    frames = dask.dataframe.from_pandas(frame, npartitions=3)
    pd.testing.assert_frame_equal(measure(frames, client=client), here)


@pytest.mark.parametrize("kind", ["files", "frame"])
def test_workers_write_a_store(kind, client, tmp_path):
    """Bins by a sketch, weights, text and missing values: the bytes of one process, in order."""
    rng = np.random.default_rng(0)
    n = 45_000
    frame = pd.DataFrame({"x": rng.normal(size=n), "k": rng.choice(["u", "v", "w"], size=n)})
    frame["x"] = frame["x"].mask(rng.uniform(size=n) < 0.1)
    frame = frame.assign(weight=rng.integers(3, size=n), y=rng.integers(2, size=n))
    for k in range(3):
        part = frame[15_000 * k : 15_000 * (k + 1)]
        part.to_parquet(tmp_path / f"part-{k}.parquet", index=False)
    options = {"target": "y", "weight": "weight", "progress": False}
    here = BinnedStore.write(tmp_path / "part-*.parquet", tmp_path / "here", **options)
    assert here.sketch_error[0] > 0
    if kind == "files":
        source = tmp_path / "part-*.parquet"
        there = BinnedStore.write(source, tmp_path / "there", client=client, **options)
    else:
        frames = dask.dataframe.read_parquet(sorted(tmp_path.glob("part-*.parquet")))
        assert frames.npartitions == 3
        there = BinnedStore.from_dask(frames, tmp_path / "there", client=client, **options)
    assert there.checksums == here.checksums
    for path in (tmp_path / "here").iterdir():
        assert (tmp_path / "there" / path.name).read_bytes() == path.read_bytes()
    assert {p.name for p in there.path.iterdir()} == {p.name for p in here.path.iterdir()}
    there.verify()
    frame.iloc[20_000, 3] = 9
    broken = dask.dataframe.from_pandas(frame.assign(y=frame["y"].where(frame["y"] != 9)), 3)
    with pytest.raises(ValueError, match=r"partition 1, column 'y', data row 5001: .* no target"):
        BinnedStore.from_dask(broken, tmp_path / "broken", client=client, **options)
    assert not (tmp_path / "broken").exists()


def test_workers_without_counterpoint_and_those_that_go_are_told_apart(client, monkeypatch):
    first = answering(client, 2)[0]

    def none():
        raise ModuleNotFoundError("No module named 'counterpoint'")

    def gone():
        if os.getpid() == first:
            raise ConnectionResetError("as if it were killed")
        return version

    version = backend.__version__
    monkeypatch.setattr(backend, "_version", none)
    with pytest.raises(RuntimeError, match=r"cannot load counterpoint \(No module .*: install"):
        backend.check_workers(client)
    monkeypatch.setattr(backend, "_version", gone)
    assert len(backend.check_workers(client)) == 1


def test_pools_are_fitted_by_workers(client):
    X, y = load_iris(return_X_y=True)
    model = ViewEnsembleClassifier(n_estimators=4, random_state=0)
    here = clone(model).fit(X, y).predict_proba(X)
    with run_on(client):
        there = clone(model).fit(X, y).predict_proba(X)
        votes = MemberOutputs.from_estimator([GaussianNB(), model], X, y, cv=3).votes
    np.testing.assert_array_equal(there, here)
    np.testing.assert_array_equal(
        votes, MemberOutputs.from_estimator([GaussianNB(), model], X, y, cv=3).votes
    )


@pytest.mark.parametrize(
    ("backend", "words"), [("dask", "give 'local', or a distributed.Client"), (3, "backend=int")]
)
def test_wrong_backends_are_named(backend, words):
    with pytest.raises((TypeError, ValueError), match=words), run_on(backend):
        pass


def test_workers_of_another_version_are_named(client, monkeypatch):
    monkeypatch.setattr("counterpoint.large.backend.__version__", "9.9")
    with pytest.raises(RuntimeError, match=r"has counterpoint .*, here it is 9\.9"), run_on(client):
        pass


@pytest.fixture
def within_minutes():
    """End a test that stands still."""

    def end(*args):
        pytest.fail("The fit stood still.")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(600)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("within_minutes")
def test_a_worker_killed_in_every_round_costs_its_tasks_only(client, stores, monkeypatch):
    """In the second round all of them; the others when both are back."""
    here = clone(MODELS["votes"]).fit(stores["two"])
    asked, killed = crew.DaskCrew.each, []
    monkeypatch.setattr(backend, "_PATIENCE", 0.5)
    monkeypatch.setattr(crew, "_LOOK", 0.0)

    def kill_some(self, name, *args):
        if name == "kinds":
            pids = answering(client, 2)
            killed.append(pids if len(killed) == 1 else [pids[len(killed) % 2]])
            for pid in killed[-1]:
                threading.Timer(0.01, os.kill, (pid, signal.SIGKILL)).start()
        return asked(self, name, *args)

    monkeypatch.setattr(crew.DaskCrew, "each", kill_some)
    found = clone(MODELS["votes"]).fit(stores["two"], client=client)
    assert [len(pids) for pids in killed] == [1, 2, 1, 1]
    assert found.stop_reason_ == "complete"
    assert tree_bytes(found) == tree_bytes(here)


def answering(client, n):
    """Return the processes of workers once so many answer."""
    pids = []
    while len(pids) < n:
        client.wait_for_workers(n, timeout=120)
        pids = sorted(client.run(os.getpid, on_error="ignore").values())
    return pids


@pytest.mark.usefixtures("within_minutes")
def test_an_answer_that_was_lost_with_its_worker_is_asked_for_again(client, monkeypatch):
    monkeypatch.setattr(backend, "_PATIENCE", 0.2)
    answering(client, 2)
    future = client.submit(os.getpid, workers=sorted(backend.workers_of(client))[:1], pure=False)
    gone = future.result()
    os.kill(gone, signal.SIGKILL)
    while future.status != "lost":
        time.sleep(0.01)
    (found,) = backend.results(client, [future], lambda _: client.submit(os.getpid, pure=False))
    assert found != gone


@pytest.mark.usefixtures("within_minutes")
def test_a_worker_that_comes_takes_its_share(client, stores, monkeypatch):
    """All shards are with one at first; the other makes some of the log while that one works."""
    monkeypatch.setattr(crew, "_LOOK", 0.0)
    answering(client, 2)
    here = clone(MODELS["votes"]).set_params(n_estimators=12).fit(stores["two"])
    begin, homes = crew.DaskCrew.__init__, []
    asked = crew.DaskCrew.each

    def all_with_the_first(self, *args):
        begin(self, *args)
        self._homes = self._homes[:1] * len(self._homes)

    def note(self, *args):
        answers = asked(self, *args)
        homes.append(len(set(self._homes)))
        return answers

    monkeypatch.setattr(crew.DaskCrew, "__init__", all_with_the_first)
    monkeypatch.setattr(crew.DaskCrew, "each", note)
    model = clone(MODELS["votes"]).set_params(n_estimators=12)
    found = fit_on_store(model, stores["two"], client=client, n_shards=4)
    assert homes[0] == 1
    assert homes[-1] == 2
    assert tree_bytes(found) == tree_bytes(here)


@pytest.mark.parametrize(
    ("homes", "workers", "expected"),
    [
        ("ab", "ab", {}),
        ("aa", "ab", {1: "b"}),
        ("aaaa", "abc", {3: "b", 2: "c"}),
        ("aaab", "bc", {}),  # of one that is gone: they move when they are asked
        ("ab", "", {}),
    ],
)
def test_shards_move_to_who_has_few(homes, workers, expected):
    assert crew.moves(list(homes), list(workers)) == expected


def test_a_question_asked_twice_is_answered_once_at_a_time(stores, monkeypatch):
    """As when it was given up and submitted again while somebody was still at work on it."""
    here = clone(MODELS["votes"]).fit(stores["two"])
    submit = crew.DaskCrew._submit
    others = []

    def twice(self, *args, **options):
        others.append(submit(self, *args, **options))
        return submit(self, *args, **options)

    monkeypatch.setattr(crew.DaskCrew, "_submit", twice)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as made,
        Client(made, set_as_default=False) as client,
    ):
        found = clone(MODELS["votes"]).fit(stores["two"], client=client)
        assert tree_bytes(found) == tree_bytes(here)
        del others[:]


def test_workers_use_no_more_threads_than_they_were_given(stores, monkeypatch):
    used, count = [], rows.get_num_threads
    monkeypatch.setattr(rows, "get_num_threads", lambda: used.append(count()) or used[-1])
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as made,
        Client(made, set_as_default=False) as client,
    ):
        TREE.fit(stores["two"], client=client)
    assert set(used) == {1}
    TREE.fit(stores["two"])
    assert used[-1] == count()


def test_work_that_ends_every_worker_is_given_up(cluster, client, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    answering(client, 2)

    class Part:
        def submit(self, client, work, *args):
            return client.submit(os._exit, 1, pure=False)

    with pytest.raises(ClusterLostError, match="ended one worker after another"):
        list(backend.in_turn(client, None, [Part()]))
    answering(client, 2)


_CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None,
                      silence_logs="CRITICAL", protocol="tcp://") as c:
        print(c.scheduler_address, flush=True)
        sys.stdin.readline()
"""


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_lost_scheduler_leaves_the_members_there_are(stores, monkeypatch, caplog):
    """It is killed in the third round; on this machine the fit then goes on from two members."""
    whole = clone(MODELS["votes"]).fit(stores["two"])
    asked, rounds = crew.DaskCrew.each, []
    with (
        subprocess.Popen(
            [sys.executable, "-c", _CLUSTER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as process,
        Client(process.stdout.readline().strip(), set_as_default=False, timeout=3) as client,
    ):  # fmt: skip

        def kill_in_the_third(self, name, *args):
            rounds.append(name)
            if rounds.count("kinds") == 3 and process.poll() is None:
                process.kill()
                process.wait()
            return asked(self, name, *args)

        monkeypatch.setattr(crew.DaskCrew, "each", kill_in_the_third)
        found = clone(MODELS["votes"])
        with pytest.warns(InterruptedFitWarning, match=r"scheduler is gone.* keeps the \d members"):
            found.fit(stores["two"], client=client)
        assert found.stop_reason_ == "cluster lost"
        kept = tree_bytes(found)
        assert kept
        assert kept == tree_bytes(whole)[: len(kept)]
        with pytest.raises(ClusterLostError, match="scheduler is gone"):
            clone(found).fit(stores["two"], client=client)
    found.set_params(warm_start=True).fit(stores["two"])
    assert found.stop_reason_ == "complete"
    assert tree_bytes(found) == tree_bytes(whole)


def test_a_cluster_without_workers_is_given_up(stores, monkeypatch):
    monkeypatch.setattr(backend, "_PATIENCE", 0.05)
    monkeypatch.setattr(backend, "_ALONE", 0.1)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as made,
        Client(made, set_as_default=False) as client,
    ):
        monkeypatch.setattr(crew, "check_workers", lambda client: (made.scale(0), ["gone"])[1])
        client.retire_workers(list(client.scheduler_info()["workers"]))
        with pytest.raises(ClusterLostError, match="All workers of the cluster are gone"):
            TREE.fit(stores["two"], client=client)


def test_a_log_is_told_once(client, stores, monkeypatch):
    """Entries go to a worker that lacks them and to no other."""
    answering(client, 2)
    sent, submit = [], client.map

    def note(work, shards, logs, seen, **options):
        sent.append(list(zip(logs, seen, strict=True)))
        return submit(work, shards, logs, seen, **options)

    monkeypatch.setattr(client, "map", note)
    model = clone(MODELS["votes"]).fit(stores["two"], client=client)
    n_entries = len(model.estimators_)
    for shard in zip(*sent, strict=True):
        assert sum(len(log) for log, _ in shard) == n_entries
        assert [seen for _, seen in shard] == sorted(seen for _, seen in shard)
