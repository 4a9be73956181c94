"""How long people wait before anything happens.

``python -m benchmarks startup`` starts processes: the command, imports, and the first use of every
family with no compiled code on disk. ``python -m benchmarks.startup trees networks`` tells of some
families what was compiled, kernel by kernel. Seconds are the processor's, on one thread, once
Python has translated what it imports.
"""

import atexit
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from functools import cache
from pathlib import Path

from benchmarks.harness import ROOT, Report, timed

COMMAND = Path(sys.executable).parent / "counterpoint"
EACH, TOGETHER, IMPORT = 5.0, 60.0, 0.5  # seconds
PACKAGES = (
    "auto", "boosting", "combiners", "datasets", "decomposition", "diversity", "dynamic",
    "hyperboxes", "networks", "plots", "report", "selection", "sequences", "subsets", "tabular",
    "trees", "views",
)  # fmt: skip
_IMPORT = """
import time
import sklearn.ensemble, sklearn.model_selection, sklearn.linear_model, sklearn.svm
start = time.process_time()
import counterpoint.{}
print(time.process_time() - start)
"""


def run() -> Report:
    report = Report("startup")
    cases = {
        "counterpoint --help": ([COMMAND, "--help"], 0.3),
        "import counterpoint": ([sys.executable, "-c", "import counterpoint"], 0.2),
    }
    for case, (command, limit) in cases.items():
        times = [_wait(command) for _ in range(9)]
        peer = [_wait([sys.executable, "-c", "import sklearn.ensemble"]) for _ in range(3)]
        report.limit(
            case,
            statistics.median(times),
            limit,
            "s",
            note=f"import sklearn.ensemble takes {statistics.median(peer):.2f} s here",
        )
    for name in PACKAGES:
        report.limit(f"import {name}, after scikit-learn", import_seconds(name), IMPORT, "s")
    with tempfile.TemporaryDirectory() as folder:
        for name in _families():
            # Alone, with nothing on disk; and what is left of it after the families before.
            with tempfile.TemporaryDirectory() as empty:
                alone = first_use(name, empty)
            kernels = sum(one["is_kernel"] for one in alone["compiled"])
            note = f"{kernels} kernels, {len(alone['compiled'])} functions"
            report.limit(f"first use: {name}", alone["seconds"], EACH, "s", note=note)
            first_use(name, folder)
        total = sum(json.loads(line) for line in (Path(folder) / "seconds").open())
        report.limit("first use: all one after the other", total, TOGETHER, "s")
    return report


def _families():
    from counterpoint.tabular import FIRST_USES

    return list(FIRST_USES)


def first_use(name: str, folder: str) -> dict:
    """Use a family in a new process whose compiled code is in ``folder``; return what it took."""
    _translate(name)
    found = _in_a_process(name, {"NUMBA_CACHE_DIR": folder})
    with (Path(folder) / "seconds").open("a") as file:
        file.write(f"{found['seconds']}\n")
    return found


@cache
def _translate(name):
    """Have Python translate what a family imports, as installers do.

    Some leave that to the first import, and some environments forbid it: then each process would
    translate all files again, and that would be taken for compiling.
    """
    with tempfile.TemporaryDirectory() as folder:
        _in_a_process(name, {"NUMBA_CACHE_DIR": folder})


def _in_a_process(name, settings):
    one = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    here = {**os.environ, **one, **settings, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": _bytecode()}
    here.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.startup", "--child", name],
        env=here, capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


@cache
def _bytecode():
    folder = tempfile.mkdtemp(prefix="bytecode-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _use(name):
    from dataclasses import asdict

    from counterpoint._kernels.compiling import compiled_within
    from counterpoint.tabular import FIRST_USES

    warnings.simplefilter("ignore")
    with compiled_within() as compiled:
        start = time.process_time()
        FIRST_USES[name]()
        first = time.process_time() - start
    start = time.process_time()
    FIRST_USES[name]()
    warm = time.process_time() - start
    rows = [asdict(one) for one in compiled]
    print(json.dumps({"seconds": max(first - warm, 0.0), "compiled": rows}))


def import_seconds(name: str) -> float:
    """Return what importing a sub-package takes once scikit-learn is there: the least of three."""
    command = [sys.executable, "-c", _IMPORT.format(name)]
    done = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(3)]
    return min(float(one.stdout) for one in done)


def tell(name: str) -> None:
    """Print what the first use of a family compiles, the slowest first."""
    with tempfile.TemporaryDirectory() as empty:
        found = first_use(name, empty)
    rows = found["compiled"]
    seconds, times = defaultdict(float), defaultdict(int)
    for one in rows:
        seconds[one["name"]] += one["seconds"]
        times[one["name"]] += 1
    kernels = sum(one["is_kernel"] for one in rows)
    print(f"{name}: {found['seconds']:.2f} s, {kernels} kernels, {len(rows)} functions")
    for which in sorted(seconds, key=seconds.get, reverse=True):
        print(f"{seconds[which]:8.3f} s {times[which]:4} x {which}")


def _wait(command):
    return timed(lambda: subprocess.run(command, check=True, capture_output=True))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _use(sys.argv[2])
    else:
        for family in sys.argv[1:] or _families():
            tell(family)
