"""Who keeps the shards of a store and answers for them: this process, or the workers of Dask."""

import os
import tempfile
import threading
import time
import uuid
from collections import Counter
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint._kernels.threads import at_most
from counterpoint.large.backend import check_workers, reaching, results, workers_of
from counterpoint.large.rows import Job
from counterpoint.large.store import BinnedStore

_LOOK = 10.0  # seconds after which it is asked whether workers have come


class Crew:
    """The shards of a store; ``each`` asks them all, and has the answers in their order.

    ``log`` is what every shard has to have gone through before it answers.
    """

    def __init__(self, store: BinnedStore, job: Job, n_shards: int):
        self.store, self.job, self.log = store, job, []  # type: ignore[var-annotated]
        # Of few rows a group is no whole number of blocks: they stay together.
        n_shards = max(1, min(n_shards, store.n_groups))
        if store.n_groups > 1 and store.group % 4096:
            n_shards = 1
        at = np.linspace(0, store.n_groups, n_shards + 1).round().astype(int).tolist()
        self.shards = list(pairwise(at))

    def each(self, name: str, *args: Any) -> list:
        """Return what every shard answers."""
        raise NotImplementedError

    # What a tree grower asks for: see ``RowSource``.

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.store.n_rows

    @property
    def group(self) -> int:
        """Rows that are summed up together."""
        return self.store.group

    def total_weight(self) -> float:
        """Return what the rows count together."""
        return float(np.concatenate(self.each("weight_sums")).sum())

    def measure(self, kind: int, centre: float):
        """Return what is found in each group, (3, n_groups)."""
        return np.concatenate(self.each("measure", kind, centre), axis=1)

    def add_up(self, wanted):
        """Return histograms, numbers of rows in bins and in new nodes, and squares by group."""
        parts = self.each("add_up", wanted)
        fresh, counts, n_rows = (sum(part[k] for part in parts[1:]) + parts[0][k] for k in range(3))
        return fresh, counts, n_rows, np.concatenate([part[3] for part in parts])


class LocalCrew(Crew):
    """All shards in this process, one after the other, each with all threads."""

    def __init__(self, store: BinnedStore, job: Job, n_shards: int, folder: Path):
        super().__init__(store, job, n_shards)
        self._rows = [job.rows(store, *shard, job, folder) for shard in self.shards]

    def each(self, name: str, *args: Any) -> list:
        """Return what every shard answers."""
        self.store.check_unchanged()
        return [_answer(rows, self.log, name, args) for rows in self._rows]


class DaskCrew(Crew):
    """Shards with the workers of a Dask cluster, each most often with the same one.

    A worker that is lost takes what it kept with it; who gets its shard makes it again. One that
    comes makes a shard of whoever has too many while the others work on, and then has it.
    """

    def __init__(self, store: BinnedStore, job: Job, client: Any, n_shards: int | None = None):
        workers = check_workers(client)
        super().__init__(store, job, n_shards or len(workers))
        self.client = client
        self._homes = [workers[k % len(workers)] for k in range(len(self.shards))]
        self._seen = [0] * len(self.shards)  # entries of the log that are with each shard already
        self._moves: dict[int, tuple[str, int, Any]] = {}  # shard: to whom, with what of the log
        self._looked = time.monotonic()

    def each(self, name: str, *args: Any) -> list:
        """Return what every shard answers."""
        self.store.check_unchanged()
        answers: list = [_BEHIND] * len(self.shards)
        with reaching(self.client):
            self._take_turns()
            while behind := [k for k, answer in enumerate(answers) if answer is _BEHIND]:
                for k, (home, answer) in zip(behind, self._ask(behind, name, args), strict=True):
                    self._homes[k], answers[k] = home, answer
                    # Whoever has a shard for the first time has to be told all of the log.
                    self._seen[k] = 0 if answer is _BEHIND else len(self.log)
        return answers

    def _ask(self, which, name, args):
        """Return who answers for these shards, and what."""
        sent = self._submit(
            which, name, args, [self._homes[k] for k in which], [self._seen[k] for k in which]
        )
        return results(
            self.client,
            sent,
            lambda i: self._submit([which[i]], name, args, [self._settle(which[i])], [0])[0],
        )

    def _settle(self, k):
        """Return a new home for a shard: who is at work in this fit already, and has few."""
        has = Counter(self._homes)
        workers = workers_of(self.client) or self._homes
        self._homes[k] = min(workers, key=lambda worker: (worker not in has, has[worker], worker))
        return self._homes[k]

    def _submit(self, which, name, args, homes, seen):
        """Ask workers for shards, all at once, each told what comes after ``seen`` entries."""
        import dask

        keys = [f"answer-{uuid.uuid4().hex}" for _ in which]
        places = {key: [home] for key, home in zip(keys, homes, strict=True)}
        # Of these and no others: who is idle would take one over, and have all to make anew.
        with dask.annotate(workers=places.__getitem__):
            return self.client.map(
                _ask, [self.shards[k] for k in which], [self.log[n:] for n in seen], seen,
                store=self.store, job=self.job, name=name, args=args, key=keys, pure=False,
            )  # fmt: skip

    def _take_turns(self):
        """Now and then, have workers that came make shards of those that have too many."""
        for k, (home, n_told, made) in list(self._moves.items()):
            if made.status != "pending":
                del self._moves[k]
                if made.status == "finished":
                    left, self._homes[k], self._seen[k] = self._homes[k], home, n_told
                    self._dismiss(self.shards[k], workers=[left])
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        workers = list(workers_of(self.client))
        # Who was to make a shard may be gone too.
        self._moves = {k: move for k, move in self._moves.items() if move[0] in workers}
        for k, home in moves(self._homes, workers).items():
            if k not in self._moves:
                (made,) = self._submit([k], "is_made", (), [home], [0])
                self._moves[k] = home, len(self.log), made

    def dismiss(self) -> None:
        """Have the workers forget the shards."""
        self._dismiss(None)

    def _dismiss(self, shard, **whom):
        # Nobody waits: a worker may be gone, and the next fit clears up too.
        self.client.run(_forget, self.job.token, shard, wait=False, on_error="ignore", **whom)


def moves(homes: list[str], workers: list[str]) -> dict[int, str]:
    """Return which shards are to move to whom so that no worker has two more than another.

    Those of workers that are gone are not looked at: they move by themselves.
    """
    has = {worker: [k for k, home in enumerate(homes) if home == worker] for worker in workers}
    found = {}
    while has:
        most, least = max(has, key=lambda w: len(has[w])), min(has, key=lambda w: len(has[w]))
        if len(has[most]) - len(has[least]) < 2:
            break
        k = has[most].pop()
        found[k] = least
        has[least].append(k)
    return found


def _answer(rows, log, name, args, seen=0):
    rows.catch_up(log, seen)
    return getattr(rows, name)(*args)


# -- in a worker -----------------------------------------------------------------------------------

_BEHIND = None  # what a worker says that lacks entries of the log; no answer is None
_kept: dict[tuple, Any] = {}
_lock = threading.Lock()


class _Kept:
    """What a worker has of a shard; one question at a time."""

    def __init__(self):
        self.lock, self.rows = threading.Lock(), None


def _ask(shard, log, seen, *, store, job, name, args):
    """Answer for a shard, in a worker; return its address too.

    ``log`` is what comes after the first ``seen`` entries; a worker that lacks some says so.
    """
    from distributed import get_worker

    worker = get_worker()
    with _lock:
        for other in [known for known in _kept if known[0] != job.token]:
            del _kept[other]  # of a fit that is over
        kept = _kept.setdefault((job.token, shard), _Kept())
    # A question that was given up may still be at work on these rows.
    with kept.lock, at_most(worker.state.nthreads):
        if kept.rows is None:
            if seen:
                return worker.address, _BEHIND
            folder = Path(worker.local_directory)
            kept.rows = job.rows(store, *shard, job, folder if folder.is_dir() else None)
        rows = kept.rows
        if rows.n_done > seen + len(log):  # an answer that comes too late for anybody
            raise RuntimeError("The fit has gone on without this answer.")
        if rows.n_done < seen:
            return worker.address, _BEHIND
        store.check_unchanged()
        return worker.address, _answer(rows, log, name, args, seen)


async def _forget(token, shard):  # the only kind of function that nobody needs to wait for
    with _lock:
        for key in [known for known in _kept if known[0] == token]:
            if shard is None or shard == key[1]:
                del _kept[key]


@contextmanager
def new_crew(store: BinnedStore, make_job: Any, *, client: Any = None, n_shards: int | None = None):
    """Yield the crew of a fit; what it kept is gone afterwards."""
    store.check_unchanged()
    job = make_job(os.urandom(8).hex())
    if client is None:
        beside = store.path if os.access(store.path, os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix=".fit-", dir=beside) as folder:
            yield LocalCrew(store, job, n_shards or 1, Path(folder))
        return
    crew = DaskCrew(store, job, client, n_shards)
    try:
        yield crew
    finally:
        try:
            crew.dismiss()
        except Exception:  # the cluster may be gone, and the work is done
            return
