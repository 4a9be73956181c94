"""A hidden Markov model as arrays, and what it makes of sequences: the E and M steps."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import sequences as kernels
from counterpoint.sequences._gaussians import Gaussians, Statistics
from counterpoint.sequences._sequences import Sequences

# Events looked at in one go: densities of so many stay in cache.
CHUNK = 2048
# Densities to compute below which waking threads costs more than they bring.
_WORTH_THREADS = 1_000_000


@dataclass(kw_only=True)
class Chain:
    """All parameters of a model, in logarithms where they are probabilities."""

    log_start: NDArray
    log_move: NDArray
    log_mix: NDArray
    parts: Gaussians

    @property
    def n_mixtures(self) -> int:
        """Gaussians per state."""
        return self.log_mix.shape[1]

    def parameters(self) -> NDArray:
        """Return the quadratic forms of the log weighted densities, for :meth:`emissions`."""
        found = self.parts.parameters()
        found[0] += self.log_mix.ravel()
        return found

    def emissions(self, X: NDArray, known: NDArray | None = None) -> tuple[NDArray, ...]:
        """Return log weighted densities (n_events, n_components), plain ones, and the offset."""
        if np.isnan(X).any():
            log_e = self.parts.log_density(X)
            log_e += self.log_mix.ravel()
        else:
            log_e = kernels.densities(X, self.parameters() if known is None else known)
        plain, offset = kernels.less_the_most(log_e)
        np.exp(plain, out=plain)
        return log_e, plain, offset


@dataclass(kw_only=True)
class Expectation:
    """What the E step found.

    Attributes
    ----------
    likelihood : ndarray of shape (n_sequences,)
        Logarithms; -inf for what cannot be.
    firsts, moves : ndarray
        Weighted first states and moves.
    stats : Statistics
        What the components are estimated from.
    """

    likelihood: NDArray
    firsts: NDArray
    moves: NDArray
    stats: Statistics


def expect(
    chain: Chain, data: Sequences, weight: NDArray, each: Callable = map, *, learn: bool = True
) -> Expectation:
    """Go forward and backward through all sequences.

    ``each`` is ``map``, or that of :func:`threads`. Sums are taken in the order of the chunks, so
    that they are the same at any number of threads. Without ``learn`` only likelihoods are found.
    """
    known = chain.parameters()

    def one(part):
        begin, end = data.start[part.start], data.start[part.stop]
        X = data.values[begin:end]
        log_e, plain, offset = chain.emissions(X, known)
        found = kernels.pass_over(
            log_e, plain, offset, data.start[part.start : part.stop + 1] - begin,
            chain.log_start, chain.log_move, chain.n_mixtures, weight[part],
        )  # fmt: skip
        stats = Statistics(chain.log_mix.size, data.n_features)
        if learn:
            stats.add(X, plain, chain.parts)
        return part, *found, stats

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


def maximise(chain: Chain, found: Expectation, floor: NDArray) -> Chain:
    """Return the chain that explains best what the E step found."""
    return Chain(
        log_start=log_shares(found.firsts, chain.log_start),
        log_move=log_shares(found.moves, chain.log_move),
        log_mix=log_shares(found.stats.sums[:, 0].reshape(chain.log_mix.shape), chain.log_mix),
        parts=found.stats.estimate(chain.parts, floor),
    )


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


def log_shares(counts: NDArray, before: NDArray | None = None) -> NDArray:
    """Return log shares along the last axis; rows without counts keep what they had."""
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.log(counts / total)
    return shares if before is None else np.where(total > 0, shares, before)
