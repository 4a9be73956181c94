"""Hidden units and connections that come and go leave the rest of the networks alone."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from counterpoint.networks.samples import Samples
from counterpoint.networks.search import Search
from counterpoint.networks.structure import (
    joined,
    masked,
    n_connections,
    roomy,
    start_masked,
    trimmed,
    units,
    with_connections,
    with_unit_split,
    without_units,
)

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def drawn(sizes, seed, density=0.6):
    rng = np.random.RandomState(seed)
    networks = start_masked(sizes, 3, 2, output="softmax", rng=rng, density=density)
    return networks, rng.normal(size=(7, 3)), rng


def arrays(networks):
    return [a.copy() for a in [*networks.parameters, *networks.masks]]


@given(SIZES, st.integers(0, 1000))
def test_networks_start_with_the_units_asked_for(sizes, seed):
    networks, _, _ = drawn(sizes, seed, density=0.2)
    assert_array_equal(units(networks).sum(axis=1), sizes)
    assert (n_connections(networks) >= 2 * np.array(sizes)).all()
    for w, m in zip(networks.coefs, networks.masks, strict=True):
        assert (w[m == 0] == 0).all()
    full, _, _ = drawn(sizes, seed, density=1.0)
    assert_array_equal(n_connections(full), 5 * np.array(sizes))


@given(SIZES, SIZES, st.integers(0, 1000), st.integers(0, 3))
def test_room_does_not_change_what_networks_compute(sizes, others, seed, more):
    first, X, _ = drawn(sizes, seed)
    second, _, _ = drawn(others, seed + 1)
    gone = without_units(first.take(0), np.flatnonzero(units(first)[0])[:-1][:1])
    parts = [first, second, gone]
    both = joined(parts)
    expected = np.concatenate([part.outputs(X) for part in parts])
    assert_allclose(both.outputs(X), expected)
    assert both.sizes[1] == max(*sizes, *others)
    assert_allclose(roomy(both, both.sizes[1] + more).outputs(X), expected)
    assert_allclose(trimmed(roomy(both, both.sizes[1] + more)).outputs(X), expected)


@given(st.integers(1, 5), st.integers(0, 1000), st.floats(-3, 3))
def test_a_split_unit_does_the_same_job(size, seed, share):
    network, X, rng = drawn([size], seed)
    unit = rng.randint(size)
    before = arrays(network)
    split = with_unit_split(network, unit, share)
    assert_allclose(split.outputs(X), network.outputs(X), atol=1e-12)
    assert units(split).sum() == size + 1
    for now, then in zip(arrays(network), before, strict=True):
        assert_array_equal(now, then)


@given(st.integers(2, 5), st.integers(0, 1000))
def test_taking_out_and_putting_in_leaves_the_given_network_alone(size, seed):
    network, X, _ = drawn([size], seed)
    before = arrays(network)
    small = without_units(network, [1])
    assert units(small).sum() == size - 1
    wide = with_connections(network, 1, [0], [0], False)
    assert wide.coefs[1][0, 0, 0] == 0
    again = with_connections(wide, 1, [0], [0], True)
    assert again.coefs[1][0, 0, 0] == 0
    assert again.masks[1][0, 0, 0] == 1
    for now, then in zip(arrays(network), before, strict=True):
        assert_array_equal(now, then)
    # Without a unit: what is left of the sum that goes into the outputs.
    kept = [k for k in range(size) if k != 1]
    hidden = np.tanh(X @ network.coefs[0][0] + network.intercepts[0][0])[:, kept]
    score = hidden @ network.coefs[1][0][kept] + network.intercepts[1][0]
    proba = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    assert_allclose(small.outputs(X)[0], proba)


@pytest.mark.parametrize("batch_size", [None, 3])
@settings(max_examples=10)
@given(SIZES, st.integers(0, 1000))
def test_training_leaves_missing_connections_missing(batch_size, sizes, seed):
    networks, X, rng = drawn(sizes, seed)
    rows = Samples(X=X, targets=np.eye(2)[rng.randint(2, size=7)], weight=np.full(7, 1 / 7))
    options = SimpleNamespace(learning_rate=0.1, batch_size=batch_size)
    found = Search(options, rows, rows, rng).trained(networks, 5)
    assert_allclose(masked(found).outputs(X), found.outputs(X), atol=1e-14)
    assert not np.allclose(found.outputs(X), networks.outputs(X))
