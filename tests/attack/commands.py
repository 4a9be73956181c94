"""kill -9 and full disks against every command that writes.

The commands are found in the registry of the app; ``CASES`` has a small list of arguments for each.
Afterwards the old file is whole or the new one is, what is read is never half of one, and a full
disk ends with one line, a code that is not 0 and nothing left behind.
"""

import collections
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
# Arguments for each command; {name} stands for a file of `prepare`.
CASES = {
    "columns": ["{table}", "--target", "kind", "-o", "out.csv"],
    "fit": ["{table}", "--target", "kind", "--method", "tree", "-o", "out.skops"],
    "predict": ["{model}", "{table}", "--proba", "-o", "out.csv"],
    "watch": ["{model}", "{table}", "-o", "out.html", "--state", "kept.sqlite"],
    "compare": ["{table}", "--target", "kind", "--methods", "majority,naive-bayes", "--folds", "2",
                "--csv", "out.csv"],
    "explain": ["{model}", "--plot", "out.png"],
    "report": ["{model}", "{table}", "-o", "out.html"],
    "measure": ["{votes}", "--plot", "out.svg"],
    "datasets export": ["iris", "-o", "out.csv", "--force"],
    "datasets add": ["{table}", "--name", "mine", "--target", "kind", "--force"],
    "demo": ["--dataset", "iris", "--methods", "ncl", "--n-splits", "1", "-o", "out.html"],
    "churn": ["{events}", "--entity", "who", "--time", "when", "--type", "what", "--target",
              "left", "-o", "out.html", "--csv", "out.csv"],
    "reproduce": ["independent-vote", "-o", "."],
}  # fmt: skip
# These print and write nothing.
SILENT = {"datasets list", "datasets describe", "studio", "warm-up"}
SECONDS = 240


def names():
    """Return every command of the app, those of groups with a space: "datasets add"."""
    from typer.main import get_command

    from counterpoint.cli.app import app

    for name, command in get_command(app).commands.items():
        inner = getattr(command, "commands", None)
        yield from [name] if inner is None else (f"{name} {sub}" for sub in inner)


def prepare(folder):
    """Write what the commands read, and return the names."""
    from counterpoint import tabular
    from counterpoint.datasets import load

    data = load("iris")
    rng = np.random.RandomState(0)
    frame = data.X.assign(kind=data.y.astype(str))
    frame.to_csv(folder / "table.csv", index=False)
    tabular.save(tabular.fit(frame, "kind", "bagging"), folder / "model.skops")
    votes = pd.DataFrame({name: rng.choice(["a", "b"], 60) for name in ("class", "m1", "m2")})
    votes.to_csv(folder / "votes.csv", index=False)
    n = 600
    events = pd.DataFrame({
        "who": np.arange(n) % 60, "when": np.arange(n) // 60,
        "what": rng.choice(["bought", "left"], n, p=[0.7, 0.3]), "value": rng.rand(n).round(3),
    })  # fmt: skip
    events.to_csv(folder / "events.csv", index=False)
    return {
        "table": folder / "table.csv", "model": folder / "model.skops",
        "votes": folder / "votes.csv", "events": folder / "events.csv",
    }  # fmt: skip


def start(name, inputs, folder, most_bytes=None):
    """Start a command in a folder of its own, where no file may have more bytes than that."""

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    args = [part.format(**inputs) for part in CASES[name]]
    return subprocess.Popen(
        [sys.executable, "-m", "counterpoint.cli", *name.split(), *args], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=None if most_bytes is None else full,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COUNTERPOINT_DATA": str(folder / "data"),
                          "MPLBACKEND": "agg"},
    )  # fmt: skip


def files(folder):
    """Return the files of a folder that a user sees: not those under way, nor caches."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".part-")
    }


def fault(path):
    """Return what is wrong with a file that should be whole, or None."""
    data = path.read_bytes()
    ending = path.suffix
    try:
        if ending == ".skops":
            with zipfile.ZipFile(path) as parts:
                return parts.testzip()
        if ending == ".html" and not data.rstrip().endswith(b"</html>"):
            return "a page without an end"
        if ending == ".png" and b"IEND" not in data[-12:]:
            return "a picture without an end"
        if ending == ".svg" and not data.rstrip().endswith(b"</svg>"):
            return "a drawing without an end"
        if ending == ".csv" and not data.endswith(b"\n"):
            return "a table without an end"
        if ending == ".json":
            json.loads(data)
        if ending == ".sqlite":
            import sqlite3

            with sqlite3.connect(path) as store:
                said = store.execute("PRAGMA integrity_check").fetchone()[0]
            return None if said == "ok" else said
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def kill(name, inputs, folder, after):
    """Kill a command after so many seconds; return defects, and whether it was in time."""
    before = {path: data.read_bytes() for path, data in files(folder).items()}
    child = start(name, inputs, folder)
    try:
        child.wait(after)
    except subprocess.TimeoutExpired:
        child.kill()
    said = child.communicate()[1]
    defects = [] if "Traceback" not in said else [("traceback", said[-300:])]
    there = files(folder)
    for path in before:
        if path not in there:
            defects.append(("lost file", path))
    for path, file in there.items():
        wrong = fault(file) if before.get(path) != file.read_bytes() else None
        if wrong:
            defects.append(("half a file", f"{path}: {wrong}"))
    return defects, child.returncode == -signal.SIGKILL


def fill(name, inputs, folder, most_bytes):
    """Run a command on a disk that is full after so many bytes; return defects."""
    before = {path: data.read_bytes() for path, data in files(folder).items()}
    child = start(name, inputs, folder, most_bytes)
    try:
        said = child.communicate(timeout=SECONDS)[1]
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return [("hang", "on a full disk")], False
    defects = [("traceback", said[-300:])] if "Traceback" in said else []
    there = files(folder)
    failed = child.returncode != 0
    if failed:
        lines = [line for line in said.splitlines() if line and "note:" not in line]
        if child.returncode not in (1, 2):
            defects.append(("exit code", f"{child.returncode}: {said[-200:]}"))
        if not lines or not lines[-1].startswith("counterpoint: "):
            defects.append(("no message", said[-200:]))
    left = [path.name for path in folder.rglob(".part-*")]
    if left:
        defects.append(("left behind", ", ".join(left)))
    for path, file in there.items():
        wrong = fault(file) if before.get(path) != file.read_bytes() else None
        if wrong:
            defects.append(("half a file", f"{path}: {wrong}"))
    for path in before:
        if path not in there:
            defects.append(("lost file", path))
    return defects, failed


def attack(seconds, seed=0, only=""):
    """Attack the commands in turn until the time is up; return counts and defects."""
    rng = np.random.RandomState(seed)
    counts, defects = collections.Counter(), []
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        inputs = prepare(root)
        known = [name for name in names() if name not in SILENT]
        for name in known:
            if name not in CASES:
                defects.append(("no case", name, "give its arguments in CASES"))
        todo = [name for name in known if name in CASES and only in name]
        lasts = dict.fromkeys(todo, 8.0)
        k = 0
        while todo and time.monotonic() < end:
            name, folder = todo[k % len(todo)], root / f"{k % len(todo)}"
            folder.mkdir(exist_ok=True)
            case = f"{name}:{k}"
            if (k // len(todo)) % 2 == 0:
                began = time.monotonic()
                found, hit = kill(name, inputs, folder, lasts[name] * rng.uniform(0.3, 1.1))
                counts["kills" if hit else "too late"] += 1
                if not hit:
                    lasts[name] = time.monotonic() - began
            else:
                shutil.rmtree(folder)
                folder.mkdir()
                found, hit = fill(name, inputs, folder, int(rng.choice([0, 1, 500, 5000, 50_000])))
                counts["full disks" if hit else "wrote all"] += 1
            defects += [(kind, case, text) for kind, text in found]
            k += 1
    return counts, defects
