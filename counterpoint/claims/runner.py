"""Run the cells of an experiment that are not done yet, here or on a cluster.

Workers only compute: the process that called :func:`run_experiment` writes, each cell as it
finishes. So a run may be stopped anywhere, and the next one does what is left.
"""

import logging
import warnings
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any

import pandas as pd
from joblib import Parallel, delayed

from counterpoint._progress import track
from counterpoint.claims.evaluation import Outcome, evaluate
from counterpoint.claims.protocol import Cell, Experiment
from counterpoint.claims.store import Store
from counterpoint.exceptions import ExperimentError

if TYPE_CHECKING:
    from distributed import Client

_CONNECT = 10.0  # seconds to wait for a scheduler, and for its first worker


def run_experiment(
    experiment: Experiment,
    store: Store,
    *,
    n_jobs: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
    time_limit: float | None = None,
    code: str = "",
) -> pd.DataFrame:
    """Run what is not in the store yet; return the rows of all that is.

    The rows are the same at any number of workers and on any backend: a cell's seed comes from
    its values, and each cell has one thread.

    Parameters
    ----------
    experiment : Experiment
    store : Store
        Finished cells are looked up here, and put here one by one.
    n_jobs : int or None, default=None
        Cells at a time, as in joblib; None means 1 unless a ``joblib.parallel_config`` says
        otherwise. A Dask cluster uses all it has.
    backend : str or None, default=None
        A joblib backend (``"loky"``, ``"threading"`` or a registered one) or ``"dask"``.
    scheduler : str or None, default=None
        Address of the Dask scheduler, ``"tcp://10.0.0.1:8786"`` say. None takes the client
        that is there.
    progress : bool or None, default=None
        Draw a bar with the time left; None draws it on a terminal.
    time_limit : float or None, default=None
        Begin no cell after this many seconds. Those under way are finished.
    code : str, default=""
        What finished cells are kept with, to know by which code they were made.

    Returns
    -------
    DataFrame
        See :meth:`Store.frame`; with a time limit some cells may be missing.

    Raises
    ------
    ExperimentError
        If cells failed, after all others ran, or if the workers or the Dask scheduler died: then
        it says how many cells are kept. Nothing is stored for a failed cell; the next run tries it
        again.

    Examples
    --------
    >>> import tempfile
    >>> from counterpoint.claims import Experiment, Store, grid, run_experiment
    >>> made = Experiment("doubling", lambda *, seed, x: {"twice": 2 * x}, grid(x=[1, 2]))
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/cells.sqlite") as store:
    ...     run_experiment(made, store)["twice"].tolist()
    [2, 4]
    """
    _check(n_jobs, backend, scheduler, time_limit)
    deadline = None if time_limit is None else monotonic() + time_limit
    cells = experiment.cells()
    done = store.done(experiment)
    waiting = [cell for cell in cells if cell.key not in done]
    # Workers need the function, not the grid.
    task = partial(evaluate, replace(experiment, values=()))
    failed: list[Outcome] = []
    n_run = 0
    if waiting:
        with _started(task, _until(deadline, waiting), n_jobs, backend, scheduler) as outcomes:
            bar = track(outcomes, total=len(waiting), description=experiment.name, show=progress)
            try:
                with closing(bar):
                    for outcome in bar:
                        n_run += 1
                        if outcome.error:
                            failed.append(outcome)
                        else:
                            store.put(experiment, outcome.cell, outcome.rows, outcome.seconds, code)
            except KeyboardInterrupt as stop:
                stop.add_note(_left(experiment, store))
                raise
            except _Broken as error:
                left = _left(experiment, store)
                raise ExperimentError(f"{experiment.name} stopped: {error} {left}") from error
    if failed:
        order = {cell.key: place for place, cell in enumerate(cells)}
        failed.sort(key=lambda outcome: order[outcome.cell.key])
        raise _failure(experiment, failed, n_run)
    return store.frame(experiment)


class _Broken(Exception):
    """The workers are gone, and with them the cells that were under way."""


@contextmanager
def _started(
    task: "partial[Outcome]",
    cells: Iterator[Cell],
    n_jobs: int | None,
    backend: str | None,
    scheduler: str | None,
) -> Iterator[Iterator[Outcome]]:
    """Give the outcomes as they come, in any order."""
    if backend != "dask":
        yield _on_joblib(task, cells, n_jobs, backend)
        return
    with _client(scheduler) as client:
        yield _on_dask(client, task, cells)


def _on_joblib(
    task: "partial[Outcome]", cells: Iterator[Cell], n_jobs: int | None, backend: str | None
) -> Generator[Outcome, None, None]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    # One cell a batch and none in advance: what is killed or timed out is as little as can be.
    parallel = Parallel(
        n_jobs=n_jobs,
        backend=backend,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="n_jobs",
    )
    outcomes = parallel(delayed(task)(cell) for cell in cells)
    try:
        # Not `yield from`: a stop has to come to us before it comes to joblib.
        for outcome in outcomes:  # noqa: UP028
            yield outcome
    except BrokenProcessPool as error:
        raise _Broken("a worker died, perhaps for want of memory; try fewer at a time.") from error
    finally:
        with warnings.catch_warnings():
            # joblib finds it a waste to stop early; we were asked to.
            warnings.simplefilter("ignore", UserWarning)
            outcomes.close()


def _on_dask(
    client: "Client", task: "partial[Outcome]", cells: Iterator[Cell]
) -> Generator[Outcome, None, None]:
    # Not through joblib: its Dask backend waits for ever if a cell kills every worker it meets.
    from distributed import KilledWorker, as_completed

    running: Any = as_completed(loop=client.loop, raise_errors=False)
    sent: dict[Any, tuple[Cell, bool]] = {}
    suspects: list[Cell] = []
    gone = _Broken("the Dask scheduler is gone, and with it the cells that were under way.")

    def send() -> None:
        if client.status != "running":  # it would try for long to connect again
            raise gone
        try:
            room = 2 * sum(client.ncores().values()) - len(sent)  # workers come and go
        except OSError as error:
            raise gone from error
        chosen = list(islice(cells, max(room, 1 - len(sent), 0)))
        # A worker that dies takes all its cells with it: who is to blame shows when tried alone.
        alone = not chosen and not sent and bool(suspects)
        for cell in [suspects.pop()] if alone else chosen:
            future = client.submit(task, cell, pure=False)
            sent[future] = cell, alone
            running.add(future)

    try:
        send()
        for future in running:
            cell, alone = sent.pop(future)
            if future.cancelled():  # not by us: so does a client when it loses its scheduler
                raise gone
            try:
                outcome = future.result()
            except (CancelledError, OSError) as error:
                raise gone from error
            except Exception as error:  # the scheduler gave the cell up
                died = isinstance(error, KilledWorker)
                if died and not alone:
                    suspects.append(cell)
                    send()
                    continue
                why = "the workers that tried it died" if died else str(error)
                outcome = Outcome(cell, [], 0.0, f"{type(error).__name__}: {why}", str(error))
            yield outcome
            send()
    finally:
        if sent and client.status == "running":
            with suppress(OSError):
                client.cancel(list(sent))


@contextmanager
def _client(scheduler: str | None) -> Iterator["Client"]:
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError(
            "backend='dask' needs the package distributed: pip install distributed."
        ) from error
    if scheduler is None:
        try:
            client = Client.current()
        except ValueError as error:
            raise ValueError(
                "backend='dask' needs a cluster: pass scheduler='tcp://host:8786', or make a "
                "distributed.Client first."
            ) from error
        yield _with_workers(client)
        return
    try:
        client = Client(scheduler, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"No Dask scheduler answers at scheduler={scheduler!r}: start one with "
            "`dask scheduler`, or correct the address."
        ) from error
    with _quiet_close(client):
        yield _with_workers(client)


@contextmanager
def _quiet_close(client: "Client") -> Iterator[None]:
    """Close a client of ours at the end; if its scheduler is gone we say so, not its log."""
    try:
        yield
    finally:
        log = logging.getLogger("distributed.client")
        before = log.level
        if client.status != "running":
            log.setLevel(logging.CRITICAL)
        try:
            client.close()
        finally:
            log.setLevel(before)


def _with_workers(client: "Client") -> "Client":
    try:
        client.wait_for_workers(1, timeout=_CONNECT)
    except TimeoutError as error:
        where = client.scheduler.address if client.scheduler else "the scheduler"
        raise ConnectionError(
            f"The Dask cluster at {where} has no workers: start some with `dask worker {where}`."
        ) from error
    return client


def _until(deadline: float | None, cells: Iterable[Cell]) -> Iterator[Cell]:
    for cell in cells:
        if deadline is not None and monotonic() >= deadline:
            return
        yield cell


def _check(
    n_jobs: int | None, backend: str | None, scheduler: str | None, time_limit: float | None
) -> None:
    if n_jobs == 0:
        raise ValueError("n_jobs=0 runs nothing: choose 1 or more, or -1 for all cores.")
    if scheduler is not None and backend != "dask":
        raise ValueError(f"scheduler={scheduler!r} is for backend='dask', but backend={backend!r}.")
    if time_limit is not None and not time_limit >= 0:
        raise ValueError(f"time_limit={time_limit!r} is not a number of seconds from 0 up.")


def _left(experiment: Experiment, store: Store) -> str:
    # Asked of the store and not counted along: a stop may come between a cell and its count.
    kept, n_cells = len(store.done(experiment)), len(experiment.values)
    return (
        f"{kept} of {n_cells} cells of {experiment.name} are kept in {store.path}: run it again "
        "to go on from there."
    )


def _failure(experiment: Experiment, failed: list[Outcome], n_run: int) -> ExperimentError:
    first = failed[0]
    more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return ExperimentError(
        f"{len(failed)} of {n_run} cells of {experiment.name} failed, the others are kept; "
        f"{first.cell.key}: {first.error}{more}",
        {outcome.cell.key: outcome.trace for outcome in failed},
    )
