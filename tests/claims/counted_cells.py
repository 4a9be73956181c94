"""Cells that leave a line in a file each time they are run; importable by worker processes."""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import numba
import numpy as np
from threadpoolctl import threadpool_info

from counterpoint.claims import Experiment, Store, grid, run_experiment


def note(log, text):
    """Append a line; with O_APPEND lines of many processes do not mix."""
    with open(log, "a") as file:
        file.write(text + "\n")


def noted(log):
    return Path(log).read_text().splitlines() if Path(log).exists() else []


def toss(*, seed, repeat, method, log=None, pause=0.0):
    """Random numbers of a seed, and how many threads there were to make them."""
    if log is not None:
        note(log, f"{repeat} {method}")
    time.sleep(pause)
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(200, 200))
    threads = [pool["num_threads"] for pool in threadpool_info()]
    value = float((A @ A).sum()) + (method == "b")
    return [
        {"step": 0, "value": value, "threads": max([*threads, numba.get_num_threads()])},
        {"step": 1, "value": float("nan"), "threads": 1},
    ]


def tossing(log=None, *, n=6, pause=0.0, name="tossing"):
    values = grid(repeat=range(n), method=["a", "b"])
    return Experiment(name, partial(toss, log=log, pause=pause), values, unseeded=["method"])


def wrong_at(*, seed, x, bad):
    if x in bad:
        raise ArithmeticError(f"no luck with {x}")
    return {"y": 2 * x}


def deadly_at(*, seed, x, bad, signal_name="SIGKILL"):
    """Kill the process that runs the bad cell."""
    if x in bad:
        os.kill(os.getpid(), getattr(signal, signal_name))
    return {"y": 2 * x}


if __name__ == "__main__":  # a run in a process of its own, to be killed
    store_path, log, n_jobs = sys.argv[1:]
    with Store(store_path) as store:
        run_experiment(tossing(log, pause=0.15), store, n_jobs=int(n_jobs))
