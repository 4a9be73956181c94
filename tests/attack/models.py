"""Corrupt model files: real ones, changed by seed, each loaded and asked by a worker with limits.

A case is "method:seed". Fine are a refusal of ``load`` in our own words, an answer, and an error of
``predict`` that a user can act on; a crash, a hang and every other error are defects.
"""

import collections
import io
import json
import multiprocessing as mp
import multiprocessing.connection
import os
import resource
import tempfile
import time
import warnings
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tables import mixed_table

from attack.workers import processor_time
from counterpoint import tabular
from counterpoint.auto import default_pool
from counterpoint.tabular.methods import METHODS, make_method

MEMORY = 4 * 2**30
# Of the worker's own processor time, so that a busy machine makes no hangs; by the clock ten times.
SECONDS_A_CASE = 60
TABLE = mixed_table(60)
# Members of the pool of "auto", each alone: its files hold what others do not.
POOL = ("SVM, C=1", "near neighbours", "naive Bayes on bins", "logistic regression on quantiles")
TARGETS = (*(name for name in METHODS if name != "auto"), *POOL)
REFUSALS = ("is no model file of counterpoint", "cannot be loaded, ", "is refused: ", "of model f")


def make_model(name, fitted):
    """Put a small model of a method, or of a member of the pool, in the place of another."""
    method = name if name in METHODS else "naive-bayes"
    model = make_method(method, random_state=0, progress=False)
    if name not in METHODS:
        member = next(c for c in default_pool(60, 6, 2) if c.name == name)
        model.set_params(model=member.make(0))
    if name == "stacking":
        model.set_params(model__pool=[("bayes", GaussianNB()), ("tree", DecisionTreeClassifier())])
    for path, value in model.get_params().items():
        if path.endswith(("n_estimators", "max_iter", "max_epochs")) and isinstance(value, int):
            model.set_params(**{path: min(value, 5)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(model).fit(fitted.X_train, fitted.y_train)
    return replace(fitted, model=model, method=method)


def write_models(folder, names):
    """Write a small model of each name; return their contents, the names as keys."""
    written, fitted = {}, tabular.fit(TABLE, "class", "majority", progress=False)
    for k, name in enumerate(names):
        path = tabular.save(make_model(name, fitted), Path(folder) / f"{k}.skops", keep_rows=5)
        tabular.load(path)  # whole, it is fine
        written[name] = path.read_bytes()
    return written


# -- mutations ---------------------------------------------------------------------------------


def mutate(data, rng):
    """Return a changed copy of a model file."""
    kind = rng.choice(list(MUTATIONS), p=[w for _, w in MUTATIONS.values()])
    return kind, MUTATIONS[kind][0](data, rng)


def _bytes(data, rng):
    """Flip, zero, cut, repeat or insert bytes anywhere, or within the directory at the end."""
    data = bytearray(data)
    start = max(0, len(data) - 2000) if rng.rand() < 0.4 else 0
    at, n = rng.randint(start, len(data)), int(rng.choice([1, 1, 4, 50, 1000]))
    how = rng.randint(6)
    if how == 0:
        data[at] ^= 1 << rng.randint(8)
    elif how == 1:
        data[at : at + n] = bytes(len(data[at : at + n]))
    elif how == 2:
        data[at : at + n] = b"\xff" * len(data[at : at + n])
    elif how == 3:
        del data[at:]
    elif how == 4:
        del data[at : at + n]
    else:
        data[at:at] = data[at : at + n]
    return bytes(data)


def read_entries(data):
    """Return the entries of an archive as (name, content), in their order."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return [(info.filename, file.read(info)) for info in file.infolist()]


def write_entries(entries):
    """Return an archive of entries, its sums right."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        warnings.simplefilter("ignore")
        for name, content in entries:
            file.writestr(name, content)
    return buffer.getvalue()


def _arrays(data, rng):
    """Change one to three arrays: some of their numbers, their shape, or their type."""
    entries = read_entries(data)
    places = [k for k, (name, _) in enumerate(entries) if name.endswith(".npy")]
    if not places:
        return _bytes(data, rng)
    for _ in range(1 + rng.randint(3)):
        k = places[rng.randint(len(places))]
        array = np.load(io.BytesIO(entries[k][1]))
        buffer = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changed = _changed(array, rng)
        if changed is array:
            changed = np.load(io.BytesIO(entries[places[rng.randint(len(places))]][1]))
        np.save(buffer, changed)
        entries[k] = entries[k][0], buffer.getvalue()
    return write_entries(entries)


def _changed(array, rng):
    array = np.array(array)
    how = rng.randint(10)
    if how == 0:
        return array[: rng.randint(len(array))] if array.ndim and len(array) else array[None]
    if how == 1:
        return np.concatenate([array, array]) if array.ndim else array
    if how == 2:
        return array.T if array.ndim > 1 else array[..., None]
    if how == 3 and array.dtype.kind in "iufb":
        return array.astype(rng.choice(["f4", "i4", "u1", "i8", ">f8", "f2"]))
    if array.dtype.names is not None:
        name = array.dtype.names[rng.randint(len(array.dtype.names))]
        array[name] = _hostile(array[name], rng, len(array))
        return array
    return _hostile(array, rng, len(array) if array.ndim else 1)


def _hostile(array, rng, n):
    array = np.array(array)
    if not array.size:
        return array
    kind = array.dtype.kind
    if kind in "iu":
        ends = np.iinfo(array.dtype)
        values = [0, 1, -1, -2, n - 1, n, n + 1, 10**7, ends.max, ends.min]
    elif kind == "f":
        values = [0.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324]
    elif kind == "b":
        values = [True, False]
    else:
        values = [array.flat[0]]
    value = np.array(values[rng.randint(len(values))]).astype(array.dtype)
    where = rng.randint(4)
    if where == 0:
        array[...] = value
    elif where == 1 and array.ndim:
        rng.shuffle(array)
    else:
        array.flat[rng.randint(array.size, size=1 + rng.randint(3))] = value
    return array


def _json(data, rng):
    """Change the schema of the objects, or what the file says of itself."""
    entries = read_entries(data)
    wanted = "counterpoint.json" if rng.rand() < 0.3 else "schema.json"
    k = next(k for k, (name, _) in enumerate(entries) if name == wanted)
    tree = json.loads(entries[k][1])
    for _ in range(1 + rng.randint(2)):
        places = list(_places(tree))
        holder, key = places[rng.randint(len(places))]
        other, place = places[rng.randint(len(places))]
        how = rng.randint(5)
        if how == 0 and isinstance(holder, dict):
            del holder[key]
        elif how == 1:
            holder[key] = json.loads(json.dumps(other[place]))
        elif how == 2 and isinstance(holder[key], str) and holder[key][:1] in "0123456789-[":
            holder[key] = str(rng.choice(["-1", "0", "1000000000", "1e308", "[]", "null", "NaN"]))
        elif how == 3 and isinstance(holder, list):
            holder.append(holder[key])
        else:
            strange = [None, [], {}, -1, 0, 10**9, 1e300, "", "x", True, [[]] * 3, {"__id__": 1}]
            holder[key] = strange[rng.randint(len(strange))]
        if not isinstance(tree, dict) or not tree:
            break
    text = json.dumps(tree)
    if rng.rand() < 0.05:
        deep = "[" * 10**5 + "]" * 10**5
        text = deep if rng.rand() < 0.5 else text[:-1] + ', "more": ' + deep + "}"
    entries[k] = wanted, text.encode()
    return write_entries(entries)


def _places(tree):
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _archive(data, rng):
    """Change the archive: entries lost, doubled, renamed, strange, or larger than they say."""
    entries = read_entries(data)
    k = rng.randint(len(entries))
    name, content = entries[k]
    how = rng.randint(7)
    if how == 0:
        del entries[k]
    elif how == 1:
        entries.append(entries[k])
    elif how == 2:
        entries[k] = entries[rng.randint(len(entries))][0], content
    elif how == 3:
        entries.append((str(rng.choice(["../x", "/etc/x", "run.py", "a/", "x.npz"])), content))
    elif how == 4:
        entries[k] = name, bytes(int(rng.choice([2**20, 2**26])))
    elif how == 5:  # an array that declares more than it holds
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10 ** rng.randint(14)},)}}"
        entries[k] = (
            name,
            b"\x93NUMPY\x01\x00"
            + len(header).to_bytes(2, "little")
            + (header.encode() + content[:64]),
        )
    else:
        return lie_about_size(write_entries(entries), rng.randint(len(entries)))
    return write_entries(entries)


def lie_about_size(data, k):
    """Make an entry larger than the archive declares: its beginning is there, and its sum."""
    entries = read_entries(data)
    name, content = entries[k]
    packed = bytearray(
        write_entries([*entries[:k], (name, content + bytes(2**24)), *entries[k + 1 :]])
    )
    info = zipfile.ZipFile(io.BytesIO(bytes(packed))).getinfo(name)
    where = packed.index(b"PK\x01\x02")
    while packed[where + 46 : where + 46 + len(name)] != name.encode():
        where = packed.index(b"PK\x01\x02", where + 4)
    packed[where + 16 : where + 20] = zlib.crc32(content).to_bytes(4, "little")
    packed[where + 24 : where + 28] = len(content).to_bytes(4, "little")
    local = info.header_offset
    packed[local + 14 : local + 18] = zlib.crc32(content).to_bytes(4, "little")
    packed[local + 22 : local + 26] = len(content).to_bytes(4, "little")
    return bytes(packed)


MUTATIONS = {
    "bytes": (_bytes, 0.1),
    "arrays": (_arrays, 0.5),
    "json": (_json, 0.32),
    "archive": (_archive, 0.08),
}


# -- cases and workers -------------------------------------------------------------------------


def run_case(data, seed, folder):
    """Load a changed file and ask what came of it; return (mutation, outcome, text)."""
    from attack import judge

    rng = np.random.RandomState(seed)
    kind, changed = mutate(data, rng)
    path = Path(folder) / f"{os.getpid()}.skops"
    path.write_bytes(changed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = tabular.load(path)
        except ValueError as error:
            own = any(words in str(error) for words in REFUSALS)
            return kind, "error" if own else "strange error of load", str(error)
        except Exception as error:
            return kind, f"{type(error).__name__} of load", str(error)

        def ask():
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                tabular.predict(model, TABLE, proba=hasattr(model.model, "predict_proba"))

        outcome, text = judge.judge(ask)
    return kind, outcome, text


def run_again(case):
    """Run one case, "method:seed", in this process."""
    name, seed = case.rsplit(":", 1)
    with tempfile.TemporaryDirectory() as folder:
        return run_case(write_models(folder, [name])[name], int(seed), folder)


def _work(connection, models, first, step, folder):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    names = list(models)
    k = first
    while True:
        connection.send((k, None))
        connection.send((k, run_case(models[names[k % len(names)]], k // len(names), folder)))
        k += step


def attack(seconds, seed=0, *, names=TARGETS, n_workers=2, most=None):
    """Corrupt models of these names until the time is up, or so many cases are done.

    Returns counts of outcomes and of mutations, and defects as (kind, case, text).
    """
    context = mp.get_context("spawn")
    counts, defects = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        models = write_models(folder, names)
        cells = [_Worker(context, (models, w, n_workers, folder), seed) for w in range(n_workers)]
        end = time.monotonic() + seconds
        while time.monotonic() < end and (most is None or counts["files"] < most):
            ready = mp.connection.wait([w.connection for w in cells], timeout=0.5)
            for worker in cells:
                for k, (mutation, outcome, text) in worker.news(worker.connection in ready):
                    counts["files"] += 1
                    counts[outcome] += 1
                    counts[f"by {mutation}"] += 1
                    if outcome not in ("answer", "error"):
                        name = list(models)[k % len(models)]
                        defects.append((outcome, f"{name}:{k // len(models)}", text))
        for worker in cells:
            worker.stop()
    return counts, defects


class _Worker:
    """A process, and the case it is at; a new one takes its place when it dies or hangs."""

    def __init__(self, context, job, seed):
        self.context, self.job = context, job
        self.k = seed * len(job[0]) + job[1]
        self.start()

    def start(self):
        self.connection, theirs = self.context.Pipe(duplex=False)
        models, _, step, folder = self.job
        self.process = self.context.Process(
            target=_work, args=(theirs, models, self.k, step, folder), daemon=True
        )
        self.process.start()
        # Imports take their time.
        self.begun, self.used = time.monotonic() + 60, 60.0
        theirs.close()

    def stop(self):
        self.process.kill()
        self.process.join()
        self.connection.close()

    def news(self, ready):
        """List the cases that have ended since, (k, (mutation, outcome, text))."""
        ended = []
        try:
            while ready and self.connection.poll():
                self.k, result = self.connection.recv()
                self.begun, self.used = time.monotonic(), processor_time(self.process.pid)
                if result is not None:
                    ended.append((self.k, result))
        except EOFError:
            self.process.join()
        dead = not self.process.is_alive()
        if dead or self._hangs():
            ended.append((self.k, ("unknown", "crash" if dead else "hang", "")))
            self.stop()
            self.k += self.job[2]
            self.start()
        return ended

    def _hangs(self):
        if time.monotonic() - self.begun > 10 * SECONDS_A_CASE:
            return True
        return processor_time(self.process.pid) - self.used > SECONDS_A_CASE
