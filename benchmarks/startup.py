"""How long people wait before anything happens."""

import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.harness import Report, timed

COMMAND = Path(sys.executable).parent / "counterpoint"


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
    return report


def _wait(command):
    return timed(lambda: subprocess.run(command, check=True, capture_output=True))
