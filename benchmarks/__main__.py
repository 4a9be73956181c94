"""Run all benchmarks, or those named: ``python -m benchmarks pairs startup``.

Rows are kept by commit; ``python -m benchmarks compare HEAD~20`` says what got slower since.
"""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks import history
from benchmarks.harness import show

# Parts of others, and what takes hours and has a command of its own.
NOT_BENCHMARKS = {
    "__main__",
    "choosing",
    "harness",
    "history",
    "large_rows",
    "limits",
    "peers",
    "portfolio",
    "sizes",
    "study",
    "tree_sizes",
    "tree_sizes_numbers",
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["compare"]:
        sys.exit(history.main(sys.argv[2:]))
    there = [m.name for m in pkgutil.iter_modules(benchmarks.__path__)]
    names = [name for name in there if name not in NOT_BENCHMARKS]
    asked = sys.argv[1:] or names
    unknown = [name for name in asked if name not in names]
    if unknown:
        sys.exit(f"No benchmark is called {unknown[0]!r}. There are: {', '.join(names)}.")
    reports = [importlib.import_module(f"benchmarks.{name}").run() for name in asked]
    show(reports)
    for path in history.keep(reports):
        print(f"rows kept: {path.relative_to(history.ROOT)}")
