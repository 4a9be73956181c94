"""Networks of one hidden layer whose units and connections come and go.

A batch has room for as many hidden units as its largest member; ``masks`` say which connections
are there. A unit is there as long as it has a connection to an output. Functions return new
networks and leave those given as they are.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterpoint.networks.engine import Networks, concatenate, start_networks


def start_masked(n_units, n_features, n_outputs, *, output, rng, density=1.0) -> Networks:
    """Draw networks with so many hidden units each, and every connection with chance ``density``.

    Every unit keeps at least one connection on each side.
    """
    room = max(n_units)
    networks = start_networks(
        len(n_units), (n_features, room, n_outputs), output=output, random_state=rng
    )
    masks = [(rng.random_sample(w.shape) < density).astype(float) for w in networks.coefs]
    for member, units in enumerate(n_units):
        for unit in range(room):
            there = float(unit < units)
            masks[0][member, :, unit] *= there
            masks[1][member, unit] *= there
            if there:
                masks[0][member, rng.randint(n_features), unit] = 1.0
                masks[1][member, unit, rng.randint(n_outputs)] = 1.0
    return masked(replace(networks, masks=masks))


def masked(networks: Networks) -> Networks:
    """Set to zero what has no connection, and the bias of units that are not there."""
    masks = networks.masks or [np.ones_like(w) for w in networks.coefs]
    there = np.asarray(masks[1].any(axis=2))
    masks = [masks[0] * there[:, None, :], masks[1].copy()]
    return replace(
        networks,
        coefs=[w * m for w, m in zip(networks.coefs, masks, strict=True)],
        intercepts=[networks.intercepts[0] * there, networks.intercepts[1].copy()],
        masks=masks,
    )


def units(networks: Networks) -> NDArray:
    """Say which hidden units are there, (n_members, room)."""
    if networks.masks is None:
        return np.ones(networks.intercepts[0].shape, dtype=bool)
    return np.asarray(networks.masks[1].any(axis=2))


def n_connections(networks: Networks) -> NDArray:
    """Return the number of connections of each member, biases left out."""
    masks = networks.masks or [np.ones_like(w) for w in networks.coefs]
    return sum(m.sum(axis=(1, 2)) for m in masks).astype(int)


def roomy(networks: Networks, room: int) -> Networks:
    """Return the networks with room for so many hidden units, and no more.

    Units move to the front; there must be no more of them than the room asked for.
    """
    networks = masked(networks)
    order = np.argsort(~units(networks), axis=1, kind="stable")
    have = order.shape[1]
    rows = np.arange(networks.n_members)[:, None]

    def fitted(array, axis):
        moved = array[rows, :, order].swapaxes(1, 2) if axis == 2 else array[rows, order]
        if room <= have:
            return np.ascontiguousarray(moved[:, :, :room] if axis == 2 else moved[:, :room])
        pad = [(0, 0)] * array.ndim
        pad[axis] = (0, room - have)
        return np.pad(moved, pad)

    coefs, masks, biases = networks.coefs, networks.masks, networks.intercepts
    return replace(
        networks,
        coefs=[fitted(coefs[0], 2), fitted(coefs[1], 1)],
        intercepts=[fitted(biases[0], 1), biases[1].copy()],
        masks=[fitted(masks[0], 2), fitted(masks[1], 1)],  # type: ignore[index]
    )


def trimmed(networks: Networks) -> Networks:
    """Return the networks without room that no member needs."""
    return roomy(networks, max(1, int(units(networks).sum(axis=1).max())))


def joined(parts) -> Networks:
    """Return several batches as one, with room for the largest member."""
    room = max(1, *(int(units(part).sum(axis=1).max()) for part in parts))
    return concatenate([roomy(part, room) for part in parts])


def with_unit_split(network: Networks, unit: int, share: float) -> Networks:
    """Split one hidden unit of one network in two, which together do what it did.

    Both get its inputs; its outputs are divided as ``1 + share`` and ``-share`` (EPNet's cell
    division).
    """
    there = int(units(network).sum())
    at = int(np.flatnonzero(np.argsort(~units(network)[0], kind="stable") == unit)[0])
    network = roomy(network, there + 1)
    for arrays in (network.coefs, network.masks):
        arrays[0][0, :, there] = arrays[0][0, :, at]  # type: ignore[index]
        arrays[1][0, there] = arrays[1][0, at]  # type: ignore[index]
    network.intercepts[0][0, there] = network.intercepts[0][0, at]
    network.coefs[1][0, at] *= 1.0 + share
    network.coefs[1][0, there] *= -share
    return network


def without_units(network: Networks, gone) -> Networks:
    """Take hidden units out of one network."""
    network = masked(network)
    network.masks[1][0, gone] = 0.0  # type: ignore[index]
    return trimmed(network)


def with_connections(network: Networks, layer: int, start, end, there: bool) -> Networks:
    """Put in (with weight zero) or take out connections of one layer of one network."""
    network = masked(network)
    network.masks[layer][0, start, end] = float(there)  # type: ignore[index]
    return masked(network)
