"""One small layer for work in parts: this machine, or the workers of a Dask cluster."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from typing import Any

import joblib

from counterpoint import __version__
from counterpoint.exceptions import ClusterLostError

_PATIENCE = 2.0  # seconds after which it is asked who works on what is not done
_ALONE = 120.0  # and for how long a cluster without workers is waited for


@contextmanager
def run_on(backend: Any = "local", *, n_jobs: int | None = None) -> Iterator[None]:
    """Run what estimators do in parts (their ``n_jobs``) here, or on a cluster.

    Pools, cross-fitting, ``OverproduceSelectClassifier``, views, dynamic selection and ensembles
    and searches of scikit-learn hand their parts to joblib; within this context it hands them to
    the backend. Arrays go to the workers once, not with every part. Parts of a worker that is lost
    are done again by others. Results do not depend on where they were made: every part has a seed
    of its own. What joblib's backend cannot do: a part that kills every worker it meets is waited
    for without end.

    Parameters
    ----------
    backend : "local" or distributed.Client, default="local"
        Where parts are done.
    n_jobs : int, default=None
        Parts at a time where an estimator says nothing itself. None: all cores, or all workers.

    See Also
    --------
    counterpoint.claims.run_experiment : Grids of experiments, with ``backend="dask"``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.large import run_on
    >>> from counterpoint.views import ViewEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> with run_on("local", n_jobs=1):
    ...     fitted = ViewEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y)
    >>> len(fitted.estimators_)
    3
    """
    n_jobs = -1 if n_jobs is None else n_jobs
    if isinstance(backend, str):
        if backend != "local":
            raise ValueError(
                f"backend={backend!r}: give 'local', or a distributed.Client of the cluster."
            )
        with joblib.parallel_config(n_jobs=n_jobs):
            yield
        return
    if not (hasattr(backend, "scheduler_info") and hasattr(backend, "submit")):
        raise TypeError(f"backend={type(backend).__name__}: give 'local', or a distributed.Client.")
    check_workers(backend)
    with joblib.parallel_config(backend="dask", client=backend, n_jobs=n_jobs):
        yield


@contextmanager
def reaching(client: Any) -> Iterator[None]:
    """Say in one sentence that the scheduler is gone, where a client has lost it."""
    gone = ClusterLostError("The Dask scheduler is gone, and the work of its workers with it.")
    if client.status != "running":  # it would try for long to connect again
        raise gone
    try:
        yield
    except (CancelledError, OSError, TimeoutError) as error:
        # What a worker raises is of these kinds too, and is its own to say.
        if client.status == "running" and not isinstance(error, CancelledError):
            raise
        raise gone from error


def workers_of(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of the workers that are there, by their addresses."""
    return client.scheduler_info(n_workers=-1)["workers"]


def results(client: Any, sent: list[Any], again: Callable[[int], Any]) -> list[Any]:
    """Return the results of futures, in their order, while workers come and go.

    What was to be done anywhere Dask gives to others when a worker is lost. But what was meant for
    a worker waits for it to come back, and who comes back has a new address. ``again(k)`` is then
    to submit the k-th once more; ``sent`` is changed in place.
    """
    from distributed import KilledWorker

    last_seen, gathering = time.monotonic(), None
    try:
        while True:
            if gathering is None and _are_done(sent):
                gathering = _begin_to_gather(client, sent)
            if gathering is not None and wait([gathering], _PATIENCE).done:
                return gathering.result()
            if workers_of(client):
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen >= _ALONE:
                raise ClusterLostError(
                    f"All workers of the cluster are gone, and none came back in {_ALONE:g} "
                    "seconds: start some, and try again."
                )
            else:
                continue
            under_way = {key for keys in client.processing().values() for key in keys}
            for k, future in enumerate(sent):
                # "lost": was done, and went away with the worker that had it.
                waits = future.status in ("pending", "lost")
                if waits and future.key not in under_way:
                    sent[k] = again(k)
                    if gathering is not None:  # who had the result is gone with it
                        gathering.cancel()
                        gathering = None
    except KilledWorker as error:
        raise ClusterLostError(
            f"The same work ended one worker after another ({error}): most likely they have too "
            "little memory. Give them more, or take more and smaller parts."
        ) from error
    finally:
        if gathering is not None:
            gathering.cancel()


def _are_done(sent):
    """Return whether all are done, for better or worse, before patience is lost."""
    import distributed

    try:
        distributed.wait(sent, timeout=_PATIENCE)
    except distributed.TimeoutError:
        return False
    return True


def _begin_to_gather(client, sent):
    """Have the results brought here, which may take longer than anybody's patience."""

    async def gather():
        return await client.gather(sent, asynchronous=True)

    return asyncio.run_coroutine_threadsafe(gather(), client.loop.asyncio_loop)


def in_turn(
    client: Any, work: Any, parts: Sequence[Any], *args: Any, each: Sequence[Any] | None = None
) -> Iterator[Any]:
    """Yield what workers make of each part, in the order of the parts.

    ``work(part, *args)`` is what they do; with ``each`` it has one more argument, the part's own.
    Two parts a worker are under way and no more, so that answers that nobody has asked for yet do
    not pile up.
    """
    waiting: deque[tuple[int, Any]] = deque()

    def submit(k):
        return parts[k].submit(client, work, *args, *([] if each is None else [each[k]]))

    def first():
        k, future = waiting.popleft()
        return results(client, [future], lambda _: submit(k))[0]

    ahead = 2 * len(check_workers(client))
    with reaching(client):
        for k in range(len(parts)):
            waiting.append((k, submit(k)))
            if len(waiting) >= ahead:
                yield first()
        while waiting:
            yield first()


def check_workers(client: Any) -> list[str]:
    """Return the addresses of the workers; raise if there is none, or one of another version."""
    with reaching(client):
        found = client.run(_version, on_error="return")
    for address, version in found.items():
        if isinstance(version, ImportError):
            raise RuntimeError(
                f"The worker {address} cannot load counterpoint ({version}): install {__version__} "
                "everywhere."
            ) from version
        if isinstance(version, Exception) and not isinstance(version, OSError):
            raise version
        if isinstance(version, str) and version != __version__:
            raise RuntimeError(
                f"The worker {address} has counterpoint {version}, here it is {__version__}: "
                "install the same version everywhere."
            )
    # An OSError is one that went away meanwhile.
    answered = sorted(address for address, version in found.items() if isinstance(version, str))
    if not answered:
        raise RuntimeError("The Dask cluster has no workers: start some, then try again.")
    return answered


def _version():
    from counterpoint import __version__ as own

    return own
