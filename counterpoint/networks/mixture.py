"""A mixture of experts as a model: its likelihood, and the two ways to raise it.

:func:`em` and :func:`ascend` yield a better mixture each time: after a round of expectation and
maximisation, or an epoch of gradient ascent.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from counterpoint.networks.coupling import (
    CROSS_ENTROPY,
    Coupling,
    NegativeCorrelation,
    cross_entropy,
)
from counterpoint.networks.engine import Networks, Trainer, start_networks
from counterpoint.networks.samples import Samples

# Squared error of each network by itself.
SQUARED = NegativeCorrelation(0.0)
_TINY = 1e-300
# Targets have variance 1: an expert that goes through a few of them exactly is not taken at
# its word.
_LEAST_VARIANCE = 1e-6
# Iterations of L-BFGS for the rough first split, which is far from where the gate starts; and how
# many of the last steps it remembers.
_FIRST_STEPS = 20
_REMEMBERED = 20
_HALVINGS = 20
# A step that gains less than this share of the error has arrived.
_ARRIVED = 1e-15


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """A gate that shares the input space among experts."""

    gate: Networks  # one network with a softmax output per expert
    experts: Networks  # softmax: class probabilities; linear: means of normal distributions
    variance: NDArray | None = None  # of those distributions, (n_experts,)

    def log_joint(self, rows: Samples) -> NDArray:
        """Return log g_i(x) + log p_i(y | x), of shape (n_experts, n_rows)."""
        share = self.gate.outputs(rows.X)[0].T
        return np.log(np.maximum(share, _TINY)) + self.log_density(rows)

    def log_density(self, rows: Samples) -> NDArray:
        """Return what each expert gives the truth, log p_i(y | x), (n_experts, n_rows)."""
        outputs = self.experts.outputs(rows.X)
        if self.variance is None:
            return -cross_entropy(outputs, rows.targets, "softmax")
        apart = ((outputs - rows.targets) ** 2).sum(axis=2)
        variance = self.variance[:, None]
        return -0.5 * (apart / variance + outputs.shape[2] * np.log(2 * np.pi * variance))

    def log_likelihood(self, rows: Samples) -> float:
        """Return the weighted mean over rows of log sum_i g_i(x) p_i(y | x)."""
        return float(_log_sum(self.log_joint(rows)) @ rows.weight)

    def penalty(self, alpha: float) -> float:
        """Return half of alpha times the squared weights, biases left out."""
        weights = [*self.gate.coefs, *self.experts.coefs]
        return 0.5 * alpha * sum(float((w**2).sum()) for w in weights)

    def responsibilities(self, rows: Samples) -> NDArray:
        """Return the probability of each expert given input *and* target, (n_experts, n_rows)."""
        joint = self.log_joint(rows)
        return np.exp(joint - _log_sum(joint))


def _log_sum(logs):
    """Return the logarithm of the sum over experts; scipy's is slow on arrays this small."""
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))


def start(n_experts, hidden, gate_hidden, rows, *, output, alpha, rng) -> Mixture:
    """Split the rows roughly by distance to a few of them, and fit gate and experts to that.

    A gate that starts even and experts that start alike would never part.
    """
    n_features, n_outputs = rows.X.shape[1], rows.targets.shape[1]
    experts = start_networks(
        n_experts, (n_features, *hidden, n_outputs), output=output, random_state=rng
    )
    gate = start_networks(
        1, (n_features, *gate_hidden, n_experts), output="softmax", random_state=rng
    )
    for w in gate.coefs[-1:] + gate.intercepts[-1:]:
        w *= 0.0
    mixture = Mixture(
        gate=gate, experts=experts, variance=None if output == "softmax" else np.ones(n_experts)
    )
    return maximised(mixture, _rough_split(n_experts, rows, rng), rows, alpha, _FIRST_STEPS)


def _rough_split(n_experts, rows, rng):
    # Centres far from each other, as k-means++ draws them.
    chance = rows.weight
    nearest = np.full(len(rows.X), np.inf)
    apart = np.empty((n_experts, len(rows.X)))
    for k in range(n_experts):
        centre = rows.X[rng.choice(len(rows.X), p=chance)]
        apart[k] = ((rows.X - centre) ** 2).sum(axis=1)
        nearest = np.minimum(nearest, apart[k])
        mass = nearest * rows.weight
        chance = mass / mass.sum() if mass.sum() > 0 else rows.weight
    score = -apart / (2 * max(float(nearest @ rows.weight), 1e-12))
    return np.exp(score - _log_sum(score))


def em(mixture: Mixture, rows: Samples, *, alpha: float, inner: int) -> Iterator[Mixture]:
    """Yield the mixture after each round; the penalised likelihood never falls."""
    while True:
        mixture = maximised(mixture, mixture.responsibilities(rows), rows, alpha, inner)
        yield mixture


def maximised(mixture, share, rows, alpha, inner) -> Mixture:
    """Raise the expected log-likelihood under these responsibilities (the M step).

    Linear experts of values have a closed form. All others, and the gate, take a few steps of
    L-BFGS, none of which goes down: a generalised EM.
    """
    weight = share * rows.weight
    gate = descended(mixture.gate, CROSS_ENTROPY, rows.X, share.T, rows.weight[None], alpha, inner)
    if mixture.variance is None:
        experts = descended(
            mixture.experts, CROSS_ENTROPY, rows.X, rows.targets, weight, alpha, inner
        )
        return Mixture(gate=gate, experts=experts)
    precise = weight / mixture.variance[:, None]
    if len(mixture.experts.coefs) == 1:
        experts = least_squares(mixture.experts, rows.X, rows.targets, precise, alpha)
    else:
        experts = descended(mixture.experts, SQUARED, rows.X, rows.targets, precise, alpha, inner)
    variance = _variance(experts, rows, weight, mixture.variance)
    return Mixture(gate=gate, experts=experts, variance=variance)


def _variance(experts, rows, weight, before):
    """Return the variance of each expert; one that nothing is left to keeps what it had."""
    apart = ((experts.outputs(rows.X) - rows.targets) ** 2).mean(axis=2)
    total = weight.sum(axis=1)
    variance = (apart * weight).sum(axis=1)
    variance = np.divide(variance, total, out=before.copy(), where=total > 1e-12)
    return np.maximum(variance, _LEAST_VARIANCE)


def least_squares(experts: Networks, X, targets, weight, alpha) -> Networks:
    """Return linear networks that minimise weighted squares plus the penalty, in one go."""
    wide = np.column_stack([X, np.ones(len(X))])
    ridge = np.diag(np.append(np.full(X.shape[1], alpha), 0.0))
    coefs, intercepts = np.empty_like(experts.coefs[0]), np.empty_like(experts.intercepts[0])
    for i, w in enumerate(weight):
        side = wide.T * w
        solution = np.linalg.lstsq(side @ wide + ridge, side @ targets, rcond=None)[0]
        coefs[i], intercepts[i] = solution[:-1], solution[-1]
    return replace(experts, coefs=[coefs], intercepts=[intercepts])


def descended(
    networks: Networks, coupling: Coupling, X, targets, weight, alpha: float, iterations: int
) -> Networks:
    """Return networks of lower, or the same, weighted error plus penalty.

    L-BFGS with steps halved until they go down far enough; it ends where none does, or where
    the error has no digit left to lose.
    """
    flat = np.concatenate([p.ravel() for p in networks.parameters])
    networks = _on(flat, networks)
    trainer = Trainer(networks=networks, coupling=coupling, alpha=alpha)

    def value():
        errors = coupling.error(networks.activations(X)[-1], targets)
        return (errors * weight).sum() + 0.5 * alpha * sum((w**2).sum() for w in networks.coefs)

    def slope():
        return np.concatenate([g.ravel() for g in trainer.gradients(X, targets, weight)])

    now, gradient = value(), slope()
    pairs: deque = deque(maxlen=min(iterations, _REMEMBERED))
    for _ in range(iterations):
        direction = -_inverse_curvature(gradient, pairs)
        fall = gradient @ direction
        if not fall < 0:
            break
        here, step = flat.copy(), 1.0 if pairs else 1.0 / max(1.0, np.abs(gradient).sum())
        for _ in range(_HALVINGS):
            flat[:] = here + step * direction
            then = value()
            if then <= now + 1e-4 * step * fall:
                break
            step /= 2
        else:
            flat[:] = here
            break
        gained = now - then
        before, now, gradient = gradient, then, slope()
        if gained <= _ARRIVED * abs(now):
            break
        moved, turned = flat - here, gradient - before
        if moved @ turned > 0:
            pairs.append((moved, turned, 1.0 / (moved @ turned)))
    return networks.copy()


def _inverse_curvature(gradient, pairs):
    """Apply the inverse curvature seen so far to a gradient: the two loops of L-BFGS."""
    direction = gradient.copy()
    shares = []
    for moved, turned, rho in reversed(pairs):
        shares.append(rho * (moved @ direction))
        direction -= shares[-1] * turned
    if pairs:
        moved, turned, rho = pairs[-1]
        direction /= rho * (turned @ turned)
    for (moved, turned, rho), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - rho * (turned @ direction)) * moved
    return direction


def _on(flat, networks):
    """Return the same networks with all their arrays laid into one vector."""
    views, at = [], 0
    for p in networks.parameters:
        views.append(flat[at : at + p.size].reshape(p.shape))
        at += p.size
    n = len(networks.coefs)
    return replace(networks, coefs=views[:n], intercepts=views[n:])


def ascend(
    mixture: Mixture, rows: Samples, *, alpha: float, learning_rate: float, batch_size, rng
) -> Iterator[Mixture]:
    """Yield the mixture after each epoch of gradient ascent on the likelihood, by Adam.

    The gradient of the likelihood is that of the expected one under the responsibilities of
    the moment. Variances have their closed form, once an epoch.
    """
    options: dict = {"solver": "adam", "learning_rate": learning_rate, "alpha": alpha}
    gate = Trainer(networks=mixture.gate.copy(), coupling=CROSS_ENTROPY, **options)
    is_classifier = mixture.variance is None
    experts = Trainer(
        networks=mixture.experts.copy(),
        coupling=CROSS_ENTROPY if is_classifier else SQUARED,
        **options,
    )
    now = replace(mixture, gate=gate.networks, experts=experts.networks)
    size = len(rows.X) if batch_size is None else batch_size
    while True:
        order = rng.permutation(len(rows.X))
        for batch in gen_batches(len(rows.X), size):
            at = order[batch]
            part = rows.take(at)
            part = replace(part, weight=part.weight / part.weight.sum())
            share = now.responsibilities(part)
            weight = share * part.weight
            if now.variance is not None:
                weight /= now.variance[:, None]
            gate.step(part.X, share.T, part.weight[None])
            experts.step(part.X, part.targets, weight)
        if now.variance is not None:
            weight = now.responsibilities(rows) * rows.weight
            variance = _variance(now.experts, rows, weight, now.variance)
            now = replace(now, variance=variance)
        yield replace(now, gate=now.gate.copy(), experts=now.experts.copy())
