"""Larger than memory: measures of files, stores, boosting on them, workers.

Parts, each at some numbers of rows; rows go to ``large.csv`` beside this file as they are finished,
with the commit and the load of the machine, and what is there is not done again::

    python -m benchmarks.large                                    # all parts, up to a million rows
    python -m benchmarks.large measure --rows 1e7 3e7 1e8 --folder .big
    python -m benchmarks.large round --rows 1e8 --again
    python -m benchmarks.large --only-summary

Figures are ratios and growth, of processor seconds of one thread: a busy machine makes them slower,
not more. Only workers are also timed by the clock, the best of some. Memory is the most that a
process of its own held: once all of it (VmHWM), once without files that are only mapped (RssAnon),
whose pages the system takes back when it needs them. Files of rows are kept in ``--folder``, and
used again: the first 10 of 100 are the smaller table.
"""

import argparse
import datetime
import os
import pickle
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset

from benchmarks.harness import ROOT, Report, show
from benchmarks.history import this_commit
from benchmarks.large_rows import COLUMNS, MEMBERS, frames, member_files, row_files, store_of
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.large import BinnedStore, crew, fit_on_store, measure
from counterpoint.trees import HistTreeClassifier

ROWS = Path(__file__).with_suffix(".csv")
DEPTH = 6


def run() -> Report:
    """Run all parts as small as they tell something, and return what they say."""
    most = int(float(os.environ.get("LARGE_ROWS", "1e6")))
    total = Report("large")
    with tempfile.TemporaryDirectory(dir=os.environ.get("LARGE_FOLDER")) as folder:
        for part in PARTS.values():
            part(total, most, Path(folder))
    return total


# -- measures --------------------------------------------------------------------------------------


def _measure(report, n, folder):
    files = member_files(folder, n)
    code = f"from counterpoint.large import measure; measure({files!r}, truth='y', progress=False)"
    own, all_of_it = _peak(code)
    note = f"{all_of_it:.0f} MB with mapped files"
    report.limit(f"memory of measure, {n:,} rows", own, 1000, "MB", note)
    bare, ours = [], []
    for _ in range(3 if n <= 3e7 else 2):
        bare.append(_timed(lambda: _scan(files)))
        ours.append(_timed(lambda: measure(files, truth="y", progress=False)))
    report.add(
        f"{MEMBERS} members x {n:,} rows, all measures", [min(ours)], [min(bare)],
        "bare scan of the columns", at_least=0.5,
        note=f"{min(ours) / n:.4g} s a row; {n / min(ours):,.0f} rows/s; a scan "
        f"{n / min(bare):,.0f}; 1e9 rows: {min(ours) / n * 1e9 / 60:.1f} minutes",
    )  # fmt: skip


def _scan(files):
    for path in files:
        for _ in pa.dataset.dataset(path).to_batches(batch_size=1 << 17):
            pass


# -- stores ----------------------------------------------------------------------------------------


def _write_store(report, n, folder):
    files, path = row_files(folder, n), folder / f"store-{n}"
    if (path / "store.json").exists():
        for file in path.iterdir():
            file.unlink()
    code = (
        "import time; from counterpoint.large import BinnedStore; start = time.process_time(); "
        f"BinnedStore.write({files!r}, {str(path)!r}, target='y', progress=False); "
        "print(time.process_time() - start)"
    )
    own, all_of_it, said = _peak(code, say=True)
    note = f"{all_of_it:.0f} MB with mapped files"
    report.limit(f"memory of writing a store, {n:,} rows", own, 1000, "MB", note)
    report.limit(
        f"rank error of the bins, {n:,} rows", BinnedStore(path).sketch_error.max(), 0.002,
        "of the rows", note=f"written with {float(said) / n * 1e6:.3g} s a million rows",
    )  # fmt: skip


# -- rounds ----------------------------------------------------------------------------------------


def model(n_estimators):
    """Return the booster that is timed."""
    return AdaBoostNCClassifier(
        HistTreeClassifier(max_depth=DEPTH, max_bins=128), lam=2.0, n_estimators=n_estimators,
        calibrate=False, progress=False,
    )  # fmt: skip


def _fit(report, n, folder):
    """Take time and memory of rounds on the store, in a process that does nothing else."""
    path = str(store_of(folder, n).path)
    code = (
        "from benchmarks.large import _per_round, model; "
        "from counterpoint.large import BinnedStore; "
        f"store = BinnedStore({path!r}); "
        f"print(_per_round(lambda k: model(k).fit(store), {n}))"
    )
    own, all_of_it, said = _peak(code, say=True)
    report.limit(
        f"memory of AdaBoost.NC on a store, {n:,} rows", all_of_it, 2000, "MB",
        note=f"{own:.0f} MB without mapped files; {float(said):.3g} s a round, "
        f"{float(said) / n:.3g} a row",
    )  # fmt: skip


def _round(report, n, folder):
    """Time a round on the store beside XGBoost's."""
    store = store_of(folder, n)

    def ours(k):
        fit_on_store(model(k), store)

    repeats = 2
    case = f"a round of AdaBoost.NC, {n:,} x {COLUMNS}, depth {DEPTH}"
    with tempfile.TemporaryDirectory(dir=folder, prefix="xgboost-") as cache:
        try:
            peer = _xgboost(store, cache)
        except ImportError:
            print("XGBoost is not installed: left out")
            return
        peer(1)
        times = [
            (_per_round(ours, n), _per_round(peer, n), _per_round(partial(peer, boost=True), n))
            for _ in range(repeats)
        ]
        del peer
    own, alone, rounds = ([t[k] for t in times] for k in range(3))
    report.add(
        case, own, rounds, "rounds of XGBoost in external memory", at_least=1,
        note="both with all that a round takes: gradients, scores; weights, votes",
    )  # fmt: skip
    report.add(
        case, own, alone, "XGBoost external memory", at_least=1,
        note="XGBoost's rounds without votes and reweighing: trees alone",
    )  # fmt: skip


def _in_memory(report, n, folder):
    """Time a round on the store beside one in memory."""
    store = store_of(folder, n)
    parts = list(frames(n))
    X, y = (np.concatenate([part[k] for part in parts]) for k in range(2))
    del parts
    model(1).fit(X[:100_000], y[:100_000])
    fit_on_store(model(1), store)
    times = [
        (
            _per_round(lambda k: fit_on_store(model(k), store), n),
            _per_round(lambda k: model(k).fit(X, y), n),
        )
        for _ in range(2)
    ]
    report.add(
        f"a round of AdaBoost.NC, {n:,} x {COLUMNS}, depth {DEPTH}", [t[0] for t in times],
        [t[1] for t in times], "ours in memory", at_least=1 / 1.5,
    )  # fmt: skip


def _xgboost(store, folder):
    """Return a function that grows so many trees in external memory, by weights or boosted."""
    import xgboost

    from counterpoint.large.xgboost_engine import matrix_of

    matrix = matrix_of(store, folder)
    gradient = np.where(store.targets() == 1, np.float32(-1), np.float32(1))
    weight = np.ones(store.n_rows, dtype=np.float32)
    options = {"tree_method": "hist", "max_depth": DEPTH, "eta": 1.0, "lambda": 0.0,
               "min_child_weight": 0.0, "max_bin": 256,
               "nthread": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))}  # fmt: skip

    def grow(k, boost=False):
        booster = xgboost.Booster(
            options | {"objective": "binary:logistic"} if boost else options, [matrix]
        )
        for t in range(k):
            if boost:
                booster.update(matrix, t)
            else:
                booster.boost(matrix, t, grad=gradient, hess=weight)

    return grow


# -- workers ---------------------------------------------------------------------------------------


def _workers(report, n, folder):
    """Time rounds with one worker and with two."""
    store = store_of(folder, n)
    clock, busy = {1: [], 2: []}, {1: [], 2: []}
    for _ in range(2):
        for workers in clock:
            with _cluster(workers) as client:

                def fit(k, client=client):
                    before = np.array(list(client.run(time.process_time).values()))
                    start = time.perf_counter()
                    fit_on_store(model(k), store, client=client)
                    took = time.perf_counter() - start
                    after = np.array(list(client.run(time.process_time).values()))
                    return np.array([took, (after - before).max()])

                fit(1)
                n_bytes = _count_bytes(store, client) / workers
                for _ in range(2):
                    took, used = (fit(1 + _rounds(n)) - fit(1)) / _rounds(n)
                    clock[workers].append(took)
                    busy[workers].append(used)
    report.add(
        f"a round with 2 workers, {n:,} rows, by the clock", [min(clock[2])], [min(clock[1])],
        "1 worker", at_least=1.6, note=f"best of {len(clock[2])}; load {_load()}",
    )  # fmt: skip
    report.add(
        f"a round with 2 workers, {n:,} rows, processor seconds of the busier one",
        [min(busy[2])], [min(busy[1])], "1 worker", at_least=1.6,
        note=f"best of {len(busy[2])}",
    )  # fmt: skip
    report.limit(
        f"answers of a worker in one of ten rounds, {n // 2:,} rows each", n_bytes / 1e6, 10, "MB"
    )


def _count_bytes(store, client):
    """Return the bytes of all answers of workers in a round, the mean of ten."""
    asked, sizes = crew.DaskCrew._ask, []

    def count(self, which, name, args):
        answers = asked(self, which, name, args)
        sizes.append(sum(len(pickle.dumps(answer)) for answer in answers))
        return answers

    crew.DaskCrew._ask = count
    try:
        fit_on_store(model(10), store, client=client)
    finally:
        crew.DaskCrew._ask = asked
    return sum(sizes) / 10


def _cluster(workers):
    import dask
    from distributed import Client, LocalCluster

    class Both:
        def __enter__(self):
            # Else Dask closes for good a worker that was lost, and is away once more 15 s later.
            dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
            self.cluster = LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0"
            )
            self.client = Client(self.cluster)
            return self.client

        def __exit__(self, *error):
            self.client.close()
            self.cluster.close()

    return Both()


def _same_bytes(report, n, folder):
    """Count by how many fits the trees differ: chunks, workers, and workers killed."""
    store = store_of(folder, n)
    k = 10
    here = _tree_bytes(fit_on_store(model(k), store))
    others = {f"{c} chunks": fit_on_store(model(k), store, n_shards=c) for c in (2, 7)}
    for workers in (1, 2, 4):
        with _cluster(workers) as client:
            others[f"{workers} workers"] = fit_on_store(model(k), store, client=client)
    with _cluster(2) as client:
        others["2 workers, one killed in each round"], n_killed = _fit_and_kill(store, k, client)
    differ = [name for name, one in others.items() if _tree_bytes(one) != here]
    report.limit(
        f"fits that differ by a byte, {n:,} rows, {k} rounds", len(differ), 0, "fits",
        note=f"of {len(others)}: {', '.join(others)} ({n_killed} killed)",
    )  # fmt: skip


def _fit_and_kill(store, k, client):
    import signal
    import threading

    asked, killed = crew.DaskCrew.each, []

    def kill_one(self, name, *args):
        if name == "kinds":
            pids = _answering(client, 2)
            killed.append(pids[len(killed) % len(pids)])
            threading.Timer(0.01, os.kill, (killed[-1], signal.SIGKILL)).start()
        return asked(self, name, *args)

    crew.DaskCrew.each = kill_one
    try:
        return fit_on_store(model(k), store, client=client), len(killed)
    finally:
        crew.DaskCrew.each = asked


def _answering(client, n):
    """Return the processes of workers once so many answer, not those that are starting."""
    pids: list = []
    while len(pids) < n:
        client.wait_for_workers(n, timeout=300)  # the scheduler may not have noticed yet
        pids = sorted(client.run(os.getpid, on_error="ignore").values())
    return pids


def _tree_bytes(fitted):
    trees = [member.tree_ for member in fitted.estimators_]
    return (
        b"".join(
            getattr(tree, name).tobytes()
            for tree in trees
            for name in ("feature", "threshold", "value", "children_left", "n_node_samples")
        )
        + np.asarray(fitted.estimator_weights_).tobytes()
    )


# -- the tools -------------------------------------------------------------------------------------


def _timed(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def _per_round(fit, n):
    """Processor seconds a round: the difference of two ensembles, over the rounds it is."""
    rounds = _rounds(n)
    return (_timed(lambda: fit(1 + rounds)) - _timed(lambda: fit(1))) / rounds


def _rounds(n):
    """Return how many rounds to time: of few rows more, since they are short."""
    return int(np.clip(2e7 // n, 2, 20))


def _peak(code, say=False):
    """Return the most memory, in MB, that a process running this had of its own, and in all."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE if say else None, text=True
    )
    own = whole = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            own = max(own, int(status.split("RssAnon:")[1].split()[0]))
            whole = max(whole, int(status.split("VmHWM:")[1].split()[0]))
        except (OSError, IndexError):
            pass
        time.sleep(0.02)
    if process.returncode:
        raise RuntimeError("the process whose memory was measured failed")
    return (own / 1024, whole / 1024, *([process.stdout.read()] if say else []))


def _load():
    return f"{os.getloadavg()[0]:.1f}"


PARTS = {
    "measure": _measure,
    "store": _write_store,
    "memory": _in_memory,
    "fit": _fit,
    "round": _round,
    "workers": _workers,
    "bytes": _same_bytes,
}


def _kept():
    return pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=["part", "rows"])


def _keep(report, part, n):
    """Put the rows of a part into the file, in the place of those it had."""
    kept = _kept()
    kept = kept[(kept["part"] != part) | (kept["rows"] != n)]
    about = {
        "part": part, "rows": n, "commit": this_commit(),
        "date": datetime.date.today().isoformat(), "load": _load(),
    }  # fmt: skip
    fresh = pd.DataFrame([about | asdict(result) for result in report.results])
    fresh = fresh.drop(columns=["benchmark", "low", "high"])
    table = fresh if kept.empty else pd.concat([kept, fresh], ignore_index=True)
    order = {name: k for k, name in enumerate(PARTS)}
    table = table.sort_values(
        ["part", "rows"], kind="stable", key=lambda c: c.map(order) if c.name == "part" else c
    )
    table.to_csv(ROWS, index=False, float_format="%.5g")


def summary() -> None:
    """Print how time a row grows, and which figures miss their aim."""
    kept = _kept()
    print(kept[["part", "rows", "case", "peer", "ratio", "target", "met", "load"]].to_string())
    timed = kept[kept["peer"] == "bare scan of the columns"]
    if len(timed) > 1:
        a_row = timed["ours_seconds"] / timed["rows"]
        growth = a_row / a_row.iloc[0]
        for n, s, g in zip(timed["rows"], a_row, growth, strict=True):
            print(f"measure, {n:,} rows: {s:.4g} s a row, {g:.3f} of the first")


def main():
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--rows", nargs="+", type=float, default=[1e6])
    parser.add_argument("--folder", default=str(ROOT / ".big"))
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--only-summary", action="store_true")
    asked = parser.parse_args()
    unknown = [part for part in asked.parts if part not in PARTS]
    if unknown:
        parser.error(f"{unknown[0]}: give some of {', '.join(PARTS)}")
    folder = Path(asked.folder)
    folder.mkdir(exist_ok=True)
    for part in [] if asked.only_summary else asked.parts or PARTS:
        for n in map(int, asked.rows):
            kept = _kept()
            if not asked.again and ((kept["part"] == part) & (kept["rows"] == n)).any():
                continue
            report = Report("large")
            PARTS[part](report, n, folder)
            _keep(report, part, n)
            show([report])
    summary()


if __name__ == "__main__":
    main()
