"""What people wait for on the command line, in CPU seconds: help, a missing file, 50 rows, churn.

``python -m benchmarks commands``. The peer is what any such program does first: a fresh Python that
imports pandas and scikit-learn's ensembles and, for 50 rows, unpickles a forest of as many trees
and asks it. ``COUNTERPOINT_BENCH_AUTO=30`` gives the model of ``auto`` so many seconds.
"""

import os
import pickle
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.ensemble import RandomForestClassifier

from benchmarks.harness import Report
from counterpoint import tabular
from counterpoint.datasets import load
from counterpoint.sequences import make_churn_events

REPEATS = 5
BYTECODE = Path(tempfile.gettempdir()) / "counterpoint-bytecode"
IMPORTS = "import pandas, sklearn.ensemble"
PEER = f"""{IMPORTS}, pickle, sys
model = pickle.load(open(sys.argv[1], "rb"))
rows = pandas.read_csv(sys.argv[2])
rows.assign(prediction=model.predict(rows)).to_csv(sys.stdout, index=False)
"""


def run() -> Report:
    report = Report("commands")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = [sys.executable, "-c", IMPORTS]
        ours = [sys.executable, "-m", "counterpoint.cli"]
        _add(report, "--help", [*ours, "--help"], python, "importing scikit-learn", 0.5)
        missing = [*ours, "fit", folder / "nowhere.csv", "--target", "y"]
        _add(report, "a missing file", missing, python, "importing scikit-learn", 0.5)
        data = load("pima")
        table = data.X.assign(outcome=data.y)
        data.X[:50].to_csv(folder / "new.csv", index=False)
        forest = RandomForestClassifier(300, random_state=0).fit(data.X, data.y)
        (folder / "forest.pickle").write_bytes(pickle.dumps(forest))
        peer = [sys.executable, "-c", PEER, folder / "forest.pickle", folder / "new.csv"]
        for method in ("logistic-regression", "random-forest", "adaboost-nc", "ncl", "auto"):
            limit = float(os.environ.get("COUNTERPOINT_BENCH_AUTO", 30))
            options = {"time_limit": limit} if method == "auto" else {}
            fitted = tabular.fit(table, "outcome", method, **options)
            path = tabular.save(fitted, folder / f"{method}.skops")
            command = [*ours, "predict", path, folder / "new.csv"]
            _add(report, f"predict 50 rows, {method}", command, peer, "a pickled forest", 2.0)
        events = make_churn_events(2000, base_hazard=0.003, random_state=0).events
        events.to_csv(folder / "events.csv", index=False)
        files = ["-o", folder / "churn.html", "--csv", folder / "list.csv"]
        command = [*ours, "churn", folder / "events.csv", *files]
        case = f"churn, {len(events)} events"
        _add(report, case, command, python, "importing scikit-learn", 15.0, repeats=2)
    return report


def _add(report, case, command, peer, peer_name, limit, *, repeats=REPEATS):
    """Run both in turns, once before; the limit is in CPU seconds."""
    pairs = [(_cpu(command), _cpu(peer)) for _ in range(repeats + 1)][1:]
    own, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    note = f"{peer_name} takes {theirs:.2f} s here, {own / theirs:.1f} times less"
    report.limit(case, own, limit, "CPU s", note=note)


def _cpu(command):
    """Return the CPU seconds of a command, which may fail: a missing file does."""
    # Bytecode is kept, as where a package is installed, whatever the shell says about it.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    run()
