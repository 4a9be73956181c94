"""What every estimator costs at 1e3 to 1e6 rows: ``python -m benchmarks.sizes``.

It writes docs/sizes.md. Each cell is a process of its own, with limits of time and memory. Cells
that are done are kept in ``sizes.csv`` beside this file and not run again: stop it whenever you
like, and call it again to go on. ``--again NAME`` forgets the cells of an estimator that was
changed, ``--write`` only writes the page. Names of estimators and ``--rows`` restrict what is run.
"""

import argparse
import csv
import json
import os
import re
import resource
import signal
import subprocess
import sys
import warnings
from pathlib import Path

from sklearn.base import is_regressor
from sklearn.datasets import make_classification, make_regression

from counterpoint.exceptions import ThinnedWarning

ROOT = Path(__file__).parent.parent
KEPT = Path(__file__).with_suffix(".csv")
PAGE = ROOT / "docs" / "sizes.md"
ROWS = (1_000, 10_000, 100_000, 1_000_000)
SECONDS = 60
GIGABYTES = 4
COLUMNS = ("estimator", "rows", "outcome", "fit", "predict", "megabytes", "words")
OVER = {"too long", "memory", "refused", "not run"}  # after these, larger tables are not tried
# One thread, so that CPU seconds are what one core takes; the machine may be busy meanwhile.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def estimators():
    """Return the public estimator classes by name, found as the tests find them."""
    sys.path.insert(0, str(ROOT / "tests"))
    from estimators import public_estimators

    return {estimator.__name__: estimator for estimator in public_estimators()}


def data(n, regression):
    """Return ten columns, five of them informative; a tenth of the labels or values is noise."""
    if regression:
        return make_regression(n, 10, n_informative=5, noise=10.0, random_state=0)
    return make_classification(n, 10, n_informative=5, flip_y=0.1, random_state=0)


def cell(name, n):
    """Fit an estimator as it comes to n rows, ask it about the same rows, print what it took."""
    estimator = estimators()[name]
    from estimators import quick  # found in tests/, once estimators() has looked there

    X, y = data(n, is_regressor(estimator()))
    warnings.simplefilter("ignore")
    # Imports and compiled loops are loaded here; with quick options where a fit takes minutes.
    fit_and_ask(quick(estimator), X[:200], y[:200])
    forget_peak()
    start, held = cpu_seconds(), peak_megabytes()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start + SECONDS) + 1, -1))
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", ThinnedWarning)
            fit, predict = fit_and_ask(estimator(), X, y)
    except (ValueError, TypeError) as refusal:
        print(json.dumps({"outcome": "refused", "words": str(refusal)}))
    except MemoryError:
        print(json.dumps({"outcome": "memory"}))
    else:
        took = {"fit": fit, "predict": predict, "megabytes": peak_megabytes() - held}
        print(json.dumps({"outcome": "done", "words": _words(told), **took}))


def _words(told):
    return next((str(w.message) for w in told if issubclass(w.category, ThinnedWarning)), "")


def fit_and_ask(model, X, y):
    start = cpu_seconds()
    model.fit(X, y)
    fitted = cpu_seconds()
    ask = next(m for m in ("predict", "transform", "score_samples") if hasattr(model, m))
    getattr(model, ask)(X)
    return fitted - start, cpu_seconds() - fitted


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_megabytes():
    """Return the most memory this process has held since the peak was forgotten (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 1024


def forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def run_cell(name, n):
    """Run one cell in a process; return its row."""

    def limit():
        most = GIGABYTES * 2**30
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))

    command = [sys.executable, "-m", "benchmarks.sizes", "--cell", name, "--rows", str(n)]
    row = {"estimator": name, "rows": n}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **ONE_THREAD}, preexec_fn=limit,
            capture_output=True, text=True, check=False, timeout=20 * SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {**row, "outcome": "too long"}
    if done.returncode == 0:
        return {**row, **json.loads(done.stdout.splitlines()[-1])}
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {**row, "outcome": "too long"}
    if "MemoryError" in done.stderr or "bad_alloc" in done.stderr:
        return {**row, "outcome": "memory"}
    return {**row, "outcome": "failed", "words": (done.stderr.splitlines() or ["?"])[-1]}


def next_row(name, n, before):
    """Return the row of a cell, without running it where the one before says enough."""
    if before and before["outcome"] in OVER:
        words = before.get("words", "")
        outcome = before["outcome"] if before["outcome"] == "refused" else "not run"
        return {"estimator": name, "rows": n, "outcome": outcome, "words": words}
    if n == ROWS[-1] and before and float(before["fit"]) + float(before["predict"]) > SECONDS / 8:
        return {"estimator": name, "rows": n, "outcome": "not run"}
    return run_cell(name, n)


def kept():
    """Return the finished rows by (estimator, rows)."""
    if not KEPT.exists():
        return {}
    with KEPT.open(newline="") as file:
        return {(row["estimator"], int(row["rows"])): row for row in csv.DictReader(file)}


def keep(rows):
    """Write all rows, in the order of the table."""
    with KEPT.with_suffix(".tmp").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for key in sorted(rows):
            row = {c: rows[key].get(c, "") for c in COLUMNS}
            for c in ("fit", "predict", "megabytes"):
                row[c] = row[c] and f"{float(row[c]):.2g}"
            writer.writerow(row)
    KEPT.with_suffix(".tmp").replace(KEPT)


def shown(row):
    """Return a cell of the page."""
    if row is None:
        return ""
    if row["outcome"] == "done":
        total = float(row["fit"]) + float(row["predict"])
        sample = " *" if row.get("words") else ""
        return f"{_short(total)} s, {_short(float(row['megabytes']))} MB{sample}"
    words = {
        "refused": "refuses",
        "too long": f"over {SECONDS} s",
        "memory": f"over {GIGABYTES} GB",
        "not run": "-",
    }
    return words.get(row["outcome"], row["outcome"])


def _short(value):
    if value < 1:
        return "0" if value < 0.05 else f"{value:.1g}"
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 10 else f"{value:.1f}"


HEAD = f"""# What every estimator costs

Every public estimator as it comes, without options, is fitted to a table of ten numeric columns and
asked about the same rows. Classifiers get two classes (five columns matter, a tenth of the labels
is drawn by lot), regressors a linear target with noise. Seconds are CPU seconds of one thread,
fitting and asking together, without imports and compiling. The machine was shared, so they are
rounded: trust the order of magnitude, and how a row grows. Memory is what the process took at its
peak beyond the table and what it held before. A cell ends at {SECONDS} s or {GIGABYTES} GB; "-" was
not run, because the cell before says that it would take more than that. "*" was done on a sample of
the rows, see below. `OverproduceSelectClassifier` and `-Regressor` try members until more do not
pay; with `time_limit` they take the time they are given, at any size.

Written by `python -m benchmarks.sizes`, which keeps its cells in `benchmarks/sizes.csv`.
"""


def write_page(rows):
    """Write docs/sizes.md from the rows kept."""
    PAGE.write_text(page(rows))


def page(rows):
    """Return the page that these rows make."""
    lines = [
        HEAD,
        f"| estimator | {' | '.join(f'{n:,} rows' for n in ROWS)} |",
        "|---|" + "---:|" * len(ROWS),
    ]
    for name in sorted({name for name, _ in rows}):
        cells = [shown(rows.get((name, n))) for n in ROWS]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    for outcome, heading in (
        ("done", "What is done on a sample"),
        ("refused", "What those that refuse say"),
    ):
        said = {}
        for (name, _), row in sorted(rows.items()):
            if row["outcome"] == outcome and row.get("words"):
                said.setdefault(name, row["words"])
        if said:
            lines += ["", f"## {heading}", ""]
            lines += [f"- `{name}`: {words}" for name, words in said.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--again", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cell", metavar="NAME", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell:
        return cell(asked.cell, asked.rows[0])
    known = estimators()
    rows = {k: row for k, row in kept().items() if k[0] in known and k[0] not in asked.again}
    if not asked.write:
        for n in asked.rows:
            for name in asked.names or known:
                if (name, n) not in rows:
                    before = rows.get((name, n // 10))
                    row = rows[name, n] = next_row(name, n, before)
                    keep(rows)
                    write_page(kept())  # as rounded there
                    print(name, f"{n:,}", shown(row), row.get("words", ""), flush=True)
    keep(rows)
    return write_page(kept())


if __name__ == "__main__":
    main()
