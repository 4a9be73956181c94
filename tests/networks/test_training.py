import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from counterpoint.exceptions import DivergenceError
from counterpoint.networks.coupling import NegativeCorrelation
from counterpoint.networks.engine import Trainer, start_networks
from counterpoint.networks.training import train

RNG = np.random.RandomState(0)
X = RNG.normal(size=(30, 2))
TARGETS = np.eye(2)[(X[:, 0] * X[:, 1] > 0).astype(int)]


def make(rate=0.1, **options):
    networks = start_networks(2, (2, 4, 2), random_state=0)
    return Trainer(
        networks=networks, coupling=NegativeCorrelation(0.5), learning_rate=rate, **options
    )


def error(networks):
    return ((networks.outputs(X).mean(axis=0) - TARGETS) ** 2).mean()


@pytest.mark.parametrize("batch_size", [None, 7])
def test_recording_changes_nothing(batch_size):
    def run(**options):
        trainer = make(batch_size=batch_size, random_state=np.random.RandomState(3))
        return train(
            trainer, X, TARGETS, max_epochs=23, every=5, watch=error, progress=False, **options
        )

    epochs = []
    plain = run()
    seen = run(record=lambda epoch, networks: epochs.append(epoch), record_every=4)
    assert epochs == [0, 4, 8, 12, 16, 20, 23]
    assert plain.best == seen.best
    assert plain.n_epochs == seen.n_epochs == 23
    for a, b in zip(plain.networks.parameters, seen.networks.parameters, strict=True):
        assert_array_equal(a, b)


def test_the_best_state_is_kept():
    trainer = make()
    values = iter([5.0, 3.0, 4.0, float("nan"), 6.0])
    states = []

    def watch(networks):
        states.append(networks.copy())
        return next(values)

    outcome = train(trainer, X, TARGETS, max_epochs=8, every=2, watch=watch, progress=False)
    assert (outcome.best, outcome.best_epoch, outcome.reason) == (3.0, 2, "max_epochs")
    assert_array_equal(outcome.networks.coefs[0], states[1].coefs[0])


def test_it_stops_without_progress():
    values = iter([5.0, 4.0, 3.95, 3.92, 1.0])
    outcome = train(
        make(),
        X,
        TARGETS,
        max_epochs=100,
        every=3,
        watch=lambda networks: next(values),
        patience=2,
        tol=0.1,
        progress=False,
    )
    assert (outcome.reason, outcome.n_epochs, outcome.best) == ("no progress", 9, 3.92)


def test_an_interrupt_keeps_the_best_state_and_its_record():
    looked, epochs = [], []

    def watch(networks):
        looked.append(error(networks))
        if len(looked) == 4:
            raise KeyboardInterrupt
        return looked[-1]

    outcome = train(
        make(),
        X,
        TARGETS,
        max_epochs=100,
        every=5,
        watch=watch,
        record=lambda epoch, networks: epochs.append(epoch),
        record_every=4,
        progress=False,
    )
    assert outcome.reason == "interrupted"
    assert (outcome.best_epoch, outcome.n_epochs) == (10, 15)
    assert_allclose(error(outcome.networks), min(looked[:3]))
    assert epochs == [0, 4, 8, 12, 15]


@pytest.mark.parametrize("output", ["linear", "sigmoid", "softmax"])
@pytest.mark.parametrize("hidden", ["tanh", "logistic", "relu"])
def test_no_output_is_larger_than_the_weights_allow(hidden, output):
    networks = start_networks(3, (2, 5, 2), hidden=hidden, output=output, random_state=0)
    for array in networks.parameters:
        array *= 7.0
    far = 1e3 * np.random.default_rng(0).normal(size=(500, 2))
    largest = np.abs(networks.outputs(far)).max()
    assert largest <= networks.most
    # And no more is allowed for than one row or another needs, but where nothing is known.
    assert hidden == "relu" or output != "linear" or networks.most < 5 * largest


@pytest.mark.parametrize("solver", ["gd", "adam"])
def test_a_runaway_is_caught_and_undone(solver):
    trainer = make(rate=1e9, solver=solver)
    before = trainer.networks.copy()
    with pytest.raises(DivergenceError, match="The learning rate is 1e\\+09: lower it"):
        train(trainer, X, TARGETS, max_epochs=50, every=5, progress=False)
    for a, b in zip(trainer.networks.parameters, before.parameters, strict=True):
        assert_array_equal(a, b)
    trainer.learning_rate = 0.01  # and goes on from there
    outcome = train(trainer, X, TARGETS, max_epochs=5, progress=False)
    assert all(np.isfinite(p).all() for p in outcome.networks.parameters)
