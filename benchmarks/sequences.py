"""Hidden Markov models against hmmlearn, and histories out of ten million events.

hmmlearn needs minutes to hours for the full job, so both first fit 500 histories for 2 steps; its
time for 20,000 histories and 12 steps is that, times 240: its steps are loops over histories. Its
start, by k-means, is counted with the steps, and is a few percent of them. Both get one thread.
"""

import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.harness import ROOT, Report, peer_python, run_peer, timed
from counterpoint.sequences import MixtureHMM
from counterpoint.sequences.data import Sequences

STATES, MIXTURES, COLUMNS = 12, 4, 5
FEW, FEW_STEPS = 500, 2
MANY, MANY_STEPS = 20_000, 12
EVENTS = 10_000_000


def run() -> Report:
    report = Report("sequences")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        _against_hmmlearn(report)
        _linear(report)
    _extraction(report)
    return report


def histories(n, seed=0):
    """Histories of two or three events, of four kinds."""
    rng = np.random.default_rng(seed)
    start = np.concatenate([[0], np.cumsum(rng.integers(2, 4, size=n))])
    X = rng.standard_normal((start[-1], COLUMNS)) + 3 * rng.integers(4, size=(start[-1], 1))
    return Sequences(values=X, start=start)


def model(steps):
    return MixtureHMM(STATES, n_mixtures=MIXTURES, max_iter=steps, tol=0, random_state=0)


def _against_hmmlearn(report):
    python = peer_python("hmmlearn", ["hmmlearn==0.3.3"])
    if python is None:
        return
    import numba
    from threadpoolctl import threadpool_limits

    few, many = histories(FEW), histories(MANY)
    arrays = {"X": few.values, "lengths": few.lengths, "sizes": [STATES, MIXTURES, FEW_STEPS]}
    before = numba.get_num_threads()
    small, large, peers, score = [], [], [], float("nan")
    try:
        numba.set_num_threads(1)
        with threadpool_limits(1), _one_thread():
            for _ in range(3):
                small.append(timed(lambda: model(FEW_STEPS).fit(few)))
                large.append(timed(lambda: model(MANY_STEPS).fit(many)))
                told = run_peer(python, "hmmlearn_fit.py", arrays)
                peers.append(told["seconds"])
                score = told["score"]
    finally:
        numba.set_num_threads(before)
    ours = model(FEW_STEPS).fit(few).score(few)
    report.add(
        f"{FEW} histories x {FEW_STEPS} steps, both measured",
        small,
        peers,
        "hmmlearn",
        note=f"mean log-likelihood: ours {ours:.2f}, hmmlearn {score:.2f} (other starts)",
    )
    factor = MANY * MANY_STEPS / (FEW * FEW_STEPS)
    report.add(
        f"{MANY:,} histories x {MANY_STEPS} steps",
        large,
        [factor * seconds for seconds in peers],
        "hmmlearn",
        at_least=500,
        note=f"ours measured; hmmlearn extrapolated, {factor:g} times the row above",
    )


class _one_thread:
    """Let the peer's process have one thread too."""

    NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

    def __enter__(self):
        import os

        self.before = {name: os.environ.get(name) for name in self.NAMES}
        os.environ.update(dict.fromkeys(self.NAMES, "1"))

    def __exit__(self, *_):
        import os

        for name, value in self.before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _linear(report):
    """Ten times the histories, at most so many times the time."""
    few, many = histories(10_000), histories(100_000)
    ratios = [
        timed(lambda: model(3).fit(many)) / timed(lambda: model(3).fit(few)) for _ in range(3)
    ]
    report.limit(
        "ten times the histories", statistics.median(ratios), 13, "times the time",
        note="3 steps on 10,000 and on 100,000 histories",
    )  # fmt: skip


EXTRACT = """
import resource, sys, time
from counterpoint.sequences import EventLog, histories
path, kind = sys.argv[1:]
start = time.perf_counter()
read = EventLog.from_csv if kind == "csv" else EventLog.from_parquet
log = read(path, entity="customer", time="time", type="event")
middle = time.perf_counter()
made = histories(log, target="churn", length=3)
made.recent(2)
end = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(middle - start, end - middle, peak, len(made))
"""


def _extraction(report):
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        paths = {kind: Path(folder, f"events.{kind}") for kind in ("csv", "parquet")}
        rng = np.random.default_rng(0)
        types = np.array(["complaint", "order", "repair", "churn"])
        frame = pd.DataFrame(
            {
                "customer": rng.integers(EVENTS // 8, size=EVENTS),
                "time": rng.integers(365_000, size=EVENTS) / 100,
                "event": types[np.searchsorted([0.3, 0.7, 0.999], rng.random(EVENTS))],
                "duration": rng.integers(1000, size=EVENTS) / 10,
                "promise": rng.integers(-200, 200, size=EVENTS) / 10,
            }
        )
        frame.to_parquet(paths["parquet"], row_group_size=1_000_000)
        frame.to_csv(paths["csv"], index=False)
        del frame
        for kind, path in paths.items():
            done = subprocess.run(
                [sys.executable, "-c", EXTRACT, path, kind],
                check=True, capture_output=True, text=True, cwd=ROOT,
            )  # fmt: skip
            read, cut, peak, n = map(float, done.stdout.split())
            size = path.stat().st_size / 2**20
            note = f"{size:.0f} MB file, read in {read:.0f} s, {n:,.0f} histories in {cut:.0f} s"
            report.limit(f"{EVENTS:,} events from {kind}", read + cut, 300, "s", note=note)
            report.limit(f"{EVENTS:,} events from {kind}, memory", peak, 4, "GB")
