"""Cases run by workers with limits of time and memory; a crash or a hang is a row as any other.

Every target gets ``LEAST`` cases first; after that the one that has used the least time is next, so
that a slow target does not keep the others waiting.
"""

import collections
import multiprocessing as mp
import os
import resource
import time
from pathlib import Path

import numpy as np
from numba.core import config

MEMORY = 6 * 2**30
LEAST = 40
# Of the worker's own processor time, so that a busy machine makes no hangs.
SECONDS_A_CASE = 60.0
SECONDS_TO_START = 120.0
FINE = ("answer", "error")


def run_case(name, seed):
    """Run one case; return (kind, text)."""
    from attack import judge, targets

    rng = np.random.RandomState(seed)
    try:
        call = targets.prepare(name, rng)
    except (ValueError, TypeError, MemoryError):
        return "error", "refused while the arguments were made"
    return judge.judge(call)


class Board:
    """What parent and worker share: cases done and time spent by target, and the case now."""

    def __init__(self, context, names, seed):
        self.names, self.seed = names, seed
        self.done = context.RawArray("d", len(names))
        self.spent = context.RawArray("d", len(names))
        self.tally = context.RawArray("d", len(FINE))
        self.now = context.RawArray("d", 2)  # which target, and the processor time at its start

    def choose(self):
        """Return which target is next."""
        done = np.frombuffer(self.done)
        least = int(done.argmin())
        return least if done[least] < LEAST else int(np.frombuffer(self.spent).argmin())

    def case(self, k):
        """Return the case of a target that is next: its name and its seed."""
        return self.names[k], int(self.seed + self.done[k])

    def close(self, k, seconds):
        """Count the case of a target as done."""
        self.done[k] += 1
        self.spent[k] += seconds


def one_thread():
    """Hold kernels to one thread.

    Numba, which may be imported already, is told at once: when it looked by itself, at the next
    kernel that it compiles, one from the cache might have started threads.
    """
    os.environ["NUMBA_NUM_THREADS"] = "1"
    config.reload_config()


def _work(board, defects, run):
    one_thread()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        k = board.choose()
        begin = time.process_time()
        board.now[0], board.now[1] = k, begin
        name, seed = board.case(k)
        kind, text = run(name, seed)
        board.close(k, time.process_time() - begin)
        if kind in FINE:
            board.tally[FINE.index(kind)] += 1
        else:
            defects.send((kind, f"{name}:{seed}", text))


def processor_time(pid):
    """Return the processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """One process at its share of the targets, started again after a crash or a hang."""

    def __init__(self, names, seed, run=run_case):
        self.run = run
        self.context = mp.get_context("spawn")
        self.board = Board(self.context, names, seed)
        self.defects = []
        self.start()

    def start(self):
        """Start the process where the board stands."""
        self.pipe, end = self.context.Pipe(duplex=False)
        self.board.now[0] = -1
        self.process = self.context.Process(
            target=_work, args=(self.board, end, self.run), daemon=True
        )
        self.began = time.monotonic()
        self.process.start()
        end.close()

    def collect(self):
        """Take what the process sent."""
        try:
            while self.pipe.poll():
                self.defects.append(self.pipe.recv())
        except (EOFError, OSError):
            pass

    def look_after(self):
        """Collect; where the process is dead or stuck, write that down and start another."""
        self.collect()
        k = int(self.board.now[0])
        kind = None
        if not self.process.is_alive():
            kind = "crash"
        elif k < 0:
            kind = "no start" if time.monotonic() - self.began > SECONDS_TO_START else None
        elif processor_time(self.process.pid) - self.board.now[1] > SECONDS_A_CASE:
            kind = "hang"
        if kind:
            name, seed = self.board.case(k) if k >= 0 else ("the worker", 0)
            self.stop()
            self.defects.append((kind, f"{name}:{seed}", ""))
            if k >= 0:
                self.board.close(k, SECONDS_A_CASE if kind == "hang" else 1.0)
            self.start()

    def stop(self):
        """End the process."""
        self.process.kill()
        self.process.join()
        self.collect()


def attack(names, seconds, n_workers=2, seed=0):
    """Attack the names until the time is up; return counts and defects."""
    n_workers = min(n_workers, len(names))
    workers = [Worker(names[w::n_workers], seed) for w in range(n_workers)]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.2)
        for worker in workers:
            worker.look_after()
    counts, defects = collections.Counter(), []
    for worker in workers:
        worker.stop()
        for name, done in zip(worker.board.names, worker.board.done, strict=True):
            counts["calls" if "." in name else "fits"] += int(done)
        counts.update({kind: int(n) for kind, n in zip(FINE, worker.board.tally, strict=True)})
        counts.update(kind for kind, _, _ in worker.defects)
        defects += worker.defects
    least = min(
        (n, name) for w in workers for name, n in zip(w.board.names, w.board.done, strict=True)
    )
    print(f"least often: {least[1]}, {least[0]:.0f} cases")
    return counts, defects
