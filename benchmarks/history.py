"""What benchmarks said, commit after commit: rows in ``benchmarks/history``, and what got slower.

``make bench`` adds the rows of its run to one file a benchmark. ``python -m benchmarks compare
HEAD~20`` holds the newest rows against the newest that are as old as that commit: a case got slower
beyond noise where its highest ratio now is below its lowest then, on the same kind of machine. Rows
without a spread (one number, read off a run whose rows were not kept) are shown and not judged.
"""

import datetime
import os
import platform
import subprocess
from pathlib import Path

import numba
import pandas as pd
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "history"
KEY = ["benchmark", "case", "peer"]
COLUMNS = [
    *("commit", "date", "machine"), *KEY, *("ratio", "low", "high"),
    *("ours_seconds", "peer_seconds", "note"),
]  # fmt: skip


def git(*words: str) -> str:
    """Return what git says."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def this_commit() -> str:
    """Return the commit that is checked out; with a plus where files differ from it."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "counterpoint")
    return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


def machine() -> str:
    """Return the kind of machine, as far as times depend on it."""
    threads = numba.config.NUMBA_NUM_THREADS
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, {threads} threads, "
        f"Python {platform.python_version()}, numba {numba.__version__}"
    )


def keep(reports, folder: Path = FOLDER, commit: str | None = None) -> list[Path]:
    """Add the rows of a run to the files of their benchmarks; return the files."""
    about = {
        "commit": commit or this_commit(),
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
    }
    folder.mkdir(exist_ok=True)
    written = []
    for report in reports:
        rows = pd.DataFrame([{**about, **vars(result)} for result in report.results])
        if rows.empty:
            continue
        path = folder / f"{report.name}.csv"
        if path.exists():
            rows = pd.concat([read(path), rows], ignore_index=True)
        rows.reindex(columns=COLUMNS).to_csv(path, index=False, float_format="%.5g")
        written.append(path)
    return written


def read(path: Path) -> pd.DataFrame:
    """Return the rows of a file; a commit such as 54e3176 is no number."""
    return pd.read_csv(path, dtype={"commit": str, "note": str})


def rows(folder: Path = FOLDER) -> pd.DataFrame:
    """Return all rows, oldest first."""
    files = sorted(folder.glob("*.csv"))
    parts = [read(path) for path in files]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def newest(kept: pd.DataFrame) -> pd.DataFrame:
    """Return the newest row of every case."""
    return kept.groupby(KEY, sort=False).tail(1).set_index(KEY)


def changes(then: pd.DataFrame, now: pd.DataFrame) -> pd.DataFrame:
    """Hold newest rows against older ones: ratios, their quotient, and what became of the case."""
    both = newest(then).add_suffix("_then").join(newest(now).add_suffix("_now"), how="inner")
    found = both[["ratio_then", "ratio_now"]].copy()
    found["change"] = both["ratio_now"] / both["ratio_then"]
    found["verdict"] = "within noise"
    found.loc[both["high_now"] < both["low_then"], "verdict"] = "slower"
    found.loc[both["low_now"] > both["high_then"], "verdict"] = "faster"
    unknown = both[["low_then", "high_then", "low_now", "high_now"]].isna().any(axis=1)
    found.loc[unknown, "verdict"] = "no spread"
    found.loc[both["machine_then"] != both["machine_now"], "verdict"] = "another machine"
    found.loc[both["commit_then"] == both["commit_now"], "verdict"] = "no newer rows"
    return found


def compare(revision: str, folder: Path = FOLDER) -> pd.DataFrame:
    """Return what changed since a revision, by the rows that are kept."""
    known = set(git("rev-list", revision).splitlines())
    kept = rows(folder)
    commits = kept["commit"].str.rstrip("+")
    old = commits.map(lambda short: any(full.startswith(short) for full in known))
    return changes(kept[old], kept)


def main(words: list[str]) -> int:
    """Print what changed since a revision; 1 where something got slower beyond noise."""
    if len(words) != 1:
        print("Give one revision: python -m benchmarks compare HEAD~20")
        return 2
    try:
        found = compare(words[0])
    except subprocess.CalledProcessError:
        print(f"git knows no revision {words[0]!r}: give a commit, a branch or a tag.")
        return 2
    if found.empty:
        print(f"No case has rows as old as {words[0]}.")
        return 0
    table = Table(title=f"Ratios to peers at {words[0]} and now")
    for column in (*KEY, "then", "now", "change", ""):
        table.add_column(column)
    for key, row in found.iterrows():
        numbers = (f"{row[name]:.3g}" for name in ("ratio_then", "ratio_now", "change"))
        table.add_row(*key, *numbers, row["verdict"])
    Console(width=150).print(table)
    return int((found["verdict"] == "slower").any())
