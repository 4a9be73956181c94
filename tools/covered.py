"""Which lines and branches of the package the tests run: ``make coverage``.

Kernels are measured with the JIT off (compiled code leaves no trace), all else with it on, and the
two are put together. With the JIT off nothing but kernels is traced, and a test is stopped after
two seconds (``tools/briefly.py``). Parts of the suite run one after the other, and what has run at
this commit does not run again: what was cut off is begun where it ended, ``--again`` begins anew.
``python tools/covered.py --parts trees,trust`` runs some, ``--tell`` none. The figure goes to
``tools/coverage.csv`` with its commit, when all has run; ``--keep`` writes down what is there
before, as a least.
"""

import argparse
import csv
import datetime
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tools" / "coverage.csv"
FIELDS = (
    "commit", "date", "percent", "branches_percent", "lines", "branches", "failed_parts",
    "parts_left",
)  # fmt: skip
WITHOUT_JIT = ("kernels without the JIT", "other tests of kernels without the JIT")
PLUGIN = "briefly"
NO_ROOM = "tests/attack/test_commands.py::test_a_full_disk_leaves_nothing_behind"
DONE = ROOT / ".coverage-parts.json"  # a name that coverage does not take for its own
# Kernels with tests beside those of their package; and what of tests/kernels has the JIT on anyway.
_ELSEWHERE = (
    "boosting/test_negative_correlation.py",
    "dynamic",
    "selection/test_search.py",
    "sequences/test_hmm.py",
    "trees/equivalent",
    "trees/merging",
    "trees/pruning",
    "trees/rules/test_merge.py",
    "trees/test_algebra.py",
    "trees/test_boxes.py",
    "trees/test_structure.py",
    "views/test_forest_rc.py",
)
_COMPILED = ("test_compiling.py", "test_parallel.py")
_NO_TESTS = 5  # of pytest: a folder that holds none


def parts() -> dict[str, list[str]]:
    """Return what pytest is given for each part: a folder of tests, the rest, the docstrings."""
    folders = sorted(p for p in (ROOT / "tests").iterdir() if any(p.glob("test_*.py")))
    here = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "tests").glob("test_*.py"))
    bare = ["tests/kernels", *(f"--ignore=tests/kernels/{name}" for name in _COMPILED)]
    others = [f"tests/{name}" for name in _ELSEWHERE]
    return {
        **dict(zip(WITHOUT_JIT, (bare, others), strict=True)),
        **{folder.name: [f"tests/{folder.name}"] for folder in folders},
        "common tests": here,
        "docstrings": ["counterpoint"],
    }


def measure(name: str, paths: list[str]) -> bool:
    """Run a part of the tests under coverage; return whether they passed."""
    environment = {**os.environ, "CI": "true"}
    where, plugin = [], []
    if name in WITHOUT_JIT:
        environment["NUMBA_DISABLE_JIT"] = "1"
        tools = str(Path(__file__).parent)
        environment["PYTHONPATH"] = os.pathsep.join([tools, environment.get("PYTHONPATH", "")])
        where, plugin = ["--source=counterpoint/_kernels"], ["-p", PLUGIN]
        # Hashes and random numbers run over on purpose: compiled code does so in silence.
        plugin += ["-W", "ignore:overflow encountered:RuntimeWarning"]
    command = [sys.executable, "-m", "coverage", "run", *where, "-m", "pytest", "-q", *plugin]
    command += ["--deselect", NO_ROOM]  # a full disk has no room for coverage's own file
    before = os.times()
    done = subprocess.run([*command, *paths], cwd=ROOT, env=environment)
    after = os.times()
    took = after.children_user + after.children_system
    took -= before.children_user + before.children_system
    print(f"{name}: {took:.0f} s of the processor", flush=True)
    return done.returncode in (0, _NO_TESTS)


def told() -> dict:
    """Put together what the parts left, and return coverage's own account of it."""
    quiet = {"cwd": ROOT, "stdout": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "coverage", "combine", "--append"], **quiet)
    target = ROOT / ".coverage-account.json"
    command = [sys.executable, "-m", "coverage", "json", "-o", str(target)]
    subprocess.run(command, check=True, **quiet)
    return json.loads(target.read_text(encoding="utf-8"))


def by_package(files: dict) -> dict[str, tuple[int, int]]:
    """Return how many lines and branches of each package ran, and how many there are."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, one in files.items():
        parts = Path(path).parts
        counts = one["summary"]
        cell = found[parts[1] if len(parts) > 2 else "(top)"]
        cell[0] += counts["covered_lines"] + counts["covered_branches"]
        cell[1] += counts["num_statements"] + counts["num_branches"]
    return {name: (ran, there) for name, (ran, there) in sorted(found.items())}


def tell(account: dict) -> None:
    """Print the share of each package, and the files with most that never ran."""
    for name, (ran, there) in by_package(account["files"]).items():
        print(
            f"{name:<16} {100 * ran / max(there, 1):5.1f} %   {there - ran:5} of {there} never ran"
        )
    idle = {
        path: one["summary"]["missing_lines"] + one["summary"]["missing_branches"]
        for path, one in account["files"].items()
    }
    for path in sorted(idle, key=lambda p: -idle[p])[:40]:
        lines = ", ".join(map(str, account["files"][path]["missing_lines"][:30]))
        print(f"{idle[path]:5} {path}: {lines}")
    totals = account["totals"]
    print(f"coverage: {totals['percent_covered']:.1f} % of lines and branches")


def commit_here() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def done_before(commit: str, path: Path = DONE) -> dict[str, bool]:
    """Return which parts have run at a commit, and whether they passed."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return kept["passed"] if kept["commit"] == commit else {}


def note(commit: str, passed: dict[str, bool], path: Path = DONE) -> None:
    """Write down which parts have run."""
    path.write_text(json.dumps({"commit": commit, "passed": passed}), encoding="utf-8")


def keep(account: dict, commit: str, failed: int, left: int) -> None:
    """Write the figure down with its commit."""
    totals = account["totals"]
    row = {
        "commit": commit,
        "date": datetime.date.today().isoformat(),
        "percent": round(totals["percent_covered"], 2),
        "branches_percent": round(100 * totals["covered_branches"] / totals["num_branches"], 2),
        "lines": totals["num_statements"],
        "branches": totals["num_branches"],
        "failed_parts": failed,
        "parts_left": left,
    }
    new = not KEPT.exists()
    with KEPT.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def kept_line(path: Path = KEPT) -> str:
    """Return a sentence with the figure that was kept last, for CI, which has no time for it."""
    if not path.exists():
        return "coverage: not measured yet; `make coverage` takes an hour."
    with path.open(newline="", encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    left = int(last.get("parts_left") or 0)
    return (
        f"coverage (measured by `make coverage` at commit {last['commit']}, {last['date']}, not in "
        f"this run): {'at least ' if left else ''}{last['percent']} % of lines and branches, "
        f"{last['branches_percent']} % of branches alone"
        + (f"; {left} parts of the tests are left to run" if left else "")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", help="names of parts, with commas; all without")
    parser.add_argument("--tell", action="store_true", help="run nothing, tell what is there")
    parser.add_argument("--again", action="store_true", help="run also what has run at this commit")
    parser.add_argument("--kept", action="store_true", help="print the figure that was kept last")
    parser.add_argument("--keep", action="store_true", help="write down the figure as it is")
    options = parser.parse_args()
    if options.kept:
        print(kept_line())
        return
    commit, there = commit_here(), parts()
    passed = {} if options.again else done_before(commit)
    if not passed and not options.tell:
        for left in ROOT.glob(".coverage*"):  # of other code
            left.unlink()
    chosen = options.parts.split(",") if options.parts else list(there)
    for name in [] if options.tell else [name for name in chosen if name not in passed]:
        passed[name] = measure(name, there[name])
        note(commit, passed)
    account = told()
    tell(account)
    failed = [name for name in passed if not passed[name]]
    if failed:
        print(f"tests failed in: {', '.join(failed)}")
    left = len(set(there) - set(passed))
    if options.keep or not (options.tell or left):
        keep(account, commit, len(failed), left)


if __name__ == "__main__":
    main()
