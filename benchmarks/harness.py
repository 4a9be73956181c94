"""Run a peer and ours in turns, and report the ratio of their times.

Absolute times mean little on shared machines; the ratio of two things that ran in turns, in one
process, does. Peers that do not run beside a current scikit-learn get an environment of their own,
arrays go through files, and they are timed inside their own process.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / ".benchmarks"
PAUSE = 0.2
# With one thread, the processor's seconds count: others may be at work on the same machine.
ALONE = all(os.environ.get(name) == "1" for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"))
THREADS = 1 if ALONE else os.cpu_count() or 1
clock = time.process_time if ALONE else time.perf_counter


@dataclass
class Result:
    """One comparison: how many times faster ours is, and what was asked for."""

    benchmark: str
    case: str
    peer: str
    ratio: float
    low: float
    high: float
    ours_seconds: float
    peer_seconds: float
    target: str = ""
    note: str = ""
    met: bool | None = None


@dataclass
class Report:
    """Collects results of one benchmark; prints them as they come."""

    name: str
    results: list = field(default_factory=list)

    def compare(
        self,
        case: str,
        ours: Callable,
        peer: Callable,
        *,
        peer_name: str,
        repeats: int = 7,
        at_least: float | None = None,
        note: str = "",
    ) -> Result:
        """Run ours and the peer in turns; ``ratio`` is the median of peer time over our time."""
        ours(), peer()  # compile, load, warm up
        ours_times, peer_times = [], []
        for _ in range(repeats):
            ours_times.append(timed(ours))
            peer_times.append(timed(peer))
        return self.add(case, ours_times, peer_times, peer_name, at_least=at_least, note=note)

    def add(self, case, ours_times, peer_times, peer_name, *, at_least=None, note="") -> Result:
        """Report times that were taken elsewhere (a peer's own process); lists of equal length."""
        ratios = [p / o for p, o in zip(peer_times, ours_times, strict=True)]
        ratio = statistics.median(ratios)
        result = Result(
            benchmark=self.name,
            case=case,
            peer=peer_name,
            ratio=ratio,
            low=min(ratios),
            high=max(ratios),
            ours_seconds=statistics.median(ours_times),
            peer_seconds=statistics.median(peer_times),
            target="" if at_least is None else f">= {at_least:g} x",
            note=note,
            met=None if at_least is None else bool(ratio >= at_least),
        )
        self.results.append(result)
        return result

    def limit(self, case, value, limit, unit, note="") -> None:
        """Report a number that must stay below a limit (memory, start-up time)."""
        self.results.append(
            Result(
                benchmark=self.name,
                case=case,
                peer=f"{value:.3g} {unit}",
                ratio=limit / value if value else float("nan"),
                low=float("nan"),
                high=float("nan"),
                ours_seconds=float("nan"),
                peer_seconds=float("nan"),
                target=f"<= {limit:g} {unit}",
                note=note,
                met=bool(value <= limit),
            )
        )


def timed(function: Callable) -> float:
    """Seconds that one call takes, awake: after a pause, and after one call that is not timed."""
    # The threads of a matrix library or a kernel go on spinning for a while, waiting for work, and
    # would take a core from whoever comes next; and one's own threads must be woken up again.
    time.sleep(PAUSE)
    function()
    start = clock()
    function()
    return clock() - start


def show(reports: list[Report]) -> None:
    """Print all results as a table and keep them as JSON."""
    table = Table(title="counterpoint against its peers (ratio: peer time / our time)")
    for column in ("benchmark", "case", "peer", "ratio", "spread", "ours", "peer", "target", ""):
        table.add_column(column, justify="right" if column in ("ratio", "ours") else "left")
    for report in reports:
        for r in report.results:
            spread = "" if np.isnan(r.low) else f"{r.low:.3g} .. {r.high:.3g}"
            ours = "" if np.isnan(r.ours_seconds) else seconds(r.ours_seconds)
            peer = "" if np.isnan(r.peer_seconds) else seconds(r.peer_seconds)
            mark = {None: "", True: "met", False: "[red]missed[/red]"}[r.met]
            table.add_row(
                r.benchmark, r.case, r.peer, f"{r.ratio:.3g}", spread, ours, peer, r.target, mark
            )
    Console(width=150).print(table)
    for report in reports:
        for r in report.results:
            if r.note:
                Console(width=150).print(f"  {r.case}: {r.note}", highlight=False)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "results.json"
    machine = {"python": platform.python_version(), "cores": os.cpu_count()}
    rows = [asdict(r) for report in reports for r in report.results]
    path.write_text(json.dumps({"machine": machine, "results": rows}, indent=1) + "\n")
    print(f"written: {path.relative_to(ROOT)}")


def seconds(value: float) -> str:
    """Return a time in the unit that reads best."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1 or unit == "us":
            return f"{value * factor:.3g} {unit}"
    raise AssertionError


def peer_python(name: str, requirements: list[str]) -> Path | None:
    """Return the interpreter of a peer's own environment, made when missing; None if impossible."""
    folder = ROOT / f".venv-{name}"
    python = folder / "bin" / "python"
    stamp = folder / "requirements.txt"
    wanted = "\n".join(requirements)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"setting up {folder.name} for {', '.join(requirements)} ...", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    command = [python, "-m", "pip", "install", "--quiet", *requirements]
    if subprocess.run(command, check=False).returncode:
        print(f"{name} cannot be installed here: left out", file=sys.stderr)
        return None
    stamp.write_text(wanted)
    return python


def run_peer(python: Path, script: str, arrays: dict) -> dict:
    """Run ``benchmarks/peers/<script>`` on arrays given through files; return what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        for key, array in arrays.items():
            np.save(Path(folder) / f"{key}.npy", array)
        command = [python, ROOT / "benchmarks" / "peers" / script, folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)
