"""A hidden Markov model as arrays: where it starts, moves, and what its states put out."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from counterpoint._kernels import sequences as kernels
from counterpoint.sequences.data import Sequences
from counterpoint.sequences.gaussians import Gaussians

# Events per Gaussian among which seeds are looked for.
_FEW = 200


@dataclass(frozen=True, kw_only=True)
class Limits:
    """1 where a move (n_states, n_states) or a first state (n_states,) can be, 0 where not."""

    move: NDArray
    start: NDArray

    @classmethod
    def from_masks(cls, n_states: int, transitions=None, first_states=None) -> Self:
        """Check what was given; None allows everything."""
        n = n_states
        move = np.ones((n, n)) if transitions is None else np.asarray(transitions) != 0
        start = np.ones(n) if first_states is None else np.asarray(first_states) != 0
        if move.shape != (n, n) or start.shape != (n,):
            raise ValueError(
                f"transitions has shape {move.shape} and first_states {start.shape}, expected "
                f"({n}, {n}) and ({n},) for {n} states."
            )
        if not move.any(axis=1).all() or not start.any():
            raise ValueError(
                "transitions has a row of zeros only, or first_states is all zero: every state "
                "must lead somewhere, and a sequence must be able to begin."
            )
        return cls(move=move.astype(float), start=start.astype(float))


@dataclass(kw_only=True)
class Chain:
    """All parameters of a model, in logarithms where they are probabilities."""

    log_start: NDArray
    log_move: NDArray
    log_mix: NDArray
    parts: Gaussians

    @classmethod
    def draw(
        cls, data: Sequences, weight: NDArray, n_mixtures: int, kind: str, limits: Limits, rng
    ) -> Self:
        """Return a chain to start from: seeds far apart, one wide shape for all."""
        n_states = len(limits.start)
        n_parts = n_states * n_mixtures
        events, weight = np.nan_to_num(data.values), np.repeat(weight, data.lengths)
        if len(events) > _FEW * n_parts:
            rows = rng.randint(len(events), size=_FEW * n_parts)
            events, weight = events[rows], weight[rows]
        # Each event once: a weight of two is the same as two copies.
        events, which = np.unique(events, axis=0, return_inverse=True)
        weight = np.bincount(which.ravel(), weights=weight)
        n_seeds = min(n_parts, len(events))
        seeds, _ = kmeans_plusplus(events, n_seeds, sample_weight=weight, random_state=rng)
        seeds = np.resize(seeds, (n_parts, data.n_features))
        rng.shuffle(seeds)
        cov = np.eye(data.n_features) / max(1.0, n_parts ** (1 / data.n_features))
        return cls(
            log_start=log_shares(limits.start * rng.uniform(0.5, 1.5, n_states)),
            log_move=log_shares(limits.move * rng.uniform(0.5, 1.5, limits.move.shape)),
            log_mix=np.full((n_states, n_mixtures), -np.log(n_mixtures)),
            parts=Gaussians(mean=seeds, covariance=np.tile(cov, (n_parts, 1, 1)), kind=kind),
        )

    def revived(self, dead: NDArray, data: Sequences, limits: Limits, rng) -> "Chain":
        """Set dead components on events drawn at random, wide and with a fair share."""
        n_states, n_mixtures = self.log_mix.shape
        mean, cov = self.parts.mean.copy(), self.parts.covariance.copy()
        rows = rng.randint(len(data.values), size=int(dead.sum()))
        mean[dead] = np.nan_to_num(data.values[rows])
        if self.parts.kind != "tied":
            cov[dead] = np.eye(data.n_features)
        share = np.exp(self.log_mix)
        share[dead.reshape(share.shape)] = 1.0 / n_mixtures
        states = dead.reshape(share.shape).all(axis=1)
        move, start = np.exp(self.log_move), np.exp(self.log_start)
        move[:, states] = np.maximum(move[:, states], limits.move[:, states] / n_states)
        move[states] = limits.move[states]
        start[states] = np.maximum(start[states], limits.start[states] / n_states)
        return replace(
            self,
            log_start=log_shares(start),
            log_move=log_shares(move),
            log_mix=log_shares(share),
            parts=replace(self.parts, mean=mean, covariance=cov),
        )

    @property
    def n_mixtures(self) -> int:
        """Gaussians per state."""
        return self.log_mix.shape[1]

    def parameters(self) -> NDArray:
        """Return the quadratic forms of the log weighted densities, for :meth:`emissions`."""
        forms = self.parts.parameters()
        forms[0] += self.log_mix.ravel()
        return forms

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


def log_shares(counts: NDArray, before: NDArray | None = None) -> NDArray:
    """Return log shares along the last axis; rows without counts keep what they had."""
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.log(counts / total)
    return shares if before is None else np.where(total > 0, shares, before)
