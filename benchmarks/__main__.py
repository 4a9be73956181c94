"""Run all benchmarks, or those named: ``python -m benchmarks pairs startup``."""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks.harness import show

# Parts of others, and what takes hours and has a command of its own.
NOT_BENCHMARKS = {"__main__", "harness", "limits", "peers", "portfolio", "sizes", "study"}

if __name__ == "__main__":
    there = [m.name for m in pkgutil.iter_modules(benchmarks.__path__)]
    names = [name for name in there if name not in NOT_BENCHMARKS]
    asked = sys.argv[1:] or names
    unknown = [name for name in asked if name not in names]
    if unknown:
        sys.exit(f"No benchmark is called {unknown[0]!r}. There are: {', '.join(names)}.")
    show([importlib.import_module(f"benchmarks.{name}").run() for name in asked])
