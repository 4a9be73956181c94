"""Cases run by workers with limits of time and memory; a crash or a hang is a row as any other."""

import collections
import multiprocessing as mp
import os
import resource
import time

import numpy as np

MEMORY = 6 * 2**30
SECONDS_A_CASE = 60


def run_case(name, seed):
    """Run one case; return (kind, text)."""
    from attack import judge, targets

    rng = np.random.RandomState(seed)
    if "." in name:
        function = targets.functions()[name]
        try:
            arguments = targets.draw(function, rng)
        except (ValueError, TypeError, MemoryError):
            return "error", "refused while the arguments were made"
        return judge.judge(lambda: _discard(function(**arguments)))
    model, X, y, weight, new = targets.make_fit(targets.estimators()[name], rng)

    def fit_and_ask():
        options = {} if weight is None else {"sample_weight": weight}
        model.fit(X, y, **options)
        return judge.check_classifier(model, new)

    return judge.judge(fit_and_ask)


def _discard(answer):
    if hasattr(answer, "__next__"):
        list(answer)


def _work(names, first, step, share, place, results):
    os.environ["NUMBA_NUM_THREADS"] = "1"
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    k = first
    while True:
        name, seed = names[k % len(names)], k // len(names)
        place[0], place[1] = k, time.monotonic()
        results.put((k, name, seed, *run_case(name, seed)))
        k += step


def attack(names, seconds, n_workers=2, seed=0):
    """Attack the names in turn until the time is up; return counts and defects."""
    context = mp.get_context("spawn")
    counts, defects = collections.Counter(), []
    end = time.monotonic() + seconds
    places = [
        context.Array("d", [seed * len(names) + w, time.monotonic()]) for w in range(n_workers)
    ]
    queues = [context.Queue() for _ in range(n_workers)]

    def start(w, first):
        worker = context.Process(
            target=_work,
            args=(names, first, n_workers, n_workers, places[w], queues[w]),
            daemon=True,
        )
        places[w][0], places[w][1] = first, time.monotonic() + 60  # imports take their time
        worker.start()
        return worker

    workers = [start(w, seed * len(names) + w) for w in range(n_workers)]

    def collect(w):
        while not queues[w].empty():
            _, name, case, kind, text = queues[w].get()
            counts["fits" if "." not in name else "calls"] += 1
            counts[kind] += 1
            if kind not in ("answer", "error"):
                defects.append((kind, f"{name}:{case}", text))

    while time.monotonic() < end:
        time.sleep(0.2)
        for w in range(n_workers):
            collect(w)
            dead = not workers[w].is_alive()
            if not dead and time.monotonic() - places[w][1] < SECONDS_A_CASE:
                continue
            k = int(places[w][0])
            kind = "crash" if dead else "hang"
            counts[kind] += 1
            defects.append((kind, f"{names[k % len(names)]}:{k // len(names)}", ""))
            workers[w].kill()
            workers[w].join()
            queues[w] = context.Queue()
            workers[w] = start(w, k + n_workers)
    for w in range(n_workers):
        workers[w].kill()
        collect(w)
    return counts, defects
