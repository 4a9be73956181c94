import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import networks as naive
from numpy.testing import assert_allclose, assert_array_equal

from counterpoint._kernels import turns
from counterpoint.networks import _compiled
from counterpoint.networks.coupling import Coupling, CrossEntropyMixture, NegativeCorrelation
from counterpoint.networks.engine import (
    HIDDEN,
    OUTPUTS,
    Networks,
    Trainer,
    concatenate,
    start_networks,
)

shapes = st.tuples(
    st.integers(1, 4),  # members
    st.integers(1, 3),  # features
    st.lists(st.integers(1, 4), min_size=1, max_size=2),  # hidden units
    st.integers(1, 3),  # outputs
)


class Interpreted(NegativeCorrelation):
    """The same coupling without a kernel."""

    kernel = Coupling.kernel


class InterpretedEntropy(CrossEntropyMixture):
    """As above."""

    kernel = Coupling.kernel


def data(rng, n, n_features, n_outputs):
    X = rng.normal(size=(n, n_features))
    return X, np.eye(n_outputs)[rng.randint(n_outputs, size=n)]


def make(coupling, *, n_members=3, sizes=(2, 4, 2), output="linear", seed=0, **options):
    networks = start_networks(n_members, sizes, output=output, random_state=seed)
    return Trainer(
        networks=networks, coupling=coupling, random_state=np.random.RandomState(7), **options
    )


def assert_alike(one: Networks, other: Networks, rtol=1e-9, atol=1e-12):
    for a, b in zip(one.parameters, other.parameters, strict=True):
        assert_allclose(a, b, rtol=rtol, atol=atol)


# Gradients


def objective(trainer, X, targets, weight, member):
    """Mean error of one member; the others stay as they are."""
    outputs = trainer.networks.outputs(X)
    error = trainer.coupling.error(outputs, targets)[member]
    squares = sum((w[member] ** 2).sum() for w in trainer.networks.coefs)
    return (weight[member] * error).sum() + 0.5 * trainer.alpha * squares


@settings(max_examples=60, deadline=None)
@given(
    shape=shapes,
    hidden=st.sampled_from(HIDDEN),
    output=st.sampled_from(OUTPUTS),
    s=st.floats(0, 1),
    alpha=st.sampled_from([0.0, 0.3]),
    weighing=st.sampled_from(["none", "shared", "own"]),
    masked=st.booleans(),
    seed=st.integers(0, 99),
)
def test_gradients_are_derivatives(shape, hidden, output, s, alpha, weighing, masked, seed):
    n_members, n_features, units, n_outputs = shape
    rng = np.random.RandomState(seed)
    X, targets = data(rng, 7, n_features, n_outputs)
    nets = start_networks(
        n_members, (n_features, *units, n_outputs), hidden=hidden, output=output, random_state=rng
    )
    if masked:
        masks = [(rng.uniform(size=w.shape) < 0.7).astype(float) for w in nets.coefs]
        coefs = [w * m for w, m in zip(nets.coefs, masks, strict=True)]
        nets = Networks(
            coefs=coefs, intercepts=nets.intercepts, hidden=hidden, output=output, masks=masks
        )
    trainer = Trainer(networks=nets, coupling=NegativeCorrelation(s), alpha=alpha)
    held = {
        "none": None,
        "shared": rng.uniform(size=(1, 7)),
        "own": rng.uniform(size=(n_members, 7)),
    }
    weight = held[weighing]
    found = trainer.gradients(X, targets, weight)
    weight = np.full((n_members, 7), 1 / 7) if weight is None else np.tile(weight, (n_members, 1))
    step = 1e-5
    for layer, (parameter, gradient) in enumerate(zip(nets.parameters, found, strict=True)):
        place = tuple(rng.randint(size) for size in parameter.shape)
        if masked and layer < len(nets.coefs) and not nets.masks[layer][place]:
            assert gradient[place] == 0
            continue
        before = parameter[place]
        values = []
        for sign in (1, -1):
            parameter[place] = before + sign * step
            values.append(objective(trainer, X, targets, weight, place[0]))
        parameter[place] = before
        if hidden == "relu":
            # Near the kink of a unit a difference is no derivative. Two layers have a test below.
            signals = X @ nets.coefs[0] + nets.intercepts[0][:, None]
            if np.abs(signals).min() < 1e-3 or len(units) > 1:
                continue
        expected = (values[0] - values[1]) / (2 * step)
        assert_allclose(gradient[place], expected, rtol=2e-5, atol=1e-8)


def test_relu_gradients_of_two_layers_are_derivatives():
    rng = np.random.RandomState(0)
    X, targets = data(rng, 5, 2, 2)
    trainer = Trainer(
        networks=start_networks(2, (2, 3, 3, 2), hidden="relu", random_state=1),
        coupling=NegativeCorrelation(0.5),
    )
    found = trainer.gradients(X, targets)
    weight = np.full((2, 5), 1 / 5)
    for parameter, gradient in zip(trainer.networks.parameters, found, strict=True):
        for place in np.ndindex(parameter.shape):
            before = parameter[place]
            values = []
            for sign in (1, -1):
                parameter[place] = before + sign * 1e-6
                values.append(objective(trainer, X, targets, weight, place[0]))
            parameter[place] = before
            assert_allclose(gradient[place], (values[0] - values[1]) / 2e-6, atol=1e-6)


# Epochs


def dicts(nets):
    return [
        {"w": w.tolist(), "b": b.tolist(), "v": v.tolist(), "c": c.tolist()}
        for w, v, b, c in zip(*nets.parameters, strict=True)
    ]


@pytest.mark.parametrize("coupling", [NegativeCorrelation(0.6), Interpreted(0.6)])
@pytest.mark.parametrize("solver", ["gd", "adam"])
@pytest.mark.parametrize(("output", "k"), [("linear", 1), ("sigmoid", 2), ("softmax", 3)])
def test_epochs_match_naive(coupling, solver, output, k):
    rng = np.random.RandomState(0)
    X, targets = data(rng, 9, 2, k)
    weight = rng.uniform(size=9)
    trainer = make(
        coupling, sizes=(2, 4, k), output=output, solver=solver, alpha=0.01, learning_rate=0.1
    )
    expected = naive.train(
        dicts(trainer.networks), X.tolist(), targets.tolist(), (weight / weight.mean()).tolist(),
        [list(range(9))] * 5, 9, solver=solver, rate=0.1, s=0.6, output=output, loss="squared",
        alpha=0.01,
    )  # fmt: skip
    trainer.run(X, targets, 2, weight)
    trainer.run(X, targets, 3, weight)
    assert trainer.n_epochs == trainer.steps == 5
    for found, wanted in zip(dicts(trainer.networks), expected, strict=True):
        assert_allclose(naive.flat(found), naive.flat(wanted), rtol=1e-9, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 150),
    n_members=st.integers(1, 5),
    n_features=st.integers(1, 9),
    n_hidden=st.integers(1, 9),
    n_outputs=st.integers(1, 4),
    batch_size=st.sampled_from([None, 1, 10, 64, 1000]),
    solver=st.sampled_from(["gd", "adam"]),
    output=st.sampled_from(OUTPUTS),
    weighted=st.booleans(),
    s=st.floats(0, 1),
)
def test_the_compiled_way_and_the_other_agree(
    n, n_members, n_features, n_hidden, n_outputs, batch_size, solver, output, weighted, s
):
    rng = np.random.RandomState(1)
    X, targets = data(rng, n, n_features, n_outputs)
    weight = rng.uniform(0.1, 1, size=n) if weighted else None
    trainers = []
    for coupling in (NegativeCorrelation(s), Interpreted(s)):
        trainer = make(
            coupling, n_members=n_members, sizes=(n_features, n_hidden, n_outputs), output=output,
            solver=solver, batch_size=batch_size, alpha=0.01, learning_rate=0.01,
        )  # fmt: skip
        trainer.run(X, targets, 2, weight)
        trainer.run(X, targets, 1, weight)
        trainers.append(trainer)
    assert trainers[0].steps == trainers[1].steps
    # Adam divides by the root of squares, which makes much of rounding where gradients vanish.
    atol = 1e-12 if solver == "gd" else 1e-6
    assert_alike(trainers[0].networks, trainers[1].networks, atol=atol)


@pytest.mark.parametrize("s", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("output", ["sigmoid", "softmax"])
def test_mixed_cross_entropies_agree_too(output, s):
    X, targets = data(np.random.RandomState(1), 70, 3, 3)
    trainers = []
    for coupling in (
        CrossEntropyMixture(s, output=output),
        InterpretedEntropy(s, output=output),
    ):
        trainer = make(coupling, sizes=(3, 5, 3), output=output, batch_size=40)
        assert _compiled.fits(trainer.networks, coupling, None) == (
            type(coupling) is CrossEntropyMixture
        )
        trainer.run(X, targets, 30)
        trainers.append(trainer)
    assert_alike(trainers[0].networks, trainers[1].networks)


def test_what_the_kernel_does_not_know_goes_the_other_way():
    trainer = make(NegativeCorrelation(0.5))
    nets = trainer.networks
    assert _compiled.fits(nets, trainer.coupling, None)
    assert _compiled.fits(nets, trainer.coupling, np.ones((1, 5)))
    assert not _compiled.fits(nets, trainer.coupling, np.ones((3, 5)))
    assert not _compiled.fits(nets, Interpreted(0.5), None)
    assert not _compiled.fits(
        nets, CrossEntropyMixture(0.5, output="softmax"), None
    )  # on linear outputs
    assert not _compiled.fits(start_networks(2, (2, 3, 3, 1)), NegativeCorrelation(0.5), None)
    assert not _compiled.fits(
        start_networks(2, (2, 3, 1), hidden="relu"), NegativeCorrelation(0.5), None
    )
    masked = Networks(
        coefs=nets.coefs, intercepts=nets.intercepts, masks=[np.ones_like(w) for w in nets.coefs]
    )
    assert not _compiled.fits(masked, NegativeCorrelation(0.5), None)


def test_single_precision_stays_single():
    X, targets = data(np.random.RandomState(0), 40, 3, 2)
    nets = [start_networks(3, (3, 5, 2), random_state=0, dtype=t) for t in (np.float32, np.float64)]
    for networks in nets:
        Trainer(networks=networks, coupling=NegativeCorrelation(0.5)).run(X, targets, 20)
    assert all(p.dtype == np.float32 for p in nets[0].parameters)
    assert_alike(*nets, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("batch_size", [None, 200])
def test_threads_do_not_change_a_bit(monkeypatch, batch_size):
    X, targets = data(np.random.RandomState(0), 300, 3, 2)
    monkeypatch.setattr(_compiled, "_LARGEST", 64)
    found = []
    for n_threads in (1, 2, 3):
        monkeypatch.setattr(_compiled, "_threads", lambda *work, n=n_threads: n)
        trainer = make(
            NegativeCorrelation(0.5), sizes=(3, 4, 2), solver="adam", batch_size=batch_size
        )
        trainer.run(X, targets, 30)
        found.append(trainer)
    for trainer in found[1:]:
        assert trainer.steps == found[0].steps == 30 * (1 if batch_size is None else 2)
        for a, b in zip(trainer.networks.parameters, found[0].networks.parameters, strict=True):
            assert_array_equal(a, b)


def test_who_waits_too_long_goes_on_alone(monkeypatch):
    X, targets = data(np.random.RandomState(0), 300, 3, 2)
    monkeypatch.setattr(_compiled, "_LARGEST", 64)
    alone, shared = (
        make(NegativeCorrelation(0.5), sizes=(3, 4, 2)),
        make(NegativeCorrelation(0.5), sizes=(3, 4, 2)),
    )
    alone.run(X, targets, 20)
    train, calls = _compiled.kernels.train, []

    def slow(*options):
        if options[-2] > 0:  # a helper that gets no core to run on
            return options[-3][turns.CLOSED, 0] > 0
        calls.append(options)
        return len(calls) > 20 and train(*options)

    monkeypatch.setattr(_compiled.kernels, "train", slow)
    monkeypatch.setattr(_compiled, "_alone_until", 0.0)
    monkeypatch.setattr(_compiled, "_GRACE", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(_compiled, "_threads", lambda *_: 3)
        shared.run(X, targets, 20)
    assert_alike(alone.networks, shared.networks, rtol=0, atol=0)
    monkeypatch.setattr(_compiled, "own_threads", lambda: 7)
    assert _compiled._threads(10**9, 10**9) == 1, "it has learnt nothing"


def test_small_steps_and_few_steps_get_one_thread(monkeypatch):
    monkeypatch.setattr(_compiled, "own_threads", lambda: 7)
    monkeypatch.setattr(_compiled, "_alone_until", 0.0)
    assert _compiled._threads(100_000, 10_000) == 1
    assert _compiled._threads(1_000_000, 10) == 1
    assert _compiled._threads(1_000_000, 100) == 7


def test_what_goes_wrong_in_a_helper_is_told(monkeypatch):
    X, targets = data(np.random.RandomState(0), 300, 3, 2)
    monkeypatch.setattr(_compiled, "_threads", lambda *_: 2)
    monkeypatch.setattr(_compiled, "_LARGEST", 64)
    train = _compiled.kernels.train

    def fail(*options):
        if options[-2] == 1:
            raise MemoryError("no room")
        return train(*options)

    monkeypatch.setattr(_compiled.kernels, "train", fail)
    with pytest.raises(MemoryError, match="no room"):
        make(NegativeCorrelation(0.5), sizes=(3, 4, 2), batch_size=200).run(X, targets, 3)


def test_data_that_may_not_be_written_to_are_fine():
    X, targets = data(np.random.RandomState(0), 20, 2, 2)
    one, other = make(NegativeCorrelation(0.5)), make(NegativeCorrelation(0.5))
    one.run(X, targets, 3)
    X.flags.writeable = targets.flags.writeable = False
    other.run(np.asfortranarray(X), targets, 3)
    assert_alike(one.networks, other.networks, rtol=0, atol=0)


def test_mini_batches_come_from_the_random_state():
    X, targets = data(np.random.RandomState(0), 30, 2, 2)
    runs = [make(NegativeCorrelation(0.3), batch_size=8) for _ in range(3)]
    runs[2].random_state = np.random.RandomState(8)
    for trainer in runs:
        trainer.run(X, targets, 4)
    assert_array_equal(runs[0].networks.coefs[0], runs[1].networks.coefs[0])
    assert np.abs(runs[0].networks.coefs[0] - runs[2].networks.coefs[0]).max() > 1e-9


def test_connections_that_are_not_there_stay_away():
    rng = np.random.RandomState(0)
    X, targets = data(rng, 20, 2, 2)
    nets = start_networks(3, (2, 4, 2), random_state=0)
    masks = [(rng.uniform(size=w.shape) < 0.5).astype(float) for w in nets.coefs]
    coefs = [w * m for w, m in zip(nets.coefs, masks, strict=True)]
    masked = Networks(coefs=coefs, intercepts=nets.intercepts, masks=masks)
    trainer = Trainer(networks=masked, coupling=NegativeCorrelation(0.5), solver="adam", alpha=0.1)
    before = masked.copy()
    trainer.run(X, targets, 10)
    for w, old, m in zip(masked.coefs, before.coefs, masks, strict=True):
        assert not w[m == 0].any()
        assert (w[m == 1] != old[m == 1]).all()


def test_wrong_weights_are_refused():
    X, targets = data(np.random.RandomState(0), 20, 2, 2)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(19,\), expected \(20,\)"):
        make(NegativeCorrelation(0.5)).run(X, targets, 1, np.ones(19))


# Members and ensembles


def test_a_larger_ensemble_starts_with_the_members_of_a_smaller_one():
    small = start_networks(2, (3, 4, 2), random_state=5)
    large = start_networks(6, (3, 4, 2), random_state=5).take([0, 1])
    assert_alike(small, large, rtol=0, atol=0)


@pytest.mark.parametrize("coupling", [NegativeCorrelation(0.0), Interpreted(0.0)])
@pytest.mark.parametrize("solver", ["gd", "adam"])
def test_strength_zero_trains_each_alone(coupling, solver):
    X, targets = data(np.random.RandomState(0), 25, 2, 2)
    together = make(coupling, solver=solver)
    alone = [
        Trainer(networks=together.networks.take(m), coupling=coupling, solver=solver)
        for m in range(3)
    ]
    together.run(X, targets, 60)
    for trainer in alone:
        trainer.run(X, targets, 60)
    assert_alike(together.networks, concatenate([t.networks for t in alone]), atol=1e-9)


@pytest.mark.parametrize("coupling", [NegativeCorrelation(1.0), Interpreted(1.0)])
def test_strength_one_trains_all_as_one(coupling):
    """At lambda* the ensemble is one network whose output weights are divided by N (Eastwood, 4.7).

    Members descend N times the error of the ensemble, so the joint network steps N times as far
    in its hidden layer. Its output weights are those of the members divided by N, so that N
    times the slope and 1/N of the step twice leave 1/N; its output biases are their mean.
    """
    rng = np.random.RandomState(0)
    X, targets = data(rng, 25, 2, 2)
    trainer = make(coupling, learning_rate=0.05)
    w, v, b, c = (p.copy() for p in trainer.networks.parameters)
    n = trainer.networks.n_members
    joint = Networks(
        coefs=[np.concatenate(w, axis=1)[None], np.concatenate(v / n)[None]],
        intercepts=[b.reshape(1, -1), c.mean(axis=0)[None]],
    )
    own = Trainer(networks=joint, coupling=NegativeCorrelation(0.0))
    assert_allclose(joint.outputs(X)[0], trainer.networks.outputs(X).mean(axis=0))
    scales = [n, 1 / n, n, 1]
    for _ in range(200):
        for p, g, scale in zip(joint.parameters, own.gradients(X, targets), scales, strict=True):
            p -= 0.05 * scale * g
    trainer.run(X, targets, 200)
    assert_allclose(joint.outputs(X)[0], trainer.networks.outputs(X).mean(axis=0), rtol=1e-9)
    assert_allclose(joint.coefs[0][0], np.concatenate(trainer.networks.coefs[0], axis=1), rtol=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    n_members=st.integers(2, 6),
    s=st.floats(0, 1.5),
    rate=st.floats(0.01, 0.5),
    steps=st.integers(1, 30),
)
def test_free_outputs_part_and_meet_as_they_should(n_members, s, rate, steps):
    """z_j, an output less the mean of the others, shrinks by 1 - eta theta (Eastwood, 4.18)."""
    rng = np.random.RandomState(0)
    outputs, targets = rng.normal(size=(n_members, 5, 2)), rng.normal(size=(5, 2))

    def away(outputs):
        return outputs - (outputs.sum(axis=0) - outputs) / (n_members - 1)

    start = outputs.copy()
    for _ in range(steps):
        outputs = outputs - rate * NegativeCorrelation(s).gradient(outputs, targets)
    expected = (1 - rate * (1 - s)) ** steps * away(start)
    assert_allclose(away(outputs), expected, rtol=1e-9, atol=1e-10)
    mean = targets + (1 - rate) ** steps * (start.mean(axis=0) - targets)
    assert_allclose(outputs.mean(axis=0), mean, rtol=1e-9, atol=1e-10)
