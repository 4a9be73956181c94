"""Kernels with bounds checks: no public call makes a kernel read or write outside its arrays.

Numba checks indices when asked to, but lets negative ones count from the end, as Python does. In
a kernel that only hides a mistake (-1 often stands for "none"), so here they are refused too; what
is meant as the last entry, ``values[-1]``, may stay. Which is why this runs in processes of its
own, where numba is changed before anything is compiled, with a folder of their own for the code.

``python -m attack.kernels`` in tests/ runs it alone for five minutes.
"""

import collections
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Tests that together run every kernel on ordinary data. Forks and threads have no other indices.
ORDINARY = (
    "kernels", "test_golden.py", "trees/equivalent", "trees/test_algebra.py", "trees/test_boxes.py",
    "trees/test_structure.py", "dynamic/test_dynamic.py", "dynamic/test_methods.py",
    "hyperboxes/test_regions.py", "selection/test_search.py", "sequences/test_hmm.py",
    "large/test_fit.py",
)  # fmt: skip
OTHER = ("kernels/test_parallel.py", "kernels/test_threads.py")
MESSAGE = "index is out of bounds"  # numba's; numpy's says which index
SECONDS_TO_COMPILE = 300


def refuse_negative_indices():
    """Make numba take a negative index for one out of bounds, unless it is a constant."""
    from llvmlite import ir
    from numba import types
    from numba.np import arrayobj

    wrap = arrayobj.fix_integer_index

    def fix(context, builder, kind, index, size):
        if isinstance(index, ir.Constant) or not kind.signed:
            return wrap(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = fix


# Also in the workers: they import the module that started them first, which is this one.
if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
    refuse_negative_indices()


def kernels():
    """Return every compiled function of ours by its name, "module.function"."""
    from numba.core.dispatcher import Dispatcher

    import counterpoint._kernels as package

    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        name = f"{package.__name__}.{module.name}"
        for attribute, value in vars(importlib.import_module(name)).items():
            parts = (value,) if isinstance(value, Dispatcher) else getattr(value, "compiled", ())
            if parts and value.__module__ == name:
                found[f"{module.name}.{attribute}"] = parts
    return found


class _Recorder:
    """A plugin of pytest that keeps what ran and what fell."""

    def __init__(self):
        self.counts, self.defects = collections.Counter(), []

    def pytest_runtest_logreport(self, report):
        self.counts["kernel tests"] += report.when == "call"
        if report.failed:
            text = report.longreprtext.splitlines()[-1]
            self.defects.append(("kernel test", report.nodeid, text))


def run_tests():
    """Run the tests of kernels in this process; return counts and defects."""
    import pytest

    recorder = _Recorder()
    given = [str(TESTS / name) for name in ORDINARY]
    ignored = [f"--ignore={TESTS / name}" for name in OTHER]
    pytest.main(["-q", "-p", "no:cacheprovider", *ignored, *given], plugins=[recorder])
    every = kernels()
    recorder.counts["kernels"] = len(every)
    for name, parts in every.items():
        inlined = parts[0].targetoptions.get("inline") == "always"
        if not inlined and not any(part.signatures for part in parts):
            text = "name a test that runs it in ORDINARY"
            recorder.defects.append(("kernel that no test runs", name, text))
    return recorder.counts, recorder.defects


def run_cases(seconds, seed):
    """Attack every public function and estimator; return counts and the defects of kernels."""
    from attack import targets, workers

    workers.SECONDS_A_CASE = SECONDS_TO_COMPILE
    names = sorted([*targets.functions(), *targets.estimators()])
    counts, defects = workers.attack(names, seconds, seed=seed)
    # What else goes wrong is found, and counted, without bounds checks.
    counts = collections.Counter(
        {f"{name} with checks": counts[name] for name in ("calls", "fits")}
    )
    return counts, [
        (kind, case, text)
        for kind, case, text in defects
        if kind in ("crash", "hang") or text == MESSAGE
    ]


def attack(seconds, seed=0):
    """Run the tests of kernels, then cases until the time is up; return counts and defects."""
    with tempfile.TemporaryDirectory() as folder:
        checks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": folder, "NUMBA_NUM_THREADS": "1",
                  "NUMBA_DISABLE_JIT": "0"}  # fmt: skip
        report = Path(folder) / "report.json"
        path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [sys.executable, "-m", "attack.kernels", str(seconds), str(seed), str(report)],
            env={**os.environ, **checks, "PYTHONPATH": path}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        counts, defects = json.loads(report.read_text())
    return collections.Counter(counts), [tuple(defect) for defect in defects]


def main():
    """Do the work of ``attack`` in a process with checks, or call it."""
    if len(sys.argv) == 1:
        counts, defects = attack(300)
        print(*defects, counts, sep="\n")
        return int(bool(defects))
    seconds, seed, report = float(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    end = time.monotonic() + seconds
    counts, defects = run_tests()
    more, others = run_cases(max(end - time.monotonic(), seconds / 4), seed)
    report.write_text(json.dumps([counts + more, defects + others]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
