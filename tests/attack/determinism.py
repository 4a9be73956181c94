"""The same seed, the same bytes: on any number of threads and jobs, in any process, at any time.

A case is an estimator and a table drawn by a seed. It is fitted and asked in one way, and then in
all the others; what is compared are the bytes of the answers and of the fitted arrays.

``python -m attack.determinism`` in tests/ runs it alone for five minutes.
"""

import collections
import hashlib
import multiprocessing as mp
import os
import pickle
import random
import sys
import time
import warnings
import zlib
from contextlib import contextmanager

import joblib
import numba
import numpy as np
import pandas as pd
from estimators import public_estimators, quick
from golden_cases import QUESTIONS
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from counterpoint._kernels import threads

ESTIMATORS = {cls.__name__: cls for cls in public_estimators()}
# How much is fitted is not the point; these options say it.
FEW = {"n_estimators": 4, "max_epochs": 3, "base_epochs": 3, "n_generations": 2}
N_COLUMNS, N_NEW = 4, 25
N_ROWS = (60, 500)  # small, and enough to be cut into blocks
SECONDS_A_CASE = 600  # a hang; the first case may compile


def _read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


# Forms that a table may have.
FORMS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strides": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, 1::2],
    "read-only": _read_only,
    "frame": lambda X: pd.DataFrame(X, columns=list("abcd")),
}
DTYPES = ("float64", "float64", "float32", "int8")


class Case:
    """An estimator, not fitted, and what to fit it to and to ask it: drawn by a seed."""

    def __init__(self, name, seed):
        rng = np.random.RandomState(zlib.crc32(f"{name}:{seed}".encode()))
        self.model = small(ESTIMATORS[name])
        tags = get_tags(self.model)
        n = N_ROWS[seed % 2]
        X = rng.normal(size=(n + N_NEW, N_COLUMNS)) * 3
        X[:, 1] = X[:, 1].round()  # ties
        score = X[:, 0] + X[:, 1] * X[:, 2] / 3 + rng.normal(size=len(X)) / 2
        X = X.astype(DTYPES[rng.randint(len(DTYPES))])
        self.form = sorted(FORMS)[rng.randint(len(FORMS))]
        self.X, self.new = (FORMS[self.form](part) for part in (X[:n], X[n:]))
        if tags.estimator_type == "regressor":
            self.y = score[:n]
        else:
            binary = tags.classifier_tags is not None and not tags.classifier_tags.multi_class
            cuts = np.quantile(score, [0.5] if binary or rng.rand() < 0.5 else [0.3, 0.7])
            self.y = np.array(["no", "yes", "maybe"])[np.searchsorted(cuts, score[:n])]
        self.options = {}
        if has_fit_parameter(self.model, "sample_weight") and rng.rand() < 0.5:
            self.options["sample_weight"] = _read_only(rng.rand(n) + 0.1)

    def fit(self, model=None, X=None):
        """Fit a clone of the model, or the given one, and return it."""
        model = clone(self.model) if model is None else model
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(self.X if X is None else X, self.y, **self.options)


def small(cls):
    """Return an estimator that is fitted fast, with a seed."""
    model = quick(cls)
    options = model.get_params(deep=False)
    few = {name: value for name, value in FEW.items() if isinstance(options.get(name), int)}
    if "random_state" in options:
        few["random_state"] = 0
    return model.set_params(**few)


# -- bytes -------------------------------------------------------------------------------------


def fingerprint(model, new):
    """Return a digest of each answer and of each array that the model holds, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = {ask: getattr(model, ask)(new) for ask in QUESTIONS if hasattr(model, ask)}
    found = {}
    for ask, answer in answers.items():
        _collect(answer.toarray() if hasattr(answer, "toarray") else answer, ask, found)
    _collect(model, "model", found)
    return {name: hashlib.blake2b(held, digest_size=8).hexdigest() for name, held in found.items()}


def _collect(value, name, found, above=()):
    """Put the bytes of every array and number in ``value`` into ``found``, but of no times."""
    last = name.rsplit(".", 1)[-1]
    if id(value) in above or "seconds" in last or last == "n_jobs":
        return
    above = (*above, id(value))
    if isinstance(value, np.ndarray) and value.dtype != object:
        described = f"{value.dtype.kind}{value.dtype.itemsize} {value.shape} "
        found[name] = described.encode() + np.ascontiguousarray(value).tobytes()
    elif isinstance(value, np.ndarray | list | tuple):
        for k, item in enumerate(value):
            _collect(item, f"{name}[{k}]", found, above)
    elif isinstance(value, dict):
        for key, item in value.items():
            _collect(item, f"{name}[{key!r}]", found, above)
    elif isinstance(value, pd.DataFrame | pd.Series):
        _collect({str(k): np.asarray(v) for k, v in value.items()}, name, found, above)
    elif isinstance(value, float | int | str | np.generic | None):
        found[name] = repr(value).encode()
    elif type(value).__module__.startswith(("counterpoint", "sklearn")):
        for key, item in getattr(value, "__dict__", {}).items():
            _collect(item, f"{name}.{key}", found, above)


# -- ways --------------------------------------------------------------------------------------


@contextmanager
def two_threads():
    """Share every loop among two threads, however small it is."""
    before, worth = numba.get_num_threads(), threads._WORTH_A_THREAD
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    threads._WORTH_A_THREAD = 0
    try:
        yield
    finally:
        numba.set_num_threads(before)
        threads._WORTH_A_THREAD = worth


def plain(case):
    """Fit once more, after whatever was fitted before."""
    return fingerprint(case.fit(), case.new)


def on_two_threads(case, run=plain):
    """Fit and ask with kernels on two threads."""
    with two_threads():
        return run(case)


def with_jobs(backend, run=plain):
    """Return a way: two jobs of joblib's backend, if the estimator has jobs."""

    def run_jobs(case):
        if "n_jobs" in case.model.get_params(deep=False):
            case.model.set_params(n_jobs=2)
        with joblib.parallel_config(backend=backend):
            return run(case)

    return run_jobs


def after_other_seeds(case, run=plain):
    """Fit with other states of the global generators, which fit leaves as they are."""
    kept = np.random.get_state(), random.getstate()
    np.random.seed(7)
    random.seed(7)
    before = pickle.dumps((np.random.get_state(), random.getstate()))
    try:
        given = run(case)
        after = pickle.dumps((np.random.get_state(), random.getstate()))
    finally:
        np.random.set_state(kept[0])
        random.setstate(kept[1])
    return given if before == after else {"the global generators": "were used"}


def pickled(case):
    """Ask a copy made by pickle."""
    return fingerprint(pickle.loads(pickle.dumps(case.fit())), case.new)


def fitted_again(case):
    """Fit what is fitted already, then a clone of that."""
    fitted = case.fit()
    once = fingerprint(case.fit(fitted), case.new)
    twice = fingerprint(case.fit(clone(fitted)), case.new)
    return once if once == twice else {"a clone of the fitted": "differs"}


def as_copy(case):
    """Fit and ask with a writable copy that lies in memory the same way, if there is such a copy.

    If it lay another way, last bits might differ: numpy, and members of other libraries, add up
    numbers in the order in which they find them. And the names in a frame are part of a model.
    """
    if case.form in ("strides", "frame"):
        return plain(case)
    return fingerprint(case.fit(X=case.X.copy(order="K")), case.new.copy(order="K"))


def keeping_inputs(case, run=plain):
    """Fit and ask, and tell if anything that was given is not as it was."""
    given = case.X, case.new, case.y, case.options, case.model.get_params()
    before = pickle.dumps(given)
    answer = run(case)
    return answer if pickle.dumps(given) == before else {"the input": "was changed"}


def all_at_once(case):
    """Change for one fit what can be changed in a process: threads, jobs, seeds, a pickle."""

    def seeds(case):
        return after_other_seeds(case, run=pickled)

    with two_threads():
        return keeping_inputs(case, run=with_jobs("threading", run=seeds))


HERE = {
    "again": plain,
    "two threads": on_two_threads,
    "two threads of joblib": with_jobs("threading"),
    "two processes of joblib": with_jobs("loky"),
    "other global seeds": after_other_seeds,
    "pickled": pickled,
    "fitted again": fitted_again,
    "a writable copy": as_copy,
    "inputs": keeping_inputs,
}


def try_way(way, name, seed):
    """Run a case in a way; return its fingerprint, or the error it ended with."""
    try:
        return way(Case(name, seed))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def difference(wanted, given):
    """Return in words where two fingerprints differ, or None."""
    everything = {**wanted, **given}  # answers first
    differ = [name for name in everything if wanted.get(name) != given.get(name)]
    if not set(given) & set(wanted):
        return "; ".join(f"{name} {value}" for name, value in given.items())
    return f"{', '.join(differ[:4])} ({len(differ)} of {len(wanted)})" if differ else None


# -- processes ---------------------------------------------------------------------------------

# A fresh process differs in what may differ: the hashes of strings, and what is in memory that
# nobody has written to yet.
FRESH = {"PYTHONHASHSEED": "77", "MALLOC_PERTURB_": "85"}


def serve(pipe):
    """Answer cases sent through a pipe until None comes."""
    while (case := pipe.recv()) is not None:
        pipe.send(try_way(plain, *case))


class Process:
    """A process that fits cases, started in one of Python's ways, and again where it died."""

    def __init__(self, start):
        self.context = mp.get_context(start)
        self.start()

    def start(self):
        """Start it with what is different in a fresh process."""
        self.pipe, theirs = mp.Pipe()
        kept = {name: os.environ.get(name) for name in FRESH}
        os.environ.update(FRESH)
        try:
            self.process = self.context.Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
        finally:
            for name, value in kept.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        theirs.close()

    def run(self, name, seed):
        """Return the fingerprint of a case."""
        try:
            self.pipe.send((name, seed))
            if self.pipe.poll(SECONDS_A_CASE):
                return self.pipe.recv()
            text = f"no answer in {SECONDS_A_CASE} seconds"
        except (EOFError, OSError):
            self.process.join()
            text = f"the process ended with {self.process.exitcode}"
        self.stop()
        self.start()
        return {"error": text}

    def stop(self):
        """End the process."""
        self.process.kill()
        self.process.join()


def in_a_fork(name, seed):
    """Fit in a process forked from this one, where kernels and threads have been used."""
    forked = Process("fork")
    try:
        return forked.run(name, seed)
    finally:
        forked.stop()


def attack(seconds, seed=0):
    """Fit every estimator in every way until the time is up; return counts and defects."""
    counts, defects = collections.Counter(), []
    end = time.monotonic() + seconds
    names = sorted(ESTIMATORS)
    while time.monotonic() < end:
        others = {start: Process(start) for start in ("spawn", "forkserver")}
        ways = {
            **{way: lambda name, seed, f=f: try_way(f, name, seed) for way, f in HERE.items()},
            **{start: other.run for start, other in others.items()},
            "fork": in_a_fork,
        }
        for name in np.random.RandomState(seed).permutation(names):
            if time.monotonic() > end:
                break
            wanted = try_way(plain, name, seed)
            counts["refused"] += "error" in wanted
            for way, run in ways.items():
                counts["compared fits"] += 1
                differs = difference(wanted, run(name, seed))
                if differs:
                    counts[f"not the same: {way}"] += 1
                    defects.append((f"not the same: {way}", f"{name}:{seed}", differs))
        for other in others.values():
            other.stop()
        seed += 1
    return counts, defects


def main():
    """Attack for five minutes."""
    counts, defects = attack(float(sys.argv[1]) if len(sys.argv) > 1 else 300)
    print(*defects, counts, sep="\n")
    return int(bool(defects))


if __name__ == "__main__":
    sys.exit(main())
