"""EPNet's mutations of one network: training in two ways, and four changes of structure."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterpoint.networks.engine import Networks
from counterpoint.networks.samples import Samples
from counterpoint.networks.structure import (
    masked,
    units,
    with_connections,
    with_unit_split,
    without_units,
)


def annealed(network: Networks, rows: Samples, rng, *, n_steps=20, size=0.3) -> Networks:
    """Search at random around the weights of a network while the temperature falls.

    A step to a higher loss is taken with probability ``exp(-rise / T)``; T falls from a tenth
    of the first loss to a hundredth of that. The best weights met are returned.
    """
    masks = network.masks or [np.ones_like(w) for w in network.coefs]
    now = best = network
    loss = lowest = float(rows.loss(network.outputs(rows.X))[0])
    heat = max(loss, 1e-12) * 0.1
    for step in range(n_steps):
        moved = replace(
            now,
            coefs=[
                w + size * rng.uniform(-1, 1, w.shape) * m
                for w, m in zip(now.coefs, masks, strict=True)
            ],
            intercepts=[b + size * rng.uniform(-1, 1, b.shape) for b in now.intercepts],
        )
        then = float(rows.loss(moved.outputs(rows.X))[0])
        temperature = heat * 0.01 ** (step / n_steps)
        if rng.random_sample() < np.exp(min(0.0, (loss - then) / temperature)):
            now, loss = moved, then
        if then < lowest:
            best, lowest = moved, then
    return masked(best)


def importance(network: Networks, rows: Samples, rate: float) -> list[NDArray]:
    """Return how significantly each weight differs from zero: equation 5 of Yao and Liu 1997.

    For one network with softmax outputs and cross-entropy; two arrays like its ``coefs`` without
    the first axis. With ``x_t = w - rate * g_t``, the weight after a step on row t alone, it is
    ``sum x_t / sqrt(sum (x_t - mean)^2)``, without its sign; rows count by their weight. Where all
    rows agree it is infinite for a weight that is not zero; where nothing comes through (weight
    and gradient zero) it is 0.
    """
    hidden, outputs = (layer[0] for layer in network.activations(rows.X))
    out = outputs - rows.targets
    inner = (out @ network.coefs[1][0].T) * (1.0 - hidden**2)
    n = len(rows.X)
    tests = []
    for w, below, delta in (
        (network.coefs[0][0], rows.X, inner),
        (network.coefs[1][0], hidden, out),
    ):
        mean = (below * rows.weight[:, None]).T @ delta
        square = (below**2 * rows.weight[:, None]).T @ delta**2
        spread = rate * np.sqrt(np.maximum(square - mean**2, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            test = np.sqrt(n) * np.abs(w - rate * mean) / spread
        tests.append(np.nan_to_num(test, nan=0.0, posinf=np.inf))
    return tests


def units_dropped(network: Networks, most: int, rng) -> Networks:
    """Drop one to ``most`` hidden units at random; the last one stays."""
    alive = np.flatnonzero(units(network)[0])
    n = min(rng.randint(1, most + 1), len(alive) - 1)
    return without_units(network, rng.choice(alive, n, replace=False)) if n else masked(network)


def connections_dropped(network: Networks, rows: Samples, rate, most: int, rng) -> Networks:
    """Drop one to ``most`` connections, rather those that matter little.

    The most important one to an output stays, so that a unit is left.
    """
    network = masked(network)
    tests = np.concatenate([t.ravel() for t in importance(network, rows, rate)])
    is_there = _flat(network.masks) > 0
    inner = network.coefs[0].size
    is_there[inner + np.where(is_there, tests, -1.0)[inner:].argmax()] = False
    there = np.flatnonzero(is_there)
    n = min(rng.randint(1, most + 1), len(there))
    # As a chance: the inverse of the test, so that no connection is quite safe.
    chance = 1.0 / (1.0 + np.minimum(tests[there], 1e6))
    return _changed(network, _drawn(there, chance, n, rng), there=False)


def connections_added(network: Networks, rows: Samples, rate, most: int, rng) -> Networks:
    """Add one to ``most`` connections of weight zero, rather those that would matter much."""
    network = masked(network)
    tests = np.concatenate([t.ravel() for t in importance(network, rows, rate)])
    alive = units(network)[0]
    possible = [np.broadcast_to(alive, network.coefs[0][0].shape), alive[:, None]]
    possible[1] = np.broadcast_to(possible[1], network.coefs[1][0].shape)
    free = _flat([p[None] for p in possible]) & (_flat(network.masks) == 0)
    absent = np.flatnonzero(free)
    n = min(rng.randint(1, most + 1), len(absent))
    chance = 1e-6 + np.minimum(tests[absent], 1e6)
    return _changed(network, _drawn(absent, chance, n, rng), there=True)


def unit_added(network: Networks, rng) -> Networks:
    """Split a hidden unit drawn at random."""
    unit = rng.choice(np.flatnonzero(units(network)[0]))
    return with_unit_split(network, unit, rng.normal())


def _flat(arrays):
    return np.concatenate([a.ravel() for a in arrays])


def _drawn(places, chance, n, rng):
    return rng.choice(places, n, replace=False, p=chance / chance.sum()) if n else places[:0]


def _changed(network, places, *, there):
    first = network.coefs[0][0].shape
    inner = places < first[0] * first[1]
    for layer, at in ((0, places[inner]), (1, places[~inner] - first[0] * first[1])):
        shape = network.coefs[layer][0].shape
        begin, end = np.unravel_index(at, shape)
        network = with_connections(network, layer, begin, end, there)
    return network
