"""Larger than memory: measures of files, boosting on a store, workers.

Ratios and growth, in one run, of processor seconds: a busy machine makes them slower, not more.
Only workers are timed by the clock, since their processors are in other processes. Sizes are what
two shared cores do in minutes: LARGE_ROWS sets the largest, and LARGE_WORKERS=0 leaves the workers
out. Memory is what a process of its own had in use besides files that are only mapped (RssAnon):
pages of the store count for nobody, the system takes them back when it needs them.

``python -m benchmarks.large`` runs all of it.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from benchmarks.harness import Report
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.large import BinnedStore, fit_on_store, measure
from counterpoint.trees import HistTreeClassifier

MOST = int(float(os.environ.get("LARGE_ROWS", "1e7")))
SIZES = [n for n in (300_000, 1_000_000, 3_000_000, 10_000_000) if MOST / 30 <= n <= MOST]
MEMBERS = 100
DEPTH, ROUNDS = 6, 3


def run() -> Report:
    report = Report("large")
    with tempfile.TemporaryDirectory(dir=os.environ.get("LARGE_FOLDER")) as folder:
        stores = _stores(report, Path(folder))
        _rounds(report, stores)
        _measures(report, Path(folder))
        if os.environ.get("LARGE_WORKERS", "1") == "1":
            _workers(report, stores)
    return report


def _measures(report, folder):
    seconds = {}
    for n in SIZES:
        pattern = _write_members(folder / f"members-{n}", n)
        bare, ours = [], []
        for _ in range(3):
            bare.append(_timed(lambda p=pattern: _scan(p)))
            ours.append(_timed(lambda p=pattern: measure(p, truth="y", progress=False)))
        seconds[n] = min(ours)
        report.add(
            f"{MEMBERS} members x {n:,} rows, all measures", ours, bare, "bare scan of the columns",
            at_least=0.5, note=f"{n / min(ours):,.0f} rows/s; a scan {n / min(bare):,.0f}",
        )  # fmt: skip
    last, first = SIZES[-1], SIZES[0]
    if last > first:
        growth = (seconds[last] / last) / (seconds[first] / first)
        report.limit(
            f"time a row at {last:,} rows over that at {first:,}", growth, 1.05, "x",
            note=f"1e9 rows, extrapolated: {seconds[last] / last * 1e9 / 60:.0f} minutes",
        )  # fmt: skip
    code = (
        "from counterpoint.large import measure; "
        f"measure({str(folder / f'members-{last}')!r}, truth='y', progress=False)"
    )
    report.limit(f"memory of measure, {last:,} rows", _peak(code), 1000, "MB")


def _write_members(folder, n):
    folder.mkdir()
    rng = np.random.default_rng(0)
    names = [f"m{k}" for k in range(MEMBERS)]
    for k, start in enumerate(range(0, n, 500_000)):
        size = min(500_000, n - start)
        y = rng.integers(2, size=size, dtype=np.uint8)
        wrong = rng.integers(256, size=(MEMBERS, size), dtype=np.uint8) < 60
        table = {"y": y} | {name: y ^ bad for name, bad in zip(names, wrong, strict=True)}
        pa.parquet.write_table(pa.table(table), folder / f"part-{k:03}.parquet")
    return str(folder / "part-*.parquet")


def _scan(pattern):
    for path in sorted(Path(pattern).parent.glob(Path(pattern).name)):
        for _ in pa.dataset.dataset(path).to_batches(batch_size=1 << 17):
            pass


def _rows(n, seed=0):
    """Yield frames of 20 columns and a class, a million rows at most."""
    rng = np.random.default_rng(seed)
    way = np.linspace(2, 0, 20)
    for start in range(0, n, 1_000_000):
        X = rng.normal(size=(min(1_000_000, n - start), 20)).astype(np.float32)
        score = X @ way + X[:, 0] * X[:, 1] + 2 * rng.normal(size=len(X))
        yield pd.DataFrame(X, columns=[f"x{f}" for f in range(20)]).assign(
            y=(score > 0).astype(np.int8)
        )


def _stores(report, folder):
    stores = {}
    for n in SIZES:
        source = folder / f"rows-{n}"
        source.mkdir()
        for k, frame in enumerate(_rows(n)):
            frame.to_parquet(source / f"part-{k:03}.parquet", index=False)
        start = time.process_time()
        stores[n] = BinnedStore.write(source, folder / f"store-{n}", target="y", progress=False)
        took = time.process_time() - start
        error = stores[n].sketch_error.max()
        report.limit(
            f"rank error of the bins, {n:,} rows", error, 0.002, "of the rows",
            note=f"store written at {n / took:,.0f} rows/s",
        )  # fmt: skip
    return stores


def _model(n_estimators):
    return AdaBoostNCClassifier(
        HistTreeClassifier(max_depth=DEPTH, max_bins=128), lam=2.0, n_estimators=n_estimators,
        calibrate=False, progress=False,
    )  # fmt: skip


def _per_round(fit, clock=time.process_time):
    """Seconds a round: the difference of two ensembles, over the rounds it is."""
    return (_timed(lambda: fit(1 + ROUNDS), clock) - _timed(lambda: fit(1), clock)) / ROUNDS


def _rounds(report, stores):
    for n, store in stores.items():
        case = f"a round of AdaBoost.NC, {n:,} x 20, depth {DEPTH}"

        def ours(k, store=store):
            fit_on_store(_model(k), store)

        ours(1)
        frame = pd.concat(list(_rows(n)))
        X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy()
        del frame
        _model(1).fit(X[:100_000], y[:100_000])

        def memory(k, X=X, y=y):
            _model(k).fit(X, y)

        times = [(_per_round(ours), _per_round(memory)) for _ in range(2)]
        report.add(
            case, [t[0] for t in times], [t[1] for t in times], "ours in memory", at_least=1 / 1.5
        )
        del X, y, memory
        try:
            peer = _xgboost(store)
        except ImportError:
            print("XGBoost is not installed: left out")
            continue
        peer(1)
        times = [(_per_round(ours), _per_round(peer)) for _ in range(2)]
        report.add(
            case, [t[0] for t in times], [t[1] for t in times], "XGBoost external memory",
            at_least=1, note="XGBoost's rounds without votes and reweighing: trees alone",
        )  # fmt: skip
    n, store = list(stores.items())[-1]
    code = (
        "from benchmarks.large import _model; from counterpoint.large import BinnedStore; "
        f"_model(3).fit(BinnedStore({str(store.path)!r}))"
    )
    peak = _peak(code)
    report.limit(
        f"memory of AdaBoost.NC on a store, {n:,} rows", peak, 2000, "MB",
        note="row state of 64 MB and more an array is a file beside the store",
    )  # fmt: skip


def _xgboost(store):
    """Return a function that grows so many trees by weights, in external memory."""
    import xgboost

    from counterpoint.large.xgboost_engine import _rows as rows_of

    folder = tempfile.mkdtemp(dir=store.path.parent)
    matrix = xgboost.ExtMemQuantileDMatrix(rows_of(store, folder), max_bin=128)
    y = np.where(store.targets() == 1, 1.0, -1.0)
    weight = np.ones(store.n_rows)
    options = {"tree_method": "hist", "max_depth": DEPTH, "eta": 1.0, "lambda": 0.0,
               "min_child_weight": 0.0, "max_bin": 128, "nthread": os.cpu_count()}  # fmt: skip

    def grow(k):
        booster = xgboost.Booster(options, [matrix])
        for t in range(k):
            booster.boost(matrix, t, grad=-weight * y, hess=weight)

    return grow


def _workers(report, stores):
    from distributed import Client, LocalCluster

    n, store = list(stores.items())[-1]
    seconds = {}
    for workers in (1, 2):
        with LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster, Client(cluster) as client:  # fmt: skip

            def fit(k, client=client):
                fit_on_store(_model(k), store, client=client)

            fit(1)
            seconds[workers] = [_per_round(fit, time.perf_counter) for _ in range(2)]
    report.add(
        f"a round with 2 workers, {n:,} rows", seconds[2], seconds[1], "1 worker", at_least=1.6
    )


def _timed(function, clock=time.process_time):
    start = clock()
    function()
    return clock() - start


def _peak(code):
    """Return the most memory, in MB, that a process running this code had of its own."""
    process = subprocess.Popen([sys.executable, "-c", code])
    most = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            most = max(most, int(status.split("RssAnon:")[1].split()[0]))
        except (OSError, IndexError):
            break
        time.sleep(0.02)
    if process.wait():
        raise RuntimeError("the process whose memory was measured failed")
    return most / 1024


if __name__ == "__main__":
    from benchmarks.harness import show

    show([run()])
