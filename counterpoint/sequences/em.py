"""Expectation maximisation: what a chain makes of sequences, and the chain that explains it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import sequences as kernels
from counterpoint.sequences.chain import Chain, Limits, log_shares
from counterpoint.sequences.data import Sequences
from counterpoint.sequences.gaussians import Statistics

# Events looked at in one go: densities of so many stay in cache.
CHUNK = 2048
# Densities to compute below which waking threads costs more than they bring.
_WORTH_THREADS = 1_000_000
# A component that owns less than this share of what an equal one would is dead.
_DEAD = 1e-3


@dataclass(kw_only=True)
class Expectation:
    """What the E step expected."""

    likelihood: NDArray  # (n_sequences,), logarithms; -inf for what cannot be
    firsts: NDArray  # weighted first states
    moves: NDArray
    stats: Statistics  # what the components are estimated from


def expect(
    chain: Chain, data: Sequences, weight: NDArray, each: Callable = map, *, learn: bool = True
) -> Expectation:
    """Go forward and backward through all sequences.

    ``each`` is ``map``, or that of :func:`threads`. Sums are taken in the order of the chunks, so
    that they are the same at any number of threads. Without ``learn`` only likelihoods
    are computed.
    """
    known = chain.parameters()

    def one(part):
        begin, end = data.start[part.start], data.start[part.stop]
        X = data.values[begin:end]
        log_e, plain, offset = chain.emissions(X, known)
        sums = kernels.pass_over(
            log_e, plain, offset, data.start[part.start : part.stop + 1] - begin,
            chain.log_start, chain.log_move, chain.n_mixtures, weight[part],
        )  # fmt: skip
        stats = Statistics(chain.log_mix.size, data.n_features)
        if learn:
            stats.add(X, plain, chain.parts)
        return part, *sums, stats

    n = len(chain.log_start)
    total = Expectation(
        likelihood=np.empty(len(data)),
        firsts=np.zeros(n),
        moves=np.zeros((n, n)),
        stats=Statistics(chain.log_mix.size, data.n_features),
    )
    for part, own, first, moved, stats in each(one, chunks(data)):
        total.likelihood[part] = own
        total.firsts += first
        total.moves += moved
        total.stats.sums += stats.sums
    return total


def maximise(chain: Chain, expected: Expectation, floor: NDArray) -> Chain:
    """Return the chain that explains best what the E step expected."""
    return Chain(
        log_start=log_shares(expected.firsts, chain.log_start),
        log_move=log_shares(expected.moves, chain.log_move),
        log_mix=log_shares(expected.stats.sums[:, 0].reshape(chain.log_mix.shape), chain.log_mix),
        parts=expected.stats.estimate(chain.parts, floor),
    )


@dataclass(kw_only=True)
class Ascent:
    """What EM came to from one start."""

    chain: Chain  # the best on the way
    path: list[float]  # mean log-likelihood of a sequence before each step
    restarts: list[int]  # steps at which dead components were set anew
    converged: bool


def climb(
    chain: Chain,
    data: Sequences,
    weight: NDArray,
    limits: Limits,
    rng,
    each: Callable = map,
    *,
    max_iter: int,
    tol: float,
    floor: float,
) -> Ascent:
    """Repeat E and M steps from one start."""
    ascent = Ascent(chain=chain, path=[], restarts=[], converged=False)
    path, most = ascent.path, -np.inf
    for step in range(max_iter + 1):
        expected = expect(chain, data, weight, each)
        path.append(float(expected.likelihood @ weight / weight.sum()))
        if path[-1] > most:
            most, ascent.chain = path[-1], chain
        flat = step > 0 and path[-1] - path[-2] < tol and step - 1 not in ascent.restarts
        if step == max_iter:
            ascent.converged = flat
            break
        chain = maximise(chain, expected, np.full(data.n_features, floor))
        mass = expected.stats.sums[:, 0]
        dead = mass < _DEAD * mass.sum() / len(mass)
        if flat:
            if ascent.restarts or not dead.any():
                ascent.converged = True
                break
            chain = chain.revived(dead, data, limits, rng)
            ascent.restarts.append(step)
    path[-1] = max(path[-1], most)
    return ascent


@contextmanager
def threads(n_events: int, n_components: int) -> Iterator[Callable]:
    """Yield a ``map`` over as many threads as numba may use; the plain one for little work."""
    n = numba.get_num_threads()
    if n == 1 or n_events * n_components < _WORTH_THREADS:
        yield map
        return
    with ThreadPoolExecutor(n) as pool:
        yield pool.map


def chunks(data: Sequences) -> Iterator[slice]:
    """Yield slices of sequences that hold about ``CHUNK`` events."""
    at = 0
    while at < len(data):
        stop = int(np.searchsorted(data.start, data.start[at] + CHUNK, side="right")) - 1
        stop = min(max(stop, at + 1), len(data))
        yield slice(at, stop)
        at = stop
