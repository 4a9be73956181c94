"""Many methods on many tables, cut after cut: rows are kept, and what is there is not done again.

What ``accuracy.py`` (classes) and ``accuracy_numbers.py`` share. Every method has one thread. What
searches as long as it is let is let so many seconds of the processor, not of the clock on the wall:
others may be at work on the same machine, and a method must not be judged by what they do.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any
from unittest import mock

import numba
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.harness import RESULTS, ROOT, Report, peer_python, run_peer
from counterpoint.selection import compare_ranks

FLAGSHIP = "overproduce-select"
LIMITED = f"{FLAGSHIP}, limited"


@dataclass(frozen=True)
class Peer:
    """Methods of others, in an environment of their own."""

    requirements: list[str]
    script: str
    methods: dict[str, str]  # our name for each, and the script's

    def python(self, name: str) -> Path | None:
        """Return the interpreter; None if it cannot be had."""
        return peer_python(name, self.requirements)


def _same(*names):
    return {name: name for name in names}


DESLIB = Peer(
    ["deslib==0.3.7", "scikit-learn==1.5.2", "numpy<2"],
    "deslib_accuracy.py",
    {"DESlib KNORA-E": "KNORA-E", "DESlib META-DES": "META-DES"},
)
AUTOGLUON = Peer(
    ["autogluon.tabular[lightgbm,xgboost,catboost,fastai]==1.6.3", "torch==2.13.0"],
    "autogluon_accuracy.py",
    {f"AutoGluon {preset}": preset for preset in ("best", "best, log-loss", "medium")},
)
BOOSTERS = Peer(
    ["lightgbm", "xgboost-cpu", "catboost", "scikit-learn"],
    "tabular_accuracy.py",
    _same("XGBoost", "LightGBM", "CatBoost"),
)
SEARCHES = Peer(
    ["torch==2.13.0", "pytabkit", "flaml", "lightgbm", "xgboost-cpu", "catboost"],
    "tabular_accuracy.py",
    _same("RealMLP-TD", "FLAML"),
)

TABPFN = Peer(
    ["torch==2.13.0", "tabpfn==0.1.11", "scikit-learn==1.5.2", "numpy<2.3"],
    "tabpfn_accuracy.py",
    _same("TabPFN 0.1"),
)


@contextmanager
def cpu_clock() -> Iterator[None]:
    """Let time limits of ours count the processor's seconds, and those of compiling too."""
    clock = time.process_time
    with mock.patch.object(time, "monotonic", clock), mock.patch("numba.core.event.timer", clock):
        yield


@dataclass(frozen=True)
class Study:
    """Tables, methods, how they are judged, and where the rows are.

    Attributes
    ----------
    name : str
        Of the file of rows.
    task : str
        "classes" or "numbers".
    data : tuple of str
    methods : dict
        Ours and scikit-learn's: ``make(seed)``.
    others : dict of Peer
    parts : callable
        ``parts(name, repeat)`` gives training and test rows: A, a, B, b.
    losses : tuple of str
        Names of what ``judge(said, b)`` gives; the first is what ranks are of.
    limit : float
        The processor's seconds for what searches as long as it is let.
    """

    name: str
    task: str
    data: tuple[str, ...]
    methods: dict[str, Callable]
    others: dict[str, Peer]
    parts: Callable
    losses: tuple[str, ...]
    judge: Callable
    limit: float

    @property
    def path(self) -> Path:
        """Where the rows are."""
        return ROOT / "benchmarks" / f"{self.name}.csv"

    @property
    def fields(self) -> list[str]:
        """Names of the columns."""
        return ["dataset", "repeat", "method", *self.losses, "fit_seconds"]

    def known(self) -> pd.DataFrame:
        """Return the rows there are."""
        return pd.read_csv(self.path) if self.path.exists() else pd.DataFrame(columns=self.fields)

    def measure(self, name, repeat, methods, pythons):
        """Return a row for each method on one cut of one set."""
        A, a, B, b = self.parts(name, repeat)
        rows = []

        def add(method, said, seconds):
            rows.append((name, repeat, method, *self.judge(np.asarray(said), b), seconds))

        numba.set_num_threads(1)
        with threadpool_limits(1), warnings.catch_warnings(), cpu_clock():
            warnings.simplefilter("ignore")
            for method in methods:
                if method in self.methods:
                    start = time.process_time()
                    model = self.methods[method](repeat).fit(A, a)
                    seconds = time.process_time() - start
                    classes = self.task == "classes"
                    add(method, model.predict_proba(B) if classes else model.predict(B), seconds)
        for key, python in pythons.items():
            peer = self.others[key]
            asked = {peer.methods[m]: m for m in methods if m in peer.methods}
            if not asked:
                continue
            given = {"seed": repeat, "task": self.task, "limit": self.limit, "cpu": True}
            given |= {"A": A, "a": a, "B": B, "methods": list(asked)}
            try:
                told = run_peer(python, peer.script, given)
            except CalledProcessError as why:
                print(f"{name}, cut {repeat}: {key} fails: {why.stderr[-200:]}", flush=True)
                continue
            for own, found in told.items():
                if own in asked:
                    add(asked[own], found["said"], found["seconds"])
        return rows

    def measure_all(self, repeats, jobs, methods=None, again=(), data=None):
        """Fill in the rows that are missing."""
        RESULTS.mkdir(exist_ok=True)
        there = self.known()
        if again:
            there = there[~there["method"].isin(again)]
            there.to_csv(self.path, index=False)
        done = set(zip(there["dataset"], there["repeat"], there["method"], strict=True))
        offered = {m for p in self.others.values() for m in p.methods}
        wanted = offered if methods is None else set(methods)
        pythons = {key: p.python(key) for key, p in self.others.items() if wanted & set(p.methods)}
        pythons = {key: python for key, python in pythons.items() if python is not None}
        names = [*self.methods, *(m for key in pythons for m in self.others[key].methods)]
        names = [name for name in names if methods is None or name in methods]
        todo = []
        for repeat in range(repeats):
            for name in data or self.data:
                missing = [method for method in names if (name, repeat, method) not in done]
                if missing:
                    todo.append(delayed(self.measure)(name, repeat, missing, pythons))
        new = not self.path.exists()
        with self.path.open("a", newline="") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(self.fields)
            # One at a time in this process: what is written is what is done.
            for rows in Parallel(n_jobs=jobs, return_as="generator_unordered")(todo):
                writer.writerows(rows)
                file.flush()
                if rows:
                    print(f"{rows[0][0]}, cut {rows[0][1]}: {len(rows)} methods", flush=True)

    def summary(self, rows: pd.DataFrame, own: str = FLAGSHIP) -> tuple[pd.DataFrame, dict, int]:
        """Return a row per method, the comparison of ranks by each loss, and how many cuts.

        Cuts are counted that all methods have been through. Won, tied and lost are sets of ``own``
        against the method.
        """
        whole = rows.groupby(["dataset", "repeat"])["method"].nunique()
        whole = whole[whole == rows["method"].nunique()].index
        rows = rows.set_index(["dataset", "repeat"]).loc[whole].reset_index()
        tables = {
            what: rows.pivot_table(index="dataset", columns="method", values=what)
            for what in (*self.losses, "fit_seconds")
        }
        ranks = {what: compare_ranks(tables[what]) for what in self.losses}
        frame = pd.DataFrame({f"rank by {w}": ranks[w].mean_ranks for w in self.losses})
        for what in self.losses:
            frame[f"mean {what}"] = tables[what].mean()
        for what in self.losses:
            for title, sign in (("won", 1), ("tied", 0), ("lost", -1)):
                # Means of the same cuts, summed in the same order: equal is equal up to rounding.
                gain = np.sign(np.round(tables[what].sub(tables[what][own], axis=0), 12))
                frame[f"{title} by {what}"] = (gain == sign).sum()
        frame["CPU seconds"] = tables["fit_seconds"].mean()
        return frame.sort_values(f"rank by {self.losses[0]}"), ranks, len(whole)

    def show(self, rows: pd.DataFrame, own: str = FLAGSHIP) -> tuple[pd.DataFrame, dict]:
        """Print the summary and leave it beside the rows."""
        frame, ranks, n_cuts = self.summary(rows, own)
        first = ranks[self.losses[0]]
        print(f"{first.n_sets} data sets, {n_cuts} cuts. Won, tied, lost: sets of {own} against")
        print("the method; CPU seconds: mean over sets of a fit.")
        print(frame.round(3).to_string())
        for what, found in ranks.items():
            print(
                f"{what}: Friedman {found.statistic:.1f}, p = {found.p_value:.2g}; mean ranks "
                f"differ at {found.alpha:g} (Nemenyi) from {found.critical_difference:.2f} on."
            )
        RESULTS.mkdir(exist_ok=True)
        frame.to_csv(RESULTS / f"{self.name}_summary.csv")
        return frame, ranks

    def report(self, show: Callable[..., Any]) -> Report:
        """Do what is missing of one cut of every set, and compare the flagship's rank."""
        self.measure_all(1, 1)
        frame, ranks = show(self.known())
        report, what = Report(self.name), self.losses[0]
        rank = frame[f"rank by {what}"]
        best = rank.drop([FLAGSHIP, LIMITED]).idxmin()
        report.limit(
            f"mean rank of the flagship by {what}",
            float(rank[FLAGSHIP]),
            float(rank[best]),
            "",
            note=f"the best of the others is {best}; {ranks[what].n_sets} sets",
        )
        return report

    def main(self, about: str, show: Callable[..., Any]) -> None:
        """Read the command line, fill in what is missing and show it."""
        parser = argparse.ArgumentParser(description=about.splitlines()[0])
        parser.add_argument("--repeats", type=int, default=3)
        parser.add_argument("--jobs", type=int, default=1, help="cuts looked at at a time")
        parser.add_argument("--methods", nargs="+", help="only these")
        parser.add_argument("--sets", nargs="+", choices=self.data, help="only these")
        parser.add_argument("--again", nargs="+", default=[], help="forget the rows of these")
        parser.add_argument("--only-summary", action="store_true")
        asked = parser.parse_args()
        if not asked.only_summary:
            self.measure_all(asked.repeats, asked.jobs, asked.methods, asked.again, asked.sets)
        rows = self.known()
        if asked.methods:
            rows = rows[rows["method"].isin(asked.methods)]
        if asked.sets:
            rows = rows[rows["dataset"].isin(asked.sets)]
        if rows["dataset"].nunique() > 1:
            show(rows)
