"""Many networks trained as one: the engine under every method of this package.

N networks of one shape are a few stacked arrays (:class:`Networks`). A coupling says what the
error of one member takes from the outputs of the others; a :class:`Trainer` moves all weights
together, by matrix products over all members at once, or one compiled kernel.

Weights are (n_members, fan_in, fan_out), outputs (n_members, n_samples, n_outputs), inputs
(n_samples, n_features), targets (n_samples, n_outputs).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.utils import check_random_state, gen_batches

from counterpoint._kernels import layers as _layers
from counterpoint._kernels.threads import threads_for
from counterpoint._validation import check_choice
from counterpoint.networks import _compiled
from counterpoint.networks.coupling import Coupling

HIDDEN = ("tanh", "logistic", "relu")
OUTPUTS = ("linear", "sigmoid", "softmax")
SOLVERS = ("gd", "adam")
INITS = ("nguyen-widrow", "nguyen-widrow-range", "glorot")
# Kingma & Ba 2015, algorithm 1: the values their paper proposes.
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8
# Steps of a smaller rate leave every weight as it is.
SMALLEST_RATE = 1e-30


@dataclass(frozen=True, kw_only=True)
class Networks:
    """N feed-forward networks with the same numbers of units, as stacked arrays.

    A network with fewer units or connections than the others has zeros where ``masks`` has
    zeros, and training leaves them so.
    """

    coefs: list[NDArray]  # of each layer, (n_members, fan_in, fan_out)
    intercepts: list[NDArray]  # of each layer, (n_members, fan_out)
    hidden: str = "tanh"  # what hidden units do, one of HIDDEN
    output: str = "linear"  # what output units do, one of OUTPUTS
    masks: list[NDArray] | None = None  # like coefs: 1 where there is a connection. None: all

    @property
    def n_members(self) -> int:
        """Number of networks."""
        return len(self.coefs[0])

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of each layer, inputs first."""
        return (self.coefs[0].shape[1], *(w.shape[2] for w in self.coefs))

    @property
    def parameters(self) -> list[NDArray]:
        """All arrays that training moves: the weights of every layer, then the biases."""
        return [*self.coefs, *self.intercepts]

    def copy(self) -> Self:
        """Return networks that share no weights with these."""
        return self.take(np.arange(self.n_members))

    def take(self, members) -> Self:
        """Return copies of some members, in the order given; a number may come twice."""
        members = np.atleast_1d(members)
        return replace(
            self,
            coefs=[w[members] for w in self.coefs],
            intercepts=[b[members] for b in self.intercepts],
            masks=None if self.masks is None else [m[members] for m in self.masks],
        )

    @property
    def most(self) -> float:
        """Return what no output can be larger than, whatever is asked: by the weights alone."""
        if self.hidden == "relu" or len(self.coefs) < 2:
            return np.inf
        # No hidden unit puts out more than 1.
        largest = np.abs(self.coefs[-1]).sum(axis=1) + np.abs(self.intercepts[-1])
        most = float(largest.max(initial=0.0))
        return most if self.output == "linear" or not np.isfinite(most) else 1.0

    def activations(self, X: NDArray) -> list[NDArray]:
        """Return what every layer puts out: hidden ones, then the outputs.

        Each is of shape (n_members, n_samples, n_units).
        """
        layers: list[NDArray] = []
        signal = X
        last = len(self.coefs) - 1
        for layer, (w, b) in enumerate(zip(self.coefs, self.intercepts, strict=True)):
            signal = np.matmul(signal, w)
            signal += b[:, None, :]
            signal = put_out(signal, self.output if layer == last else self.hidden)
            layers.append(signal)
        return layers

    def outputs(self, X: NDArray, *, batch_size: int = 4096) -> NDArray:
        """Return the outputs, (n_members, n_samples, n_outputs), in chunks of rows.

        Memory for hidden units grows with ``batch_size`` only. What a row gets does not depend on
        the others, to the last bit.
        """
        dtype = self.coefs[0].dtype
        outputs = np.empty((self.n_members, len(X), self.sizes[-1]), dtype=dtype)
        last = len(self.coefs) - 1
        for rows in gen_batches(len(X), batch_size):
            signal = np.require(X[rows][None], dtype=dtype, requirements=["C", "W"])
            for k, (w, b) in enumerate(zip(self.coefs, self.intercepts, strict=True)):
                into = np.empty((self.n_members, signal.shape[1], w.shape[2]), dtype=dtype)
                with threads_for(into.size * w.shape[1]):
                    _layers.layer(signal, np.ascontiguousarray(w), np.ascontiguousarray(b), into)
                signal = put_out(into, self.output if k == last else self.hidden)
            outputs[:, rows] = signal
        return outputs


def concatenate(parts: Sequence[Networks]) -> Networks:
    """Return all networks of several batches of one shape as one batch."""
    masked = any(part.masks is not None for part in parts)
    masks = [part.masks or [np.ones_like(w) for w in part.coefs] for part in parts]
    return replace(
        parts[0],
        coefs=[np.concatenate(layer) for layer in zip(*(p.coefs for p in parts), strict=True)],
        intercepts=[
            np.concatenate(layer) for layer in zip(*(p.intercepts for p in parts), strict=True)
        ],
        masks=[np.concatenate(m) for m in zip(*masks, strict=True)] if masked else None,
    )


def start_networks(
    n_members: int,
    sizes: Sequence[int],
    *,
    init: str = "nguyen-widrow",
    hidden: str = "tanh",
    output: str = "linear",
    random_state=None,
    dtype=np.float64,
    ranges: NDArray | None = None,
) -> Networks:
    """Draw networks to start from; ``sizes`` are units of each layer: inputs, hidden ones, outputs.

    "nguyen-widrow" (Nguyen and Widrow 1990) spreads the active parts of the hidden units evenly
    over inputs in [-1, 1]; its output layer is uniform in [-0.5, 0.5]. "nguyen-widrow-range" does
    so over the range of every input, ``ranges`` (2, n_inputs), as MATLAB's ``initnw``. "glorot"
    (Glorot and Bengio 2010) is uniform with a spread by fan-in and fan-out. Members are drawn one
    after another, so the first members of a larger ensemble are those of a smaller one.
    """
    check_choice(init, "init", INITS)
    rng = check_random_state(random_state)
    layers = list(pairwise(sizes))
    coefs = [np.empty((n_members, a, b), dtype=dtype) for a, b in layers]
    intercepts = [np.empty((n_members, b), dtype=dtype) for _, b in layers]
    for member in range(n_members):
        for layer, (fan_in, fan_out) in enumerate(layers):
            hidden_layer = layer < len(layers) - 1
            if init != "glorot" and hidden_layer:
                w, b = _nguyen_widrow(fan_in, fan_out, rng)
                if layer == 0 and init == "nguyen-widrow-range":
                    w, b = _over_ranges(w, b, ranges)
            else:
                limit = 0.5 if init != "glorot" else np.sqrt(6.0 / (fan_in + fan_out))
                w = rng.uniform(-limit, limit, (fan_in, fan_out))
                b = rng.uniform(-limit, limit, fan_out)
            coefs[layer][member], intercepts[layer][member] = w, b
    return Networks(coefs=coefs, intercepts=intercepts, hidden=hidden, output=output)


def _nguyen_widrow(fan_in, fan_out, rng):
    w = rng.uniform(-1.0, 1.0, (fan_in, fan_out))
    length = 0.7 * fan_out ** (1.0 / fan_in)
    w *= length / np.linalg.norm(w, axis=0)
    return w, rng.uniform(-length, length, fan_out)


def _over_ranges(w, b, ranges):
    """Return what says of raw inputs what w and b say of them brought to [-1, 1]."""
    low, high = np.asarray(ranges, dtype=np.float64)
    half, middle = high / 2 - low / 2, high / 2 + low / 2
    w = np.divide(w, half[:, None], out=np.zeros_like(w), where=half[:, None] > 0)
    return w, b - middle @ w


@dataclass(kw_only=True)
class Trainer:
    """Networks on their way: the weights, the coupling and the state of the solver."""

    networks: Networks  # changed in place by ``run``
    coupling: Coupling
    solver: str = "gd"
    learning_rate: float = 0.05
    alpha: float = 0.0  # half this times the squared weights (not biases) is added to each error
    batch_size: int | None = None  # None: all rows at once. Shuffled anew in every epoch
    random_state: np.random.RandomState = field(default_factory=np.random.RandomState)
    n_epochs: int = 0
    steps: int = 0
    moments: list[list[NDArray]] = field(default_factory=list)
    schedule: Callable[[int], Coupling] | None = None  # the coupling of every epoch, if it changes

    def run(
        self, X: NDArray, targets: NDArray, epochs: int, sample_weight: NDArray | None = None
    ) -> None:
        """Train for some epochs; weights are (n_samples,) or (n_members, n_samples).

        Only their ratios within a member count.
        """
        if self.schedule is not None:
            constant = replace(self, schedule=None)
            for _ in range(epochs):
                constant.coupling = self.coupling = self.schedule(self.n_epochs)
                constant.run(X, targets, 1, sample_weight)
                self.n_epochs, self.steps = constant.n_epochs, constant.steps
                self.moments = constant.moments
            return
        weight = mean_weights(sample_weight, len(X), self.networks.n_members)
        if _compiled.fits(self.networks, self.coupling, weight):
            self._start_moments()
            _compiled.run(self, X, targets, epochs, weight, (_BETA1, _BETA2, _EPSILON))
            return
        for _ in range(epochs):
            for part, own in self.batches(len(X), weight):
                self.step(X[part], targets[part], own)
            self.n_epochs += 1

    def batches(self, n: int, weight: NDArray | None) -> Iterator[tuple]:
        """Yield the rows of every step of an epoch, and their weights."""
        if self.batch_size is None or self.batch_size >= n:
            yield slice(None), weight
            return
        order = self.random_state.permutation(n)
        for rows in gen_batches(n, self.batch_size):
            part = order[rows]
            yield part, None if weight is None else weight[..., part] * (n / len(part))

    def step(self, X: NDArray, targets: NDArray, weight: NDArray | None) -> None:
        """Move all weights once, down the gradient on these rows."""
        self._descend(self.gradients(X, targets, weight))

    def gradients(
        self, X: NDArray, targets: NDArray, weight: NDArray | None = None
    ) -> list[NDArray]:
        """Return derivatives of the mean error of each member by its own parameters.

        In the order of ``networks.parameters``.
        """
        nets = self.networks
        layers = nets.activations(X)
        delta = self.coupling.delta(layers[-1], targets, nets.output)
        delta = delta / len(X) if weight is None else delta * np.atleast_2d(weight)[..., None]
        coefs: list[NDArray] = [None] * len(nets.coefs)  # type: ignore[list-item]
        intercepts = list(coefs)
        for layer in range(len(nets.coefs) - 1, -1, -1):
            below = X.T if layer == 0 else layers[layer - 1].transpose(0, 2, 1)
            coefs[layer] = np.matmul(below, delta)
            intercepts[layer] = delta.sum(axis=1)
            if self.alpha:
                coefs[layer] += self.alpha * nets.coefs[layer]
            if nets.masks is not None:
                coefs[layer] *= nets.masks[layer]
            if layer:
                delta = np.matmul(delta, nets.coefs[layer].transpose(0, 2, 1))
                delta *= _slope(layers[layer - 1], nets.hidden)
        return [*coefs, *intercepts]

    def _start_moments(self):
        if self.solver == "adam" and not self.moments:
            self.moments = [[np.zeros_like(p) for p in self.networks.parameters] for _ in range(2)]

    def _descend(self, gradients):
        self.steps += 1
        parameters = self.networks.parameters
        if self.solver == "gd":
            for p, g in zip(parameters, gradients, strict=True):
                p -= self.learning_rate * g
            return
        self._start_moments()
        rate = self.learning_rate * np.sqrt(1 - _BETA2**self.steps) / (1 - _BETA1**self.steps)
        for p, g, m, v in zip(parameters, gradients, *self.moments, strict=True):
            m += (1 - _BETA1) * (g - m)
            v += (1 - _BETA2) * (g * g - v)
            p -= rate * m / (np.sqrt(v) + _EPSILON)


def put_out(signal, kind):
    """Return what units of this kind make of their input; may write over it."""
    if kind == "tanh":
        return np.tanh(signal, out=signal)
    if kind in ("logistic", "sigmoid"):
        return expit(signal, out=signal)
    if kind == "relu":
        return np.maximum(signal, 0, out=signal)
    if kind == "softmax":
        return softmax(signal, axis=-1)
    return signal


def _slope(activation, kind):
    """Return the derivative of hidden units, from what they put out."""
    if kind == "tanh":
        return 1.0 - activation**2
    if kind == "logistic":
        return activation * (1.0 - activation)
    return (activation > 0).astype(activation.dtype)


def mean_weights(sample_weight, n, n_members):
    """Return weights (n_members or 1, n_samples) that turn sums into means, or None."""
    if sample_weight is None:
        return None
    weight = np.atleast_2d(np.asarray(sample_weight, dtype=np.float64))
    if weight.shape not in ((1, n), (n_members, n)):
        raise ValueError(
            f"sample_weight has shape {np.shape(sample_weight)}, expected ({n},) or "
            f"({n_members}, {n})."
        )
    return weight / weight.sum(axis=1, keepdims=True)
